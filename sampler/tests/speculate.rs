//! Verified drafts and trees: what comes out of them, how often, and what they leave behind.

use std::collections::BTreeMap;
use std::sync::Arc;

use grammask_gbnf::{Automaton, Grammar};
use grammask_oracle::generate;
use grammask_sampler::{
    Candidate, Candidates, Chain, Constraint, Dist, DraftMaskError, DraftTree, Drafts, Engine,
    Forced, GrammarSampler, Greedy, MirostatSettings, MirostatV2, Mode, Mt19937, NgramCache,
    NgramSimple, NgramSimpleSettings, Penalties, PenaltySettings, SampleError, Sampler, Siblings,
    Temperature, TokenId, TokenMask, TopK, Verified, VerifyError, Vocabulary, fill_draft_masks,
    fill_tree_masks, uniform_f32, uniform_f64,
};
use proptest::collection::vec;
use proptest::prelude::*;
use rand::Rng;

const PIECES: &str = r#"{"tokens": ["a", "b", "ab", "c", "x", "y", "xy", "</s>"], "eog": [7]}"#;
const LEN: usize = 8;
/// One of the vocabulary's ids, and one that it does not have.
const BEYOND: u32 = 99;

fn constraint(grammar: &str) -> Constraint {
    let engine = Engine::new(Vocabulary::from_json(PIECES).expect("it is well formed"));
    let grammar = Grammar::parse(grammar).expect("it has no mistakes");
    Constraint::new(&engine, &grammar, "root").expect("it compiles")
}

/// What a model says behind a text: any numbers, always the same ones.
fn model(which: u32, text: &[u32]) -> [f32; LEN] {
    let step = |hash: u32, number: u32| {
        let mixed = (hash ^ (number + 1)).wrapping_mul(0x9e37_79b1);
        (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b).rotate_left(9)
    };
    let hash = text.iter().fold(which, |hash, &token| step(hash, token));
    std::array::from_fn(|id| {
        let bits = (step(hash, id as u32) >> 16) as u16;
        3.0 * f32::from(bits) / f32::from(u16::MAX) - 1.5
    })
}

/// What the draft's model says: half of the truth. It knows no grammar.
fn draft_model(text: &[u32]) -> [f32; LEN] {
    let (known, own) = (model(1, text), model(2, text));
    std::array::from_fn(|at| 0.5 * known[at] + 0.7 * own[at])
}

/// The chains that are tried, and their distributions by their definitions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Dist,
    TopK,
    Presence,
    Greedy,
}

const KINDS: [Kind; 4] = [Kind::Dist, Kind::TopK, Kind::Presence, Kind::Greedy];

impl Kind {
    fn chain(self, seed: u32) -> Chain {
        let mut chain = Chain::untimed();
        match self {
            Self::Dist => chain.add(Dist::new(seed)),
            Self::TopK => {
                let temperature = Temperature::new(0.7).expect("it is finite");
                chain.add(TopK::new(3)).add(temperature).add(Dist::new(seed))
            }
            Self::Presence => {
                let settings = PenaltySettings { presence: 1.0, ..PenaltySettings::default() };
                let penalties = Penalties::new(settings).expect("the settings are valid");
                chain.add(penalties).add(Dist::new(seed))
            }
            Self::Greedy => chain.add(Greedy),
        };
        chain
    }

    /// The probabilities of the tokens that may come behind a text.
    fn probabilities(self, text: &[u32], logits: [f32; LEN], mask: &TokenMask) -> Vec<(u32, f64)> {
        let logit = |id: TokenId| match self {
            Self::Presence if text.contains(&id.0) => logits[id.index()] - 1.0,
            Self::TopK => logits[id.index()] / 0.7,
            _ => logits[id.index()],
        };
        let mut tokens: Vec<(u32, f64)> =
            mask.tokens().map(|id| (id.0, f64::from(logit(id)))).collect();
        tokens.sort_by(|a, b| b.1.total_cmp(&a.1));
        tokens.truncate(match self {
            Self::TopK => 3,
            Self::Greedy => 1,
            _ => LEN,
        });
        let sum: f64 = tokens.iter().map(|(_, logit)| logit.exp()).sum();
        tokens.into_iter().map(|(id, logit)| (id, logit.exp() / sum)).collect()
    }
}

