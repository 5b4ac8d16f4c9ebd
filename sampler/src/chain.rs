//! Samplers one after the other.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::block::Block;
use crate::nucleus::Nucleus;
use crate::reach::Reach;
use crate::{Candidates, TokenId};

/// One step between logits and the next token: it reshapes the candidates, or selects one.
///
/// # State
///
/// [`apply`](Self::apply) leaves the state as it is, save for the position of a stream of random
/// numbers; [`accept`](Self::accept) is what moves it. So a draw whose token is refused can simply be
/// drawn again, and no sampler has noticed. An implementation that learns from its own draws keeps
/// the draw aside and takes it in when its token is accepted. [`rollback`](Self::rollback) undoes it:
/// what overrides `accept` overrides that as well.
///
/// ```
/// use grammask_sampler::{Candidates, Chain, Greedy, Sampler, TokenId};
///
/// /// Never the same token twice in a row.
/// #[derive(Clone, Default)]
/// struct NoRepeat(Vec<TokenId>);
///
/// impl Sampler for NoRepeat {
///     fn name(&self) -> &str {
///         "no-repeat"
///     }
///     fn apply(&mut self, candidates: &mut Candidates) {
///         candidates.retain(|candidate| Some(&candidate.id) != self.0.last());
///     }
///     fn accept(&mut self, token: TokenId) {
///         self.0.push(token);
///     }
///     fn rollback(&mut self, tokens: usize) {
///         self.0.truncate(self.0.len().saturating_sub(tokens));
///     }
///     fn reset(&mut self) {
///         self.0.clear();
///     }
///     fn clone_box(&self) -> Box<dyn Sampler> {
///         Box::new(self.clone())
///     }
/// }
///
/// let mut chain = Chain::new();
/// chain.add(NoRepeat::default()).add(Greedy);
/// let mut next = || {
///     let token = chain.sample(&mut Candidates::from_logits(&[1.0, 3.0, 2.0])).unwrap();
///     chain.accept(token);
///     token.0
/// };
/// assert_eq!([next(), next(), next()], [1, 2, 1]);
/// ```
pub trait Sampler: Send {
    /// The name, as llama.cpp prints it. A leading `?` marks a sampler whose settings switch it off.
    fn name(&self) -> &str;

    /// Reshapes the candidates or selects one of them.
    fn apply(&mut self, candidates: &mut Candidates);

    /// Takes note that a token has come next, of the prompt or generated.
    fn accept(&mut self, token: TokenId) {
        let _ = token;
    }

    /// Takes back the last tokens accepted, all of them if they are fewer. Random numbers that have
    /// been drawn do not come again.
    fn rollback(&mut self, tokens: usize) {
        let _ = tokens;
    }

    /// Goes back to the state at the start, random numbers included.
    fn reset(&mut self) {}

    /// Which candidates make a difference to what [`apply`](Self::apply) leaves; all of them, unless
    /// a sampler knows better: then most of the others need not become candidates at all.
    fn reach(&self) -> Reach {
        Reach::All
    }

    /// Whether [`apply`](Self::apply) selects at random, each candidate with the `p` that it leaves, which
    /// it works out from the logits, and does not care whether another one is accepted. Stochastic
    /// verification of a draft
    /// ([`GrammarSampler::verify_stochastic`](crate::GrammarSampler::verify_stochastic)) puts its own
    /// draw in the place of such a one; any other is kept.
    fn draws(&self) -> bool {
        false
    }

    /// A copy with the same state; both go on alike.
    fn clone_box(&self) -> Box<dyn Sampler>;
}

impl Clone for Box<dyn Sampler> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// How long a sampler of a chain has taken so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The wall time of all calls of [`Sampler::apply`]; none while it is [switched off](Reach::Off).
    pub total: Duration,
    /// How many calls those were.
    pub calls: u64,
}

/// Samplers that are applied one after the other. A chain is a sampler itself.
///
/// Source: `llama_sampler_chain_*` of llama.cpp; the time per sampler is ours.
///
/// ```
/// use grammask_sampler::{Candidates, Chain, Dist, MinP, TokenId, TopK};
///
/// let mut chain = Chain::new();
/// chain.add(TopK::new(2)).add(MinP::new(0.05, 1)?).add(Dist::new(1));
/// assert_eq!(chain.names().collect::<Vec<_>>(), ["top-k", "min-p", "dist"]);
///
/// let token = chain.sample(&mut Candidates::from_logits(&[0.0, 9.0, 1.0]));
/// assert_eq!(token, Some(TokenId(1)));
/// assert_eq!(chain.timings().map(|timing| timing.calls).sum::<u64>(), 3);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Default)]
pub struct Chain {
    links: Vec<Link>,
    untimed: bool,
}

