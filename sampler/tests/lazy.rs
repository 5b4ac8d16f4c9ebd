//! Lazy grammars against a plain reading that searches the whole text anew at each token.

use std::path::Path;
use std::sync::Arc;

use grammask_gbnf::{Automaton, Matcher, parse};
use grammask_sampler::{
    Constraint, ConstraintError, Engine, LazyError, LazyGrammar, ThinkingBudget, TokenId,
    TokenMask, Trigger, Vocabulary, fill_masks,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use regex::bytes::Regex;

/// A trigger as tests say it.
#[derive(Clone, Debug)]
enum What {
    Word(&'static str),
    WholeWord(&'static str),
    Pattern(String),
    Token(u32),
}

#[derive(Clone, Debug)]
struct Case {
    triggers: Vec<(What, bool, &'static str)>,
    rearm: bool,
    required: bool,
    /// How many tokens, the closing, and the grammar behind it.
    budget: Option<(usize, &'static str, &'static str)>,
}

/// The first tokens of each vocabulary: two control tokens and one that ends generation.
const CONTROL: [&str; 2] = ["<t>", "{"];
const END: TokenId = TokenId(2);

const GRAMMARS: &[&str] = &[
    r#"root ::= "{" [ab]* "}""#,
    r#"root ::= "{" root? "}" "a"?"#,
    "root ::= [ab]+",
    "root ::= [ab{]*",
    r#"root ::= "a" | "ab" | "abba{""#,
    r#"root ::= "a" "é"? " "* "}""#,
    r#"root ::= <[0]> "a"*"#,
    r#"root ::= [^}]{1,3} "}" | !<[0]> "b""#,
    r#"root ::= """#,
];

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        2 => select(vec!["{", "a{", "ab", "}", "t>", " a", "é"]).prop_map(What::Word),
        2 => select(vec!["a", "ab", "{", "a{", " b"]).prop_map(What::WholeWord),
        5 => pattern().prop_map(What::Pattern),
        1 => (0..8_u32).prop_filter("no end", |&id| id != END.0).prop_map(What::Token),
    ]
}

/// Patterns that mean the same to the reference.
fn pattern() -> impl Strategy<Value = String> {
    let known = select(vec![
        r"[\s\S]*?(\{)",
        r"^[\s\S]*?(\{)[\s\S]*$",
        r"^(\{)$",
        r"a(x)?(\{)",
        r"a[\s\S]*b",
        r"(a*)(b*)\{",
        r"\bab?\b",
        r"a\B",
        r"^a(b)|(abb)$",
        r"(?:(a)|b)+\}",
        "é",
        "[é ]a",
        r"a|ab|(ab\{)",
        "",
    ]);
    let atom = select(vec![
        "a", "b", r"\{", r"\}", " ", "[ab]", "[^a]", ".", r"\s", r"\w", "^", "$", r"\b", r"\B", "é",
    ]);
    let random = atom.prop_map(str::to_owned).prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 2..=3).prop_map(|parts| parts.concat()),
            2 => vec(inner.clone(), 2..=3).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => inner.clone().prop_map(|part| format!("({part})")),
            2 => (inner, select(vec!["*", "+", "?", "*?", "+?", "{0,2}", "{2}"]))
                .prop_map(|(part, count)| format!("(?:{part}){count}")),
        ]
    });
    prop_oneof![1 => known.prop_map(str::to_owned), 1 => random]
}

fn cases() -> impl Strategy<Value = Case> {
    let trigger = (what(), any::<bool>(), select(GRAMMARS));
    let budget = (0..4_usize, select(vec!["a", "}é", "ab b"]), select(GRAMMARS));
    let budget = prop_oneof![1 => Just(None), 1 => budget.prop_map(Some)];
    (vec(trigger, 1..=3), any::<bool>(), any::<bool>(), budget)
        .prop_map(|(triggers, rearm, required, budget)| Case { triggers, rearm, required, budget })
}

fn tokens() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let part = select(vec!["a", "b", "{", "}", " ", "é", "x", "ab"]);
    let whole = vec(part, 1..=4).prop_map(|parts| parts.concat().into_bytes());
    let broken = select(vec![vec![0xc3], vec![0xa9], vec![b'}', 0xc3], vec![0xa9, b'a']]);
    let single = ["a", "b", "{", "}", " "].map(|text| text.as_bytes().to_vec());
    vec(prop_oneof![5 => whole, 1 => broken], 1..=14)
        .prop_map(move |more| single.iter().cloned().chain(more).collect())
}