/// So many tokens of each text are compared.
const FIRST: usize = 3;

/// The probability of every text, up to its first tokens, in plain decoding.
fn plain(
    kind: Kind,
    constraint: &Constraint,
    model: &dyn Fn(&[u32]) -> [f32; LEN],
) -> BTreeMap<Vec<u32>, f64> {
    let mut whole = BTreeMap::new();
    let mut pending = vec![(Vec::new(), constraint.clone(), 1.0)];
    while let Some((text, constraint, probability)) = pending.pop() {
        if text.len() == FIRST || constraint.is_ended() {
            whole.insert(text, probability);
            continue;
        }
        for (id, p) in kind.probabilities(&text, model(&text), &constraint.mask()) {
            let (mut text, mut constraint) = (text.clone(), constraint.clone());
            constraint.accept(TokenId(id)).expect("the mask allows it");
            text.push(id);
            pending.push((text, constraint, probability * p));
        }
    }
    whole
}

/// Pearson's statistic as a part of what it stays below but once in 30,000 times if these are the
/// probabilities (Wilson and Hilferty 1931): of all texts, and of those of their first tokens, the
/// greatest. What is rare counts together; infinite, if something has come that cannot.
fn chi_square(counts: &BTreeMap<Vec<u32>, u32>, expected: &BTreeMap<Vec<u32>, f64>) -> f64 {
    if counts.keys().any(|text| !expected.contains_key(text)) {
        return f64::INFINITY;
    }
    let draws: u32 = counts.values().sum();
    let parts = (1..=FIRST).map(|len| {
        let mut cells: BTreeMap<&[u32], (f64, f64)> = BTreeMap::new();
        for (text, p) in expected {
            let cell = cells.entry(&text[..len.min(text.len())]).or_default();
            cell.0 += f64::from(counts.get(text).copied().unwrap_or_default());
            cell.1 += p * f64::from(draws);
        }
        let (often, rare): (Vec<_>, Vec<_>) = cells.into_values().partition(|cell| cell.1 >= 8.0);
        let add = |sum: (f64, f64), cell: &(f64, f64)| (sum.0 + cell.0, sum.1 + cell.1);
        let rest = rare.iter().fold((0.0, 0.0), add);
        let cells: Vec<_> = often.into_iter().chain((rest.1 >= 8.0).then_some(rest)).collect();
        let term = |(count, expected): &(f64, f64)| (count - expected).powi(2) / expected;
        let distance: f64 = cells.iter().map(term).sum();
        let freedom = (f64::from(u32::try_from(cells.len()).expect("few")) - 1.0).max(1.0);
        let step = 2.0 / (9.0 * freedom);
        distance / (freedom * (1.0 - step + 4.0 * step.sqrt()).powi(3))
    });
    parts.fold(0.0, f64::max)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Path,
    Tree(Siblings),
}

/// A draft behind a text, what its children were drawn from at each position, and the text there.
struct Drafted {
    tree: DraftTree,
    proposals: Vec<Vec<Candidate>>,
    texts: Vec<Vec<u32>>,
}

/// Draws a token, and takes it away if it cannot come again.
fn draw(row: &mut Vec<Candidate>, siblings: Siblings, random: &mut Mt19937) -> TokenId {
    let sum: f64 = row.iter().map(|candidate| f64::from(candidate.p)).sum();
    let number = uniform_f64(random) * sum;
    let mut running = 0.0;
    let at = row.iter().position(|candidate| {
        running += f64::from(candidate.p);
        running > number
    });
    let at = at.unwrap_or(row.len() - 1);
    let id = row[at].id;
    if siblings == Siblings::WithoutReplacement {
        row.remove(at);
    }
    id
}

