//! How many texts a term matches, as far as that can be counted, and which ones where they are few.

use rustc_hash::FxHashMap;

use super::{TermId, Terms};

/// Of a term with more states the matches are not counted.
pub(crate) const COUNTED_STATES: usize = 10_000;

/// So many texts count as infinitely many: all of them would have to be written before the last
/// one is missed.
pub(crate) const PLENTY: u64 = 1 << 16;

/// So many texts are not few.
const MANY: u64 = 1 << 5;

/// More texts than these are not counted: no document has as many keys or items.
pub(crate) const ENDLESS: u64 = 1 << 32;

/// So many states are looked at for a number of texts that a term has at least.
const GLANCE: usize = 64;

/// So many bytes farther on bounds may lie that do not keep a term from having plenty of texts.
const AHEAD: usize = 16;

/// Beginnings of texts that lead to one state.
struct Beginnings<S> {
    state: S,
    ways: u64,
    /// How many bytes the longest of them has.
    longest: usize,
}

/// Whether there are at least so many texts from a state on, as far as a glance at some states and the first
/// bytes of texts shows it. `follow` is given a state and what to call for each state that follows, with the
/// number of bytes that lead there; whether a text may end in it, or it is not to be followed, is the answer.
pub(crate) fn are_at_least<S: PartialEq>(
    least: u64,
    start: S,
    bytes: usize,
    mut follow: impl FnMut(&S, &mut dyn FnMut(u64, S)) -> bool,
) -> bool {
    // Texts that begin differently are different, and each beginning is one of some text. They are made
    // longer, first where most of them lead to one state.
    let mut beginnings = vec![Beginnings { state: start, ways: 1, longest: 0 }];
    let mut sum = 1;
    for _ in 0..GLANCE {
        let longer = (0..beginnings.len()).filter(|&at| beginnings[at].longest < bytes);
        let Some(most) = longer.max_by_key(|&at| beginnings[at].ways) else { break };
        let Beginnings { state, ways, longest } = beginnings.swap_remove(most);
        let longest = longest + 1;
        let ends = follow(&state, &mut |bytes, state| {
            let ways = ways * bytes;
            sum += ways;
            match beginnings.iter_mut().find(|known| known.state == state) {
                Some(known) => {
                    known.ways += ways;
                    known.longest = known.longest.max(longest);
                }
                None => beginnings.push(Beginnings { state, ways, longest }),
            }
        });
        sum -= if ends { 0 } else { ways };
        if sum >= least {
            return true;
        }
    }
    false
}

impl Terms {
    /// Whether the term matches so many texts that nobody writes them all: infinitely many, or
    /// more than 65,535.
    pub fn has_plenty(&self, term: TermId) -> bool {
        if let Some(&known) = self.further(term).plenty.get() {
            return known;
        }
        let known = self.has_at_least(PLENTY, term)
            || match self.counts(term) {
                // What was met on the way need not be counted again.
                Some(counts) => counts.into_iter().fold(false, |_, (met, count)| {
                    *self.further(met).plenty.get_or_init(|| count >= PLENTY)
                }),
                None => true,
            };
        *self.further(term).plenty.get_or_init(|| known)
    }

    /// Whether the term matches more than a few texts: some dozen. Of one that has few beginnings that is not
    /// always found.
    pub(crate) fn has_many(&self, term: TermId) -> bool {
        self.has_at_least(MANY, term) || self.has_plenty(term)
    }

    /// How many texts the term matches, if they are finitely many. A term with more than 10,000
    /// states counts as infinite, and so does one with more than some four milliards of texts.
    pub fn count(&self, term: TermId) -> Option<u64> {
        if self.has_at_least(ENDLESS, term) {
            return None;
        }
        self.counts(term)?.last().map(|&(_, count)| count)
    }

    /// Whether plenty of texts are left behind each beginning of a text of the term that has no more than so
    /// many bytes and does not end it; not always found where it is so.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    ///
    /// let grammar = parse(r#"root ::= @all([a-z]+; [a-zA-Z]{0,100}) "!""#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let Label::Term(term) = automaton.session().start().entries()[0].label else {
    ///     panic!("it is a terminal");
    /// };
    /// assert!(automaton.terms().stays_plenty(term, 60));
    /// assert!(!automaton.terms().stays_plenty(term, 99));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stays_plenty(&self, term: TermId, bytes: usize) -> bool {
        // Up to there and beyond, nothing but the bounds differs.
        let (free, _) = self.without_bounds(term, (bytes + AHEAD).into());
        *self.further(free).stays_plenty.get_or_init(|| {
            let mut states = vec![free];
            let mut at = 0;
            while let Some(&state) = states.get(at) {
                if states.len() > GLANCE || !self.begins_at_least(PLENTY, state, AHEAD - 1) {
                    return false;
                }
                for &(.., to) in self.transitions(state) {
                    if to != TermId::EMPTY && !states.contains(&to) {
                        states.push(to);
                    }
                }
                at += 1;
            }
            true
        })
    }

    /// Whether the term matches at least so many texts, as far as a glance shows it. What may be written up to
    /// 2,000 times has as many states, each of which is asked for.
    fn has_at_least(&self, least: u64, term: TermId) -> bool {
        self.begins_at_least(least, term, usize::MAX)
    }

    /// The same, shown by the first bytes of texts.
    fn begins_at_least(&self, least: u64, term: TermId, bytes: usize) -> bool {
        are_at_least(least, term, bytes, |&state, next| {
            for &(lo, hi, to) in self.transitions(state) {
                next(u64::from(hi - lo) + 1, to);
            }
            self.nullable(state)
        })
    }

    /// The texts that the term matches, if they are at most `most`.
    pub(crate) fn few_texts(&self, term: TermId, most: usize) -> Option<Vec<Vec<u8>>> {
        if self.count(term)? > most as u64 {
            return None;
        }
        let mut texts = Vec::new();
        let mut pending = vec![(term, Vec::new())];
        // Every state leads to a text.
        while let Some((term, text)) = pending.pop() {
            for &(lo, hi, to) in self.transitions(term) {
                pending.extend((lo..=hi).map(|byte| (to, [&text[..], &[byte]].concat())));
            }
            if self.nullable(term) {
                texts.push(text);
            }
        }
        Some(texts)
    }

    /// How many texts the terms match that a term leads to, it the last of them; `None` if they
    /// are infinitely many.
    fn counts(&self, term: TermId) -> Option<Vec<(TermId, u64)>> {
        let mut counts = Vec::new();
        let mut known: FxHashMap<TermId, Option<u64>> = FxHashMap::default();
        let mut pending = vec![(term, false)];
        // A term that is entered but not finished lies on the current path.
        while let Some((term, finished)) = pending.pop() {
            if finished {
                let mut sum = u64::from(self.nullable(term));
                for &(lo, hi, to) in self.transitions(term) {
                    let below = known.get(&to).copied().flatten()?;
                    sum = sum.saturating_add(below.saturating_mul(u64::from(hi - lo) + 1));
                }
                known.insert(term, Some(sum));
                counts.push((term, sum));
                continue;
            }
            match known.get(&term) {
                Some(Some(_)) => continue,
                Some(None) => return None,
                None => {}
            }
            if known.len() >= COUNTED_STATES {
                return None;
            }
            known.insert(term, None);
            pending.push((term, true));
            for &(_, _, to) in self.transitions(term) {
                match known.get(&to) {
                    Some(Some(_)) => {}
                    Some(None) => return None,
                    None => pending.push((to, false)),
                }
            }
        }
        Some(counts)
    }
}