fn engine(tokens: &[Vec<u8>]) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    for text in CONTROL {
        builder.push_control(text);
    }
    builder.push_eog("</s>");
    for token in tokens {
        builder.push(token);
    }
    Engine::new(builder.build().expect("none is empty"))
}

fn constraint(engine: &Arc<Engine>, grammar: &str) -> Constraint {
    Constraint::new(engine, &parse(grammar).expect("a grammar"), "root").expect("it compiles")
}

impl Case {
    fn build(&self, engine: &Arc<Engine>) -> Constraint {
        let mut lazy = LazyGrammar::new();
        for (what, behind, grammar) in &self.triggers {
            let trigger = match what {
                What::Word(text) => Trigger::word(*text),
                What::WholeWord(text) => Trigger::whole_word(*text),
                What::Pattern(pattern) => Trigger::pattern(pattern.clone()),
                What::Token(token) => Trigger::token(TokenId(*token)),
            };
            let trigger = if *behind { trigger.behind() } else { trigger };
            lazy = lazy.trigger(trigger, constraint(engine, grammar));
        }
        let lazy = if self.rearm { lazy.rearm() } else { lazy };
        let lazy = if self.required { lazy.required() } else { lazy };
        let lazy = match self.budget {
            Some((tokens, closing, grammar)) => {
                lazy.budget(ThinkingBudget::new(tokens, closing, constraint(engine, grammar)))
            }
            None => lazy,
        };
        lazy.build(engine).expect("the patterns are small")
    }
}

/// The plain reading.
#[derive(Clone)]
struct Plain {
    engine: Arc<Engine>,
    case: Arc<Case>,
    regexes: Arc<Vec<Vec<Regex>>>,
    automata: Arc<Vec<Automaton>>,
    state: Side,
    is_after_target: bool,
}

#[derive(Clone)]
enum Side {
    /// All pieces of the free text.
    Free(Vec<Bit>),
    /// What is left of the closing.
    Closing(Vec<u8>),
    Target(Matcher),
}

/// A token from a byte on, and whether a reference to the token means it.
#[derive(Clone, Copy)]
struct Bit(TokenId, usize, bool);

impl Plain {
    fn new(engine: &Arc<Engine>, case: &Case) -> Self {
        let regexes = case.triggers.iter().map(|(what, ..)| match what {
            What::Pattern(pattern) => {
                let search = Regex::new(&format!("(?-u){}", classes(pattern))).expect("a pattern");
                let whole = Regex::new(&format!("(?-u)^(?:{})$", classes(pattern))).expect("so");
                let both = pattern.starts_with('^') && pattern.ends_with('$');
                if both { vec![whole, search] } else { vec![search] }
            }
            _ => Vec::new(),
        });
        let automata = case.triggers.iter().map(|(_, _, grammar)| {
            Automaton::compile(&parse(grammar).expect("a grammar"), "root").expect("it compiles")
        });
        let mut plain = Self {
            engine: Arc::clone(engine),
            regexes: Arc::new(regexes.collect()),
            automata: Arc::new(automata.collect()),
            case: Arc::new(case.clone()),
            state: Side::Free(Vec::new()),
            is_after_target: false,
        };
        plain.end_free();
        plain
    }

    /// How the last character of free text begins, if it is not whole.
    fn begun(&self, bits: &[Bit]) -> Vec<u8> {
        let vocabulary = self.engine.vocabulary();
        let from = bits.iter().rposition(|bit| vocabulary.is_control(bit.0));
        let text = self.text(&bits[from.map_or(0, |at| at + 1)..]);
        let tails = (1..=text.len().min(3)).map(|len| text[text.len() - len..].to_vec());
        let is_begun = |tail: &Vec<u8>| {
            str::from_utf8(tail).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
        };
        tails.into_iter().find(is_begun).unwrap_or_default()
    }

    fn is_spent(&self, bits: &[Bit]) -> bool {
        self.case.budget.is_some_and(|(tokens, ..)| bits.len() >= tokens)
    }

    /// Begins the closing if it is time.
    fn end_free(&mut self) {
        if let Side::Free(bits) = &self.state
            && let Some((_, closing, _)) = self.case.budget
            && self.is_spent(bits)
            && self.begun(bits).is_empty()
        {
            self.state = Side::Closing(closing.as_bytes().to_vec());
        }
    }

