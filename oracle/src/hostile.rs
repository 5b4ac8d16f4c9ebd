//! Grammars and texts made to hang or to crash an engine, or to use up its memory.
//!
//! The first are those that llama.cpp falls over: a reversed count, left recursion that it does not
//! see, rules that lead to each other in many ways, deep nesting, references to erased rules. The
//! others aim at what an engine of this kind might do badly: unrolled counters, sets of stacks,
//! determinised alternatives, recursion on the machine's stack.
//!
//! The list is one for the tests and the harness. Both run each case in a process of its own, with
//! limits on time and memory.

use std::fmt::Write;
use std::time::Instant;

use grammask_gbnf::{
    AdvanceErrorKind, Automaton, Code, CompileError, Grammar, Matcher, ParseConfig,
};

/// A grammar made to break something, and what must come of it.
#[derive(Clone, Copy, Debug)]
pub struct Hostile {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub grammar: fn() -> String,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a hostile grammar.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// It works, and says this of these texts.
    Works(fn() -> Vec<Text>),
    /// It is refused with this error.
    Refused(Code),
}

/// A text and what must be said of it.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// What is true of it.
    pub answer: Answer,
}

/// What is said of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is in the language.
    Complete,
    /// It is not, but some text of the language begins so.
    Alive,
    /// No text of the language begins so.
    Refused,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Bytes of the grammar.
    pub grammar: usize,
    /// Positions of the automaton.
    pub positions: usize,
    /// Interned values of the largest session.
    pub session: usize,
    /// Bytes of all texts.
    pub texts: usize,
    /// Milliseconds to parse.
    pub parse_ms: f64,
    /// Milliseconds to check.
    pub check_ms: f64,
    /// Milliseconds to compile.
    pub compile_ms: f64,
    /// Milliseconds to read all texts.
    pub match_ms: f64,
}

/// A text of up to this length is read byte by byte, a longer one in pieces.
const MAX_SINGLE_STEPS: usize = 50_000;
/// Bytes of a piece.
const PIECE: usize = 64;

impl Hostile {
    /// The texts; none if the grammar must be refused.
    pub fn texts(&self) -> Vec<Text> {
        match self.expected {
            Expected::Works(texts) => texts(),
            Expected::Refused(_) => Vec::new(),
        }
    }

    /// Parses and checks the grammar, compiles it in the given way, and reads the texts. Gives the
    /// automaton if there must be one.
    ///
    /// # Errors
    ///
    /// What came out otherwise.
    pub fn run(
        &self,
        compile: impl FnOnce(&Grammar) -> Result<Automaton, CompileError>,
    ) -> Result<(Option<Automaton>, Figures), String> {
        let text = (self.grammar)();
        let mut figures = Figures { grammar: text.len(), ..Figures::default() };
        let parsed = timed(&mut figures.parse_ms, || ParseConfig::new().parse(&text));
        let grammar = match parsed {
            Ok(grammar) => grammar,
            Err(found) => {
                let codes: Vec<_> = found.iter().map(|diagnostic| diagnostic.code).collect();
                return match self.expected {
                    Expected::Refused(code) if codes.contains(&code) => Ok((None, figures)),
                    _ => Err(format!("refused: {:.300}", found.to_string())),
                };
            }
        };
        let found = timed(&mut figures.check_ms, || grammar.check("root"));
        if let Expected::Refused(code) = self.expected
            && found.iter().any(|diagnostic| diagnostic.code == code)
        {
            return Ok((None, figures));
        }
        let compiled = timed(&mut figures.compile_ms, || compile(&grammar));
        if let Expected::Refused(code) = self.expected {
            return match compiled {
                Err(error) if error.diagnostic().code == code => Ok((None, figures)),
                Err(error) => Err(format!("refused: {error}")),
                Ok(_) => Err("not refused".to_owned()),
            };
        }
        let automaton = compiled.map_err(|error| error.to_string())?;
        figures.positions = automaton.size();
        for Text { text, answer } in self.texts() {
            figures.texts += text.len();
            let (got, session) = timed(&mut figures.match_ms, || read(&automaton, text.as_bytes()));
            figures.session = figures.session.max(session);
            if got? != answer {
                return Err(format!("{:.60} of {} bytes is not {answer:?}", text, text.len()));
            }
        }
        Ok((Some(automaton), figures))
    }
}

