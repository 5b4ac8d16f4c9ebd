//! The texts of parts that have few, as far as they count where items are compared.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::canonical::{Quoting, canonical, canonical_with};
use crate::automaton::count::{self, Count};
use crate::automaton::growth::Growth;
use crate::automaton::lower::{Kind, Lowered, LoweredMembers, LoweredUnique, Part};
use crate::automaton::terms::{TermId, Terms};

/// A part with more texts has many.
pub(crate) const FEW: usize = 256;
/// Longer texts are not looked at, to bound the work.
const LONGEST: usize = 4096;
/// So many texts are put together at most, over all parts.
const WORK: usize = 200_000;

/// Where in the text of an item one is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    quoting: Quoting,
    /// The brackets that are open, the innermost last. One that closes none stays there for ever.
    open: Vec<u8>,
}

impl Place {
    /// What counts of a text that is read from here on, and the place after it.
    fn read(&self, text: &[u8]) -> (Vec<u8>, Self) {
        let Self { mut quoting, mut open } = self.clone();
        let mut kept = Vec::new();
        for &byte in text {
            let Some(after) = quoting.after(byte) else { continue };
            kept.push(byte);
            match (quoting, byte, open.last()) {
                (Quoting::Outside, b'{' | b'[', _) => open.push(byte),
                (Quoting::Outside, b'}', Some(b'{')) | (Quoting::Outside, b']', Some(b'[')) => {
                    open.pop();
                }
                (Quoting::Outside, b'}' | b']', _) => open = vec![byte],
                _ => {}
            }
            quoting = after;
        }
        (kept, Self { quoting, open })
    }

    /// Whether all brackets match.
    pub(crate) fn is_matched(&self) -> bool {
        self.open.is_empty()
    }
}

/// Texts, each with the place behind it.
type Found = BTreeSet<(Vec<u8>, Place)>;

/// What a part matches.
#[derive(Debug)]
pub(crate) enum Language {
    /// These texts, blanks that do not count left out; of those that differ in nothing but the
    /// order of members at least one.
    Few(Found),
    /// Not few.
    Other(NotFew),
}

/// Why texts are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotFew {
    /// There are more than [`FEW`] that differ as items.
    Many,
    /// Nobody knows.
    Unknown,
    /// There are infinitely many.
    Endless,
}

/// What texts are, to see how many of them differ as items.
#[derive(Clone, Copy)]
enum Form {
    /// What comes directly between `{` and `}`, where its own commas separate members.
    InObject,
    /// The same, if it is nothing but members, written in one order.
    Members,
    InString,
    Other,
}

/// The languages of parts, as far as somebody has asked.
pub(crate) struct Languages<'a> {
    lowered: &'a Lowered<'a>,
    terms: &'a Terms,
    rule_terms: FxHashMap<u32, TermId>,
    pub(super) growth: OnceCell<Growth>,
    known: FxHashMap<(Part, Place), Rc<Language>>,
    /// The rules that are being looked at.
    open: FxHashSet<u32>,
    /// Whether members have been written in one order only.
    pub(crate) one_order: bool,
    work: usize,
}

impl<'a> Languages<'a> {
    pub(crate) fn new(lowered: &'a Lowered<'a>, terms: &'a Terms) -> Self {
        Self {
            lowered,
            terms,
            rule_terms: lowered.rule_terms.clone(),
            growth: OnceCell::new(),
            known: FxHashMap::default(),
            open: FxHashSet::default(),
            one_order: false,
            work: 0,
        }
    }

    fn growth(&self) -> &Growth {
        self.growth.get_or_init(|| Growth::new(self.lowered, self.terms))
    }

    /// How many texts a regular part has.
    pub(crate) fn count(&mut self, part: Part) -> Count {
        let term = self.lowered.term_with(part, self.terms, &mut self.rule_terms);
        count::count(term, self.terms)
    }