    fn bytes(&self, bit: Bit) -> Vec<u8> {
        self.engine.vocabulary().bytes(bit.0).expect("a token")[bit.1..].to_vec()
    }

    fn text(&self, bits: &[Bit]) -> Vec<u8> {
        bits.iter().flat_map(|&bit| self.bytes(bit)).collect()
    }

    /// The trigger that is complete in a text, with where what follows begins.
    fn find(&self, text: &[u8], is_end: bool) -> Option<(usize, usize)> {
        let triggers = self.case.triggers.iter().zip(self.regexes.iter()).enumerate();
        triggers.into_iter().find_map(|(index, ((what, behind, _), regexes))| {
            let (start, end) = match what {
                What::Token(_) => return None,
                What::Word(word) => find_word(text, word, |_, _| true)?,
                What::WholeWord(word) => find_word(text, word, |start, end| {
                    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
                    let before = start.checked_sub(1).and_then(|at| text.get(at));
                    let ends_so = is_word(word.as_bytes().last());
                    let is_longer = is_word(before) && is_word(word.as_bytes().first())
                        || is_word(text.get(end)) && ends_so;
                    !is_longer && (end < text.len() || is_end || !ends_so)
                })?,
                What::Pattern(_) if is_end => return None,
                What::Pattern(_) => regexes.iter().find_map(|regex| {
                    let captures = regex.captures(text)?;
                    let mut groups = captures.iter().skip(1).flatten();
                    let whole = captures.get(0)?;
                    let group = groups.find(|group| !group.is_empty()).unwrap_or(whole);
                    Some((group.start(), whole.end()))
                })?,
            };
            Some((index, if *behind { end } else { start }))
        })
    }

    /// The bits of free text from a place on.
    fn replay(&self, bits: &[Bit], index: usize, from: usize) -> Vec<Bit> {
        let behind = self.case.triggers[index].1;
        let mut at = 0;
        let mut replay = Vec::new();
        for &bit in bits {
            let (start, end) = (at, at + self.bytes(bit).len());
            at = end;
            if end > from {
                let cut = from.saturating_sub(start);
                replay.push(Bit(bit.0, bit.1 + cut, bit.2 && !(behind && cut > 0)));
            }
        }
        replay
    }

    fn matches(&self, matcher: &mut Matcher, bit: Bit) -> bool {
        let bytes = self.bytes(bit);
        let is_control = self.engine.vocabulary().is_control(bit.0);
        let text = (!is_control).then_some(&*bytes);
        let means = |reference: &grammask_gbnf::TokenReference| {
            bit.2 && (self.engine.resolve(reference) == Some(bit.0)) != reference.negated
        };
        matcher.advance_token(text, means).is_ok()
    }

    fn accept(&mut self, token: TokenId) -> bool {
        if token == END {
            return self.is_complete();
        }
        let mut next = self.clone();
        let accepted = next.read(vec![Bit(token, 0, true)]);
        if accepted {
            *self = next;
        }
        accepted
    }

    fn read(&mut self, mut bits: Vec<Bit>) -> bool {
        let mut is_fresh = false;
        while !bits.is_empty() {
            let bit = bits.remove(0);
            match self.state.clone() {
                Side::Closing(left) => {
                    let bytes = self.bytes(bit);
                    let is_control = self.engine.vocabulary().is_control(bit.0);
                    let Some(left) = left.strip_prefix(&*bytes).filter(|_| !is_control) else {
                        return false;
                    };
                    self.state = Side::Closing(left.to_vec());
                    if let (true, Some((_, _, grammar))) = (left.is_empty(), self.case.budget) {
                        let grammar = parse(grammar).expect("a grammar");
                        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
                        self.state = Side::Target(Matcher::new(&automaton));
                    }
                }
                Side::Free(mut before) => {
                    if self.is_spent(&before) {
                        let text = [self.begun(&before), self.bytes(bit)].concat();
                        if self.engine.vocabulary().is_control(bit.0)
                            || str::from_utf8(&text).is_err()
                        {
                            return false;
                        }
                    }
                    before.push(bit);
                    self.state = Side::Free(before.clone());
                    let token = self.case.triggers.iter().position(|(what, ..)| {
                        bit.2 && matches!(what, What::Token(id) if *id == bit.0.0)
                    });
                    let (trigger, mut replay) = match token {
                        Some(index) if self.case.triggers[index].1 => (index, Vec::new()),
                        Some(index) => (index, vec![bit]),
                        None => {
                            let Some((index, from)) = self.find(&self.text(&before), false) else {
                                self.end_free();
                                continue;
                            };
                            (index, self.replay(&before, index, from))
                        }
                    };
                    is_fresh = !replay.is_empty();
                    self.state = Side::Target(Matcher::new(&self.automata[trigger]));
                    replay.append(&mut bits);
                    bits = replay;
                }
                Side::Target(mut matcher) => {
                    if self.matches(&mut matcher, bit) {
                        is_fresh = false;
                        self.state = Side::Target(matcher);
                        continue;
                    }
                    if !self.case.rearm {
                        return false;
                    }
                    let mut bytes = self.bytes(bit);
                    if self.engine.vocabulary().is_control(bit.0) {
                        bytes.clear();
                    }
                    let fits = bytes.iter().take_while(|&&byte| matcher.advance(&[byte]).is_ok());
                    let read = fits.count();
                    if !matcher.is_complete() || is_fresh && read == 0 {
                        return false;
                    }
                    bits.insert(0, Bit(bit.0, bit.1 + read, bit.2 && read == 0));
                    is_fresh = false;
                    self.is_after_target = true;
                    self.state = Side::Free(Vec::new());
                    self.end_free();
                }
            }
        }
        true
    }

