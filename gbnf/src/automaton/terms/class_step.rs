//! Where most characters lead: in the state of a loop over a class, the characters of the class
//! lead back to it; in one of many states of which each is left with a character of the same
//! class, to the next.

use rustc_hash::FxHashMap;

use super::{ByteSet, TermId, Terms};

/// The characters of a class all lead to the same term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassStep {
    /// One character, as a term.
    pub class: TermId,
    /// The term after it.
    pub next: TermId,
}

impl Terms {
    /// The greatest number of bytes of a character.
    pub const CHARACTER: usize = 4;

    /// The characters that lead to the same term as most characters of ASCII do, and that term.
    ///
    /// ```
    /// use grammask_gbnf::{ClassStep, Terms};
    /// let terms = Terms::default();
    /// let class = terms.class(&[('0', '9'), ('à', 'ö')]);
    /// let again = terms.concat(terms.repeat(class, 0, None), terms.text("÷".as_bytes()));
    /// assert_eq!(terms.class_step(again), Some(ClassStep { class, next: again }));
    /// ```
    pub fn class_step(&self, term: TermId) -> Option<ClassStep> {
        if let Some(known) = self.known_step(term, |steps| steps.class_step.get()) {
            return *known;
        }
        *self.own_steps(term).class_step.get_or_init(|| self.find_class_step(term))
    }

    fn find_class_step(&self, term: TermId) -> Option<ClassStep> {
        let mut ascii: Vec<(usize, TermId)> = Vec::new();
        for &(lo, hi, to) in self.transitions(term) {
            if lo < 0x80 {
                let count = usize::from(hi.min(0x7F) - lo) + 1;
                match ascii.iter_mut().find(|(_, other)| *other == to) {
                    Some((sum, _)) => *sum += count,
                    None => ascii.push((count, to)),
                }
            }
        }
        let next = ascii.into_iter().max().map_or(term, |(_, to)| to);
        let class = self.leading_to(next, term, Self::CHARACTER, &mut FxHashMap::default());
        (class != TermId::NOTHING).then_some(ClassStep { class, next })
    }

    /// The characters, or ends of characters, of at most `most` bytes that lead to `target`.
    fn leading_to(
        &self,
        target: TermId,
        from: TermId,
        most: usize,
        known: &mut FxHashMap<(TermId, usize), TermId>,
    ) -> TermId {
        // What may follow bytes, with those bytes.
        let mut rests: Vec<(TermId, ByteSet)> = Vec::new();
        for &(lo, hi, to) in self.transitions(from) {
            let rest = if to == target {
                TermId::EMPTY
            } else if lo < 0x80 || most == 1 || self.nullable(to) {
                // Not within a character.
                continue;
            } else if let Some(&rest) = known.get(&(to, most)) {
                rest
            } else {
                let rest = self.leading_to(target, to, most - 1, known);
                known.insert((to, most), rest);
                rest
            };
            let at = rests.iter().position(|&(other, _)| other == rest).unwrap_or_else(|| {
                rests.push((rest, ByteSet::default()));
                rests.len() - 1
            });
            rests[at].1.insert_range(lo, hi);
        }
        let terms = rests.into_iter().map(|(rest, set)| self.concat(self.bytes(set), rest));
        self.alt(terms.collect::<Vec<_>>())
    }
}
