//! The ways in which grammar and chain meet: what they pick, and how often.

use std::sync::Arc;

use grammask_gbnf::Grammar;
use grammask_oracle::generate;
use grammask_sampler::{
    AdaptiveP, AdaptiveSettings, Candidates, Chain, Constraint, Dist, Dry, DryBreakers,
    DrySettings, DynamicTemperature, Engine, EpsilonCutoff, EtaCutoff, GrammarSampler, Greedy,
    LogitBias, MinP, MirostatSettings, MirostatV2, Mode, Mt19937, Penalties, PenaltySettings,
    SampleError, Temperature, TokenId, TopA, TopK, TopNSigma, TopP, Typical, Vocabulary, Xtc,
    XtcSettings, uniform_f32,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// One sampler of a chain.
#[derive(Clone, Debug)]
enum Link {
    LogitBias(Vec<(u32, f32)>),
    Penalties(f32, f32),
    Temperature(f32),
    TopK(i32),
    TopP(f32),
    MinP(f32, usize),
    Dry(f32),
    TopNSigma(f32),
    Typical(f32),
    Xtc(f32),
    TopA(f32),
    EpsilonCutoff(f32),
    EtaCutoff(f32),
    DynamicTemperature(f32),
    MirostatV2(u32),
    AdaptiveP(u32),
    Greedy,
    Dist(u32),
}

impl Link {
    fn add(&self, chain: &mut Chain, len: usize) {
        match *self {
            Self::LogitBias(ref biases) => {
                let token = |id: u32| TokenId(id % len as u32);
                let biases = biases.iter().map(|&(id, bias)| (token(id), bias));
                chain.add(LogitBias::new(biases).expect("the biases are valid"))
            }
            Self::Penalties(repeat, presence) => {
                let settings = PenaltySettings { last_n: 5, repeat, frequency: 0.1, presence };
                chain.add(Penalties::new(settings).expect("the settings are valid"))
            }
            Self::Temperature(t) => chain.add(Temperature::new(t).expect("it is finite")),
            Self::TopK(k) => chain.add(TopK::new(k)),
            Self::TopP(p) => chain.add(TopP::new(p, 0).expect("it is finite")),
            Self::MinP(p, min_keep) => chain.add(MinP::new(p, min_keep).expect("it is finite")),
            Self::Dry(multiplier) => {
                let settings = DrySettings { multiplier, allowed_length: 1, ..Default::default() };
                chain.add(Dry::new(settings, DryBreakers::default()).expect("it is finite"))
            }
            Self::TopNSigma(n) => chain.add(TopNSigma::new(n).expect("it is finite")),
            Self::Typical(p) => chain.add(Typical::new(p, 0).expect("it is finite")),
            Self::Xtc(probability) => {
                let settings = XtcSettings { probability, threshold: 0.1 };
                chain.add(Xtc::new(settings, 0, 3).expect("it is finite"))
            }
            Self::TopA(a) => chain.add(TopA::new(a, 0).expect("it is finite")),
            Self::EpsilonCutoff(e) => chain.add(EpsilonCutoff::new(e, 0).expect("it is finite")),
            Self::EtaCutoff(e) => chain.add(EtaCutoff::new(e, 0).expect("it is finite")),
            Self::DynamicTemperature(range) => {
                chain.add(DynamicTemperature::new(0.8, range, 1.0).expect("it is finite"))
            }
            Self::MirostatV2(seed) => {
                chain.add(MirostatV2::new(MirostatSettings::default(), seed).expect("defaults"))
            }
            Self::AdaptiveP(seed) => {
                let settings = AdaptiveSettings { target: 0.4, ..Default::default() };
                chain.add(AdaptiveP::new(settings, seed).expect("it is finite"))
            }
            Self::Greedy => chain.add(Greedy),
            Self::Dist(seed) => chain.add(Dist::new(seed)),
        };
    }
}

/// Up to six samplers in any order, and one that selects.
fn links() -> impl Strategy<Value = Vec<Link>> {
    let bias = (any::<u32>(), prop_oneof![8 => -4.0_f32..4.0, 1 => Just(f32::NEG_INFINITY)]);
    let temperatures = vec![0.0, 0.5, 1.0, 1.5];
    let link = prop_oneof![
        vec(bias, 0..4).prop_map(Link::LogitBias),
        (0.5_f32..2.0, -1.0_f32..1.0)
            .prop_map(|(repeat, presence)| Link::Penalties(repeat, presence)),
        prop::sample::select(temperatures).prop_map(Link::Temperature),
        prop_oneof![4 => -1..8, 1 => 100..140].prop_map(Link::TopK),
        (0.0_f32..1.2).prop_map(Link::TopP),
        (
            prop_oneof![4 => 0.0_f32..1.0, 1 => Just(1e-8), 1 => Just(1.0), 1 => Just(2.0)],
            0_usize..3
        )
            .prop_map(|(p, min_keep)| Link::MinP(p, min_keep)),
        Just(Link::Greedy),
        any::<u32>().prop_map(Link::Dist),
    ];
    // Those that are switched off, in half of the cases, change nothing.
    let or_off = |value: f32| prop_oneof![Just(0.0), Just(value)];
    let other = prop_oneof![
        or_off(0.8).prop_map(Link::Dry),
        or_off(1.0).prop_map(Link::TopNSigma),
        prop_oneof![Just(1.0_f32), Just(0.7)].prop_map(Link::Typical),
        or_off(0.5).prop_map(Link::Xtc),
        or_off(0.2).prop_map(Link::TopA),
        or_off(0.05).prop_map(Link::EpsilonCutoff),
        or_off(0.05).prop_map(Link::EtaCutoff),
        or_off(0.5).prop_map(Link::DynamicTemperature),
    ];
    let link = prop_oneof![link, other];
    let last = prop_oneof![
        2 => Just(Link::Greedy),
        6 => any::<u32>().prop_map(Link::Dist),
        1 => any::<u32>().prop_map(Link::MirostatV2),
        1 => any::<u32>().prop_map(Link::AdaptiveP),
    ];
    // What begins most chains.
    let nucleus = (3..50, 0.3_f32..1.0).prop_map(|(k, p)| vec![Link::TopK(k), Link::TopP(p)]);
    let start = prop_oneof![2 => Just(Vec::new()), 1 => nucleus];
    (start, vec(link, 0..=6), last).prop_map(|(mut links, more, last)| {
        links.extend(more);
        links.push(last);
        links
    })
}

/// Most random grammars allow few tokens; these allow many.
fn grammars() -> impl Strategy<Value = Grammar> {
    let wide = [".*", "[^x]*", "(\"a\" | [b-c,])* \"=\"?", "[^a] .{0,6}", "([a-c] [^a-c]?)*"];
    let parse = |body| Grammar::parse(&format!("root ::= {body}")).expect("it has no mistakes");
    prop_oneof![generate::grammars(), prop::sample::select(wide.to_vec()).prop_map(parse)]
}

/// The tokens, every pair of characters that grammars are made of if `pairs`, and the end.
fn engine(tokens: &[Vec<u8>], pairs: bool) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    let text = std::str::from_utf8(generate::ALPHABET).expect("characters");
    let both = |a| text.chars().map(move |b| [a, b].iter().collect::<String>().into_bytes());
    let more: Vec<Vec<u8>> = if pairs { text.chars().flat_map(both).collect() } else { Vec::new() };
    for token in tokens.iter().chain(more.iter().filter(|token| !tokens.contains(token))) {
        builder.push(token);
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("generated tokens are not empty"))
}