/// The answer to a text, and the size of the session.
fn read(automaton: &Automaton, text: &[u8]) -> (Result<Answer, String>, usize) {
    let mut matcher = Matcher::new(automaton);
    let piece = if text.len() > MAX_SINGLE_STEPS { PIECE } else { 1 };
    let mut answer = None;
    for bytes in text.chunks(piece) {
        if let Err(error) = matcher.advance(bytes) {
            answer = Some(match error.kind() {
                AdvanceErrorKind::Refused => Ok(Answer::Refused),
                _ => Err(error.to_string()),
            });
            break;
        }
    }
    let session = matcher.session().size();
    let reached = || {
        Ok(match (matcher.is_complete(), matcher.state().is_dead()) {
            (true, _) => Answer::Complete,
            (false, false) => Answer::Alive,
            (false, true) => Answer::Refused,
        })
    };
    (answer.unwrap_or_else(reached), session)
}

fn timed<T>(milliseconds: &mut f64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    *milliseconds += start.elapsed().as_secs_f64() * 1000.0;
    result
}

/// The case with a name.
pub fn find(name: &str) -> Option<Hostile> {
    all().into_iter().find(|case| case.name == name)
}

fn complete(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Complete }
}

fn alive(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Alive }
}

fn refused(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Refused }
}

/// One rule per number.
fn rules(numbers: std::ops::Range<usize>, rule: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in numbers {
        text.push_str(&rule(number));
        text.push('\n');
    }
    text
}

/// A chain of 24 rules, each of which leads to the next in the given way.
fn two_ways(start: &str, step: impl Fn(usize) -> String, end: &str) -> String {
    format!("root ::= {start}\n{}a24 ::= {end}\n", rules(0..24, step))
}

/// All cases.
pub fn all() -> Vec<Hostile> {
    let mut list = known();
    list.extend(many_rules());
    list.extend(many_ways());
    list.extend(counters());
    list.extend(left_recursion());
    list.extend(loops());
    list.extend(conjunctions());
    list.extend(large());
    list
}

/// Conjunctions of which the states are many.
fn conjunctions() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "a-conjunction-of-sets-of-states",
            || "root ::= @all( [ab]* \"a\" [ab]{40}; [ab]{0,100}; !\"a\"* )".into(),
            || {
                let texts = ["a".repeat(60), "b".repeat(59) + "a" + &"a".repeat(40)];
                let [first, second] = texts;
                vec![alive(first), complete(second), refused("ab".repeat(51))]
            },
        ),
        works(
            "a-conjunction-with-a-long-way-to-its-end",
            || "root ::= @all( [a-z]{20000}; ([a-y]* \"z\")*; .{19000,} )".into(),
            || {
                vec![
                    complete("az".repeat(10_000)),
                    alive("a".repeat(19_999)),
                    refused("a".repeat(20_000)),
                ]
            },
        ),
        Hostile {
            name: "a-conjunction-of-loops-that-meet-late",
            grammar: || {
                let counts = [7, 11, 13, 17, 19, 23].map(|count| format!("(\"a\"{{{count}}})+"));
                format!("root ::= @all( {} )", counts.join("; "))
            },
            expected: Expected::Refused(Code::Limit),
        },
        works(
            "a-conjunction-of-a-thousand-words",
            || {
                let words: Vec<_> =
                    (0..1_000).map(|n| format!("!([a-z]* \"w{n:03}\" .*)")).collect();
                format!("root ::= @all( [a-z0-9]{{1,1000}}; {} )", words.join("; "))
            },
            || vec![complete("w12x".repeat(100)), complete("w12"), refused("w123")],
        ),
    ]
}

