//! Languages that are made once for many stores.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::store::{LanguageId, Languages, Result, Term};

/// Some languages with all that they are made of, apart from any store.
#[derive(Debug)]
pub(crate) struct Snapshot<const N: usize> {
    /// What a term is made of comes before it, and is named by its place in here.
    terms: Box<[Term]>,
    languages: [LanguageId; N],
}

impl Languages {
    /// Some languages of the store.
    pub(crate) fn snapshot<const N: usize>(&self, languages: [LanguageId; N]) -> Snapshot<N> {
        let mut used = BTreeSet::new();
        let mut pending = languages.to_vec();
        while let Some(language) = pending.pop() {
            if used.insert(language) {
                self.term(language).with_parts(|part| {
                    pending.push(part);
                    part
                });
            }
        }
        // A term is younger than what it is made of.
        let places = used.iter().enumerate().map(|(at, &language)| (language, LanguageId::at(at)));
        let places: FxHashMap<LanguageId, LanguageId> = places.collect();
        let place = |language: LanguageId| places[&language];
        let terms = used.iter().map(|&language| self.term(language).with_parts(place)).collect();
        Snapshot { terms, languages: languages.map(place) }
    }

    /// The same languages in this store.
    pub(crate) fn restore<const N: usize>(
        &mut self,
        snapshot: &Snapshot<N>,
    ) -> Result<[LanguageId; N]> {
        self.reserve(snapshot.terms.len());
        let mut languages: Vec<LanguageId> = Vec::with_capacity(snapshot.terms.len());
        for term in &snapshot.terms {
            let mut term = term.with_parts(|place| languages[place.index()]);
            if let Term::Alt(items) | Term::And(items) = &mut term {
                items.sort_unstable();
            }
            languages.push(self.intern(term)?);
        }
        Ok(snapshot.languages.map(|place| languages[place.index()]))
    }
}