/// Logits as models have them; if `coarse`, with many that are equal, and some that are no numbers.
fn logits(generator: &mut Mt19937, len: usize, coarse: bool) -> Vec<f32> {
    let one = |_| match uniform_f32(generator) {
        draw if coarse && draw < 0.02 => f32::NAN,
        draw if coarse && draw < 0.1 => f32::NEG_INFINITY,
        draw if coarse => (draw * 12.0).round() - 6.0,
        draw => draw * 20.0 - 10.0,
    };
    (0..len).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn both_modes_pick_what_the_chain_picks_behind_a_mask(
        grammar in grammars(),
        tokens in generate::vocabularies(),
        pairs: bool,
        links in links(),
        seed: u32,
        coarse in proptest::bool::weighted(0.3),
    ) {
        let engine = engine(&tokens, pairs);
        let len = engine.vocabulary().len();
        let mut chain = Chain::untimed();
        for link in &links {
            link.add(&mut chain, len);
        }
        // What one of them knows of masks is not known to the others.
        let constraint = || Constraint::new(&engine, &grammar, "root").expect("it compiles");
        let mut first = GrammarSampler::new(constraint(), chain.clone(), Mode::GrammarFirst);
        let mut exact = GrammarSampler::new(constraint(), chain.clone(), Mode::Exact);
        let mut plain = constraint();
        let mut generator = Mt19937::new(seed);
        for _ in 0..12 {
            let logits = logits(&mut generator, len, coarse);
            let mask = plain.mask();
            if plain.is_too_ambiguous() {
                break;
            }
            let mut candidates = Candidates::default();
            candidates.set(mask.tokens().map(|token| (token, logits[token.index()])));
            let expected = if candidates.is_empty() {
                Err(SampleError::NoToken)
            } else {
                chain.sample(&mut candidates).ok_or(SampleError::NotSelected)
            };
            prop_assert_eq!(first.sample(&logits), expected);
            prop_assert_eq!(exact.sample(&logits), expected);
            let Ok(token) = expected else { break };
            // NaN differs from itself, but looks the same.
            let shown = |candidates: &Candidates| {
                format!("{:?} {:?}", candidates.as_slice(), candidates.selected())
            };
            prop_assert_eq!(shown(first.candidates()), shown(&candidates));
            if !matches!(links.last(), Some(Link::Greedy)) {
                prop_assert_eq!(shown(exact.candidates()), shown(&candidates));
            }
            let size = |constraint: &Constraint| {
                constraint.matcher().expect("it is strict").session().size()
            };
            if first.accept(token).is_err() || size(first.constraint()) > 5_000 {
                break;
            }
            exact.accept(token).expect("the other accepts it");
            plain.accept(token).expect("the others accept it");
            chain.accept(token);
        }
    }
}