/// What llama.cpp hangs on or crashes from.
fn known() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    let wrong = |name, grammar, code| Hostile { name, grammar, expected: Expected::Refused(code) };
    vec![
        wrong("reversed-count", || "root ::= \"a\"{5,2}".into(), Code::ReversedCount),
        wrong("reversed-count-by-one", || "root ::= [0-9]{16,15}".into(), Code::ReversedCount),
        wrong(
            "reversed-count-of-a-group",
            || "root ::= (\"a\" | root \"b\"){4294967295,0}".into(),
            Code::ReversedCount,
        ),
        works(
            "left-recursion-behind-a-star",
            || "root ::= (\"a\"*) root \"x\" | \"y\"".into(),
            || {
                let many = "a".repeat(5_000);
                vec![
                    complete(format!("{many}y{}", "x".repeat(5_000))),
                    complete(format!("y{}", "x".repeat(10_000))),
                    alive(many.clone()),
                    refused(format!("{many}x")),
                ]
            },
        ),
        works(
            "left-recursion-behind-blanks",
            || "root ::= ws root \"y\" | \"x\"\nws ::= [ ]*".into(),
            || vec![complete(format!("{}x{}", " ".repeat(5_000), "y".repeat(5_000)))],
        ),
        works(
            "left-recursion-behind-nullable-rules",
            || "root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"\" | \"c\" | a".into(),
            || {
                // Any number of levels may have read a "c": the stacks are quadratically many.
                let text = format!("{}y{}", "c".repeat(500), "x".repeat(500));
                vec![complete(text), refused("cx")]
            },
        ),
        works(
            "star-of-star",
            || "root ::= \"a\"* * | (\"b\"*)* | ((\"c\"?)+)* \"d\"".into(),
            || {
                let long = |c: &str| c.repeat(10_000);
                vec![complete(long("a")), complete(long("b")), complete(long("c") + "d")]
            },
        ),
        works(
            "two-ways-unreachable",
            || {
                let chain = rules(0..24, |n| format!("a{n} ::= a{0} | a{0}", n + 1));
                format!("root ::= \"x\"\n{chain}a24 ::= \"y\"\n")
            },
            || vec![complete("x"), refused("y")],
        ),
        works(
            "two-ways",
            || two_ways("a0", |n| format!("a{n} ::= a{0} | a{0}", n + 1), "\"x\""),
            || vec![complete("x"), refused("xx")],
        ),
        works(
            "two-ways-with-other-tails",
            || two_ways("a0", |n| format!("a{n} ::= a{0} \"x\" | a{0} \"y\"", n + 1), "\"z\""),
            || vec![complete(format!("z{}", "xy".repeat(12))), alive("zx"), refused("zz")],
        ),
        works(
            "two-ways-of-1000-with-other-tails",
            || {
                let chain = rules(0..1000, |n| format!("a{n} ::= a{0} \"x\" | a{0} \"y\"", n + 1));
                format!("root ::= a0\n{chain}a1000 ::= \"z\"\n")
            },
            || vec![complete(format!("z{}", "xy".repeat(500))), alive("zx")],
        ),
        Hostile {
            name: "60000-parentheses",
            grammar: || format!("root ::= {}\"a\"{}", "(".repeat(60_000), ")".repeat(60_000)),
            expected: Expected::Refused(Code::Limit),
        },
        works(
            "1000-parentheses",
            || format!("root ::= {}\"a\"{}", "(\"b\"? ".repeat(1_000), ")*".repeat(1_000)),
            || vec![complete("ab".repeat(1_000) + "a"), complete("a".repeat(5_000))],
        ),
        wrong("60000-open-parentheses", || format!("root ::= {}", "(".repeat(60_000)), Code::Limit),
        wrong("erased-start", || "a ::= \"x\" root{0}".into(), Code::UndefinedRule),
        wrong("overwritten-start", || "a ::= root\na ::= \"x\"".into(), Code::UndefinedRule),
        wrong("only-itself", || "root ::= root".into(), Code::MatchesNothing),
        wrong("endless", || "root ::= \"a\" x\nx ::= \"b\" x".into(), Code::MatchesNothing),
    ]
}