fn drafted(text: &[u32], shape: Shape, random: &mut Mt19937) -> Drafted {
    let (siblings, most_children, most_depth) = match shape {
        Shape::Path => (Siblings::WithReplacement, 1, 5),
        Shape::Tree(siblings) => (siblings, 3, 3),
    };
    let mut nodes = Vec::new();
    let mut texts = vec![text.to_vec()];
    let mut proposals = Vec::new();
    while let Some(here) = texts.get(proposals.len()).cloned() {
        let position = proposals.len();
        let mut candidates = Candidates::from_logits(&draft_model(&here));
        candidates.softmax();
        let mut row = candidates.as_slice().to_vec();
        // Some drafts are of a larger vocabulary.
        if random.next_u32().is_multiple_of(4) {
            row.push(Candidate { id: TokenId(BEYOND), logit: 0.0, p: 0.2 });
        }
        proposals.push(row.clone());
        let is_deep = here.len() - text.len() >= most_depth;
        let children = if is_deep { 0 } else { random.next_u32() % (most_children + 1) };
        for _ in 0..children {
            let id = draw(&mut row, siblings, random);
            nodes.push((id, position.checked_sub(1)));
            texts.push(here.iter().copied().chain([id.0]).collect());
        }
    }
    Drafted { tree: DraftTree::new(nodes).expect("children come later"), proposals, texts }
}

/// Writes a text in drafts; counts how many drafted tokens came true.
fn write(
    sampler: &mut GrammarSampler,
    shape: Shape,
    is_stochastic: bool,
    (random, hits): (&mut Mt19937, &mut usize),
) -> Vec<u32> {
    let mut text: Vec<u32> = Vec::new();
    while text.len() < FIRST && !sampler.constraint().is_ended() {
        let Drafted { tree, proposals, texts } = drafted(&text, shape, random);
        let logits: Vec<_> = texts.iter().map(|text| model(1, text)).collect();
        let path: Vec<TokenId> = (0..tree.len()).map(|node| tree.token(node)).collect();
        let verified = match (shape, is_stochastic) {
            (Shape::Path, false) => sampler.verify(&path, &logits),
            (Shape::Tree(_), false) => sampler.verify_tree(&tree, &logits),
            (Shape::Path, true) => {
                sampler.verify_stochastic(&path, &proposals[..path.len()], &logits, random)
            }
            (Shape::Tree(siblings), true) => {
                sampler.verify_tree_stochastic(&tree, &proposals, siblings, &logits, random)
            }
        };
        let Verified { tokens, nodes } = verified.expect("some may come");
        assert!(nodes.iter().zip(&tokens).all(|(&node, &token)| tree.token(node) == token));
        let ended = sampler.constraint().is_ended();
        assert!(tokens.len() == nodes.len() + 1 || ended && tokens.len() == nodes.len());
        *hits += nodes.len();
        text.extend(tokens.iter().map(|token| token.0));
    }
    text.truncate(FIRST);
    text
}

const SHAPES: [Shape; 3] = [
    Shape::Path,
    Shape::Tree(Siblings::WithReplacement),
    Shape::Tree(Siblings::WithoutReplacement),
];

#[test]
fn accepted_text_has_the_distribution_of_plain_decoding() {
    for (seed, grammar) in (1..).zip(["root ::= [abcxy]{1,9}", "root ::= (\"a\"? [bc] | \"xy\")+"])
    {
        let constraint = constraint(grammar);
        for kind in KINDS {
            let expected = plain(kind, &constraint, &|text| model(1, text));
            for shape in SHAPES {
                let accepted = [false, true].map(|is_stochastic| {
                    let mut random = Mt19937::new(seed);
                    let (mut counts, mut hits) = (BTreeMap::new(), 0);
                    for _ in 0..10_000 {
                        let chain = kind.chain(random.next_u32());
                        let mut sampler =
                            GrammarSampler::new(constraint.clone(), chain, Mode::GrammarFirst);
                        let text =
                            write(&mut sampler, shape, is_stochastic, (&mut random, &mut hits));
                        *counts.entry(text).or_default() += 1;
                    }
                    let what = format!("{grammar}, {kind:?}, {shape:?}, {is_stochastic}");
                    let distance = chi_square(&counts, &expected);
                    assert!(distance < 1.0, "{what}: {distance}");
                    // It is not that of the draft's model.
                    let distance = chi_square(&counts, &plain(kind, &constraint, &draft_model));
                    assert!(distance > 3.0, "{what}: {distance}");
                    hits
                });
                // What rejection is for.
                assert!(kind == Kind::Greedy || accepted[1] > accepted[0] * 5 / 4, "{accepted:?}");
            }
        }
    }
}

