//! Whether a language has a text: a search that goes first where the least is left to be read, so
//! that most states of conjunctions need not be made.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::derive::State;
use super::store::{LanguageId, Languages, Result};

/// A search through so many states is taken to find a text in the end.
const MAX_SEARCH: usize = 100_000;

impl Languages {
    /// Whether some text is in the language.
    pub(crate) fn has_text(&mut self, language: LanguageId) -> Result<bool> {
        if self.facts(language).plain {
            return Ok(language != LanguageId::NOTHING);
        }
        if let Some(&known) = self.has_text.get(&language) {
            return Ok(known);
        }
        let known = self.search_text(language)?;
        self.has_text.insert(language, known);
        Ok(known)
    }

    /// Notes that a language has a text, which need not be searched for then.
    pub(crate) fn note_text(&mut self, language: LanguageId) {
        self.has_text.insert(language, true);
    }

    fn search_text(&mut self, language: LanguageId) -> Result<bool> {
        let initial = self.initial(language);
        let mut met = vec![initial];
        let mut seen = FxHashSet::from_iter([initial]);
        let mut ahead = BinaryHeap::from([(Reverse(self.shortest(initial)), 0)]);
        while let Some((_, at)) = ahead.pop() {
            let state = met[at];
            if self.accepts(state) || met.len() > MAX_SEARCH {
                return Ok(true);
            }
            for (_, next) in self.transitions(state)? {
                if seen.insert(next) {
                    ahead.push((Reverse(self.shortest(next)), met.len()));
                    met.push(next);
                }
            }
        }
        Ok(false)
    }

    /// Whether every text is in the language.
    pub(crate) fn is_everything(&mut self, language: LanguageId) -> Result<bool> {
        let others = self.not(language)?;
        Ok(!self.has_text(others)?)
    }

    /// No text has fewer code points from here on.
    pub(crate) fn shortest(&self, state: State) -> u32 {
        self.facts(state.language()).shortest
    }
}
