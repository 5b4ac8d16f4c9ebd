//! What both versions of mirostat go by: a bound on the surprise of tokens.

use super::draw::Draw;
use super::history::Undo;
use super::parameter::{ParameterError, finite};
use crate::{Candidates, TokenId};

/// The settings of [`crate::Mirostat`] and [`crate::MirostatV2`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirostatSettings {
    /// The surprise to reach, in bits per token. Default: 5.
    pub tau: f32,
    /// How fast the bound follows what has been drawn. Default: 0.1.
    pub eta: f32,
}

impl Default for MirostatSettings {
    fn default() -> Self {
        Self { tau: 5.0, eta: 0.1 }
    }
}

/// The bound on the surprise, which follows the surprise of the tokens that have come.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    settings: MirostatSettings,
    mu: Undo<f32>,
    /// The token drawn last and its surprise, until it is accepted.
    drawn: Option<(TokenId, f32)>,
    draw: Draw,
}

impl Bound {
    pub(super) fn new(settings: MirostatSettings, seed: u32) -> Result<Self, ParameterError> {
        finite("mirostat", "tau", settings.tau)?;
        finite("mirostat", "eta", settings.eta)?;
        Ok(Self { settings, mu: Undo::new(2.0 * settings.tau), drawn: None, draw: Draw::new(seed) })
    }

    /// How much surprise is allowed, in bits.
    pub(super) fn mu(&self) -> f32 {
        self.mu.now
    }

    /// Draws one of the candidates that are left.
    pub(super) fn select(&mut self, candidates: &mut Candidates) {
        candidates.softmax();
        self.draw.select(candidates);
        self.drawn = candidates.selected_candidate().map(|drawn| (drawn.id, -drawn.p.log2()));
    }

    pub(super) fn accept(&mut self, token: TokenId) {
        self.mu.keep();
        if let Some((drawn, surprise)) = self.drawn.take()
            && drawn == token
        {
            self.mu.now -= self.settings.eta * (surprise - self.settings.tau);
        }
    }

    pub(super) fn rollback(&mut self, tokens: usize) {
        self.mu.rollback(tokens);
        self.drawn = None;
    }

    pub(super) fn reset(&mut self) {
        self.mu = Undo::new(2.0 * self.settings.tau);
        self.drawn = None;
        self.draw.reset();
    }
}