#[derive(Clone)]
struct Link {
    sampler: Box<dyn Sampler>,
    timing: Timing,
}

impl Chain {
    /// A chain without samplers, which takes the time of each.
    pub fn new() -> Self {
        Self::default()
    }

    /// A chain without samplers that reads no clock, for systems that have none.
    pub fn untimed() -> Self {
        Self { untimed: true, ..Self::default() }
    }

    /// Adds a sampler at the end.
    pub fn add(&mut self, sampler: impl Sampler + 'static) -> &mut Self {
        self.add_boxed(Box::new(sampler))
    }

    /// Adds a sampler at the end.
    pub fn add_boxed(&mut self, sampler: Box<dyn Sampler>) -> &mut Self {
        self.links.push(Link { sampler, timing: Timing::default() });
        self
    }

    /// The sampler at an index.
    pub fn get(&self, index: usize) -> Option<&dyn Sampler> {
        self.links.get(index).map(|link| &*link.sampler)
    }

    /// Takes out the sampler at an index, with its state; those behind it move up. `None` if there
    /// is none.
    pub fn remove(&mut self, index: usize) -> Option<Box<dyn Sampler>> {
        (index < self.links.len()).then(|| self.links.remove(index).sampler)
    }

    /// How many samplers there are.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The names of the samplers, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|link| link.sampler.name())
    }

    /// The time of each sampler, in order. All zero in a chain that is [`untimed`](Self::untimed).
    pub fn timings(&self) -> impl Iterator<Item = Timing> {
        self.links.iter().map(|link| link.timing)
    }

    /// Sets all times back to zero.
    pub fn reset_timings(&mut self) {
        for link in &mut self.links {
            link.timing = Timing::default();
        }
    }

    /// Applies the chain and returns the selected token; `None` if no sampler has selected one.
    /// Unlike `llama_sampler_sample` it does not accept the token.
    pub fn sample(&mut self, candidates: &mut Candidates) -> Option<TokenId> {
        self.apply(candidates);
        candidates.selected_candidate().map(|candidate| candidate.id)
    }

    /// Applies the chain to one logit per id and returns the selected token; `None` if no sampler has
    /// selected one. What is left is the same as after [`Candidates::set_logits`] and
    /// [`sample`](Self::sample), but a chain that begins with [`TopK`](crate::TopK) makes candidates of
    /// the best tokens only: of a large vocabulary that takes a fraction of the time.
    ///
    /// ```
    /// use grammask_sampler::{Candidates, Chain, Dist, TokenId, TopK};
    ///
    /// let mut chain = Chain::new();
    /// chain.add(TopK::new(1)).add(Dist::new(1));
    /// let token = chain.sample_logits(&[0.0, 9.0, 1.0], &mut Candidates::default());
    /// assert_eq!(token, Some(TokenId(1)));
    /// ```
    pub fn sample_logits(
        &mut self,
        logits: &[f32],
        candidates: &mut Candidates,
    ) -> Option<TokenId> {
        self.apply_to(Block::all(logits), candidates);
        candidates.selected_candidate().map(|candidate| candidate.id)
    }

    /// Applies every sampler in order to the candidates that some tokens make. If the first one that is
    /// not switched off keeps the best of them, the others are not made; the time is that sampler's.
    pub(crate) fn apply_to<'a>(
        &mut self,
        tokens: impl Iterator<Item = Block<'a>>,
        candidates: &mut Candidates,
    ) {
        let mut reaches = self.links.iter().map(|link| link.sampler.reach()).enumerate();
        match reaches.find(|&(_, reach)| reach != Reach::Off) {
            Some((at, Reach::Best(count))) if Candidates::are_few(count) => {
                self.set_best((at, count), tokens, candidates);
            }
            _ => candidates.set_blocks(tokens),
        }
        self.apply(candidates);
    }

    /// The best so many of some tokens become candidates, for the sampler at an index.
    pub(crate) fn set_best<'a>(
        &mut self,
        (at, count): (usize, usize),
        tokens: impl Iterator<Item = Block<'a>>,
        candidates: &mut Candidates,
    ) {
        if self.untimed {
            return candidates.set_best(tokens, count);
        }
        let start = Instant::now();
        candidates.set_best(tokens, count);
        self.links[at].timing.total += start.elapsed();
    }

    /// The start of the chain, if it keeps a nucleus of a few tokens and no more than their logits counts
    /// behind it.
    pub(crate) fn nucleus(&self) -> Option<Nucleus> {
        let (last, links) = self.links.split_last()?;
        let nucleus = Nucleus::of(links.iter().map(|link| link.sampler.reach()))?;
        (last.sampler.draws() && Candidates::are_few(nucleus.count)).then_some(nucleus)
    }

    /// Applies every sampler in order.
    pub fn apply(&mut self, candidates: &mut Candidates) {
        self.apply_links(0..self.links.len(), candidates, |_, _| {});
    }

    /// Applies every sampler in order, and shows each with the candidates that it leaves. Looking
    /// is not timed.
    ///
    /// ```
    /// use grammask_sampler::{Candidates, Chain, Dist, TopK};
    ///
    /// let mut chain = Chain::new();
    /// chain.add(TopK::new(2)).add(Dist::new(1));
    /// let mut left = Vec::new();
    /// chain.apply_observed(&mut Candidates::from_logits(&[0.0, 9.0, 1.0]), |sampler, candidates| {
    ///     left.push((sampler.name().to_owned(), candidates.len()));
    /// });
    /// assert_eq!(left, [("top-k".to_owned(), 2), ("dist".to_owned(), 2)]);
    /// ```
    pub fn apply_observed(
        &mut self,
        candidates: &mut Candidates,
        observe: impl FnMut(&dyn Sampler, &Candidates),
    ) {
        self.apply_links(0..self.links.len(), candidates, observe);
    }

    /// The same with the samplers of a range, which must exist.
    pub(crate) fn apply_links(
        &mut self,
        links: Range<usize>,
        candidates: &mut Candidates,
        mut observe: impl FnMut(&dyn Sampler, &Candidates),
    ) {
        for link in &mut self.links[links] {
            // A look at the clock takes longer than a sampler that is switched off.
            let start = (!self.untimed && link.sampler.reach() != Reach::Off).then(Instant::now);
            link.sampler.apply(candidates);
            link.timing.total += start.map_or(Duration::ZERO, |start| start.elapsed());
            link.timing.calls += u64::from(!self.untimed);
            observe(&*link.sampler, candidates);
        }
    }

    /// Where the first sampler is that does more than change each candidate by itself, and which
    /// candidates it reaches; the end, if there is none.
    pub(crate) fn decisive(&self) -> (usize, Reach) {
        let reaches = self.links.iter().map(|link| link.sampler.reach());
        match reaches.enumerate().find(|(_, reach)| !matches!(reach, Reach::Off | Reach::Each)) {
            // It leaves the others, and the sampler behind it would see them.
            Some((at, Reach::First)) if at + 1 < self.links.len() => (at, Reach::All),
            Some(decisive) => decisive,
            None => (self.links.len(), Reach::All),
        }
    }

    /// Tells every sampler that a token has come next.
    pub fn accept(&mut self, token: TokenId) {
        for link in &mut self.links {
            link.sampler.accept(token);
        }
    }

    /// Has every sampler take back the last tokens.
    pub fn rollback(&mut self, tokens: usize) {
        for link in &mut self.links {
            link.sampler.rollback(tokens);
        }
    }

    /// Takes every sampler back to its start; the times stay.
    pub fn reset(&mut self) {
        for link in &mut self.links {
            link.sampler.reset();
        }
    }
}

