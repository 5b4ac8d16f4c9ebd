//! Drafts from one table of what has followed n-grams.

use std::error::Error;

use super::draft::{Drafter, LONGEST, within};
use super::history::History;
use super::ngram_index::hash;
use crate::{Constraint, DraftError, TokenId};

/// The settings of [`NgramMod`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NgramModSettings {
    /// So many tokens decide which comes next, 1 to 1,024. Fewer than 16 give poor drafts. Default: 24.
    pub n: usize,
    /// A draft with fewer tokens is none, 1 to `most`. Default: 48.
    pub least: usize,
    /// So many tokens are drafted at most, up to 1,024. Default: 64.
    pub most: usize,
    /// Places in the table, of 4 bytes each, 4 to 2^28. Default: 2^22, which are 16 MiB.
    pub entries: usize,
}

impl Default for NgramModSettings {
    fn default() -> Self {
        Self { n: 24, least: 48, most: 64, entries: 1 << 22 }
    }
}

/// A table from n-grams to the token that followed last, looked up again and again with what has been
/// drafted. An n-gram is known by its hash alone, so that a draft may be that of another one.
///
/// Takes the memory of its table, whatever the text (and that as it fills, where the system gives
/// memory when it is used). The table is emptied when more than a quarter of it is taken, and after
/// five drafts in a row of which less than a quarter came true; then it goes on with what comes. It
/// keeps what it has learned from one text to the next. Each token is read once.
///
/// Source: `common_ngram_mod` of llama.cpp, where all texts share a table, and what counts as taken
/// are the places that were written again.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, Drafts, Engine, NgramMod, NgramModSettings, TokenId, Vocabulary,
/// };
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse("root ::= [abc]+")?, "root")?;
/// let settings = NgramModSettings { n: 2, least: 1, most: 3, entries: 1000 };
/// let mut drafts = Drafts::default();
/// drafts.add(NgramMod::new(settings)?);
/// drafts.observe(&[0, 1, 2, 2, 1, 0, 1].map(TokenId));
/// assert_eq!(drafts.draft(&constraint, 8)?, [2, 2, 1].map(TokenId));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NgramMod {
    settings: NgramModSettings,
    /// The token that followed, plus one; 0 where there is none. Empty before the first.
    table: Vec<u32>,
    taken: usize,
    /// The next place of the text to be looked at: that of a token behind an n-gram.
    next: usize,
    /// How many drafts in a row were bad.
    bad: usize,
}

impl NgramMod {
    const NAME: &str = "ngram-mod";
    /// A bad draft is one of which less than one in so many tokens came true.
    const BAD: usize = 4;
    /// After so many in a row the table is emptied.
    const MOST_BAD: usize = 5;

    /// With these settings.
    ///
    /// # Errors
    ///
    /// [`DraftError::Parameter`] if one is out of its range.
    pub fn new(settings: NgramModSettings) -> Result<Self, DraftError> {
        within(Self::NAME, "n", settings.n, (1, LONGEST))?;
        within(Self::NAME, "most", settings.most, (1, LONGEST))?;
        within(Self::NAME, "least", settings.least, (1, settings.most))?;
        within(Self::NAME, "entries", settings.entries, (4, 1 << 28))?;
        Ok(Self { settings, table: Vec::new(), taken: 0, next: 0, bad: 0 })
    }

    fn place(&self, ngram: &[TokenId]) -> usize {
        (hash(ngram) % self.settings.entries as u64) as usize
    }

    /// Takes in what has come.
    fn update(&mut self, history: &History) {
        let n = self.settings.n;
        let kept = history.range();
        self.next = self.next.max(kept.start + n);
        while self.next < kept.end {
            let Some(tokens) = history.get(self.next - n..self.next + 1) else { break };
            self.add(&tokens[..n], tokens[n]);
            self.next += 1;
        }
    }

    fn add(&mut self, ngram: &[TokenId], token: TokenId) {
        // An id that is none of any vocabulary.
        let Some(entry) = token.0.checked_add(1) else { return };
        if self.table.is_empty() {
            // Zeroes that the system makes take memory only where they are written.
            self.table = vec![0; self.settings.entries];
        }
        let place = self.place(ngram);
        self.taken += usize::from(self.table[place] == 0);
        self.table[place] = entry;
        if self.taken > self.settings.entries / 4 {
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.table.fill(0);
        self.taken = 0;
        self.bad = 0;
    }
}

impl Default for NgramMod {
    /// With the default settings.
    fn default() -> Self {
        Self::new(NgramModSettings::default()).expect("they are in their ranges")
    }
}

impl Drafter for NgramMod {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn draft(
        &mut self,
        history: &History,
        _: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>> {
        self.update(history);
        let NgramModSettings { n, least, most, .. } = self.settings;
        let Some(last) = history.last(n).filter(|_| !self.table.is_empty()) else {
            return Ok(Vec::new());
        };
        let mut text = last.to_vec();
        while text.len() < n + most {
            let entry = self.table[self.place(&text[text.len() - n..])];
            let Some(token) = entry.checked_sub(1) else { break };
            text.push(TokenId(token));
        }
        let draft = text.split_off(n);
        Ok(if draft.len() < least { Vec::new() } else { draft })
    }

    fn judge(&mut self, drafted: usize, accepted: usize) {
        if accepted * Self::BAD >= drafted {
            self.bad = 0;
        } else if self.bad + 1 < Self::MOST_BAD {
            self.bad += 1;
        } else {
            self.forget();
        }
    }

    fn reset(&mut self) {
        (self.next, self.bad) = (0, 0);
    }
}