/// The draft is sure of what the model does not want, so that most siblings are rejected and each
/// changes what the next one is compared with.
#[test]
fn siblings_are_rejected_one_after_the_other() {
    let constraint = constraint("root ::= [abcx]");
    let target = [0.05, 0.15, 0.0, 0.3, 0.5];
    let proposal = [0.6, 0.2, 0.1, 0.05, 0.05];
    let logits = target.iter().map(|p: &f32| p.ln()).chain([0.0; 3]).collect::<Vec<f32>>();
    let row: Vec<Candidate> = (0..).zip(proposal).map(|(id, p)| candidate(id, p)).collect();
    let expected: BTreeMap<_, _> =
        (0..).zip(target).filter(|cell| cell.1 > 0.0).map(|(id, p)| (vec![id], p.into())).collect();
    for siblings in [Siblings::WithReplacement, Siblings::WithoutReplacement] {
        for children in 1..=3 {
            let mut random = Mt19937::new(children);
            let sampler =
                GrammarSampler::new(constraint.clone(), Kind::Dist.chain(1), Mode::GrammarFirst);
            let mut counts = BTreeMap::new();
            for _ in 0..100_000 {
                let mut left = row.clone();
                let nodes = (0..children).map(|_| (draw(&mut left, siblings, &mut random), None));
                let tree = DraftTree::new(nodes).expect("all come first");
                let mut proposals = vec![Vec::new(); tree.positions()];
                proposals[0].clone_from(&row);
                let logits = vec![&logits; tree.positions()];
                let verified = sampler
                    .clone()
                    .verify_tree_stochastic(&tree, &proposals, siblings, &logits, &mut random)
                    .expect("some may come");
                *counts.entry(vec![verified.tokens[0].0]).or_default() += 1;
            }
            let distance = chi_square(&counts, &expected);
            assert!(distance < 1.0, "{siblings:?}, {children}: {distance}, {counts:?}");
        }
    }
}

/// In whichever mode, with a sampler that learns from its own draws: the text is the chain's own.
#[test]
fn what_is_not_known_to_be_drawn_by_p_is_the_chains_own_token() {
    let constraint = constraint("root ::= [abcxy]{1,9}");
    let mirostat = |seed| MirostatV2::new(MirostatSettings { tau: 2.0, eta: 0.5 }, seed);
    for (mode, has_mirostat) in [(Mode::Rejection, false), (Mode::GrammarFirst, true)] {
        let mut random = Mt19937::new(5);
        for seed in 0..300 {
            let mut chain = Chain::untimed();
            if has_mirostat {
                chain.add(mirostat(seed).expect("the settings are valid"));
            } else {
                chain.add(TopK::new(4)).add(Dist::new(seed));
            }
            let mut plain = GrammarSampler::new(constraint.clone(), chain, mode);
            let mut drafted = plain.clone();
            let shape = SHAPES[seed as usize % 3];
            let mut hits = 0;
            let text = write(&mut drafted, shape, true, (&mut random, &mut hits));
            let mut expected = Vec::new();
            while expected.len() < FIRST && !plain.constraint().is_ended() {
                let token = plain.sample(&model(1, &expected)).expect("some may come");
                plain.accept(token).expect("it was picked");
                expected.push(token.0);
            }
            assert_eq!(text, expected, "{mode:?} {shape:?}");
        }
    }
}

