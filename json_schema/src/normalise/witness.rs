//! Which member a witness is.

use super::Normaliser;
use super::place::PATTERNS;
use crate::error::SchemaError;
use crate::language::LanguageId;
use crate::normal::{Constraint, KeyId, Normal, ObjectShape, TermId, Witness};

/// A language of at most so many keys is taken key by key.
const FEW_KEYS: usize = 256;
/// And one of more than so many never runs out of keys.
const PLENTY: usize = 1 << 16;

impl Normaliser<'_, '_> {
    /// The same objects, told apart by which member each witness is: a declared key, which is
    /// then required; or, left as a witness, an undeclared key that no other witness has, with
    /// infinitely many to choose from and the whole of what its value must be.
    pub(crate) fn with_settled_witnesses(
        &mut self,
        term: TermId,
        normal: &Normal,
    ) -> Result<Normal, SchemaError> {
        let mut settled = Normal { objects: Vec::new(), ..normal.clone() };
        let limit = self.reader.options.limits.alternatives;
        let mut pending: Vec<(ObjectShape, Vec<Witness>)> =
            normal.objects.iter().rev().map(|shape| (shape.clone(), Vec::new())).collect();
        while let Some((mut shape, mut done)) = pending.pop() {
            let Some(witness) = shape.witnesses.pop() else {
                done.reverse();
                shape.witnesses = done;
                settled.objects.push(shape);
                continue;
            };
            let before = pending.len();
            self.candidates(term, &shape, &done, witness, &mut pending)?;
            self.spend((pending.len() - before) * shape.size())?;
            pending[before..].reverse();
            if pending.len() + settled.objects.len() > limit {
                return Err(SchemaError::limit(self.place(term), "alternatives", limit));
            }
        }
        Ok(settled)
    }

    /// The keys of a language that can run out of them.
    fn few_keys(
        &mut self,
        term: TermId,
        keys: LanguageId,
    ) -> Result<Option<Vec<KeyId>>, SchemaError> {
        if self.reader.terms.languages.is_evidently_endless(keys) {
            return Ok(None);
        }
        let few = self.reader.terms.automaton(keys).and_then(|dfa| dfa.texts(PLENTY));
        if few.as_ref().is_some_and(|few| few.len() > FEW_KEYS) {
            let name = "keys of which one must be there";
            return Err(self.limit(term, &PATTERNS, name, FEW_KEYS));
        }
        let keys = &mut self.reader.terms.keys;
        Ok(few.map(|few| few.iter().map(|key| keys.id(key)).collect()))
    }

    /// The shape for each member that can be the witness.
    fn candidates(
        &mut self,
        term: TermId,
        shape: &ObjectShape,
        done: &[Witness],
        witness: Witness,
        found: &mut Vec<(ObjectShape, Vec<Witness>)>,
    ) -> Result<(), SchemaError> {
        let properties = shape.properties.iter().map(|(key, _)| key);
        let required = shape.required.iter().map(|(key, ())| key);
        let declared = properties.chain(required.filter(|&key| !shape.properties.contains(key)));
        let is_one = |&key: &KeyId| self.reader.terms.is_key(witness.keys, key);
        let mut keys: Vec<KeyId> = declared.filter(is_one).collect();
        let regions: Vec<_> = shape.others.iter().copied().collect();
        for region in regions {
            let terms = &mut self.reader.terms;
            let value = terms.all(&[region.value, witness.value]);
            let common = terms.common_keys(region.keys, witness.keys);
            let free = shape.undeclared(common, terms);
            if self.is_contradiction(value)? || !self.reader.terms.has_keys(free) {
                continue;
            }
            if let Some(few) = self.few_keys(term, free)? {
                keys.extend(few);
                continue;
            }
            for (index, other) in done.iter().enumerate() {
                let terms = &mut self.reader.terms;
                let value = terms.all(&[other.value, value]);
                let keys = terms.common_keys(other.keys, free);
                if !self.reader.terms.has_keys(keys) || self.is_contradiction(value)? {
                    continue;
                }
                let mut done = done.to_vec();
                let Some(few) = self.few_keys(term, keys)? else {
                    done[index] = Witness { keys, value };
                    found.push((shape.clone(), done));
                    continue;
                };
                done.remove(index);
                for key in few {
                    let mut shape = shape.clone();
                    shape.properties.set(key, value);
                    shape.required.set(key, ());
                    let shape = shape.pruned(&mut self.reader.terms, |_| false);
                    found.extend(shape.map(|shape| (shape, done.clone())));
                }
            }
            let mut done = done.to_vec();
            done.push(Witness { keys: free, value });
            found.push((shape.clone(), done));
        }
        for key in keys {
            let value = shape.value(key, &mut self.reader.terms);
            let both = self.reader.terms.all(&[value, witness.value]);
            // It may be any of the witnesses before as well.
            let mut cases = vec![(both, done.to_vec())];
            for (index, other) in done.iter().enumerate().rev() {
                if self.reader.terms.is_key(other.keys, key) {
                    for (value, mut done) in cases.clone() {
                        done.remove(index);
                        cases.push((self.reader.terms.all(&[value, other.value]), done));
                    }
                }
            }
            for (value, done) in cases {
                if self.is_contradiction(value)? {
                    continue;
                }
                let mut shape = shape.clone();
                shape.properties.set(key, value);
                shape.required.set(key, ());
                let shape = shape.pruned(&mut self.reader.terms, |_| false);
                found.extend(shape.map(|shape| (shape, done)));
            }
        }
        Ok(())
    }
}