    /// What a part matches as an item.
    pub(crate) fn of_item(&mut self, part: Part) -> Rc<Language> {
        self.of(part, &Place::default())
    }

    /// What a part matches that begins at this place.
    fn of(&mut self, part: Part, place: &Place) -> Rc<Language> {
        if self.growth().is_endless(part) {
            return Rc::new(Language::Other(NotFew::Endless));
        }
        let key = (part, place.clone());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        // As deep as groups and rules are nested.
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.texts_of_part(part, place));
        let language = Rc::new(found.map_or_else(Language::Other, Language::Few));
        self.known.insert(key, Rc::clone(&language));
        language
    }

    fn texts_of_part(&mut self, part: Part, place: &Place) -> Result<Found, NotFew> {
        let lowered = self.lowered;
        if !lowered.productive[part as usize] {
            return Ok(Found::new());
        }
        let in_object = place.open.last() == Some(&b'{');
        let form = match place.quoting {
            Quoting::Outside if in_object => Form::InObject,
            Quoting::Outside => Form::Other,
            Quoting::Inside | Quoting::Escaped => Form::InString,
        };
        let mut found = Found::new();
        match &lowered.kinds[part as usize] {
            Kind::Nothing => {}
            Kind::Empty => self.add(&mut found, (Vec::new(), place.clone()), form)?,
            Kind::Text(text) => self.add(&mut found, place.read(text), form)?,
            Kind::Texts(texts) => {
                for text in texts {
                    self.add(&mut found, place.read(text), form)?;
                }
            }
            Kind::Class(ranges) => {
                for character in ranges.iter().flat_map(|&(low, high)| low..=high) {
                    let text = place.read(character.encode_utf8(&mut [0; 4]).as_bytes());
                    self.add(&mut found, text, form)?;
                }
            }
            &Kind::Rule(rule) => {
                if !self.open.insert(rule) {
                    let grows = self.growth().grows(part);
                    return Err(if grows { NotFew::Endless } else { NotFew::Unknown });
                }
                let body = self.few(lowered.rules[rule as usize], place);
                self.open.remove(&rule);
                found = body?;
            }
            Kind::All(_) => {
                let term = lowered.term_with(part, self.terms, &mut self.rule_terms);
                for text in self.terms.few_texts(term, FEW).ok_or(NotFew::Unknown)? {
                    self.add(&mut found, place.read(&text), form)?;
                }
            }
            // No text: lists with tokens in their items are refused. Beside lists all bodies are taken
            // apart.
            Kind::Token(_) | Kind::Known(_) => return Err(NotFew::Unknown),
            &Kind::Sequence(items) => {
                found = self.sequence(lowered.items(items), place, form)?;
            }
            &Kind::Choice(items) => {
                let mut size = None;
                for &item in lowered.items(items) {
                    let more = match self.few(item, place) {
                        Ok(more) => {
                            more.into_iter().try_for_each(|text| self.add(&mut found, text, form))
                        }
                        Err(size) => Err(size),
                    };
                    if let Err(more) = more {
                        size = Some(larger(size, more));
                    }
                }
                if let Some(size) = size {
                    return Err(size);
                }
            }
            &Kind::Repeat { item, min, max } => {
                found = self.repeat(item, (min, max), place, form)?;
            }
            Kind::Members(members) => {
                let mut some = SomeMembers::new(members, form, self)?;
                let before = Found::from([(Vec::new(), place.clone())]);
                self.more_members(&mut some, (0, 0), &before, &mut found)?;
            }
            Kind::Unique(list) => {
                // The items of a list within a string would have to be read anew.
                if place.quoting != Quoting::Outside {
                    return Err(NotFew::Unknown);
                }
                let before = Found::from([(Vec::new(), place.clone())]);
                self.more_items(list, &mut Vec::new(), &before, &mut found, form)?;
            }
        }
        Ok(found)
    }

    fn few(&mut self, part: Part, place: &Place) -> Result<Found, NotFew> {
        match &*self.of(part, place) {
            Language::Few(found) => Ok(found.clone()),
            Language::Other(size) => Err(*size),
        }
    }

    fn add(&mut self, found: &mut Found, text: (Vec<u8>, Place), form: Form) -> Result<(), NotFew> {
        self.work += 1;
        if text.0.len() > LONGEST || self.work > WORK {
            return Err(NotFew::Unknown);
        }
        if found.len() < FEW || found.contains(&text) {
            found.insert(text);
            return Ok(());
        }
        // Beyond that, only whether as many differ is of interest.
        let texts = found.iter().chain([&text]).map(|(text, _)| text);
        Err(if differ(texts, form) { NotFew::Many } else { NotFew::Unknown })
    }

    fn sequence(&mut self, items: &[Part], place: &Place, form: Form) -> Result<Found, NotFew> {
        let mut found = Found::from([(Vec::new(), place.clone())]);
        let mut size = None;
        for (at, &item) in items.iter().enumerate() {
            if size.is_some() {
                // Whether it is endless, what comes behind may still tell, wherever it begins.
                let is_endless = [Quoting::Outside, Quoting::Inside].into_iter().all(|quoting| {
                    let place = Place { quoting, open: Vec::new() };
                    matches!(&*self.of(item, &place), Language::Other(NotFew::Endless))
                });
                if is_endless {
                    return Err(NotFew::Endless);
                }
                continue;
            }
            let longer = match self.object(items, at, &found) {
                Some(members) => members.and_then(|members| {
                    let mut longer = Found::new();
                    for (text, place) in &found {
                        for (more, _) in &members {
                            let text = [&text[..], more].concat();
                            self.add(&mut longer, (text, place.clone()), form)?;
                        }
                    }
                    Ok(longer)
                }),
                None => self.followed_by(&found, item, form),
            };
            match longer {
                Ok(longer) => found = longer,
                Err(NotFew::Endless) => return Err(NotFew::Endless),
                Err(more) => size = Some(more),
            }
        }
        size.map_or(Ok(found), Err)
    }

    /// The members at this place of a sequence, each choice of them in one order, if the members
    /// are all that there is between a `{` and a `}`.
    fn object(
        &mut self,
        items: &[Part],
        at: usize,
        before: &Found,
    ) -> Option<Result<Found, NotFew>> {
        let lowered = self.lowered;
        let Kind::Members(members) = &lowered.kinds[items[at] as usize] else { return None };
        let is_open = |(text, place): &(Vec<u8>, Place)| {
            place.quoting == Quoting::Outside && text.ends_with(b"{")
        };
        let is_blank = |text: &[u8]| text.is_empty();
        let next = items[at + 1..].iter().find(|&&item| !self.has_only(item, is_blank))?;
        let closes = matches!(&lowered.kinds[*next as usize], Kind::Text(text) if text[0] == b'}');
        let is_comma = |text: &[u8]| text == b",";
        if !closes || !before.iter().all(is_open) || !self.has_only(members.separator, is_comma) {
            return None;
        }
        let mut found = Found::new();
        let mut some = match SomeMembers::new(members, Form::Members, self) {
            Ok(some) => some,
            Err(size) => return Some(Err(size)),
        };
        let before = Found::from([(Vec::new(), Place::default())]);
        let result = self.more_members(&mut some, (0, 0), &before, &mut found);
        self.one_order = true;
        some.are_matched.then(|| result.map(|()| found))
    }

    /// Whether a part outside of strings matches only such texts.
    fn has_only(&mut self, part: Part, is_one: impl Fn(&[u8]) -> bool) -> bool {
        match &*self.of_item(part) {
            Language::Few(found) => found.iter().all(|(text, _)| is_one(text)),
            Language::Other(_) => false,
        }
    }

    /// Each of the texts with each that may follow.
    fn followed_by(&mut self, texts: &Found, part: Part, form: Form) -> Result<Found, NotFew> {
        let mut longer = Found::new();
        for (text, place) in texts {
            for (more, place) in self.few(part, place)? {
                self.add(&mut longer, ([&text[..], &more].concat(), place), form)?;
            }
        }
        Ok(longer)
    }

    fn repeat(
        &mut self,
        item: Part,
        (min, max): (u32, Option<u32>),
        place: &Place,
        form: Form,
    ) -> Result<Found, NotFew> {
        let lowered = self.lowered;
        let mut times = Found::from([(Vec::new(), place.clone())]);
        if max.is_none() {
            return match &*self.of(item, place) {
                Language::Few(found) if found.iter().all(|(text, _)| text.is_empty()) => Ok(times),
                Language::Other(NotFew::Unknown) if !self.growth().has_text(item) => {
                    Err(NotFew::Unknown)
                }
                _ => Err(NotFew::Endless),
            };
        }
        let mut found = Found::new();
        for count in 0_u32.. {
            if count >= min {
                for text in &times {
                    self.add(&mut found, text.clone(), form)?;
                }
            }
            if max == Some(count) || !lowered.productive[item as usize] {
                break;
            }
            let next = self.followed_by(&times, item, form)?;
            if next == times {
                // Only blanks: however often, they make no difference.
                return Ok(next);
            }
            times = next;
        }
        Ok(found)
    }

    /// All that goes on from `before`, which ends with some members; where the order does not
    /// count, with an entry and a key of it from `from` on.
    fn more_members(
        &mut self,
        some: &mut SomeMembers<'_>,
        from: (usize, usize),
        before: &Found,
        found: &mut Found,
    ) -> Result<(), NotFew> {
        let members = some.members;
        let count = some.keys.len() as u32;
        let missing = members.members.iter().zip(&some.counts);
        let missing = missing.filter(|(member, count)| **count < member.repetition.min()).count();
        if missing == 0 && count >= members.min {
            for text in before {
                self.add(found, text.clone(), some.form)?;
            }
        }
        let is_separable = self.lowered.productive[members.separator as usize];
        if members.max == Some(count) || !(count == 0 || is_separable) {
            return Ok(());
        }
        let before = match count {
            0 => before.clone(),
            _ => self.followed_by(before, members.separator, some.form)?,
        };
        let entries = Rc::clone(&some.entries);
        for (number, entry) in entries.iter().enumerate() {
            let most = members.members[entry.at].repetition.max();
            if most.is_some_and(|most| some.counts[entry.at] >= most) {
                continue;
            }
            for (key_number, key) in entry.keys.iter().enumerate() {
                let is_later = (number, key_number) >= from || !matches!(some.form, Form::Members);
                if !is_later || !some.keys.insert(key.clone()) {
                    continue;
                }
                some.counts[entry.at] += 1;
                let mut with_key = Found::new();
                for (text, place) in &before {
                    let (more, place) = place.read(key);
                    self.add(&mut with_key, ([&text[..], &more].concat(), place), some.form)?;
                }
                let with_value = self.followed_by(&with_key, entry.value, some.form)?;
                some.are_matched &= with_value.iter().all(|(_, place)| *place == Place::default());
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                    self.more_members(some, (number, key_number + 1), &with_value, found)
                })?;
                some.counts[entry.at] -= 1;
                some.keys.remove(key);
            }
        }
        Ok(())
    }

    /// All that goes on from `before`, which ends with these items.
    fn more_items(
        &mut self,
        list: &LoweredUnique,
        items: &mut Vec<Vec<u8>>,
        before: &Found,
        found: &mut Found,
        form: Form,
    ) -> Result<(), NotFew> {
        let count = items.len();
        if count >= list.min as usize {
            for text in before {
                self.add(found, text.clone(), form)?;
            }
        }
        if count >= self.lowered.most_items(list) as usize {
            return Ok(());
        }
        let Some(item) = list.item(count) else { return Ok(()) };
        let before = match count {
            0 => before.clone(),
            _ => self.followed_by(before, list.separator, form)?,
        };
        if before.iter().any(|(_, place)| place.quoting != Quoting::Outside) {
            return Err(NotFew::Unknown);
        }
        for (text, _) in self.few(item, &Place::default())? {
            let same = canonical(&text);
            if items.contains(&same) {
                continue;
            }
            let mut longer = Found::new();
            for (first, place) in &before {
                let (_, place) = place.read(&text);
                self.add(&mut longer, ([&first[..], &text].concat(), place), form)?;
            }
            items.push(same);
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                self.more_items(list, items, &longer, found, form)
            })?;
            items.pop();
        }
        Ok(())
    }
}