const PIECES: &str = r#"{"tokens": ["a", "b", "ab", "c", "x", "y", "xy", "</s>"], "eog": [7]}"#;
/// At first the tokens 0 to 3 may come, later the end as well: the model would rather have others.
const LOGITS: [f32; 8] = [0.3, 1.2, -0.4, 0.7, 1.6, -0.2, 0.9, 0.5];
const DRAWS: u32 = 20_000;

fn constraint() -> Constraint {
    let engine = Engine::new(Vocabulary::from_json(PIECES).expect("it is well formed"));
    let grammar = Grammar::parse("root ::= [abc]+").expect("it has no mistakes");
    Constraint::new(&engine, &grammar, "root").expect("it compiles")
}

/// How often each token comes where `prefix` has been written.
fn frequencies(prefix: &[u32], chain: Chain, mode: Mode) -> [f64; 8] {
    let mut sampler = GrammarSampler::new(constraint(), chain, mode);
    for &token in prefix {
        sampler.accept(TokenId(token)).expect("the grammar allows it");
    }
    let mut counts = [0.0; 8];
    for _ in 0..DRAWS {
        counts[sampler.sample(&LOGITS).expect("some may come").index()] += 1.0;
    }
    counts
}

/// The model's probabilities given that the token is one of these.
fn given(tokens: &[usize]) -> [f64; 8] {
    let mut weights = [0.0; 8];
    for &token in tokens {
        weights[token] = f64::from(LOGITS[token]).exp();
    }
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// Pearson's statistic of counts against probabilities. What cannot happen must not.
fn chi_square(counts: [f64; 8], probabilities: [f64; 8]) -> f64 {
    let term = |(count, probability): (f64, f64)| {
        let expected = probability * f64::from(DRAWS);
        if count > 0.0 || expected > 0.0 { (count - expected).powi(2) / expected } else { 0.0 }
    };
    counts.into_iter().zip(probabilities).map(term).sum()
}

/// With four degrees of freedom, no test has more, the statistic of true probabilities is above this
/// once in 10,000 times. Every draw has its seed, so that a test comes out the same each time.
const LIKELY: f64 = 23.5;

fn dist(seed: u32) -> Chain {
    let mut chain = Chain::untimed();
    chain.add(Dist::new(seed));
    chain
}

#[test]
fn without_truncation_every_mode_follows_the_model_among_allowed_tokens() {
    let places: [(&[u32], &[usize]); 2] = [(&[], &[0, 1, 2, 3]), (&[2, 0], &[0, 1, 2, 3, 7])];
    for (place, (prefix, allowed)) in (0..).zip(places) {
        for (seed, mode) in (100..).zip([Mode::GrammarFirst, Mode::Rejection, Mode::Exact]) {
            let counts = frequencies(prefix, dist(seed + 10 * place), mode);
            let distance = chi_square(counts, given(allowed));
            assert!(distance < LIKELY, "{mode:?} after {prefix:?}: {counts:?}, {distance}");
        }
    }
}

#[test]
fn per_token_changes_are_the_same_in_every_mode() {
    // The model's own logits, by a detour.
    let halves = LOGITS.map(|logit| -logit / 2.0);
    for (seed, mode) in (200..).zip([Mode::GrammarFirst, Mode::Rejection, Mode::Exact]) {
        let mut chain = Chain::untimed();
        let biases = (0..).map(TokenId).zip(halves);
        chain.add(LogitBias::new(biases).expect("the biases are valid"));
        chain.add(Temperature::new(0.5).expect("it is finite")).add(Dist::new(seed));
        let counts = frequencies(&[], chain, mode);
        let distance = chi_square(counts, given(&[0, 1, 2, 3]));
        assert!(distance < LIKELY, "{mode:?}: {counts:?}, {distance}");
    }
}

#[test]
fn rejection_truncates_before_the_grammar_and_the_others_after_it() {
    let top = |seed| {
        let mut chain = Chain::untimed();
        chain.add(TopK::new(3)).add(Dist::new(seed));
        chain
    };
    // Of all tokens 4, 1 and 6 are the best; of those that are allowed 1, 3 and 0.
    let grammar_first = given(&[1, 3, 0]);
    for (seed, mode) in (300..).zip([Mode::GrammarFirst, Mode::Exact]) {
        let distance = chi_square(frequencies(&[], top(seed), mode), grammar_first);
        assert!(distance < LIKELY, "{mode:?}: {distance}");
    }
    let at_once = given(&[4, 1, 6]);
    let mut rejection = grammar_first.map(|p| (at_once[4] + at_once[6]) * p);
    rejection[1] += at_once[1];
    let counts = frequencies(&[], top(310), Mode::Rejection);
    let distance = chi_square(counts, rejection);
    assert!(distance < LIKELY, "{distance}");
    let distance = chi_square(counts, grammar_first);
    assert!(distance > 1000.0, "{distance}");
}

/// A token that is allowed is found without the tables of a mask.
#[test]
fn exact_draws_compute_no_mask_where_the_best_tokens_are_allowed() {
    let engine = Engine::new(Vocabulary::from_name("r50k_base").expect("it is built in"));
    let grammar = Grammar::parse("root ::= [^\"]* \"\\\"\"").expect("it has no mistakes");
    let constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let len = engine.vocabulary().len();
    let logits: Vec<f32> =
        (0..=u16::MAX).map(|id| 10.0 - f32::from(id) / 100.0).take(len).collect();
    let chains: [fn(&mut Chain); 3] = [
        |chain| {
            chain.add(Greedy);
        },
        |chain| {
            chain.add(TopK::new(40)).add(Dist::new(1));
        },
        |chain| {
            let temperature = Temperature::new(0.7).expect("it is finite");
            chain.add(temperature).add(MinP::new(0.7, 0).expect("it is finite")).add(Dist::new(1));
        },
    ];
    let before = engine.nodes_visited();
    for add in chains {
        let mut chain = Chain::new();
        add(&mut chain);
        let links = chain.len() as u64;
        let mut sampler = GrammarSampler::new(constraint.clone(), chain, Mode::Exact);
        for _ in 0..10 {
            let token = sampler.sample(&logits).expect("some may come");
            sampler.accept(token).expect("it was picked");
        }
        assert_eq!(engine.nodes_visited(), before);
        let calls: u64 = sampler.chain().timings().map(|timing| timing.calls).sum();
        assert_eq!(calls, 10 * links, "each sampler is applied once a token");
    }
    assert!(constraint.mask().count() > 0 && engine.nodes_visited() > before);
}

/// Whether the mask has many tokens or few, the candidates stay where they are.
#[test]
fn candidates_are_refilled_in_place() {
    let engine = Engine::new(Vocabulary::from_name("r50k_base").expect("it is built in"));
    let grammar = Grammar::parse("root ::= ([a-z ]+ \"0\" \"1\")+").expect("it has no mistakes");
    let constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let zero = engine.vocabulary().token_by_text(b"0").expect("every byte is a token");
    let len = engine.vocabulary().len();
    for mode in [Mode::GrammarFirst, Mode::Rejection, Mode::Exact] {
        let mut chain = Chain::new();
        chain.add(TopK::new(5)).add(Greedy);
        let mut sampler = GrammarSampler::new(constraint.clone(), chain, mode);
        let logits: Vec<f32> = (0..977_u16).cycle().map(f32::from).take(len).collect();
        let mut places = Vec::new();
        for step in 0..9 {
            let token = sampler.sample(&logits).expect("some may come");
            let place = sampler.candidates().as_slice().as_ptr();
            // A word, `0`, `1`, and so on.
            let token = if step % 3 == 1 { zero } else { token };
            sampler.accept(token).expect("it may come");
            places.push(place);
        }
        assert!(places.iter().all(|place| *place == places[0]), "{mode:?}: {places:?}");
    }
}

/// What is not found within the limits of work is not refused: a token that comes may come.
#[test]
fn in_no_mode_is_too_ambiguous_taken_for_refused() {
    let grammar = "root ::= (item | [a-z]* | \"b\"){2,5}\nitem ::= root [a-z] | \"\"";
    let grammar = Grammar::parse(grammar).expect("it has no mistakes");
    let engine = Engine::new(Vocabulary::from_json(PIECES).expect("it is well formed"));
    let mut constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    for _ in 0..30 {
        constraint.accept(TokenId(0)).expect("every letter may come");
    }
    assert!(constraint.is_too_ambiguous());
    for mode in [Mode::GrammarFirst, Mode::Rejection, Mode::Exact] {
        let mut chain = Chain::untimed();
        chain.add(Greedy);
        match GrammarSampler::new(constraint.clone(), chain, mode).sample(&LOGITS) {
            Ok(token) => assert!(mode != Mode::GrammarFirst && constraint.allows(token)),
            Err(error) => assert_eq!(error, SampleError::TooAmbiguous, "{mode:?}"),
        }
    }
}