#[test]
fn only_what_is_drawn_by_p_says_so() {
    let mut chain = Chain::new();
    assert!(!chain.draws());
    chain.add(Dist::new(1));
    assert!(chain.draws());
    chain.add(TopK::new(1));
    assert!(!chain.draws() && !Greedy.draws());
}

/// The tokens, and the end of generation.
fn engine(tokens: &[Vec<u8>]) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    for token in tokens {
        builder.push(token);
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("generated tokens are not empty"))
}

fn learning_chain(seed: u32) -> Chain {
    let settings = PenaltySettings { last_n: 8, repeat: 1.3, frequency: 0.1, presence: 0.1 };
    let mut chain = Chain::untimed();
    chain.add(Penalties::new(settings).expect("the settings are valid"));
    chain.add(TopK::new(4)).add(Dist::new(seed));
    chain
}

/// A tree whose nodes follow the earlier ones that numbers say, with tokens that may come, mostly.
fn tree(constraint: &Constraint, choices: &[(u16, u16)]) -> (DraftTree, Vec<Option<usize>>) {
    let mut nodes: Vec<(TokenId, Option<usize>)> = Vec::new();
    let mut read: Vec<Option<Constraint>> = vec![Some(constraint.clone())];
    for &(place, choice) in choices {
        // The last ones have most children, so that some trees are deep.
        let place = read.len() - 1 - usize::from(place) % read.len().min(3);
        let parent = place.checked_sub(1);
        let allowed: Vec<TokenId> = read[place]
            .iter()
            .flat_map(|known| known.mask().tokens().collect::<Vec<_>>())
            .collect();
        let token = match allowed.get(usize::from(choice) / 8 % allowed.len().max(1)) {
            Some(&token) if choice % 8 < 7 => token,
            _ => TokenId(u32::from(choice) % 40),
        };
        nodes.push((token, parent));
        let mut next = read[place].clone();
        if next.as_mut().is_none_or(|known| known.accept(token).is_err()) {
            next = None;
        }
        read.push(next);
    }
    let parents = nodes.iter().map(|&(_, parent)| parent).collect();
    (DraftTree::new(nodes).expect("parents come first"), parents)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn masks_of_all_positions_are_those_of_fresh_constraints(
        grammar in generate::grammars(),
        tokens in generate::vocabularies(),
        begun in generate::steps(4),
        choices in vec(any::<(u16, u16)>(), 0..14),
    ) {
        let engine = engine(&tokens);
        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
        let fresh = || Constraint::with_automaton(&engine, &automaton).expect("no references");
        let mut constraint = fresh();
        let mut prefix = Vec::new();
        for choice in begun {
            let allowed: Vec<TokenId> = constraint.mask().tokens().collect();
            let Some(&token) = allowed.get(usize::from(choice) % allowed.len().max(1)) else { break };
            constraint.accept(token).expect("the mask allows it");
            prefix.push(token);
        }
        if constraint.matcher().expect("it is strict").session().size() > 2_000 {
            return Ok(());
        }
        let before = constraint.mask();
        let (tree, parents) = tree(&constraint, &choices);
        // What was there before does not stay.
        let mut all = TokenMask::new(engine.vocabulary().len());
        all.extend(engine.vocabulary().ids());
        let mut masks = vec![all; tree.positions()];
        let allowed = fill_tree_masks(&constraint, &tree, &mut masks).expect("the masks fit");

        let mut expected_allowed = 0;
        for (position, mask) in masks.iter().enumerate() {
            let above = std::iter::successors(position.checked_sub(1), |&node| parents[node]);
            let mut path: Vec<TokenId> = above.map(|node| tree.token(node)).collect();
            path.reverse();
            let mut known = fresh();
            let is_read = prefix.iter().chain(&path).all(|&token| known.accept(token).is_ok());
            expected_allowed += usize::from(is_read && position > 0);
            // What has been read before may save the work that is too much without it.
            if is_read && known.is_too_ambiguous() {
                continue;
            }
            let expected = if is_read { known.mask() } else { TokenMask::new(mask.len()) };
            prop_assert_eq!(mask, &expected, "{}\nposition {}", &grammar, position);
            if is_read {
                let mut masks = vec![TokenMask::new(mask.len()); path.len() + 1];
                prop_assert_eq!(fill_draft_masks(&constraint, &path, &mut masks), Ok(path.len()));
                prop_assert_eq!(&masks[path.len()], mask);
            }
        }
        prop_assert_eq!(allowed, expected_allowed);
        prop_assert_eq!(constraint.len(), prefix.len());
        prop_assert_eq!(constraint.mask(), before);
        constraint.rollback(prefix.len());
        prop_assert_eq!(constraint.mask(), fresh().mask());
    }

    #[test]
    fn a_mismatch_leaves_no_trace(
        grammar in generate::grammars(),
        tokens in generate::vocabularies(),
        choices in vec(any::<(u16, u16)>(), 0..14),
        seed: u32,
        mode in prop::sample::select(vec![Mode::GrammarFirst, Mode::Rejection, Mode::Exact]),
        is_stochastic: bool,
    ) {
        let engine = engine(&tokens);
        let len = engine.vocabulary().len();
        let constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
        let mut drafted = GrammarSampler::new(constraint.clone(), learning_chain(seed), mode);
        let mut plain = drafted.clone();
        let (tree, _) = tree(&constraint, &choices);
        let mut random = Mt19937::new(seed);
        let mut row = || -> Vec<f32> { (0..len).map(|_| 4.0 * uniform_f32(&mut random)).collect() };
        let logits: Vec<Vec<f32>> = (0..tree.positions()).map(|_| row()).collect();
        let more: Vec<Vec<f32>> = (0..4).map(|_| row()).collect();

        let verified = if is_stochastic {
            let proposals: Vec<Vec<Candidate>> = (0..tree.positions())
                .map(|position| {
                    let child = |node| Candidate { id: tree.token(node), logit: 0.0, p: 0.3 };
                    let all = Candidate { id: TokenId(0), logit: 0.0, p: 0.1 };
                    tree.children(position).map(child).chain([all]).collect()
                })
                .collect();
            let siblings = Siblings::WithReplacement;
            drafted.verify_tree_stochastic(&tree, &proposals, siblings, &logits, &mut random)
        } else {
            drafted.verify_tree(&tree, &logits)
        };
        match verified {
            Err(error) => {
                prop_assert_eq!(Err(error), plain.sample(&logits[0]).map_err(VerifyError::Sample));
                prop_assert!(drafted.constraint().is_empty());
            }
            Ok(Verified { tokens, nodes }) => {
                let positions = std::iter::once(0).chain(nodes.iter().map(|node| node + 1));
                for (token, position) in tokens.iter().zip(positions) {
                    let sampled = plain.sample(&logits[position]).expect("the other could");
                    prop_assert!(is_stochastic || sampled == *token);
                    plain.accept(*token).expect("the other did");
                }
                prop_assert_eq!(drafted.constraint().mask(), plain.constraint().mask());
                // A call that fails may have moved a stream.
                let last = nodes.last().map_or(0, |node| node + 1);
                let is_whole = tokens.len() > nodes.len() || plain.constraint().is_ended();
                if !is_whole {
                    _ = plain.sample(&logits[last]);
                }
                for row in &more {
                    let token = plain.sample(row);
                    prop_assert_eq!(drafted.sample(row), token);
                    let Ok(token) = token else { break };
                    plain.accept(token).expect("it was picked");
                    drafted.accept(token).expect("it was picked");
                }
            }
        }
    }
}

