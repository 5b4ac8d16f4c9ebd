//! The texts of parts that have few, blanks that do not count left out.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::lower::{Kind, Lowered, LoweredMembers, LoweredUnique, Part};
use crate::automaton::quoting::Quoting;
use crate::automaton::terms::{TermId, Terms};

/// A part with more texts has many.
pub(crate) const FEW: usize = 256;
/// A part with a longer text has many, to bound the work.
const LONGEST: usize = 4096;
/// So many texts are put together at most, over all parts; then all parts have many.
const WORK: usize = 2_000_000;
/// A term with more states counts as having infinitely many texts.
const STATES: usize = 10_000;

/// Texts, each with the place behind it.
type Found = BTreeSet<(Vec<u8>, Quoting)>;

/// What a part matches, blanks that do not count left out.
#[derive(Debug)]
pub(crate) enum Language {
    /// These texts.
    Few(Found),
    /// More than a few, but not infinitely many, for all that is known.
    Many,
    /// Infinitely many: what recurses always counts as that.
    Endless,
}

/// That there are not few, with how many there are.
enum NotFew {
    Many,
    Endless,
}

impl From<NotFew> for Language {
    fn from(size: NotFew) -> Self {
        match size {
            NotFew::Many => Self::Many,
            NotFew::Endless => Self::Endless,
        }
    }
}

/// The languages of parts, as far as somebody has asked.
pub(crate) struct Languages<'a> {
    lowered: &'a Lowered,
    terms: &'a Terms,
    rule_terms: FxHashMap<u32, TermId>,
    known: FxHashMap<(Part, Quoting), Rc<Language>>,
    /// The rules that are being looked at.
    open: FxHashSet<u32>,
    work: usize,
}

impl<'a> Languages<'a> {
    pub(crate) fn new(lowered: &'a Lowered, terms: &'a Terms) -> Self {
        Self {
            lowered,
            terms,
            rule_terms: lowered.rule_terms.clone(),
            known: FxHashMap::default(),
            open: FxHashSet::default(),
            work: 0,
        }
    }

    /// How many texts a regular part has; `None`: infinitely many, or too many to count.
    pub(crate) fn count(&mut self, part: Part) -> Option<u64> {
        let term = self.lowered.term_with(part, self.terms, &mut self.rule_terms);
        count(term, self.terms)
    }

