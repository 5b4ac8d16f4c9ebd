//! Drafters against their definitions, which go through the whole text each time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use grammask_gbnf::Grammar;
use grammask_oracle::generate;
use grammask_sampler::{
    Constraint, DraftError, Drafter, Drafts, Engine, Forced, History, NgramCache,
    NgramCacheSettings, NgramMap, NgramMapSettings, NgramMod, NgramModSettings, NgramSimple,
    NgramSimpleSettings, TokenId, Vocabulary,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Allows everything.
fn free() -> Constraint {
    let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a"]}"#).expect("it is valid"));
    let grammar = Grammar::parse("root ::= .*").expect("it has no mistakes");
    Constraint::new(&engine, &grammar, "root").expect("it compiles")
}

/// Texts that repeat themselves: of few tokens, and with passages of their own.
fn texts() -> impl Strategy<Value = Vec<TokenId>> {
    let passage = (vec(0_u32..4, 1..12), 1_usize..4).prop_map(|(part, times)| part.repeat(times));
    vec(passage, 1..12).prop_map(|parts| parts.concat().into_iter().map(TokenId).collect())
}

/// Gives a text bit by bit, as drafts are asked for, and compares each with what a definition says of
/// the part that the history keeps.
fn compare(
    drafter: &mut dyn Drafter,
    text: &[TokenId],
    steps: &[usize],
    least: usize,
    definition: impl Fn(&[TokenId]) -> Vec<TokenId>,
) -> Result<(), TestCaseError> {
    let constraint = free();
    let mut history = History::new(least);
    let mut rest = text;
    let mut steps = steps.iter().cycle();
    while !rest.is_empty() {
        let (now, later) = rest.split_at((*steps.next().expect("they go round")).min(rest.len()));
        rest = later;
        history.extend(now);
        prop_assert!(history.tokens().len() <= 2 * least);
        prop_assert!(text[..text.len() - rest.len()].ends_with(history.tokens()));
        let draft = drafter.draft(&history, &constraint).expect("it does not fail");
        prop_assert_eq!(draft, definition(history.tokens()), "{:?}", history);
    }
    Ok(())
}

/// The places behind the last n tokens, wherever they come with so many tokens behind them.
fn places(text: &[TokenId], n: usize, followed_by: usize) -> Vec<usize> {
    let Some(key) = text.len().checked_sub(n).map(|begin| &text[begin..]) else {
        return Vec::new();
    };
    let last = (text.len() + 1).saturating_sub(followed_by);
    (n..last).filter(|&place| &text[place - n..place] == key).collect()
}

fn simple(text: &[TokenId], n: usize, m: usize) -> Vec<TokenId> {
    let Some(&place) = places(text, n, n.min(m)).last() else { return Vec::new() };
    text[place..text.len().min(place + m)].to_vec()
}

fn map_keys(text: &[TokenId], n: usize, m: usize, min_hits: usize) -> Vec<TokenId> {
    let places = places(text, n, m);
    let Some(&place) = places.last().filter(|_| places.len() >= min_hits) else {
        return Vec::new();
    };
    text[place..place + m].to_vec()
}

fn map_four_values(text: &[TokenId], n: usize, m: usize, min_hits: usize) -> Vec<TokenId> {
    let places = places(text, n, m);
    let mut values: Vec<(&[TokenId], usize)> = Vec::new();
    for &place in &places {
        let value = &text[place..place + m];
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => values.push((value, 1)),
        }
    }
    values.truncate(4);
    let most = values.iter().map(|(_, count)| *count).max().unwrap_or_default();
    match values.iter().find(|(_, count)| *count == most) {
        Some((value, _)) if places.len() >= min_hits && most >= 3 * (places.len() - most) => {
            value.to_vec()
        }
        _ => Vec::new(),
    }
}

fn modulo(texts: &[&[TokenId]], n: usize, range: Range<usize>) -> Vec<TokenId> {
    let Some(text) = texts.last().filter(|text| text.len() >= n) else { return Vec::new() };
    let mut table = BTreeMap::new();
    for text in texts {
        table.extend(text.windows(n + 1).map(|window| (&window[..n], window[n])));
    }
    let mut all = text.to_vec();
    while all.len() < text.len() + range.end {
        let Some(&token) = table.get(&all[all.len() - n..]) else { break };
        all.push(token);
    }
    let draft = all.split_off(text.len());
    if draft.len() < range.start { Vec::new() } else { draft }
}