/// A whole text on a real vocabulary: what comes out does not depend on what was drafted.
#[test]
fn a_text_in_drafts_is_the_text_without() {
    let engine = Engine::new(Vocabulary::from_name("r50k_base").expect("it is built in"));
    let grammar =
        "root ::= line{12}\nline ::= \"name: \" [a-c]{1,3} \", age: \" [0-9]{1,2} \"\\n\"";
    let grammar = Grammar::parse(grammar).expect("it has no mistakes");
    let constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
    let len = engine.vocabulary().len();
    let row: Vec<f32> = (0..len).map(|id| ((id * 7919) % 1009) as u16).map(f32::from).collect();
    let row: Vec<f32> = row.into_iter().map(|number| number / 200.0).collect();
    let mut chain = Chain::untimed();
    chain.add(TopK::new(3)).add(Dist::new(11));
    let mut plain = GrammarSampler::new(constraint.clone(), chain.clone(), Mode::GrammarFirst);
    let mut expected = Vec::new();
    while !plain.constraint().is_ended() {
        let token = plain.sample(&row).expect("some may come");
        plain.accept(token).expect("it was picked");
        expected.push(token);
    }

    let speller = engine.clone();
    let mut drafts = Drafts::default();
    drafts.add(Forced::new(move |text: &str| speller.vocabulary().encode(text)));
    let settings = NgramSimpleSettings { n: 2, m: 8 };
    drafts.add(NgramSimple::new(settings).expect("small numbers")).add(NgramCache::default());
    let mut drafted = GrammarSampler::new(constraint, chain, Mode::GrammarFirst);
    let (mut tokens, mut hits) = (Vec::new(), 0);
    while !drafted.constraint().is_ended() {
        let draft = drafts.draft(drafted.constraint(), 12).expect("it does not fail");
        let verified = drafted.verify(&draft, &vec![&row; draft.len() + 1]).expect("some may come");
        drafts.accept(&verified.tokens);
        hits += verified.nodes.len();
        tokens.extend(verified.tokens);
    }
    assert_eq!(tokens, expected);
    assert!(hits * 4 > tokens.len(), "{hits} of {}", tokens.len());
}