impl Sampler for Chain {
    fn name(&self) -> &'static str {
        "chain"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        Chain::apply(self, candidates);
    }

    fn accept(&mut self, token: TokenId) {
        Chain::accept(self, token);
    }

    fn rollback(&mut self, tokens: usize) {
        Chain::rollback(self, tokens);
    }

    fn reset(&mut self) {
        Chain::reset(self);
    }

    /// As the last of its samplers, whose selection it is.
    fn draws(&self) -> bool {
        self.links.last().is_some_and(|link| link.sampler.draws())
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

/// `logits -> top-k -> dist`, as llama.cpp prints it.
impl std::fmt::Display for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("logits")?;
        self.names().try_for_each(|name| write!(f, " -> {name}"))
    }
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Chain({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::tests::logit;
    use crate::{
        Dist, Greedy, Penalties, PenaltySettings, Temperature, TokenMask, TopK, TopP, Typical,
    };
    use proptest::prelude::*;

    fn chain() -> Chain {
        let settings = PenaltySettings { repeat: 1.3, ..PenaltySettings::default() };
        let mut chain = Chain::new();
        chain.add(Penalties::new(settings).unwrap()).add(TopK::new(6)).add(Dist::new(9));
        chain
    }

    fn run(chain: &mut Chain, steps: u32) -> Vec<TokenId> {
        let mut candidates = Candidates::default();
        (0..steps)
            .map(|_| {
                candidates.set_logits(&[0.1, 0.4, 0.3, 0.9, 0.2, 0.6, 0.5, 0.8]);
                let token = chain.sample(&mut candidates).unwrap();
                chain.accept(token);
                token
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_best_are_the_same_without_the_others(
            tokens in prop::collection::vec((logit(), any::<bool>()), 0..400),
            k in -1_i32..150,
            penalty in prop_oneof![4 => Just(1.0_f32), 1 => Just(1.5_f32)],
            is_typical in any::<bool>(),
        ) {
            let settings = PenaltySettings { repeat: penalty, ..PenaltySettings::default() };
            let mut chain = Chain::new();
            chain.add(Penalties::new(settings)?).add(TopP::new(1.0, 1)?);
            if is_typical {
                chain.add(Typical::new(0.9, 1)?);
            }
            chain.add(TopK::new(k));
            chain.accept(TokenId(3));
            let logits: Vec<f32> = tokens.iter().map(|&(logit, _)| logit).collect();
            let mut mask = TokenMask::new(tokens.len());
            let allowed = (0..).map(TokenId).zip(&tokens).filter(|(_, (_, is_in))| *is_in);
            mask.extend(allowed.map(|(token, _)| token));
            let of_mask = |logits: &[f32]| {
                let mut all = Candidates::from_logits(logits);
                all.retain(|candidate| mask.contains(candidate.id));
                all
            };
            // A NaN does not equal itself.
            let shown = |candidates: &Candidates| {
                let (selected, is_sorted) = (candidates.selected(), candidates.is_sorted());
                format!("{:?} {selected:?} {is_sorted}", candidates.as_slice())
            };

            let (mut best, mut all) = (Candidates::default(), of_mask(&logits));
            chain.apply_to(mask.blocks(&logits), &mut best);
            chain.apply(&mut all);
            prop_assert_eq!(shown(&best), shown(&all));

            let (mut best, mut all) = (Candidates::default(), Candidates::from_logits(&logits));
            chain.sample_logits(&logits, &mut best);
            chain.apply(&mut all);
            prop_assert_eq!(shown(&best), shown(&all));

            chain.set_best((0, 0), mask.blocks(&logits), &mut best);
            prop_assert!(best.as_slice().is_empty());
        }
    }

    #[test]
    fn samplers_come_and_go() {
        let mut chain = chain();
        assert_eq!(chain.to_string(), "logits -> penalties -> top-k -> dist");
        assert_eq!(chain.remove(1).unwrap().name(), "top-k");
        assert!(chain.remove(2).is_none() && chain.get(2).is_none());
        assert_eq!(chain.get(1).unwrap().name(), "dist");
        assert_eq!((chain.len(), chain.is_empty()), (2, false));
        assert_eq!(Chain::new().sample(&mut Candidates::from_logits(&[1.0])), None);
    }

    #[test]
    fn a_clone_goes_on_alike() {
        let mut chain = chain();
        run(&mut chain, 7);
        let mut copy = chain.clone();
        assert_eq!(run(&mut copy, 30), run(&mut chain, 30));
    }

    #[test]
    fn reset_starts_over() {
        let mut chain = chain();
        let first = run(&mut chain, 30);
        chain.reset();
        assert_eq!(run(&mut chain, 30), first);
    }

    #[test]
    fn a_refused_draw_moves_nothing_but_the_stream() {
        let logits = [0.3, 0.9, 0.2];
        let mut refused = chain();
        run(&mut refused, 5);
        let mut plain = refused.clone();
        refused.apply(&mut Candidates::from_logits(&logits));
        // Without its last link the chain is deterministic.
        refused.remove(2);
        plain.remove(2);
        let (mut a, mut b) = (Candidates::from_logits(&logits), Candidates::from_logits(&logits));
        refused.apply(&mut a);
        plain.apply(&mut b);
        assert_eq!(a, b);
    }

    #[test]
    fn a_chain_is_a_sampler() {
        let mut inner = Chain::untimed();
        inner.add(Temperature::new(0.5).unwrap()).add(Greedy);
        let mut outer = Chain::new();
        outer.add(inner);
        assert_eq!(outer.sample(&mut Candidates::from_logits(&[0.0, 1.0])), Some(TokenId(1)));
        assert_eq!(outer.timings().next().unwrap().calls, 1);
        outer.reset_timings();
        assert_eq!(outer.timings().next(), Some(Timing::default()));
    }

    #[test]
    fn a_chain_may_move_between_threads() {
        fn is_send<T: Send>(_: &T) {}
        is_send(&chain());
    }
}
