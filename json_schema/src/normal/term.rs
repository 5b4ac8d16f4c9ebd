//! Constraints by name: what a property or an item must be, not yet looked at.

use std::collections::HashMap;
use std::rc::Rc;
use std::slice::from_ref;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde_json::Value;
use smallvec::SmallVec;

use super::{KeyId, KeyTexts};

use crate::format::Format;
use crate::language::{Approximation, Dfa, LanguageId, Languages, PatternError, TooLarge};
use crate::options::Notation;
use crate::resolve::SchemaId;
use crate::table::{Id, Table};

/// An interned [`Term`]; equal terms have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(u32);

impl TermId {
    /// Every value.
    pub(crate) const ANY: Self = Self(0);
    /// No value.
    pub(crate) const NOTHING: Self = Self(1);
}

impl Id for TermId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A boolean combination of subschemas and constants.
///
/// There are finitely many over one document, since combinations are sets: so a recursive schema
/// has finitely many constraints in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    Any,
    Nothing,
    Schema(SchemaId),
    /// The one value; of the document or the digest of one in it.
    Value(Value),
    /// All of them, in order of appearance; at least two.
    All(Vec<TermId>),
    /// At least one of them, in order of appearance; at least two.
    Some(Vec<TermId>),
    Not(TermId),
}

impl Term {
    fn parts_of_all(&self) -> Option<&[TermId]> {
        if let Self::All(parts) = self { Some(parts) } else { None }
    }

    fn parts_of_some(&self) -> Option<&[TermId]> {
        if let Self::Some(parts) = self { Some(parts) } else { None }
    }
}

/// The table of terms.
#[derive(Debug)]
pub(crate) struct Terms {
    table: Vec<Term>,
    /// Those of values, which a schema may have made to collide, are hashed with a secret.
    values: HashMap<Value, TermId>,
    combinations: FxHashMap<Term, TermId>,
    schemas: Table<SchemaId, TermId>,
    /// Of terms without other values than some strings, as far as it has been noted, these, sorted.
    strings: FxHashMap<TermId, Box<[Box<str>]>>,
    /// The keys of objects.
    pub(crate) keys: KeyTexts,
    /// The languages of strings.
    pub(crate) languages: Languages,
    automata: FxHashMap<LanguageId, Option<Rc<Dfa>>>,
    formats: FxHashMap<Format, Approximation>,
    /// Whether a combination of patterns was too large; the whole is then refused.
    pub(crate) patterns_too_large: bool,
    /// How many steps of combining constraints may still be taken.
    steps_left: usize,
}

/// How many states the automaton of a language may have before it is reduced.
pub(crate) const MAX_STATES: usize = 50_000;

/// Among so few terms one is found sooner by comparing than by hashing.
const FEW: usize = 16;

/// Room for so many other terms is made at once: in most schemas they are fewer.
const ROOM: usize = 14;

impl Terms {
    /// No terms, and how many steps may be taken to combine constraints. There is room for so many
    /// subschemas.
    pub(crate) fn new(steps: usize, subschemas: usize) -> Self {
        let mut terms = Self {
            table: Vec::with_capacity(subschemas + ROOM),
            values: HashMap::new(),
            combinations: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            schemas: Table::with_capacity(subschemas),
            strings: FxHashMap::default(),
            keys: KeyTexts::default(),
            languages: Languages::default(),
            automata: FxHashMap::default(),
            formats: FxHashMap::default(),
            patterns_too_large: false,
            steps_left: steps,
        };
        terms.intern(Term::Any);
        terms.intern(Term::Nothing);
        terms
    }

    /// Counts steps of combining constraints; `false` from the first that is too many on.
    #[must_use]
    pub(crate) fn spend(&mut self, steps: usize) -> bool {
        self.steps_left = self.steps_left.saturating_sub(steps);
        self.steps_left > 0
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.table[id.index()]
    }

    /// The automaton of a language; `None` if it is too large, which is noted.
    pub(crate) fn automaton(&mut self, language: LanguageId) -> Option<Rc<Dfa>> {
        if let Some(known) = self.automata.get(&language) {
            return known.clone();
        }
        // After one that is too large the schema is refused: the others need not be known.
        let dfa = if self.patterns_too_large {
            None
        } else {
            self.languages.dfa(language, MAX_STATES).ok().map(Rc::new)
        };
        self.patterns_too_large |= dfa.is_none();
        self.automata.insert(language, dfa.clone());
        dfa
    }