fn greedy(grammar: &str) -> GrammarSampler {
    GrammarSampler::new(constraint(grammar), Kind::Greedy.chain(0), Mode::GrammarFirst)
}

fn candidate(id: u32, p: f32) -> Candidate {
    Candidate { id: TokenId(id), logit: 0.0, p }
}

#[test]
fn nothing_comes_behind_the_end() {
    // The end is the best token wherever it may come.
    let logits = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]; 5];
    let draft = [0, 7, 0, 7].map(TokenId);
    let ended = Verified { tokens: draft[..2].to_vec(), nodes: vec![0, 1] };
    let mut sampler = greedy("root ::= \"a\"+");
    assert_eq!(sampler.clone().verify(&draft, &logits), Ok(ended.clone()));
    let proposals = draft.map(|token| vec![candidate(token.0, 1.0)]);
    let mut random = Mt19937::new(1);
    let verified = sampler.verify_stochastic(&draft, &proposals, &logits, &mut random);
    assert_eq!(verified, Ok(ended));
    assert!(sampler.constraint().is_ended());
    assert_eq!(sampler.verify(&[], &logits[..1]), Err(SampleError::NoToken.into()));

    let mut masks = vec![TokenMask::new(LEN); 5];
    assert_eq!(fill_draft_masks(&constraint("root ::= \"a\"+"), &draft, &mut masks), Ok(2));
    assert!(masks[2..].iter().all(|mask| mask.count() == 0));
    assert_eq!(fill_draft_masks(sampler.constraint(), &draft, &mut masks), Ok(0));
    assert!(masks.iter().all(|mask| mask.count() == 0));
}

