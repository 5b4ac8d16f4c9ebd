//! Characters that leave a term as it is: in the state of a terminal that is a loop over a class,
//! those of the class; in a state of an automaton, those on its edge back to itself.

use rustc_hash::FxHashMap;

use super::{ByteSet, TermId, Terms};

impl Terms {
    /// The greatest number of bytes of a character.
    pub const CHARACTER: usize = 4;

    /// The characters behind which the term is itself again, as a term;
    /// [`TermId::NOTHING`] if there are none.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let class = terms.class(&[('0', '9'), ('à', 'ö')]);
    /// let looped = terms.concat(terms.repeat(class, 0, None), terms.text("÷".as_bytes()));
    /// assert_eq!(terms.class_loop(looped), class);
    /// ```
    pub fn class_loop(&self, term: TermId) -> TermId {
        let known = &self.entries[term.index()].class_loop;
        *known
            .get_or_init(|| self.returning(term, term, Self::CHARACTER, &mut FxHashMap::default()))
    }

    /// The ends of characters, at most `most` bytes long, that lead to `target`.
    fn returning(
        &self,
        from: TermId,
        target: TermId,
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
                let rest = self.returning(to, target, most - 1, known);
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
