//! What the samplers of a chain leave, token by token.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use grammask::sampler::{Candidates, Chain, Sampler, TokenId};

/// What has been seen since it was last taken.
#[derive(Clone, Default)]
pub(super) struct Trace(Arc<Mutex<Vec<Seen>>>);

/// A sampler, and how many candidates it has left.
struct Seen {
    sampler: String,
    came: usize,
    left: usize,
}

impl Trace {
    /// The chain with each sampler looked at.
    pub(super) fn watch(&self, mut chain: Chain) -> Chain {
        let mut watched = Chain::new();
        while let Some(sampler) = chain.remove(0) {
            watched.add(Watched { sampler, trace: self.clone() });
        }
        watched
    }

    /// A line on what has been seen: `200 -> top-k 40 -> top-p 12`.
    pub(super) fn take(&self) -> String {
        let seen = std::mem::take(&mut *self.lock());
        let mut line = String::new();
        for Seen { sampler, came, left } in seen {
            if line.is_empty() {
                line = format!("{came}");
            }
            // A string takes everything.
            let _ = write!(line, " -> {sampler} {left}");
        }
        line
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sampler that is looked at. It does not say how far it reaches: all candidates are to come, also those that it
/// could do without.
#[derive(Clone)]
struct Watched {
    sampler: Box<dyn Sampler>,
    trace: Trace,
}

impl Sampler for Watched {
    fn name(&self) -> &str {
        self.sampler.name()
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        let possible = |candidates: &Candidates| {
            candidates.as_slice().iter().filter(|c| c.logit > f32::NEG_INFINITY).count()
        };
        let came = possible(candidates);
        self.sampler.apply(candidates);
        let (sampler, left) = (self.name().to_owned(), possible(candidates));
        self.trace.lock().push(Seen { sampler, came, left });
    }

    fn accept(&mut self, token: TokenId) {
        self.sampler.accept(token);
    }

    fn rollback(&mut self, tokens: usize) {
        self.sampler.rollback(tokens);
    }

    fn reset(&mut self) {
        self.sampler.reset();
    }

    fn draws(&self) -> bool {
        self.sampler.draws()
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}