/// The better known of two sizes of parts of a language.
fn larger(one: Option<NotFew>, other: NotFew) -> NotFew {
    match (one, other) {
        (Some(NotFew::Endless), _) | (_, NotFew::Endless) => NotFew::Endless,
        (Some(NotFew::Many), _) | (_, NotFew::Many) => NotFew::Many,
        _ => NotFew::Unknown,
    }
}

/// Whether all texts differ as items, if the same comes before and behind them.
fn differ<'t>(texts: impl Iterator<Item = &'t Vec<u8>>, form: Form) -> bool {
    let mut seen = FxHashSet::default();
    texts.into_iter().all(|text| {
        let mut parts = 0;
        let in_braces = [b"{", &text[..], b"}"].concat();
        let is_matched = canonical_with(&in_braces, |found| {
            parts = found.len();
            Vec::new()
        });
        let is_certain = match form {
            Form::Members => is_matched.is_some(),
            Form::InObject => is_matched.is_some() && parts == 1,
            Form::InString => !text.contains(&b'"'),
            Form::Other => is_matched.is_some() || !text.contains(&b','),
        };
        is_certain
            && seen.insert(match form {
                Form::Members => canonical(&in_braces),
                Form::InString => text.clone(),
                Form::InObject | Form::Other => canonical(text),
            })
    })
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
    entries: Rc<[Entry]>,
    /// How many there are of each entry of `members`.
    counts: Vec<u32>,
    keys: FxHashSet<Vec<u8>>,
    form: Form,
    /// Whether strings and brackets end in the member in which they begin.
    are_matched: bool,
}