    fn is_complete(&self) -> bool {
        match &self.state {
            Side::Target(matcher) => matcher.is_complete(),
            Side::Closing(_) => false,
            Side::Free(bits) => match self.find(&self.text(bits), true) {
                Some((index, from)) => {
                    let mut end = self.clone();
                    end.state = Side::Target(Matcher::new(&self.automata[index]));
                    // Word by word, as long as the text ends with one.
                    end.read(self.replay(bits, index, from)) && (end.is_free() || end.is_complete())
                }
                None => !self.is_spent(bits) && (self.is_after_target || !self.case.required),
            },
        }
    }

    fn is_free(&self) -> bool {
        matches!(self.state, Side::Free(_))
    }
}

/// A class with characters beyond ASCII is one of characters.
fn classes(pattern: &str) -> String {
    pattern.replace("[é ]", "(?u:[é ])").replace('é', "(?u:é)").replace("[(?u:é) ]", "[é ]")
}

fn find_word(
    text: &[u8],
    word: &str,
    is_there: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let starts = 0..=text.len();
    let ends = |start: usize| (start, start + word.len());
    starts
        .map(ends)
        .find(|&(start, end)| text[start..].starts_with(word.as_bytes()) && is_there(start, end))
}

fn brute_force(plain: &Plain) -> TokenMask {
    let vocabulary = plain.engine.vocabulary();
    let mut mask = TokenMask::new(vocabulary.len());
    mask.extend(vocabulary.ids().filter(|&token| plain.clone().accept(token)));
    mask
}

