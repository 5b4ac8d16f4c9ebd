//! Drafts that repeat what came last.

use std::error::Error;

use super::draft::{Drafter, LONGEST, within};
use super::history::History;
use super::ngram_index::NgramIndex;
use crate::{Constraint, DraftError, TokenId};

/// The settings of [`NgramSimple`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NgramSimpleSettings {
    /// So many of the last tokens must have come before, 1 to 1,024. Default: 12.
    pub n: usize,
    /// So many tokens are drafted at most, 1 to 1,024. Default: 48.
    pub m: usize,
}

impl Default for NgramSimpleSettings {
    fn default() -> Self {
        Self { n: 12, m: 48 }
    }
}

/// Looks where the last `n` tokens have come last, with at least `n` tokens behind them (or `m`, if
/// that is less), and drafts the up to `m` tokens that followed there.
///
/// Holds at most one place for each token of the history, some 40 bytes. Each token is read once or
/// twice, however long the text is. Source: `common_ngram_simple_draft` of llama.cpp, which goes
/// through the whole text for each draft, and drafts nothing if too little follows the last of
/// the places.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, Drafts, Engine, NgramSimple, NgramSimpleSettings, TokenId, Vocabulary,
/// };
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse("root ::= [abc]+")?, "root")?;
/// let mut drafts = Drafts::default();
/// drafts.add(NgramSimple::new(NgramSimpleSettings { n: 2, m: 3 })?);
/// drafts.observe(&[0, 1, 2, 2, 1, 0, 1].map(TokenId));
/// assert_eq!(drafts.draft(&constraint, 8)?, [2, 2, 1].map(TokenId));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NgramSimple {
    settings: NgramSimpleSettings,
    /// The last place of each n-gram.
    index: NgramIndex<usize>,
}

impl NgramSimple {
    const NAME: &str = "ngram-simple";

    /// With these settings.
    ///
    /// # Errors
    ///
    /// [`DraftError::Parameter`] if one is out of its range.
    pub fn new(settings: NgramSimpleSettings) -> Result<Self, DraftError> {
        within(Self::NAME, "n", settings.n, (1, LONGEST))?;
        within(Self::NAME, "m", settings.m, (1, LONGEST))?;
        let index = NgramIndex::new(settings.n, settings.n.min(settings.m));
        Ok(Self { settings, index })
    }
}

impl Default for NgramSimple {
    /// With the default settings.
    fn default() -> Self {
        Self::new(NgramSimpleSettings::default()).expect("they are in their ranges")
    }
}

impl Drafter for NgramSimple {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn draft(
        &mut self,
        history: &History,
        _: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>> {
        let NgramSimpleSettings { n, m } = self.settings;
        self.index.update(history, |places, hash, place| _ = places.insert(hash, place));
        let found = self.index.key(history).and_then(|(hash, key)| {
            let place = *self.index.get(hash)?;
            let end = (place + m).min(history.range().end);
            // Other n-grams may have the same hash.
            (history.get(place - n..place)? == key).then(|| history.get(place..end))?
        });
        Ok(found.unwrap_or_default().to_vec())
    }

    fn reset(&mut self) {
        self.index.clear();
    }
}