    /// What a part matches that begins at this place.
    pub(crate) fn of(&mut self, part: Part, place: Quoting) -> Rc<Language> {
        if let Some(known) = self.known.get(&(part, place)) {
            return Rc::clone(known);
        }
        // As deep as groups and rules are nested.
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.texts_of_part(part, place));
        let language = Rc::new(found.map_or_else(Language::from, Language::Few));
        self.known.insert((part, place), Rc::clone(&language));
        language
    }

    fn texts_of_part(&mut self, part: Part, place: Quoting) -> Result<Found, NotFew> {
        let lowered = self.lowered;
        if !lowered.productive[part as usize] {
            return Ok(Found::new());
        }
        let mut found = Found::new();
        match &lowered.kinds[part as usize] {
            Kind::Nothing => {}
            Kind::Empty => self.add(&mut found, (Vec::new(), place))?,
            Kind::Text(text) => self.add(&mut found, place.read(text.iter().copied()))?,
            Kind::Texts(texts) => {
                for text in texts {
                    self.add(&mut found, place.read(text.iter().copied()))?;
                }
            }
            Kind::Class(ranges) => {
                for character in ranges.iter().flat_map(|&(low, high)| low..=high) {
                    let bytes = character.encode_utf8(&mut [0; 4]).bytes().collect::<Vec<_>>();
                    self.add(&mut found, place.read(bytes))?;
                }
            }
            &Kind::Rule(rule) => {
                if !self.open.insert(rule) {
                    return Err(NotFew::Endless);
                }
                let body = self.few(lowered.rules[rule as usize], place);
                self.open.remove(&rule);
                found = body?;
            }
            // No text: lists with tokens in their items are refused.
            Kind::Token(_) => return Err(NotFew::Many),
            Kind::Sequence(items) => {
                found.insert((Vec::new(), place));
                let mut many = false;
                for &item in items {
                    match self.followed_by(&found, item) {
                        Ok(longer) => found = longer,
                        // Whether it is endless, what comes behind may still tell.
                        Err(NotFew::Many) => many = true,
                        Err(NotFew::Endless) => return Err(NotFew::Endless),
                    }
                }
                if many {
                    return Err(NotFew::Many);
                }
            }
            Kind::Choice(items) => {
                let mut many = false;
                for &item in items {
                    match self.few(item, place) {
                        Ok(more) => found.extend(more),
                        Err(NotFew::Many) => many = true,
                        Err(NotFew::Endless) => return Err(NotFew::Endless),
                    }
                }
                if many || found.len() > FEW {
                    return Err(NotFew::Many);
                }
            }
            &Kind::Repeat { item, min, max } => found = self.repeat(item, min, max, place)?,
            Kind::Members(members) => self.members(members, place, &mut found)?,
            Kind::Unique(list) => self.unique(list, place, &mut found)?,
        }
        Ok(found)
    }

    fn few(&mut self, part: Part, place: Quoting) -> Result<Found, NotFew> {
        match &*self.of(part, place) {
            Language::Few(found) => Ok(found.clone()),
            Language::Many => Err(NotFew::Many),
            Language::Endless => Err(NotFew::Endless),
        }
    }

    fn add(&mut self, found: &mut Found, text: (Vec<u8>, Quoting)) -> Result<(), NotFew> {
        self.work += 1;
        if text.0.len() > LONGEST || self.work > WORK {
            return Err(NotFew::Many);
        }
        found.insert(text);
        if found.len() > FEW { Err(NotFew::Many) } else { Ok(()) }
    }

    /// Each of the texts with each that may follow.
    fn followed_by(&mut self, texts: &Found, part: Part) -> Result<Found, NotFew> {
        let mut longer = Found::new();
        for (text, place) in texts {
            let language = self.of(part, *place);
            match &*language {
                Language::Few(found) => {
                    for (more, place) in found {
                        self.add(&mut longer, ([&text[..], more].concat(), *place))?;
                    }
                }
                Language::Many => return Err(NotFew::Many),
                Language::Endless => return Err(NotFew::Endless),
            }
        }
        Ok(longer)
    }

    fn repeat(
        &mut self,
        item: Part,
        min: u32,
        max: Option<u32>,
        place: Quoting,
    ) -> Result<Found, NotFew> {
        let lowered = self.lowered;
        let mut times = Found::from([(Vec::new(), place)]);
        if max.is_none() {
            let only_blanks = match &*self.of(item, place) {
                Language::Few(found) => found.iter().all(|(text, _)| text.is_empty()),
                Language::Many | Language::Endless => false,
            };
            return if only_blanks { Ok(times) } else { Err(NotFew::Endless) };
        }
        let mut found = Found::new();
        for count in 0_u32.. {
            if count >= min {
                found.extend(times.iter().cloned());
            }
            if max == Some(count) || !lowered.productive[item as usize] {
                break;
            }
            if found.len() > FEW {
                return Err(NotFew::Many);
            }
            let next = self.followed_by(&times, item)?;
            if next == times {
                // Only blanks: however often, they make no difference.
                return Ok(next);
            }
            times = next;
        }
        if found.len() > FEW { Err(NotFew::Many) } else { Ok(found) }
    }

    fn members(
        &mut self,
        members: &LoweredMembers,
        place: Quoting,
        found: &mut Found,
    ) -> Result<(), NotFew> {
        let mut entries = Vec::with_capacity(members.members.len());
        let mut declared = FxHashSet::default();
        for (at, member) in members.members.iter().enumerate() {
            let key = self.lowered.term_with(member.key, self.terms, &mut self.rule_terms);
            let many = member.repetition.is_many();
            let possible = self.lowered.member_possible(member);
            let keys = match texts(key, self.terms) {
                Ok(keys) => keys,
                Err(_) if !possible => continue,
                Err(size) => return Err(size),
            };
            if !many {
                declared.extend(keys.iter().cloned());
            }
            if possible {
                entries.push(Entry { at, many, keys, value: member.value });
            }
        }
        for entry in entries.iter_mut().filter(|entry| entry.many) {
            entry.keys.retain(|key| !declared.contains(key));
        }
        let mut some = SomeMembers {
            members,
            entries: &entries,
            counts: vec![0; members.members.len()],
            keys: FxHashSet::default(),
        };
        self.more_members(&mut some, &Found::from([(Vec::new(), place)]), found)
    }

    /// All that goes on from `before`, which ends with some members.
    fn more_members(
        &mut self,
        some: &mut SomeMembers<'_>,
        before: &Found,
        found: &mut Found,
    ) -> Result<(), NotFew> {
        let members = some.members;
        let count = some.keys.len() as u32;
        let missing = members.members.iter().zip(&some.counts);
        let missing = missing.filter(|(member, count)| **count < member.repetition.min()).count();
        if missing == 0 && count >= members.min {
            for text in before {
                self.add(found, text.clone())?;
            }
        }
        if members.max == Some(count) || !(count == 0 || self.separable(members.separator)) {
            return Ok(());
        }
        let before = match count {
            0 => before.clone(),
            _ => self.followed_by(before, members.separator)?,
        };
        for entry in some.entries {
            let most = members.members[entry.at].repetition.max();
            if most.is_some_and(|most| some.counts[entry.at] >= most) {
                continue;
            }
            for key in &entry.keys {
                if !some.keys.insert(key.clone()) {
                    continue;
                }
                some.counts[entry.at] += 1;
                let mut with_key = Found::new();
                for (text, place) in &before {
                    let (more, place) = place.read(key.iter().copied());
                    self.add(&mut with_key, ([&text[..], &more].concat(), place))?;
                }
                let with_value = self.followed_by(&with_key, entry.value)?;
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                    self.more_members(some, &with_value, found)
                })?;
                some.counts[entry.at] -= 1;
                some.keys.remove(key);
            }
        }
        Ok(())
    }

    fn separable(&self, separator: Part) -> bool {
        self.lowered.productive[separator as usize]
    }

    fn unique(
        &mut self,
        list: &LoweredUnique,
        place: Quoting,
        found: &mut Found,
    ) -> Result<(), NotFew> {
        // The items of a list within a string would have to be read anew.
        if place != Quoting::Outside {
            return Err(NotFew::Many);
        }
        self.more_items(list, &mut Vec::new(), &Found::from([(Vec::new(), place)]), found)
    }

    /// All that goes on from `before`, which ends with these items.
    fn more_items(
        &mut self,
        list: &LoweredUnique,
        items: &mut Vec<Vec<u8>>,
        before: &Found,
        found: &mut Found,
    ) -> Result<(), NotFew> {
        let count = items.len();
        if count >= list.min as usize {
            for text in before {
                self.add(found, text.clone())?;
            }
        }
        if count >= self.lowered.most_items(list) as usize {
            return Ok(());
        }
        let Some(item) = list.item(count) else { return Ok(()) };
        let before = match count {
            0 => before.clone(),
            _ => self.followed_by(before, list.separator)?,
        };
        for (text, place) in self.few(item, Quoting::Outside)? {
            self.work += 1;
            if before.iter().any(|(_, place)| *place != Quoting::Outside) || self.work > WORK {
                return Err(NotFew::Many);
            }
            if items.contains(&text) {
                continue;
            }
            let longer = before.iter().map(|(first, _)| ([&first[..], &text].concat(), place));
            let longer = longer.collect();
            items.push(text);
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                self.more_items(list, items, &longer, found)
            })?;
            items.pop();
        }
        Ok(())
    }
}