fn same(constraint: &Constraint, plain: &Plain, what: &str) -> Result<(), TestCaseError> {
    let vocabulary = plain.engine.vocabulary();
    let (fast, slow) = (constraint.mask(), brute_force(plain));
    for token in vocabulary.ids() {
        let text =
            String::from_utf8_lossy(vocabulary.bytes(token).unwrap_or_default()).into_owned();
        let expected = slow.contains(token);
        prop_assert_eq!(fast.contains(token), expected, "mask, {:?} {}, {}", token, text, what);
        prop_assert_eq!(
            constraint.allows(token),
            expected,
            "allows, {:?} {}, {}",
            token,
            text,
            what
        );
        let mut other = constraint.clone();
        let accepted = other.accept(token);
        prop_assert_eq!(
            accepted.is_ok(),
            expected,
            "{:?}, {:?} {}, {}",
            accepted,
            token,
            text,
            what
        );
        if accepted.is_err() {
            prop_assert_eq!(other.mask(), fast.clone(), "a refusal leaves no trace: {}", what);
        }
    }
    prop_assert_eq!(constraint.is_complete(), plain.is_complete(), "complete, {}", what);
    prop_assert_eq!(constraint.matcher().is_some(), !plain.is_free(), "free, {}", what);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// In every phase the mask has the tokens that can be read, and these are the ones that the plain
    /// reading takes; also after going back, in a clone and from the start.
    #[test]
    fn masks_are_exact(
        case in cases(),
        tokens in tokens(),
        choices in vec(any::<u16>(), 0..12),
    ) {
        let engine = engine(&tokens);
        let mut constraint = case.build(&engine);
        let mut plain = Plain::new(&engine, &case);
        let mut masks = vec![constraint.mask()];
        let mut clones = vec![constraint.clone()];
        let mut read = Vec::new();
        same(&constraint, &plain, &format!("{case:?} at the start"))?;
        for choice in choices {
            let allowed: Vec<TokenId> = constraint.mask().tokens().filter(|&id| id != END).collect();
            if allowed.is_empty() {
                break;
            }
            let token = allowed[usize::from(choice) % allowed.len()];
            constraint.accept(token).expect("the mask allows it");
            prop_assert!(plain.accept(token));
            read.push(token);
            let vocabulary = engine.vocabulary();
            let text: Vec<&[u8]> = read.iter().filter_map(|&id| vocabulary.bytes(id)).collect();
            let text: Vec<_> = text.iter().map(|text| String::from_utf8_lossy(text)).collect();
            same(&constraint, &plain, &format!("{case:?} after {text:?}"))?;
            masks.push(constraint.mask());
            clones.push(constraint.clone());
        }
        prop_assert_eq!(constraint.rollback_limit(), read.len());
        for back in 0..=read.len() {
            let mut earlier = constraint.clone();
            earlier.rollback(back);
            prop_assert_eq!(earlier.len(), read.len() - back);
            prop_assert_eq!(&earlier.mask(), &masks[read.len() - back]);
            for &token in &read[read.len() - back..] {
                earlier.accept(token).expect("it was read before");
            }
            prop_assert_eq!(&earlier.mask(), &masks[read.len()]);
        }
        let mut together = vec![TokenMask::new(engine.vocabulary().len()); clones.len()];
        fill_masks(&clones, &mut together);
        prop_assert_eq!(&together, &masks);
        constraint.reset();
        prop_assert_eq!(&constraint.mask(), &masks[0]);
        for token in &read {
            constraint.accept(*token).expect("it was read before");
        }
        prop_assert_eq!(&constraint.mask(), &masks[read.len()]);
    }
}

/// The tokens of a text, as the vocabulary spells it.
fn feed(constraint: &mut Constraint, text: &str) {
    let tokens = constraint.engine().vocabulary().encode(text).expect("it is spelled");
    for token in tokens {
        constraint.accept(token).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    }
}

fn r50k() -> Arc<Engine> {
    Engine::new(Vocabulary::from_name("r50k_base").expect("it is built in"))
}

/// Wherever tokens end, a word begins the same part.
#[test]
fn all_chunkings_find_the_same_word() {
    let text = "so be it: <tool>abc</tool>";
    let engine = r50k();
    let call = constraint(&engine, r#"root ::= "<tool>" [a-z]+ "</tool>""#);
    let lazy = LazyGrammar::new().trigger(Trigger::word("<tool>"), call).build(&engine).unwrap();
    for step in 1..=text.len() {
        let mut constraint = lazy.clone();
        let pieces = text.as_bytes().chunks(step).map(|piece| str::from_utf8(piece).unwrap());
        pieces.for_each(|piece| feed(&mut constraint, piece));
        assert!(constraint.is_finished(), "{step} bytes at once");
    }
}

/// Thinking ends at its tag, or with the budget: at the end of a character, with a message and the
/// tag. Then comes the schema's grammar, or whatever it is.
#[test]
fn thinking_has_a_budget() {
    let json =
        r#"{"tokens": ["hm", {"hex": "c3"}, {"hex": "a9"}, "1", "!", "é", "</th", "ink>", "!1"],
        "control": [9, 10], "eog": [10]}"#
            .replace("\"!1\"]", "\"!1\", \"</think>\", \"</s>\"]");
    let engine = Engine::new(Vocabulary::from_json(&json).expect("a vocabulary"));
    let answer = constraint(&engine, "root ::= [0-9]");
    let by_token = LazyGrammar::new()
        .trigger(Trigger::token(TokenId(9)).behind(), answer.clone())
        .required()
        .budget(ThinkingBudget::new(2, "!", answer.clone()).token(TokenId(9)))
        .build(&engine)
        .unwrap();
    let allowed = |tokens: &[u32]| {
        let mut constraint = by_token.clone();
        for &id in tokens {
            constraint.accept(TokenId(id)).expect("it is allowed");
        }
        constraint.mask().tokens().map(|id| id.0).collect::<Vec<_>>()
    };
    // All but the end, which may not come before an answer.
    assert_eq!(allowed(&[]), (0..10).collect::<Vec<_>>());
    assert_eq!(allowed(&[0]), (0..10).collect::<Vec<_>>());
    assert_eq!(allowed(&[0, 0]), [4]);
    // A character is ended before.
    assert_eq!(allowed(&[0, 1]), [2]);
    assert_eq!(allowed(&[0, 1, 2]), [4]);
    assert_eq!(allowed(&[0, 1, 2, 4]), [9]);
    assert_eq!(allowed(&[0, 1, 2, 4, 9]), [3]);
    assert_eq!(allowed(&[0, 1, 2, 4, 9, 3]), [10]);
    // The tag itself ends the thinking.
    assert_eq!(allowed(&[0, 9]), [3]);

    let by_text = LazyGrammar::new()
        .trigger(Trigger::word("</think>").behind(), answer.clone())
        .required()
        .budget(ThinkingBudget::new(0, "</think>", answer))
        .build(&engine)
        .unwrap();
    let mut constraint = by_text.clone();
    assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(6)]);
    assert_eq!(constraint.forced_bytes(), b"</think>");
    for id in [6, 7] {
        constraint.accept(TokenId(id)).expect("it is allowed");
    }
    assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(3)]);
    constraint.rollback(1);
    assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(7)]);
}