    /// Whether there is such a key.
    pub(crate) fn has_keys(&mut self, keys: LanguageId) -> bool {
        match keys {
            LanguageId::NOTHING => false,
            LanguageId::EVERYTHING => true,
            _ => self.has_texts(keys, 0, None),
        }
    }

    /// Whether the language has a text of at least `min` and at most `max` code points.
    pub(crate) fn has_texts(&mut self, language: LanguageId, min: u64, max: Option<u64>) -> bool {
        if let Some(known) = self.languages.has_length(language, min, max) {
            return known;
        }
        let mut of_length = language;
        if !self.languages.keeps_lengths(language, min, max) {
            // A bound that is larger is taken at its word.
            let bound = |bound: u64| u32::try_from(bound).unwrap_or(u32::MAX);
            let lengths = self.languages.lengths(bound(min), max.map(bound));
            let both = lengths.and_then(|lengths| self.languages.and([language, lengths]));
            of_length = self.or_too_large(both, language);
        }
        let found = self.languages.has_text(of_length);
        self.or_too_large(found, true)
    }

    /// Whether this key is one of the language.
    pub(crate) fn is_key(&mut self, keys: LanguageId, key: KeyId) -> bool {
        let found = self.languages.contains(keys, self.keys.text(key));
        self.or_too_large(found, true)
    }

    /// The keys of both languages.
    pub(crate) fn common_keys(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        let both = self.languages.and([a, b]);
        self.or_too_large(both, a)
    }

    /// The keys of either language.
    pub(crate) fn either_key(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        let either = self.languages.alt([a, b]);
        self.or_too_large(either, a)
    }

    /// The keys that are not of the language.
    pub(crate) fn other_keys(&mut self, keys: LanguageId) -> LanguageId {
        let others = self.languages.not(keys);
        self.or_too_large(others, LanguageId::EVERYTHING)
    }

    /// These keys.
    pub(crate) fn keys_of(&mut self, keys: &[KeyId]) -> LanguageId {
        let texts = keys.iter().map(|&key| self.languages.text(self.keys.text(key)));
        let texts: Result<Vec<_>, _> = texts.collect();
        let either = texts.and_then(|texts| self.languages.alt(texts));
        self.or_too_large(either, LanguageId::EVERYTHING)
    }

    /// The keys of the language but for some.
    pub(crate) fn keys_without(&mut self, keys: LanguageId, some: &[KeyId]) -> LanguageId {
        let excluded: Vec<KeyId> =
            some.iter().copied().filter(|&key| self.is_key(keys, key)).collect();
        let excluded = self.keys_of(&excluded);
        let others = self.other_keys(excluded);
        self.common_keys(keys, others)
    }

    /// Notes where a language was too large; what then stands in for the result has no effect.
    pub(super) fn or_too_large<T>(&mut self, result: Result<T, TooLarge>, otherwise: T) -> T {
        self.patterns_too_large |= result.is_err();
        result.unwrap_or(otherwise)
    }

    /// The texts of a format.
    pub(crate) fn format(
        &mut self,
        format: Format,
        notation: Notation,
    ) -> Result<Approximation, PatternError> {
        if let Some(&known) = self.formats.get(&format) {
            return Ok(known);
        }
        let texts = format.language(&mut self.languages, notation)?;
        // Of each there are some.
        self.languages.note_text(texts.upper);
        self.formats.insert(format, texts);
        Ok(texts)
    }