#[test]
fn what_does_not_fit_is_an_error_and_changes_nothing() {
    let row = [0.0_f32; LEN];
    let draft = [0, BEYOND].map(TokenId);
    let mut sampler = greedy("root ::= [ab]+");
    let mut random = Mt19937::new(1);

    let rows = VerifyError::Rows { expected: 3, given: 2 };
    assert_eq!(sampler.verify(&draft, &[row; 2]), Err(rows.clone()));
    let short = SampleError::Logits { expected: LEN, given: 1 }.into();
    assert_eq!(sampler.verify(&draft, &[&row[..], &row, &row[..1]]), Err(short));
    let none: [[f32; LEN]; 0] = [];
    assert_eq!(sampler.verify(&[], &none), Err(VerifyError::Rows { expected: 1, given: 0 }));

    let both = [vec![candidate(0, 1.0)], vec![candidate(BEYOND, 1.0)]];
    let mut check = |proposals: &[Vec<Candidate>], logits: &[[f32; LEN]]| {
        let error = sampler.verify_stochastic(&draft, proposals, logits, &mut random);
        assert!(sampler.constraint().is_empty());
        error.expect_err("it does not fit")
    };
    assert_eq!(check(&both, &[row; 2]), rows);
    assert_eq!(check(&both[..1], &[row; 3]), VerifyError::Proposals { expected: 2, given: 1 });
    let nowhere = VerifyError::NoDistribution { position: 1 };
    for bad in [vec![], vec![candidate(0, 0.0)], vec![candidate(0, f32::NAN), candidate(1, 1.0)]] {
        assert_eq!(check(&[both[0].clone(), bad], &[row; 3]), nowhere);
    }
    for bad in [vec![candidate(BEYOND, -1.0), candidate(1, 5.0)], vec![candidate(0, f32::INFINITY)]]
    {
        assert_eq!(check(&[both[0].clone(), bad], &[row; 3]), nowhere);
    }
    let impossible = VerifyError::Impossible { node: 1, token: TokenId(BEYOND) };
    assert_eq!(check(&[both[0].clone(), both[0].clone()], &[row; 3]), impossible);

    // Without replacement nothing comes twice.
    let twice = DraftTree::new([(TokenId(0), None), (TokenId(0), None)]).expect("it is a tree");
    let proposals = [vec![candidate(0, 0.5), candidate(1, 0.5)], vec![], vec![]];
    let error = sampler.verify_tree_stochastic(
        &twice,
        &proposals,
        Siblings::WithoutReplacement,
        &[row; 3],
        &mut random,
    );
    assert_eq!(error, Err(VerifyError::Impossible { node: 1, token: TokenId(0) }));
    assert!(sampler.constraint().is_empty());

    let mut unselected =
        GrammarSampler::new(constraint("root ::= [ab]+"), Chain::new(), Mode::GrammarFirst);
    assert_eq!(unselected.verify(&draft, &[row; 3]), Err(SampleError::NotSelected.into()));

    let constraint = sampler.constraint();
    let count = DraftMaskError::Count { expected: 3, given: 2 };
    assert_eq!(fill_draft_masks(constraint, &draft, &mut vec![TokenMask::new(LEN); 2]), Err(count));
    let length = DraftMaskError::Length { expected: LEN, given: 7 };
    assert_eq!(fill_draft_masks(constraint, &[], &mut [TokenMask::new(7)]), Err(length));
}

/// Long drafts and deep trees are read without recursion.
#[test]
fn drafts_may_be_long() {
    let long = vec![TokenId(0); 50_000];
    let constraint = constraint("root ::= \"a\"*");
    let mut masks = vec![TokenMask::new(LEN); long.len() + 1];
    assert_eq!(fill_draft_masks(&constraint, &long, &mut masks), Ok(long.len()));
    let star = DraftTree::new(long.iter().map(|&token| (token, None))).expect("it is a tree");
    assert_eq!(fill_tree_masks(&constraint, &star, &mut masks), Ok(long.len()));
    let rows = vec![vec![candidate(0, 0.5), candidate(1, 0.5)]; star.positions()];
    let logits = vec![[0.0; LEN]; star.positions()];
    let mut sampler = GrammarSampler::new(constraint, Kind::Dist.chain(1), Mode::GrammarFirst);
    let siblings = Siblings::WithReplacement;
    let verified =
        sampler.verify_tree_stochastic(&star, &rows, siblings, &logits, &mut Mt19937::new(1));
    assert!(verified.is_ok_and(|verified| !verified.tokens.is_empty()));
}