/// Think first, then answer with calls between free text.
#[test]
fn a_lazy_grammar_may_follow_another() {
    let engine = r50k();
    let call = constraint(&engine, r#"root ::= "<call>" [0-9]+ "</call>""#);
    let calls = LazyGrammar::new().trigger(Trigger::word("<call>"), call).rearm();
    let calls = calls.build(&engine).unwrap();
    let mut constraint = LazyGrammar::new()
        .trigger(Trigger::word("</think>").behind(), calls)
        .required()
        .build(&engine)
        .unwrap();
    feed(&mut constraint, "I could <call>them</call>.");
    assert!(!constraint.is_complete());
    feed(&mut constraint, "</think>Well: <call>12</call>, or <call>3</call>.");
    assert!(constraint.is_complete());
    let before = constraint.len();
    feed(&mut constraint, "<call>");
    let them = engine.vocabulary().encode("them").unwrap();
    assert!(matches!(constraint.accept(them[0]), Err(ConstraintError::Refused { .. })));
    constraint.rollback(constraint.len() - before);
    feed(&mut constraint, "them");
}

/// A megabyte of free text: what is kept of it is bounded, and it is read once.
#[test]
fn long_free_text() {
    let engine = r50k();
    let call = constraint(&engine, r#"root ::= "{" [0-9]+ "}""#);
    let text = "Mary had a little lamb, its fleece was white as snow; call me\n".repeat(16_000);
    let tokens = engine.vocabulary().encode_longest(&text).unwrap();
    let lazy = LazyGrammar::new()
        .trigger(Trigger::pattern(r"[\s\S]*?call:(\{)"), call.clone())
        .trigger(Trigger::whole_word("{"), call)
        .rearm()
        .build(&engine)
        .unwrap();
    let mut constraint = lazy.clone();
    for &token in &tokens {
        constraint.accept(token).expect("any text may come");
    }
    let limit = constraint.rollback_limit();
    assert!((1_024..=2_048).contains(&limit), "{limit}");
    feed(&mut constraint, " {1");
    let numbers = constraint.mask();
    constraint.rollback(limit);
    assert!(constraint.mask().count() > numbers.count());
    constraint.rollback(usize::MAX);
    assert_eq!(constraint.len(), 0);
}

/// What begins further back than what is kept is refused, and only that.
#[test]
fn a_trigger_that_is_too_long() {
    let engine = r50k();
    let any = constraint(&engine, "root ::= [^#]* \"#\"");
    let lazy = LazyGrammar::new().trigger(Trigger::pattern(r"\{[\s\S]*\}"), any);
    let mut constraint = lazy.build(&engine).unwrap();
    feed(&mut constraint, "{");
    let end = engine.vocabulary().token_by_text(b"}").unwrap();
    assert!(constraint.allows(end));
    let filler = engine.vocabulary().encode(&" lamb".repeat(30_000)).unwrap();
    for token in filler {
        constraint.accept(token).expect("any text may come");
    }
    let error = constraint.accept(end);
    assert_eq!(error, Err(ConstraintError::TriggerTooLong { token: end, limit: 1 << 16 }));
    assert!(!constraint.allows(end) && !constraint.mask().contains(end));
    feed(&mut constraint, " and so on");
}

/// On a real vocabulary: the mask has the tokens that can be read.
#[test]
fn masks_are_exact_on_a_real_vocabulary() {
    let engine = r50k();
    let call = constraint(&engine, r#"root ::= "<tool>" " "* "{" [a-zé" ]* "}" " "*"#);
    let list = constraint(&engine, r#"root ::= "[" ([0-9]+ ("," [0-9]+)*)? "]""#);
    let lazy = LazyGrammar::new()
        .trigger(Trigger::word("<tool>"), call)
        .trigger(Trigger::pattern(r"\b(?:call|give):\s*(\[)"), list.clone())
        .trigger(Trigger::whole_word("function").behind(), list);
    let texts = [
        "",
        "well",
        "Well <",
        "<to",
        "a call: ",
        "to function",
        "x <tool>",
        "x <tool> {a \"é",
        "x <tool> {} ",
        "give:[",
        "give: [12]",
        "recall:\u{e9}",
    ];
    for lazy in [lazy.clone(), lazy.rearm()] {
        let lazy = lazy.build(&engine).unwrap();
        for text in texts {
            let mut constraint = lazy.clone();
            feed(&mut constraint, text);
            let mask = constraint.mask();
            for token in engine.vocabulary().ids() {
                let accepted = constraint.clone().accept(token);
                assert_eq!(
                    mask.contains(token),
                    accepted.is_ok(),
                    "{token} {accepted:?} after {text:?}"
                );
            }
        }
    }
}

/// Patterns that cannot be read say where and why; those that would take too much room are refused.
#[test]
fn bad_patterns() {
    let engine = r50k();
    let target = constraint(&engine, "root ::= [a-z]+");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/trigger_patterns");
    let rows = std::fs::read_to_string(folder.join("refused.jsonl")).expect("it is there");
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
        let repeated = |part: &str| row[part].as_str().unwrap_or_default().to_owned();
        let times = row["times"].as_u64().unwrap_or(1) as usize;
        let pattern = repeated("before").repeat(times)
            + &repeated("pattern")
            + &repeated("after").repeat(times);
        let lazy = LazyGrammar::new().trigger(Trigger::pattern(pattern), target.clone());
        let error = lazy.build(&engine).expect_err("it is refused");
        let expected = row["error"].as_str().expect("an error");
        assert!(error.to_string().ends_with(expected), "{error}\n{expected}");
        if let LazyError::Pattern { error, .. } = &error {
            assert_eq!(Some(error.at() as u64), row["at"].as_u64(), "{error}");
        }
    }
}

/// Many words, and patterns whose table is large.
#[test]
fn large_patterns() {
    let engine = r50k();
    let target = constraint(&engine, "root ::= [a-z0-9]+");
    let words = (0..1_000).map(|number| Trigger::word(format!("some_tool_{number}_name")));
    let lazy = words.fold(LazyGrammar::new(), |lazy, word| lazy.trigger(word, target.clone()));
    let mut constraint = lazy.build(&engine).expect("words are small").clone();
    assert!(constraint.mask().count() > 50_000);
    // With every token a trigger is complete, which takes very long to look at.
    let all = LazyGrammar::new().trigger(Trigger::pattern("(?:a?){2000}"), target.clone());
    let all = all.build(&engine).expect("it is small");
    assert!(all.is_too_ambiguous() && all.mask().count() == 0);
    for pattern in ["(?:(?:a|b|ab)*c?)*d", r"a{0,1000}b", "[ab]*a[ab]{10}", "(?:a?){500}a{500}"] {
        let lazy = LazyGrammar::new().trigger(Trigger::pattern(pattern), target.clone());
        constraint = lazy.build(&engine).unwrap_or_else(|error| panic!("{error}"));
        constraint.mask();
        constraint.accept(engine.vocabulary().token_by_text(b" ").unwrap()).unwrap();
    }
}

/// `^` and `$` are those of all free text up to the end of a token, and are put where they are missing.
#[test]
fn full_patterns() {
    let engine = r50k();
    let target = constraint(&engine, r#"root ::= "{" [0-9]* "}""#);
    let begins = |pattern: &str, pieces: &[&str]| {
        let trigger = Trigger::full_pattern(pattern);
        let lazy = LazyGrammar::new().trigger(trigger, target.clone()).build(&engine);
        let mut constraint = lazy.expect("a pattern");
        for piece in pieces {
            feed(&mut constraint, piece);
        }
        constraint.matcher().is_some()
    };
    assert!(begins(r"\w*(\{)", &["ab", "{"]));
    assert!(begins(r"^\w*(\{)$", &["ab", "{"]));
    assert!(!begins(r"\w*(\{)", &["-", "ab", "{"]));
    assert!(!begins(r"\w*(a)", &["ab"]) && !begins("", &["ab"]));
    assert!(begins(r"[\s\S]*?(\{)[\s\S]*", &["-\n", "ab", "{}"]));
}

/// Channels of harmony: control tokens are found by their texts, also with text between them.
#[test]
fn channels_end_the_thinking() {
    let json = r#"{"tokens": ["final", "fin", "al", "hm", "1", "<|channel|>", "<|message|>", "<|end|>"],
        "control": [5, 6, 7], "eog": [7]}"#;
    let engine = Engine::new(Vocabulary::from_json(json).expect("a vocabulary"));
    let answer = constraint(&engine, "root ::= [0-9]+");
    let trigger = Trigger::pattern(r"<\|channel\|>final<\|message\|>").behind();
    let lazy = LazyGrammar::new().trigger(trigger, answer).required().build(&engine).unwrap();
    for final_tokens in [&[0][..], &[1, 2]] {
        let mut constraint = lazy.clone();
        let thinking = [5, 3, 6, 3, 0, 5].iter().chain(final_tokens).chain(&[6]);
        for &id in thinking {
            assert!(constraint.matcher().is_none() && !constraint.is_complete());
            constraint.accept(TokenId(id)).expect("any text may come");
        }
        assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(4)]);
        constraint.accept(TokenId(4)).expect("it is allowed");
        assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(4), TokenId(7)]);
    }
}

