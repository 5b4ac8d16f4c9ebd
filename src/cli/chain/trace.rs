//! A chain applied sampler by sampler, with all that is left of the candidates behind each.

use std::cmp::Ordering;
use std::collections::HashMap;

use grammask::sampler::{Candidates, Chain, TokenId};

/// What a candidate is behind a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) logit: f32,
    /// The probability that a draw among those that are left would give it now. (What a sampler
    /// keeps in [`Candidate::p`](grammask::sampler::Candidate::p) may be older than its cut.)
    pub(super) p: f64,
}

/// The candidates behind a step.
pub(super) struct Step {
    /// `logits`, `mask`, or the name of a sampler.
    pub(super) name: String,
    /// One cell for each candidate, `None` where it is out.
    cells: Vec<Option<Cell>>,
}

impl Step {
    fn new(name: &str, logits: &[Option<f32>]) -> Self {
        // What is no number counts as -inf.
        let value = |logit: f32| f64::from(logit).max(f64::NEG_INFINITY);
        let here = || logits.iter().flatten().copied().map(value);
        let max = here().fold(f64::NEG_INFINITY, f64::max);
        let weight = |logit: f64| if logit > f64::NEG_INFINITY { (logit - max).exp() } else { 0.0 };
        let sum: f64 = here().map(weight).sum();
        let cell = |logit| Cell { logit, p: weight(value(logit)) / sum };
        let cells = logits.iter().map(|logit| logit.map(cell)).collect();
        Self { name: name.to_owned(), cells }
    }

    /// What a candidate is here.
    pub(super) fn cell(&self, candidate: usize) -> Option<Cell> {
        // A sampler may bring in a token that was no candidate before.
        self.cells.get(candidate).copied().flatten()
    }

    /// Whether settings switch the sampler off.
    pub(super) fn is_off(&self) -> bool {
        self.name.starts_with('?')
    }

    /// Whether a draw may still hit a candidate.
    pub(super) fn has(&self, candidate: usize) -> bool {
        self.cell(candidate).is_some_and(|cell| cell.logit > f32::NEG_INFINITY)
    }

    /// How many candidates a draw may hit.
    pub(super) fn left(&self) -> usize {
        (0..self.cells.len()).filter(|&candidate| self.has(candidate)).count()
    }
}

/// The steps from the logits to a token.
pub(super) struct Trace {
    /// The candidates at the start, and what samplers have brought in.
    pub(super) tokens: Vec<TokenId>,
    /// The logits, the mask if there is one, and every sampler.
    pub(super) steps: Vec<Step>,
    /// Which of the candidates is selected.
    pub(super) selected: Option<usize>,
}

impl Trace {
    /// Masks, applies the chain, and looks at every step.
    pub(super) fn new(
        chain: &mut Chain,
        logits: &[(TokenId, f32)],
        allowed: Option<&[TokenId]>,
    ) -> Self {
        let mut tokens: Vec<TokenId> = logits.iter().map(|&(token, _)| token).collect();
        let mut places: HashMap<TokenId, usize> = tokens.iter().copied().zip(0..).collect();
        let mut candidates = Candidates::default();
        candidates.set(logits.iter().copied());
        let mut step = |name: &str, candidates: &Candidates| {
            let mut logits = vec![None; tokens.len()];
            for candidate in candidates.as_slice() {
                let place = *places.entry(candidate.id).or_insert(tokens.len());
                if place == tokens.len() {
                    tokens.push(candidate.id);
                    logits.push(None);
                }
                logits[place] = Some(candidate.logit);
            }
            Step::new(name, &logits)
        };
        let mut steps = vec![step("logits", &candidates)];
        if let Some(allowed) = allowed {
            let mut allowed = allowed.to_vec();
            allowed.sort_unstable();
            candidates.retain(|candidate| allowed.binary_search(&candidate.id).is_ok());
            steps.push(step("mask", &candidates));
        }
        chain.apply_observed(&mut candidates, |sampler, candidates| {
            steps.push(step(sampler.name(), candidates));
        });
        let selected = candidates.selected_candidate();
        let selected = selected.and_then(|selected| places.get(&selected.id).copied());
        Self { tokens, steps, selected }
    }

    /// The step that took a candidate out, or its logit to -inf.
    pub(super) fn cut_by(&self, candidate: usize) -> Option<usize> {
        let cuts = |step: usize| {
            let (before, behind) = (&self.steps[step - 1], &self.steps[step]);
            let removed = before.cell(candidate).is_some() && behind.cell(candidate).is_none();
            removed || before.has(candidate) && !behind.has(candidate)
        };
        (1..self.steps.len()).find(|&step| cuts(step))
    }

    /// The likeliest candidates at the start, the likeliest first, and the selected one among them;
    /// and the others.
    pub(super) fn split(&self, top: usize) -> (Vec<usize>, Vec<usize>) {
        // What is no number counts as -inf.
        let key = |candidate: usize| {
            let cell = self.steps[0].cell(candidate);
            cell.map_or(f32::NEG_INFINITY, |cell| cell.logit).max(f32::NEG_INFINITY)
        };
        let mut order: Vec<usize> = (0..self.tokens.len()).collect();
        order.sort_by(|&a, &b| key(b).partial_cmp(&key(a)).unwrap_or(Ordering::Equal));
        let mut others = order.split_off(top.min(order.len()));
        if let Some(at) = others.iter().position(|&other| Some(other) == self.selected) {
            order.push(others.remove(at));
        }
        (order, others)
    }
}