/// A hundred thousand rules.
fn many_rules() -> Vec<Hostile> {
    const MANY: usize = 100_000;
    /// Where the states themselves are that many.
    const FEWER: usize = 10_000;
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "rules-that-are-the-next",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= r{}", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"a\"\n")
            },
            || vec![complete("a"), refused("b")],
        ),
        works(
            "rules-in-a-row",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= \"a\" r{}", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"b\"\n")
            },
            || vec![complete("a".repeat(MANY) + "b"), alive("a".repeat(MANY))],
        ),
        works(
            "rules-in-each-other",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= \"(\" r{} \")\"", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"a\"\n")
            },
            || vec![complete("(".repeat(MANY) + "a" + &")".repeat(MANY)), alive("((")],
        ),
        works(
            "wide-choice-of-rules",
            || {
                let names: Vec<_> = (0..MANY).map(|n| format!("r{n}")).collect();
                let all = rules(0..MANY, |n| format!("r{n} ::= \"name{n}\" [0-9a-f]"));
                format!("root ::= {}\n{all}", names.join(" | "))
            },
            || vec![complete("name99999f"), complete("name7a"), refused("namf")],
        ),
        works(
            "unreachable-rules",
            || format!("root ::= \"a\"\n{}", rules(0..MANY, |n| format!("r{n} ::= r{n} | \"x\""))),
            || vec![complete("a")],
        ),
        works(
            "rules-that-lead-everywhere",
            || {
                let all = rules(0..MANY, |n| {
                    let (x, y) = ((n * 7 + 1) % MANY, (n * 13 + 5) % MANY);
                    format!("r{n} ::= \"a\" r{x} | \"b\" r{y} \"c\" | \"\"")
                });
                format!("root ::= r0\n{all}")
            },
            || {
                let text = "ab".repeat(5_000) + &"c".repeat(5_000);
                vec![complete(text), complete(""), refused("c")]
            },
        ),
        works(
            "circle-of-1000-rules",
            || {
                let all = rules(0..1_000, |n| format!("r{n} ::= r{} | \"x{n}\"", (n + 1) % 1_000));
                format!("root ::= r0\n{all}")
            },
            || vec![complete("x999"), complete("x0"), refused("y")],
        ),
        works(
            "circle-of-10000-rules-with-tails",
            || {
                let all =
                    rules(0..FEWER, |n| format!("r{n} ::= r{} \"t\" | \"x{n}\"", (n + 1) % FEWER));
                format!("root ::= r0\n{all}")
            },
            || vec![complete("x3ttt"), alive("x3tt"), alive("x0t"), refused("y")],
        ),
        works(
            "10000-rules-that-begin-with-the-next",
            || {
                let all =
                    rules(0..FEWER, |n| format!("r{n} ::= r{} \"-\" | [a-z] r{n} | \"x\"", n + 1));
                format!("root ::= r0\n{all}r{FEWER} ::= \"end\"\n")
            },
            || vec![complete("aaax"), complete("x-"), alive("a")],
        ),
    ]
}

/// Few rules, many ways.
fn many_ways() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "same-beginnings",
            || "root ::= s\ns ::= \"a\" s \"b\" | \"a\" s \"c\" | \"\"".into(),
            || {
                let (open, close) = ("a".repeat(5_000), "bc".repeat(2_500));
                vec![
                    complete(format!("{open}{close}")),
                    alive(format!("{open}{}", &close[1..])),
                    refused(format!("{open}{close}b")),
                    refused(format!("{open}ba")),
                ]
            },
        ),
        works(
            "ten-same-beginnings",
            || {
                let ways: Vec<_> = ('0'..='9').map(|c| format!("\"a\" s \"{c}\" s")).collect();
                format!("root ::= s\ns ::= {} | \"\"", ways.join(" | "))
            },
            || vec![complete("a".repeat(5_000) + &"0123456789".repeat(500))],
        ),
        works(
            "two-ways-ahead",
            || two_ways("a0", |n| format!("a{n} ::= \"x\" a{0} | \"y\" a{0}", n + 1), "\"z\""),
            || vec![complete("xy".repeat(12) + "z"), refused("z")],
        ),
        works(
            "two-ways-same-text",
            || two_ways("a0", |n| format!("a{n} ::= \"x\" a{0} | \"x\"? a{0}", n + 1), "\"z\""),
            || vec![complete("z"), complete("x".repeat(24) + "z"), refused("x".repeat(25))],
        ),
        works(
            "doubling",
            || two_ways("a0", |n| format!("a{n} ::= a{0} a{0}", n + 1), "\"x\""),
            || vec![alive("x".repeat(10_000)), refused("y")],
        ),
        works(
            "doubling-of-what-may-be-empty",
            || two_ways("a0", |n| format!("a{n} ::= a{0} a{0}", n + 1), "\"x\"?"),
            || vec![complete("x".repeat(10_000)), complete("")],
        ),
        works(
            "doubling-with-tails",
            || two_ways("a0", |n| format!("a{n} ::= a{0}? a{0} \"x\"?", n + 1), "\"y\"?"),
            || vec![complete("xy".repeat(5_000)), complete("y".repeat(10_000))],
        ),
        works(
            "palindromes",
            || "root ::= \"a\" root \"a\" | \"b\" root \"b\" | \"a\" | \"b\" | \"\"".into(),
            || vec![complete("ab".repeat(250) + "a"), complete("a".repeat(2_000))],
        ),
        works(
            "dangling-else",
            || "root ::= \"if \" root (\"else \" root)? | \"x \"".into(),
            || vec![complete("if ".repeat(2_500) + "x " + &"else x ".repeat(1_000))],
        ),
        works(
            "deep-values",
            || "root ::= v\nv ::= \"[\" (v (\",\" v)*)? \"]\" | [0-9]+".into(),
            || {
                let deep = "[".repeat(100_000);
                vec![
                    complete(deep.clone() + &"]".repeat(100_000)),
                    alive(deep.clone() + "1"),
                    refused(deep + "}"),
                ]
            },
        ),
    ]
}