    /// The format of which a language is the texts that are written, if one has been asked for.
    pub(crate) fn format_of(&self, language: LanguageId) -> Option<Format> {
        let is_it = |&(_, texts): &(&Format, &Approximation)| texts.lower == language;
        self.formats.iter().find(is_it).map(|(&format, _)| format)
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    fn intern(&mut self, combination: Term) -> TermId {
        if let Some(&id) = self.combinations.get(&combination) {
            return id;
        }
        let id = self.add(combination.clone());
        self.combinations.insert(combination, id);
        id
    }

    fn add(&mut self, term: Term) -> TermId {
        self.table.push(term);
        TermId((self.table.len() - 1) as u32)
    }

    pub(crate) fn schema(&mut self, id: SchemaId) -> TermId {
        if let Some(&known) = self.schemas.get(id) {
            return known;
        }
        let term = self.add(Term::Schema(id));
        self.schemas.insert(id, term);
        term
    }

    /// Notes that a term has no other values than some strings: those that tell alternatives apart, mostly, so
    /// that what is in none need not be looked at.
    pub(crate) fn note_strings(&mut self, term: TermId, mut strings: Vec<Box<str>>) {
        strings.sort_unstable();
        self.strings.insert(term, strings.into());
    }

    /// Drops the complements of a conjunction that say nothing beside its strings, if it has no other values;
    /// whether none is left.
    fn drop_apart(&self, all: &mut SmallVec<[TermId; 4]>) -> bool {
        let mut known = all.iter().filter_map(|part| self.strings.get(part));
        let Some(first) = known.next() else { return false };
        let mut common: Vec<&str> = first.iter().map(|text| &**text).collect();
        for strings in known {
            common.retain(|&text| strings.binary_search_by(|other| (**other).cmp(text)).is_ok());
        }
        all.retain(|part| {
            let Term::Not(inner) = self.get(*part) else { return true };
            let Some(excluded) = self.strings.get(inner) else { return true };
            excluded.iter().any(|text| common.binary_search(&&**text).is_ok())
        });
        common.is_empty()
    }

    pub(crate) fn value(&mut self, value: &Value) -> TermId {
        if let Some(&id) = self.values.get(value) {
            return id;
        }
        let id = self.add(Term::Value(value.clone()));
        self.values.insert(value.clone(), id);
        id
    }

    pub(crate) fn all(&mut self, parts: &[TermId]) -> TermId {
        let Some(mut all) = self.flat(parts, TermId::ANY, TermId::NOTHING, Term::parts_of_all)
        else {
            return TermId::NOTHING;
        };
        if all.len() > 1 && !self.strings.is_empty() && self.drop_apart(&mut all) {
            return TermId::NOTHING;
        }
        self.combine(all, TermId::ANY, Term::All)
    }

    pub(crate) fn some(&mut self, parts: &[TermId]) -> TermId {
        match self.flat(parts, TermId::NOTHING, TermId::ANY, Term::parts_of_some) {
            Some(some) => self.combine(some, TermId::NOTHING, Term::Some),
            None => TermId::ANY,
        }
    }

    pub(crate) fn not(&mut self, part: TermId) -> TermId {
        match part {
            TermId::ANY => TermId::NOTHING,
            TermId::NOTHING => TermId::ANY,
            _ => match self.get(part) {
                &Term::Not(inner) => inner,
                _ => self.intern(Term::Not(part)),
            },
        }
    }

    /// The parts of a combination, each once; nothing if one of them decides it.
    fn flat(
        &mut self,
        parts: &[TermId],
        neutral: TermId,
        absorbing: TermId,
        parts_of: fn(&Term) -> Option<&[TermId]>,
    ) -> Option<SmallVec<[TermId; 4]>> {
        let mut flat: SmallVec<[TermId; 4]> = SmallVec::new();
        let mut known = FxHashSet::default();
        for part in parts {
            for &one in parts_of(self.get(*part)).unwrap_or(from_ref(part)) {
                if one == absorbing {
                    return None;
                }
                if one == neutral {
                    continue;
                }
                if flat.len() == FEW && known.is_empty() {
                    known.extend(flat.iter().copied());
                }
                let is_new =
                    if flat.len() < FEW { !flat.contains(&one) } else { known.insert(one) };
                if is_new {
                    flat.push(one);
                }
            }
        }
        // That they have run out is found by the next who asks.
        let _ = self.spend(flat.len());
        Some(flat)
    }

    fn combine(
        &mut self,
        parts: SmallVec<[TermId; 4]>,
        neutral: TermId,
        make: fn(Vec<TermId>) -> Term,
    ) -> TermId {
        match parts[..] {
            [] => neutral,
            [only] => only,
            _ => self.intern(make(parts.into_vec())),
        }
    }
}