/// How often tokens have followed an n-gram, in the order in which they came first.
fn followers(texts: &[&[TokenId]], ngram: &[TokenId]) -> Vec<(TokenId, usize)> {
    let mut counts: Vec<(TokenId, usize)> = Vec::new();
    let windows = texts.iter().flat_map(|text| text.windows(ngram.len() + 1));
    for window in windows.filter(|window| window.starts_with(ngram)) {
        let token = window[ngram.len()];
        match counts.iter_mut().find(|(known, _)| *known == token) {
            Some((_, count)) => *count += 1,
            None => counts.push((token, 1)),
        }
    }
    counts
}

/// One text before, one that is given, and this one.
fn cache([before, given, now]: [&[TokenId]; 3], most: usize) -> Vec<TokenId> {
    let mut text = now.to_vec();
    while text.len() < now.len() + most {
        let ngram = |n: usize| text.len().checked_sub(n).map(|begin| &text[begin..]);
        let fixed = ngram(2).map(|ngram| followers(&[given], ngram)).unwrap_or_default();
        let level = |texts: &[&[TokenId]], thresholds: [(usize, usize); 4]| {
            (1..=4).rev().find_map(|n| {
                let counts = followers(texts, ngram(n)?);
                let weight = |&(token, count): &(TokenId, usize)| {
                    let there = fixed.iter().find(|(known, _)| *known == token);
                    count * there.map_or(1, |(_, count)| 100 * count)
                };
                // Of equals the first.
                let best = counts.iter().rev().max_by_key(|pair| weight(pair))?;
                let sum: usize = counts.iter().map(|(_, count)| count).sum();
                let (samples, percent) = thresholds[n - 1];
                (sum >= samples && 100 * best.1 >= percent * sum).then_some(best.0)
            })
        };
        let context = level(&[now], [(2, 66), (2, 50), (1, 50), (1, 50)]);
        let dynamic = || level(&[before], [(4, 75), (3, 66), (2, 66), (2, 66)]);
        let fixed = || {
            let best = fixed.iter().rev().max_by_key(|(_, count)| count)?;
            let sum: usize = fixed.iter().map(|(_, count)| count).sum();
            (sum >= 2 && 100 * best.1 >= 50 * sum).then_some(best.0)
        };
        let Some(token) = context.or_else(dynamic).or_else(fixed) else { break };
        text.push(token);
    }
    text.split_off(now.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn ngram_simple_is_as_defined(
        text in texts(), steps in vec(1_usize..9, 1..5), least in 1_usize..80,
        n in 1_usize..5, m in 1_usize..9,
    ) {
        let mut drafter = NgramSimple::new(NgramSimpleSettings { n, m }).expect("small numbers");
        compare(&mut drafter, &text, &steps, least, |text| simple(text, n, m))?;
    }

    #[test]
    fn ngram_map_is_as_defined(
        text in texts(), steps in vec(1_usize..9, 1..5), least in 1_usize..80,
        n in 1_usize..4, m in 1_usize..5, min_hits in 1_usize..4,
    ) {
        let settings = NgramMapSettings { n, m, min_hits };
        let mut drafter = NgramMap::keys(settings).expect("small numbers");
        compare(&mut drafter, &text, &steps, least, |text| map_keys(text, n, m, min_hits))?;
        let mut drafter = NgramMap::four_values(settings).expect("small numbers");
        compare(&mut drafter, &text, &steps, least, |text| map_four_values(text, n, m, min_hits))?;
    }

    #[test]
    fn ngram_mod_is_as_defined(
        before in texts(), text in texts(), steps in vec(1_usize..9, 1..5),
        n in 1_usize..5, least in 1_usize..4, more in 0_usize..5,
    ) {
        let settings = NgramModSettings { n, least, most: least + more, entries: 1 << 20 };
        let mut drafter = NgramMod::new(settings).expect("small numbers");
        let range = least..least + more;
        compare(&mut drafter, &before, &steps, 1000, |text| modulo(&[text], n, range.clone()))?;
        // What it knows of one text is of use in the next.
        drafter.reset();
        compare(&mut drafter, &text, &steps, 1000, |text| {
            modulo(&[&before, text], n, range.clone())
        })?;
    }

    #[test]
    fn ngram_cache_is_as_defined(
        before in texts(), given in texts(), text in texts(), steps in vec(1_usize..9, 1..5),
        most in 1_usize..9, is_learned: bool,
    ) {
        let settings = NgramCacheSettings { most, ..NgramCacheSettings::default() };
        let mut drafter = NgramCache::new(settings).expect("small numbers");
        drafter.learn_static(&given);
        if is_learned {
            drafter.learn(&before);
        } else {
            compare(&mut drafter, &before, &steps, 1000, |text| cache([&[], &given, text], most))?;
            drafter.reset();
        }
        compare(&mut drafter, &text, &steps, 1000, |text| cache([&before, &given, text], most))?;
    }
}

/// Drafters with small numbers, so that they have something to say soon.
fn drafts(least: usize) -> Drafts {
    let simple = NgramSimple::new(NgramSimpleSettings { n: 2, m: 9 });
    let map = NgramMapSettings { n: 1, m: 3, min_hits: 1 };
    let modulo = NgramMod::new(NgramModSettings { n: 2, least: 1, most: 9, entries: 1 << 12 });
    let cache = NgramCache::new(NgramCacheSettings { most: 4, pairs: 1 << 10 });
    let mut drafts = Drafts::with_history(least);
    drafts.add(simple.expect("small numbers"));
    drafts.add(NgramMap::four_values(map).expect("small numbers"));
    drafts.add(NgramMap::keys(map).expect("small numbers"));
    drafts.add(modulo.expect("small numbers")).add(cache.expect("small numbers"));
    drafts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever the text before was, and whether it was one at all.
    #[test]
    fn no_draft_is_refused(
        grammar in generate::grammars(),
        tokens in generate::vocabularies(),
        prompt in vec(prop_oneof![4 => 0_u32..12, 1 => any::<u32>()], 0..60),
        choices in vec(any::<u16>(), 0..20),
        most in 0_usize..12,
    ) {
        let mut builder = Vocabulary::builder();
        for token in &tokens {
            builder.push(token);
        }
        builder.push_eog("</s>");
        let engine = Engine::new(builder.build().expect("generated tokens are not empty"));
        let mut constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
        let speller = engine.clone();
        // A text that it cannot spell has no tokens.
        let encode = move |text: &str| -> Result<Vec<TokenId>, DraftError> {
            Ok(speller.vocabulary().encode(text).unwrap_or_default())
        };
        let mut forced = Forced::new(encode.clone());
        let mut drafts = drafts(20);
        drafts.observe(&prompt.into_iter().map(TokenId).collect::<Vec<_>>());
        let mut first = Drafts::default();
        first.add(Forced::new(encode));
        for choice in choices {
            if constraint.matcher().expect("it is strict").session().size() > 2_000 {
                break;
            }
            let expected = forced.draft(&History::new(1), &constraint);
            if constraint.is_empty() {
                let mut expected = expected.expect("it does not fail");
                expected.truncate(most);
                prop_assert_eq!(first.draft(&constraint, most).expect("nor does it"), expected);
            }
            let draft = drafts.draft(&constraint, most).expect("it does not fail");
            prop_assert!(draft.len() <= most);
            let len = constraint.len();
            for (at, &token) in draft.iter().enumerate() {
                prop_assert_eq!(constraint.accept(token), Ok(()), "{} of {:?}", at, draft);
            }
            // A part of it comes true, and another token.
            constraint.rollback(constraint.len() - len - usize::from(choice) % (draft.len() + 1));
            let mut tokens = draft[..constraint.len() - len].to_vec();
            let allowed: Vec<TokenId> = constraint.mask().tokens().collect();
            if let Some(&token) = allowed.get(usize::from(choice) % allowed.len().max(1)) {
                constraint.accept(token).expect("the mask allows it");
                tokens.push(token);
            }
            drafts.accept(&tokens);
        }
    }
}

/// A drafter that says what it is told to, and notes what became of it.
struct Fixed(&'static str, Vec<u32>, Arc<std::sync::Mutex<Vec<(usize, usize)>>>);

impl Drafter for Fixed {
    fn name(&self) -> &'static str {
        self.0
    }

    fn draft(
        &mut self,
        _: &History,
        _: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn std::error::Error + Send + Sync>> {
        match self.1.as_slice() {
            [] => Err("out of ideas".into()),
            tokens => Ok(tokens.iter().copied().map(TokenId).collect()),
        }
    }

    fn judge(&mut self, drafted: usize, accepted: usize) {
        self.2.lock().expect("nobody panics").push((drafted, accepted));
    }
}

#[test]
fn the_first_draft_that_the_grammar_takes_is_taken_and_judged() {
    let json = r#"{"tokens": ["a", "b", "c", "</s>"], "eog": [3]}"#;
    let engine = Engine::new(Vocabulary::from_json(json).expect("it is well formed"));
    let grammar = Grammar::parse("root ::= \"abab\" \"c\"?").expect("it has no mistakes");
    let mut constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let judged = [(); 2].map(|()| Arc::default());
    let mut drafts = Drafts::default();
    drafts.add(Fixed("one", vec![1, 1, 1], Arc::clone(&judged[0])));
    drafts.add(Fixed("two", vec![0, 1, 9, 0], Arc::clone(&judged[1])));
    assert_eq!(drafts.names().collect::<Vec<_>>(), ["one", "two"]);
    let draft = drafts.draft(&constraint, 9).expect("they do not fail");
    assert_eq!(draft, [0, 1].map(TokenId));
    constraint.accept(TokenId(0)).expect("it may come");
    // What came was the first token alone; then another one was sampled without a draft.
    drafts.accept(&[0].map(TokenId));
    drafts.accept(&[1].map(TokenId));
    let draft = drafts.draft(&constraint, 9).expect("they do not fail");
    assert_eq!(draft, [TokenId(1)], "the first one, up to what is refused");
    drafts.accept(&[1, 0].map(TokenId));
    let judged = judged.map(|judged| judged.lock().expect("nobody panics").clone());
    assert_eq!(judged, [vec![(1, 1)], vec![(2, 1)]]);

    drafts.add(Fixed("broken", Vec::new(), Arc::default()));
    let grammar = Grammar::parse("root ::= \"c\"").expect("it has no mistakes");
    let other = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let error = drafts.draft(&other, 9).expect_err("the others have none");
    assert_eq!(error.to_string(), "drafter broken: out of ideas");
    assert!(drafts.draft(&other, 0).is_ok_and(|draft| draft.is_empty()));

    // The end may be drafted, and nothing behind it.
    let mut drafts = Drafts::default();
    drafts.add(Fixed("end", vec![1, 0, 1, 3, 3], Arc::default()));
    let draft = drafts.draft(&constraint, 9).expect("it does not fail");
    assert_eq!(draft, [1, 0, 1, 3].map(TokenId));
}

#[test]
fn what_comes_true_decides_how_much_is_drafted() {
    let settings = NgramMapSettings { n: 1, m: 8, min_hits: 1 };
    let mut history = History::new(1000);
    let constraint = free();
    for mut map in [NgramMap::keys(settings), NgramMap::four_values(settings)]
        .map(|map| map.expect("small numbers"))
    {
        history.clear();
        history.extend(&(0..10).map(TokenId).collect::<Vec<_>>());
        history.extend(&[TokenId(0)]);
        let mut next = |accepted: &dyn Fn(usize) -> usize| {
            let draft = map.draft(&history, &constraint).expect("it does not fail");
            map.judge(draft.len(), accepted(draft.len()));
            draft.len()
        };
        let lens = [0, 3, 9, 9, 9, 9, 2, 9].map(|most| next(&|drafted| drafted.min(most)));
        assert_eq!(lens, [8, 1, 2, 4, 8, 8, 8, 2]);
    }
}

#[test]
fn bad_drafts_empty_the_table() {
    let settings = NgramModSettings { n: 1, least: 1, most: 8, entries: 1 << 10 };
    let mut modulo = NgramMod::new(settings).expect("small numbers");
    let (mut history, constraint) = (History::new(1000), free());
    history.extend(&[0, 1, 2, 0].map(TokenId));
    let round = |accepted: usize, modulo: &mut NgramMod| {
        let draft = modulo.draft(&history, &constraint).expect("it does not fail");
        modulo.judge(draft.len(), accepted);
        draft.len()
    };
    // A quarter of eight is not bad.
    let lens = [1, 1, 1, 1, 2, 0, 0, 1, 1, 1, 8, 8].map(|accepted| round(accepted, &mut modulo));
    assert_eq!(lens, [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0]);
}

#[test]
fn a_table_that_is_more_than_a_quarter_full_is_emptied() {
    let settings = NgramModSettings { n: 1, least: 1, most: 1, entries: 1 << 10 };
    let constraint = free();
    for (taken, is_known) in [(256, true), (257, false)] {
        let mut modulo = NgramMod::new(settings).expect("small numbers");
        let mut history = History::new(1000);
        // So many pairs, the first of which is asked for.
        history.extend(&(0..taken).chain([0]).map(TokenId).collect::<Vec<_>>());
        let draft = modulo.draft(&history, &constraint).expect("it does not fail");
        assert_eq!(draft, if is_known { vec![TokenId(1)] } else { Vec::new() });
    }
}

#[test]
fn the_first_four_values_are_counted() {
    let settings = NgramMapSettings { n: 1, m: 1, min_hits: 1 };
    let constraint = free();
    // What came before, and what has come nine or twelve times as often.
    for (before, times, is_known) in [(3, 9, true), (3, 8, false), (4, 12, false)] {
        let mut map = NgramMap::four_values(settings).expect("small numbers");
        let mut history = History::new(1000);
        let values = (1..=before).chain(std::iter::repeat_n(9, times));
        history.extend(&values.flat_map(|id| [0, id]).chain([0]).map(TokenId).collect::<Vec<_>>());
        let draft = map.draft(&history, &constraint).expect("it does not fail");
        assert_eq!(draft, if is_known { vec![TokenId(9)] } else { Vec::new() }, "{before} {times}");
    }
}

#[test]
fn settings_out_of_range_are_errors_that_name_them() {
    let error =
        NgramSimple::new(NgramSimpleSettings { n: 0, m: 1 }).expect_err("none is no n-gram");
    assert_eq!(error.to_string(), "n of drafter ngram-simple must be from 1 to 1024, not 0");
    let long = usize::MAX;
    assert!(NgramSimple::new(NgramSimpleSettings { n: 1, m: long }).is_err());
    let map = NgramMapSettings::default();
    assert!(NgramMap::keys(NgramMapSettings { n: long, ..map }).is_err());
    assert!(NgramMap::four_values(NgramMapSettings { m: 0, ..map }).is_err());
    assert!(NgramMap::keys(NgramMapSettings { min_hits: 0, ..map }).is_err());
    let modulo = NgramModSettings::default();
    assert!(NgramMod::new(NgramModSettings { n: 0, ..modulo }).is_err());
    assert!(NgramMod::new(NgramModSettings { least: 65, ..modulo }).is_err());
    assert!(NgramMod::new(NgramModSettings { most: long, ..modulo }).is_err());
    assert!(NgramMod::new(NgramModSettings { entries: long, ..modulo }).is_err());
    let cache = NgramCacheSettings::default();
    assert!(NgramCache::new(NgramCacheSettings { most: 0, ..cache }).is_err());
    assert!(NgramCache::new(NgramCacheSettings { pairs: long, ..cache }).is_err());
}

#[test]
fn a_tokenizer_that_fails_is_an_error() {
    let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#).expect("valid"));
    let grammar = Grammar::parse("root ::= \"ab\"").expect("it has no mistakes");
    let constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let mut drafts = Drafts::default();
    drafts.add(Forced::new(|_: &str| Err::<Vec<TokenId>, _>("no words")));
    let error = drafts.draft(&constraint, 9).expect_err("it does not spell");
    assert_eq!(error.to_string(), "drafter forced: no words");
}

fn with(drafter: impl Drafter + 'static) -> Drafts {
    let mut drafts = Drafts::with_history(1_000);
    drafts.add(drafter);
    drafts
}

/// What is held does not grow with the text: each drafter by itself, over one long text of which
/// hardly anything repeats.
#[test]
fn memory_is_bounded() {
    let drafters: [fn() -> Drafts; 5] = [
        || with(NgramSimple::default()),
        || with(NgramMap::default()),
        || with(NgramMap::four_values(NgramMapSettings::default()).expect("defaults")),
        || {
            let settings = NgramModSettings { entries: 1 << 14, ..NgramModSettings::default() };
            with(NgramMod::new(settings).expect("small numbers"))
        },
        || {
            let settings = NgramCacheSettings { pairs: 1 << 10, ..NgramCacheSettings::default() };
            with(NgramCache::new(settings).expect("small numbers"))
        },
    ];
    let constraint = free();
    for drafts in drafters {
        let most = |tokens: u32| {
            let measured = allocation_counter::measure(|| {
                let mut drafts = drafts();
                let mut id = 1_u32;
                for _ in 0..tokens {
                    id = id.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                    drafts.accept(&[TokenId(id >> 8)]);
                    let draft = drafts.draft(&constraint, 9).expect("it does not fail");
                    assert!(draft.is_empty(), "none of these is a token");
                }
            });
            measured.bytes_max
        };
        let (some, more) = (most(10_000), most(40_000));
        assert!(more <= some && more < 1_000_000, "{some} and {more} bytes");
    }
}