/// An entry of members that may occur, with its keys.
struct Entry {
    at: usize,
    many: bool,
    keys: Vec<Vec<u8>>,
    value: Part,
}

/// Members that have been chosen.
struct SomeMembers<'a> {
    members: &'a LoweredMembers,
    entries: &'a [Entry],
    /// How many there are of each entry of `members`.
    counts: Vec<u32>,
    keys: FxHashSet<Vec<u8>>,
}

/// The texts of a term, byte by byte, if they are few.
fn texts(term: TermId, terms: &Terms) -> Result<Vec<Vec<u8>>, NotFew> {
    match terms.count(term) {
        None => return Err(NotFew::Endless),
        Some(count) if count > FEW as u64 => return Err(NotFew::Many),
        Some(_) => {}
    }
    let mut found = Vec::new();
    let mut ahead = vec![(Vec::new(), term)];
    while let Some((text, term)) = ahead.pop() {
        if terms.nullable(term) {
            found.push(text.clone());
        }
        if text.len() > LONGEST {
            return Err(NotFew::Many);
        }
        for &(low, high, next) in terms.transitions(term) {
            ahead.extend((low..=high).map(|byte| ([&text[..], &[byte]].concat(), next)));
        }
    }
    Ok(found)
}

/// How many texts a term matches, blanks that do not count left out; `None` if they are infinitely
/// many, or too many to count.
fn count(term: TermId, terms: &Terms) -> Option<u64> {
    let mut numbers: FxHashMap<Rests, usize> = FxHashMap::default();
    let mut known: Vec<Option<u64>> = Vec::new();
    let start = without_blanks(Rests::from([(term, Quoting::default())]), terms);
    // A state that is entered but not finished lies on the current path.
    let mut path = vec![(start.clone(), following(&start, terms), 0, ends(&start, terms))];
    numbers.insert(start, 0);
    known.push(None);
    loop {
        let (state, after, at, sum) = path.last_mut()?;
        let Some((bytes, next)) = after.get(*at) else {
            let (number, sum) = (numbers[&*state], *sum);
            known[number] = Some(sum);
            path.pop();
            if path.is_empty() {
                return Some(sum);
            }
            continue;
        };
        match numbers.get(next).map(|&number| known[number]) {
            Some(Some(count)) => {
                *sum = sum.saturating_add(count.saturating_mul(*bytes));
                *at += 1;
            }
            Some(None) => return None,
            None if known.len() >= STATES => return None,
            None => {
                let next = next.clone();
                numbers.insert(next.clone(), known.len());
                known.push(None);
                path.push((next.clone(), following(&next, terms), 0, ends(&next, terms)));
            }
        }
    }
}