/// Repetitions with counts.
fn counters() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "up-to-a-billion",
            || "root ::= \"a\"{0,1000000000}".into(),
            || vec![complete(""), complete("a".repeat(10_000)), refused("aab")],
        ),
        works(
            "a-billion-at-least",
            || "root ::= \"a\"{1000000000,}".into(),
            || vec![alive("a".repeat(10_000)), refused("b")],
        ),
        works(
            "the-greatest-count",
            || "root ::= ([a-z]{4294967295}){4294967295}".into(),
            || vec![alive("a".repeat(10_000))],
        ),
        works(
            "up-to-ten",
            || "root ::= \"a\"{0,10}".into(),
            || vec![complete("a".repeat(10)), refused("a".repeat(11))],
        ),
        works(
            "up-to-a-million",
            || "root ::= \"a\"{0,1000000}".into(),
            || vec![complete("a".repeat(10))],
        ),
        works(
            "a-million-of-a-rule",
            || "root ::= (v \",\"){0,1000000}\nv ::= \"[\" v \"]\" | \"1\"".into(),
            || vec![complete("1,".repeat(5_000)), complete("[[1]],".repeat(1_000))],
        ),
        works(
            "nested-optional-counts",
            || "root ::= ((\"a\"?){0,1000}){0,1000}".into(),
            || {
                let texts = [0, 1, 1_000, 1_001, 10_000].map(|n| complete("a".repeat(n)));
                texts.into_iter().chain([refused("a".repeat(5_000) + "b")]).collect()
            },
        ),
        works(
            "thrice-nested-optional-counts",
            || "root ::= (((\"a\"?){0,100}){0,100}){0,100}".into(),
            || vec![complete("a".repeat(10_000)), refused("b")],
        ),
        works(
            "overlapping-counts",
            || "root ::= ([ab]{1,500} \"a\"){2,500}".into(),
            || vec![complete("ba".repeat(2_000)), alive("ba"), alive("b".repeat(500))],
        ),
        works(
            "counts-that-begin-anywhere",
            || "root ::= [ab]* \"a\" [ab]{1000}".into(),
            || {
                vec![
                    complete("a".repeat(3_000)),
                    complete("ab".repeat(1_500) + "a"),
                    alive("ab".repeat(1_500)),
                    alive("b".repeat(3_000)),
                ]
            },
        ),
        works(
            "two-counts-that-begin-anywhere",
            || "root ::= [ab]* \"a\" [ab]{50,500} \"b\" [ab]{20,300}".into(),
            || vec![complete("ab".repeat(2_500)), alive("b".repeat(1_000))],
        ),
        works(
            "counted-groups-that-begin-anywhere",
            || "root ::= [ab]* (\"a\" [ab]{0,3}){100,200} \"b\"".into(),
            || vec![complete("ab".repeat(2_000)), alive("a".repeat(2_000))],
        ),
        works(
            "counts-in-recursion",
            || "root ::= \"a\" (root \"b\"){0,1000} | \"c\"{3,100000}".into(),
            || vec![complete("a".repeat(2_000) + &"ccc".repeat(100) + &"b".repeat(2_000))],
        ),
        works(
            "a-literal-2000-times",
            || format!("root ::= \"{}\"{{2000}}", "abcdefghij".repeat(1_000)),
            || vec![alive("abcdefghij".repeat(10_000)), refused("abcdefghija".repeat(10))],
        ),
        works(
            "a-choice-2000-times",
            || {
                let words: Vec<_> = (0..1_000).map(|n| format!("\"w{n}-\"")).collect();
                format!("root ::= ({}){{1,2000}}", words.join(" | "))
            },
            || vec![complete("w1-w12-w123-".repeat(500)), refused("w-")],
        ),
        works(
            "stacked-counts",
            || "root ::= [a-z]{0,1000}{0,1000}{0,1000}{0,1000} \"-\"{3}{5}{7}".into(),
            || vec![complete("z".repeat(10_000) + &"-".repeat(105)), alive("-")],
        ),
    ]
}