/// What cannot be: each is an error that says so.
#[test]
fn bad_lazy_grammars() {
    let engine = r50k();
    let target = constraint(&engine, "root ::= [a-z]+");
    let word = || LazyGrammar::new().trigger(Trigger::word("x"), target.clone());
    let error = |lazy: LazyGrammar| lazy.build(&engine).expect_err("it is refused");
    assert_eq!(error(LazyGrammar::new()), LazyError::NoTrigger);
    let end = engine.vocabulary().eog_ids()[0];
    let token = |token| word().trigger(Trigger::token(token), target.clone());
    assert_eq!(error(token(end)), LazyError::EndOfGeneration { trigger: 1, token: end });
    let unknown = TokenId(99_999);
    assert_eq!(error(token(unknown)), LazyError::UnknownToken { trigger: 1, token: unknown });
    let empty = word().trigger(Trigger::whole_word(""), target.clone());
    assert_eq!(error(empty), LazyError::EmptyWord { trigger: 1 });
    let lazy = word().build(&engine).unwrap();
    let again = LazyGrammar::new().trigger(Trigger::word("y"), lazy).rearm();
    assert_eq!(error(again), LazyError::LazyTarget { trigger: 0 });
    let other = constraint(&r50k(), "root ::= [a-z]+");
    let other = word().trigger(Trigger::word("y"), other);
    assert_eq!(error(other), LazyError::OtherEngine { trigger: 1 });
    let mut ended = target.clone();
    feed(&mut ended, "a");
    ended.accept(end).expect("it is complete");
    assert_eq!(error(word().trigger(Trigger::word("y"), ended)), LazyError::Ended { trigger: 1 });
    let budget = |budget| error(word().budget(budget));
    assert_eq!(budget(ThinkingBudget::new(1, "", target.clone())), LazyError::EmptyClosing);
    for token in [end, unknown] {
        let closing = budget(ThinkingBudget::new(1, "!", target.clone()).token(token));
        assert!(matches!(closing, LazyError::Closing(_)), "{closing}");
    }

    let mut free = word().build(&engine).unwrap();
    free.accept(end).expect("free text may end");
    assert_eq!(free.accept(TokenId(0)), Err(ConstraintError::AfterEnd { token: TokenId(0) }));
    assert_eq!(free.mask().count(), 0);
    free.rollback(1);
    assert!(matches!(free.accept(unknown), Err(ConstraintError::UnknownToken { .. })));
    let numbers = constraint(&engine, r#"root ::= "{" [0-9]+"#);
    let lazy = LazyGrammar::new().trigger(Trigger::word("{"), numbers);
    let mut constraint = lazy.build(&engine).unwrap();
    let x = engine.vocabulary().token_by_text(b" {\"").expect("a token");
    assert_eq!(constraint.accept(x), Err(ConstraintError::Misfit { token: x }));
}