/// What may be left of a text, with the place before it.
type Rests = BTreeSet<(TermId, Quoting)>;

fn ends(rests: &Rests, terms: &Terms) -> u64 {
    u64::from(rests.iter().any(|&(rest, _)| terms.nullable(rest)))
}

/// With what is left behind blanks that do not count.
fn without_blanks(mut rests: Rests, terms: &Terms) -> Rests {
    let mut ahead: Vec<_> = rests.iter().copied().collect();
    while let Some((rest, place)) = ahead.pop() {
        for byte in *b" \t\r\n" {
            let next = terms.next(rest, byte);
            if place.after(byte).is_none() && next != TermId::NOTHING && rests.insert((next, place))
            {
                ahead.push((next, place));
            }
        }
    }
    rests
}

/// What is left behind each byte, with how many bytes lead there.
fn following(rests: &Rests, terms: &Terms) -> Vec<(u64, Rests)> {
    let mut after: FxHashMap<Rests, u64> = FxHashMap::default();
    for byte in 0..=255 {
        let next: Rests = rests
            .iter()
            .filter_map(|&(rest, place)| Some((terms.next(rest, byte), place.after(byte)?)))
            .filter(|&(rest, _)| rest != TermId::NOTHING)
            .collect();
        if !next.is_empty() {
            *after.entry(without_blanks(next, terms)).or_default() += 1;
        }
    }
    let mut after: Vec<_> = after.into_iter().map(|(rests, bytes)| (bytes, rests)).collect();
    after.sort_unstable();
    after
}