/// Left recursion of all kinds.
fn left_recursion() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "direct-left-recursion",
            || {
                "root ::= root \"+\" t | t\nt ::= t \"*\" f | f\nf ::= \"(\" root \")\" | [0-9]+"
                    .into()
            },
            || {
                vec![
                    complete("1+2*".repeat(2_499) + "3"),
                    complete("(".repeat(3_000) + "1" + &")".repeat(3_000) + "*2"),
                    alive("1+"),
                ]
            },
        ),
        works(
            "indirect-left-recursion",
            || "root ::= a \"1\" | \"x\"\na ::= b \"2\" | root\nb ::= root \"3\" | a \"4\"".into(),
            || vec![complete("x".to_owned() + &"1321421".repeat(1_400)), refused("x2")],
        ),
        works(
            "left-and-right-recursion",
            || "root ::= root root | \"a\"".into(),
            || vec![complete("a".repeat(10_000))],
        ),
        works(
            "left-recursion-with-everything-empty",
            || "root ::= root root root | root \"a\"? | \"\"".into(),
            || vec![complete("a".repeat(10_000)), complete(""), refused("b")],
        ),
        works(
            "ambiguous-operators",
            || "root ::= root [-+*/] root | \"(\" root \")\" | [0-9]{1,9}".into(),
            || vec![complete("1+2*".repeat(2_499) + "3")],
        ),
        works(
            "left-recursion-in-a-count",
            || "root ::= root{2,3} \"a\" | \"b\"".into(),
            || vec![complete("bba".to_owned() + &"ba".repeat(2_000)), refused("a")],
        ),
        works(
            "twenty-left-recursive-rules",
            || {
                let rule = |n: usize| {
                    let ways = (0..20).map(|to| format!("a{to} \"{}\"", char::from(b'a' + to)));
                    format!("a{n} ::= {} | \"{n}\"", ways.collect::<Vec<_>>().join(" | "))
                };
                format!("root ::= a0\n{}", rules(0..20, rule))
            },
            || vec![complete("7h".to_owned() + &"ahat".repeat(2_500)), refused("20")],
        ),
        works(
            "left-recursion-of-1000-rules",
            || {
                let rule = |n: usize| format!("r{n} ::= r{} \"t\" | \"x{n}\"", (n + 1) % 1_000);
                format!("root ::= r0\n{}", rules(0..1_000, rule))
            },
            || vec![complete("x0".to_owned() + &"t".repeat(10_000)), alive("x1"), refused("y")],
        ),
        works(
            "hidden-left-recursion-behind-24",
            || {
                let maybe: Vec<_> = (0..24).map(|n| format!("n{n}")).collect();
                let all = rules(0..24, |n| format!("n{n} ::= \"{}\"?", char::from(b'a' + n as u8)));
                format!("root ::= {} root \"!\" | \"y\"\n{all}", maybe.join(" "))
            },
            || vec![complete("acegx".repeat(100) + "y" + &"!".repeat(500)), refused("y?")],
        ),
        works(
            "hidden-left-recursion-behind-stars",
            || {
                let text = "root ::= \"a\"* \"b\"* \"c\"* root \"x\" | root* \"y\" root* | \"z\"";
                text.into()
            },
            || vec![complete("abc".repeat(300) + "z" + &"x".repeat(300)), alive("a")],
        ),
    ]
}

/// Loops in loops.
fn loops() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "overlapping-loops",
            || "root ::= ([a-z]* [a-z]*)*".into(),
            || vec![complete("a".repeat(10_000)), refused("a1")],
        ),
        works(
            "choice-of-the-same",
            || "root ::= ((\"a\" | \"a\")* | (\"a\" | \"a\" | \"aa\")*)* \"b\"".into(),
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "loops-thirty-deep",
            || format!("root ::= {}\"a\"{} \"b\"", "(".repeat(30), "+)*".repeat(30)),
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "loops-in-rules",
            || {
                let all = rules(0..200, |n| format!("r{n} ::= (r{0} | r{0} r{0})*", n + 1));
                format!("root ::= r0 \"b\"\n{all}r200 ::= \"a\" | \"aa\"\n")
            },
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "many-maybes",
            || format!("root ::= {}{}", "\"a\"? ".repeat(500), "\"a\" ".repeat(500)),
            || {
                vec![
                    complete("a".repeat(1_000)),
                    alive("a".repeat(499)),
                    refused("a".repeat(1_001)),
                ]
            },
        ),
        works(
            "exponential-subsets",
            || format!("root ::= ([ab]* \"a\"{}){{1,3}}", " [ab]".repeat(200)),
            || vec![complete("ab".repeat(1_000) + "a"), alive("b".repeat(1_000))],
        ),
        works(
            "words-that-overlap",
            || {
                let words: Vec<_> = (1..=300).map(|n| format!("\"{}b\"", "a".repeat(n))).collect();
                format!("root ::= ({})*", words.join(" | "))
            },
            || vec![complete(("a".repeat(300) + "b").repeat(30)), refused("a".repeat(301))],
        ),
    ]
}

