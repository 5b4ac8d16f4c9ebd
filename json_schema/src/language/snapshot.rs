//! Languages that are made once for many stores.

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
        let mut places: Vec<Option<LanguageId>> = vec![None; self.len()];
        let mut pending = languages.to_vec();
        while let Some(language) = pending.pop() {
            if places[language.index()].replace(LanguageId::NOTHING).is_none() {
                self.term(language).for_each_part(|part| pending.push(part));
            }
        }
        // A term is younger than what it is made of.
        let used = (0..self.len()).filter(|&language| places[language].is_some());
        let used: Vec<LanguageId> = used.map(LanguageId::at).collect();
        for (place, language) in used.iter().enumerate() {
            places[language.index()] = Some(LanguageId::at(place));
        }
        let place = |language: LanguageId| places[language.index()].unwrap_or(language);
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