impl<'a> SomeMembers<'a> {
    /// None of them.
    fn new(
        members: &'a LoweredMembers,
        form: Form,
        languages: &mut Languages<'_>,
    ) -> Result<Self, NotFew> {
        let mut entries = Vec::with_capacity(members.members.len());
        let mut declared = FxHashSet::default();
        for (at, member) in members.members.iter().enumerate() {
            let (terms, rule_terms) = (languages.terms, &mut languages.rule_terms);
            let key = languages.lowered.key_term(member, terms, rule_terms);
            let many = member.repetition.is_many();
            let possible = languages.lowered.member_possible(member);
            let keys = match texts(key, terms) {
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
        let counts = vec![0; members.members.len()];
        let (entries, keys) = (entries.into(), FxHashSet::default());
        Ok(Self { members, entries, counts, keys, form, are_matched: true })
    }
}

/// The texts of a term, byte by byte, if they are few.
fn texts(term: TermId, terms: &Terms) -> Result<Vec<Vec<u8>>, NotFew> {
    match terms.count(term) {
        None => return Err(NotFew::Endless),
        Some(count) if count > FEW as u64 => return Err(NotFew::Unknown),
        Some(_) => {}
    }
    let mut found = Vec::new();
    let mut ahead = vec![(Vec::new(), term)];
    while let Some((text, term)) = ahead.pop() {
        if terms.nullable(term) {
            found.push(text.clone());
        }
        if text.len() > LONGEST {
            return Err(NotFew::Unknown);
        }
        for &(low, high, next) in terms.transitions(term) {
            ahead.extend((low..=high).map(|byte| ([&text[..], &[byte]].concat(), next)));
        }
    }
    Ok(found)
}