/// Much of one thing.
fn large() -> Vec<Hostile> {
    let works = |name, grammar, texts| Hostile { name, grammar, expected: Expected::Works(texts) };
    vec![
        works(
            "literal-of-10-megabytes",
            || format!("root ::= \"{}\"", "0123456789".repeat(1_000_000)),
            || vec![complete("0123456789".repeat(1_000_000)), refused("01234567890123x")],
        ),
        works(
            "literal-of-10-megabytes-beside-another",
            || {
                let long = "0123456789".repeat(500_000);
                format!("root ::= \"{long}a\" | \"{long}b\"")
            },
            || vec![complete("0123456789".repeat(500_000) + "b"), refused("01234567890123x")],
        ),
        works(
            "wide-class",
            || {
                let mut class = String::new();
                for point in (0x1000..0x1_0000_u32).step_by(2).filter_map(char::from_u32) {
                    let _ = write!(class, "\\u{:04x}", point as u32);
                }
                format!("root ::= [{class}]+ | [^{class}]{{3,2000}}")
            },
            || vec![complete("\u{1000}\u{4000}".repeat(100)), complete("\u{1001}".repeat(100))],
        ),
        works(
            "many-negated-classes",
            || {
                let class = |n: u32| format!("[^\\U{:08x}-\\U{:08x}]", n * 20, n * 20 + 10);
                let classes: Vec<_> = (1..2_000).map(class).collect();
                format!("root ::= ({})*", classes.join(" | "))
            },
            || vec![complete("añ漢😀".repeat(500))],
        ),
        works(
            "100000-strings",
            || {
                let words: Vec<_> = (0..100_000).map(|n| format!("\"\\\"name {n}\\\"\"")).collect();
                format!("root ::= {}", words.join(" | "))
            },
            || vec![complete("\"name 99999\""), complete("\"name 1\""), refused("\"name x")],
        ),
        works(
            "list-of-100000-strings",
            || {
                let words: Vec<_> = (0..100_000).map(|n| format!("\"{n} \"")).collect();
                format!("root ::= ({})*", words.join(" | "))
            },
            || vec![complete("1 22 333 4444 99999 ".repeat(500)), refused("100000 ")],
        ),
        works(
            "5000-members",
            || {
                let members = rules(0..5_000, |n| {
                    let arrow = if n % 2 == 0 { "=>" } else { "?=>" };
                    format!("\"\\\"key{n}\\\":\" {arrow} v;")
                });
                let free = "[\"] [a-z]{1,20} [\"] \":\" *=> v";
                format!(
                    "root ::= \"{{\" @members(\",\")(\n{members}{free}) \"}}\"\nv ::= [0-9]+ | root"
                )
            },
            || {
                let all: Vec<_> = (0..5_000).rev().map(|n| format!("\"key{n}\":{n}")).collect();
                let whole = format!("{{{},\"other\":1", all.join(","));
                vec![
                    complete(format!("{whole}}}")),
                    refused(format!("{whole},\"other\"")),
                    refused("{}"),
                ]
            },
        ),
        works(
            "long-sequence",
            || format!("root ::= {}", "[a-c] x \"-\"? ".repeat(50_000) + "\nx ::= \"x\" | \"y\""),
            || vec![complete("axby".repeat(25_000)), refused("aa")],
        ),
        works(
            "long-comment-and-names",
            || {
                let name = "n".repeat(1_000_000);
                format!(
                    "# {}\nroot ::= {name}{}\n{name} ::= \"a\"",
                    "#(".repeat(1_000_000),
                    " ".repeat(1_000_000)
                )
            },
            || vec![complete("a")],
        ),
    ]
}
