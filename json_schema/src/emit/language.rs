//! Strings of a language: its parts as they are written, or the states of its automaton as rules.
//!
//! In the extended notation conjunctions and complements are written as such, and only what
//! asserts something is written as an automaton. Plain GBNF has no conjunctions.

use std::collections::{BTreeMap, HashSet};

use grammask_gbnf::{All, Expr, ExprKind};
use rustc_hash::FxHashMap;

use super::string::{NOT_RAW, QUOTE, required_escape};
use super::syntax::Lettering;
use super::{Emitter, choice, sequence};
use crate::error::SchemaError;
use crate::language::{CharSet, Dfa, LanguageId, Languages, MANY_TIMES, Shape};
use crate::normal::MAX_STATES;
use crate::normalise::PATTERNS;
use crate::options::Notation;

/// How many states stand in one rule, one inside the other.
const MOST_LEVELS: usize = 24;
/// An automaton of more states than this gives way to the parts of the pattern, if these say it
/// all.
const MANY_STATES: usize = 2_000;
/// A class of at most so many ranges stands where it is used.
const SMALL_CLASS: usize = 4;
/// A conjunction of more languages is an automaton, if that is not too large: of the other kind
/// each state would be a list of so many.
const MOST_CONJUNCTS: usize = 24;
/// More parts do not stand in one rule, whatever occurs in them more than once.
const MOST_IN_ONE_RULE: usize = 4_096;
/// Of so many parts is what stands in a rule if it occurs more than once.
const SHARED_SIZE: usize = 8;

impl Emitter<'_, '_, '_> {
    /// The strings of a language with at least `min` and at most `max` code points, quotes
    /// included, as a rule: one terminal. Its characters are written raw, with an escape only where
    /// JSON requires one.
    pub(super) fn matching(
        &mut self,
        name: &str,
        language: LanguageId,
        min: u64,
        max: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        let texts = (language, min, max, self.lettering());
        if let Some(rule) = self.texts.get(&texts) {
            return Ok(Expr::reference(rule.clone()));
        }
        if let Some(format) = self.format(language, min, max)? {
            return Ok(self.quoted(format));
        }
        let text = self.text(name, language, min, max)?;
        let text = text.ok_or_else(|| self.limit(&PATTERNS, "states of a pattern", MAX_STATES))?;
        let rule = self.fresh(&format!("{name}-text"));
        self.rule(rule.clone(), text)?;
        self.texts.insert(texts, rule.clone());
        Ok(Expr::reference(rule))
    }

    /// The same in place; `None` if its automaton is too large.
    fn text(
        &mut self,
        name: &str,
        language: LanguageId,
        min: u64,
        max: Option<u64>,
    ) -> Result<Option<Expr>, SchemaError> {
        let terms = &mut self.normaliser.reader.terms;
        if let Some(Shape::Repeat { item, min: least, max: most }) = terms.languages.shape(language)
            && let Some(Shape::Class(set)) = terms.languages.shape(item)
        {
            let min = min.max(least.into());
            let max = max.map_or(most.map(u64::from), |max| {
                Some(most.map_or(max, |most| max.min(most.into())))
            });
            let character = self.characters(&set)?;
            let text = self.counted(character, min, max)?;
            return Ok(Some(self.quoted(text)));
        }
        let keeps_lengths = terms.languages.keeps_lengths(language, min, max);
        let is_plain = terms.languages.is_plain(language);
        if keeps_lengths && is_plain && counts(&terms.languages, language) {
            return Ok(self.parts(name, language)?.map(|text| self.quoted(text)));
        }
        if self.options.notation == Notation::Plain {
            return self.automaton_text(name, language, min, max);
        }
        let Some(texts) = self.parts(name, language)? else { return Ok(None) };
        let mut found = match texts.kind {
            ExprKind::All(found) => *found,
            _ => All { all: vec![texts], none: Vec::new() },
        };
        if !keeps_lengths {
            let character = self.character();
            found.all.push(self.counted(character, min, max)?);
        }
        Ok(Some(self.quoted(Expr::all(found.all, found.none))))
    }

    /// The same without conjunctions: the states of the automaton as rules.
    fn automaton_text(
        &mut self,
        name: &str,
        language: LanguageId,
        min: u64,
        max: Option<u64>,
    ) -> Result<Option<Expr>, SchemaError> {
        let terms = &mut self.normaliser.reader.terms;
        let Some(dfa) = terms.automaton(language) else { return Ok(None) };
        let Some(lengths) = dfa.lengths() else { return Ok(Some(Expr::nothing())) };
        let within = lengths.min >= min
            && max.is_none_or(|max| lengths.max.is_some_and(|longest| longest <= max));
        if within {
            let many = dfa.states().len() > MANY_STATES;
            if terms.languages.is_plain(language) && (many || counts(&terms.languages, language)) {
                return Ok(self.parts(name, language)?.map(|text| self.quoted(text)));
            }
            return self.quoted_states(name, &dfa).map(Some);
        }
        let (Ok(least), Ok(most)) = (u32::try_from(min), max.map(u32::try_from).transpose()) else {
            return Ok(None);
        };
        let both = terms
            .languages
            .lengths(least, most)
            .and_then(|range| terms.languages.and([language, range]));
        let Some(dfa) = both.ok().and_then(|both| terms.automaton(both)) else { return Ok(None) };
        self.quoted_states(name, &dfa).map(Some)
    }

    /// The strings of an automaton.
    fn quoted_states(&mut self, name: &str, dfa: &Dfa) -> Result<Expr, SchemaError> {
        if self.lettering() != Lettering::Json {
            let text = self.states(name, dfa, "")?;
            return Ok(self.quoted(text));
        }
        Ok(sequence([Expr::literal(QUOTE), self.states(name, dfa, QUOTE)?]))
    }

    /// A language as it is built, but for what asserts something: of that the states of the
    /// automaton. `None` if an automaton is too large.
    fn parts(&mut self, name: &str, language: LanguageId) -> Result<Option<Expr>, SchemaError> {
        let mut parts = Parts::new(name, language, &self.normaliser.reader.terms.languages);
        self.part(&mut parts, language)
    }

    /// The same in one rule, without references to others; `None` also if that takes too many nodes, or if
    /// what is counted in it is a terminal by itself.
    pub(super) fn in_one_rule(
        &mut self,
        language: LanguageId,
    ) -> Result<Option<Expr>, SchemaError> {
        let languages = &self.normaliser.reader.terms.languages;
        let is_loop = matches!(languages.shape(language), Some(Shape::Repeat { .. }));
        if is_loop || languages.is_plain(language) && counts(languages, language) {
            return Ok(None);
        }
        // No rule is named after it.
        let mut parts = Parts { in_one_rule: true, ..Parts::new("", language, languages) };
        let is_large = |facts: &PartFacts| facts.size > MOST_IN_ONE_RULE;
        if parts.known.get(&language).is_some_and(is_large) {
            return Ok(None);
        }
        self.part(&mut parts, language)
    }

    /// A part of it; what is large and occurs again is a rule.
    fn part(
        &mut self,
        parts: &mut Parts<'_>,
        language: LanguageId,
    ) -> Result<Option<Expr>, SchemaError> {
        if !parts.is_shared(language) {
            return self.part_in_place(parts, language);
        }
        if let Some(rule) = parts.rules.get(&language) {
            return Ok(Some(Expr::reference(rule.clone())));
        }
        let Some(body) = self.part_in_place(parts, language)? else { return Ok(None) };
        let rule = self.fresh(&format!("{}-part", parts.name));
        self.rule(rule.clone(), body)?;
        parts.rules.insert(language, rule.clone());
        Ok(Some(Expr::reference(rule)))
    }

    fn part_in_place(
        &mut self,
        parts: &mut Parts<'_>,
        language: LanguageId,
    ) -> Result<Option<Expr>, SchemaError> {
        // As deep as the groups of a pattern nest, which is limited.
        let terms = &mut self.normaliser.reader.terms;
        let shape = terms.languages.shape(language);
        let asserts = terms.languages.asserts(language);
        Ok(match shape {
            Some(Shape::All { all, none }) if all.len() + none.len() <= MOST_CONJUNCTS => {
                let all = self.all_parts(parts, all)?;
                all.zip(self.all_parts(parts, none)?).map(|(all, none)| Expr::all(all, none))
            }
            Some(Shape::All { .. }) => self.automaton_part(parts, language)?,
            _ if asserts => self.automaton_part(parts, language)?,
            None | Some(Shape::Nothing) => Some(Expr::nothing()),
            Some(Shape::Empty) => Some(Expr::empty()),
            Some(Shape::Class(set)) if parts.in_one_rule => Some(characters(&set)),
            Some(Shape::Class(set)) => Some(self.characters(&set)?),
            Some(Shape::Concat(first, mut rest)) => {
                let mut items = vec![first];
                while !parts.is_shared(rest)
                    && let Some(Shape::Concat(part, next)) =
                        self.normaliser.reader.terms.languages.shape(rest)
                {
                    items.push(part);
                    rest = next;
                }
                items.push(rest);
                self.all_parts(parts, items)?.map(sequence)
            }
            Some(Shape::Alt(items)) => self.all_parts(parts, items)?.map(choice),
            Some(Shape::Repeat { item, min, max }) => match self.part(parts, item)? {
                Some(item) => Some(self.counted(item, min.into(), max.map(u64::from))?),
                None => None,
            },
        })
    }

    fn all_parts(
        &mut self,
        parts: &mut Parts<'_>,
        items: Vec<LanguageId>,
    ) -> Result<Option<Vec<Expr>>, SchemaError> {
        items.into_iter().map(|item| self.part(parts, item)).collect()
    }

    /// The automaton of a part; `None` if it is too large, or its states are not to be rules.
    fn automaton_part(
        &mut self,
        parts: &Parts<'_>,
        language: LanguageId,
    ) -> Result<Option<Expr>, SchemaError> {
        if parts.in_one_rule {
            return Ok(None);
        }
        match self.normaliser.reader.terms.automaton(language) {
            Some(dfa) => Ok(Some(self.states(parts.name, &dfa, "")?)),
            None => Ok(None),
        }
    }

    /// The texts of an automaton, each with `end` behind it. A state that several others lead to is
    /// a rule; what leads back to itself is a loop in front.
    pub(super) fn states(&mut self, name: &str, dfa: &Dfa, end: &str) -> Result<Expr, SchemaError> {
        let mut sources = vec![0_usize; dfa.states().len()];
        for (from, state) in dfa.states().iter().enumerate() {
            for &(_, to) in state.transitions.iter().filter(|&&(_, to)| to != from) {
                sources[to] += 1;
            }
        }
        let mut rules = Rules {
            dfa,
            name,
            end,
            // The first state stands where the string does.
            names: vec![None; sources.len()],
            shared: sources.iter().enumerate().map(|(at, &n)| n > usize::from(at > 0)).collect(),
            // What is counted is a terminal by itself: within one there is none.
            counts: if end.is_empty() { vec![None; sources.len()] } else { counted_tails(dfa) },
            pending: Vec::new(),
        };
        let start = if rules.shared[0] {
            self.state_rule(&mut rules, 0)
        } else {
            self.state(&mut rules, 0, 0)?
        };
        while let Some(state) = rules.pending.pop() {
            let body = self.state(&mut rules, state, 0)?;
            let rule = rules.names[state].clone().unwrap_or_default();
            self.rule(rule, body)?;
        }
        Ok(start)
    }

    /// A reference to the rule of a state.
    fn state_rule(&mut self, rules: &mut Rules<'_>, state: usize) -> Expr {
        if let Some(name) = &rules.names[state] {
            return Expr::reference(name.clone());
        }
        let name = self.fresh(&format!("{}-state", rules.name));
        rules.names[state] = Some(name.clone());
        rules.pending.push(state);
        Expr::reference(name)
    }

    fn state(
        &mut self,
        rules: &mut Rules<'_>,
        at: usize,
        level: usize,
    ) -> Result<Expr, SchemaError> {
        let dfa = rules.dfa;
        let state = &dfa.states()[at];
        if let Some((min, max)) = rules.counts[at].filter(|&(_, max)| max >= MANY_TIMES)
            && let [(set, _)] = &state.transitions[..]
        {
            let counted = self.characters(set)?.repeat(min, Some(max));
            return Ok(sequence([counted, Expr::literal(rules.end.to_owned())]));
        }
        let mut cases = Vec::new();
        let mut again = None;
        if state.accepting {
            cases.push(if rules.end.is_empty() {
                Expr::empty()
            } else {
                Expr::literal(rules.end.to_owned())
            });
        }
        for (set, to) in &state.transitions {
            if *to == at {
                again = Some(self.characters(set)?.repeat(0, None));
                continue;
            }
            let rest = if rules.shared[*to] || level >= MOST_LEVELS {
                self.state_rule(rules, *to)
            } else {
                self.state(rules, *to, level + 1)?
            };
            cases.push(sequence([self.characters(set)?, rest]));
        }
        Ok(sequence(again.into_iter().chain([choice(cases)])))
    }

    /// One code point of a set, with an escape only where JSON requires one; in a rule, if it is
    /// large.
    fn characters(&mut self, set: &CharSet) -> Result<Expr, SchemaError> {
        let key = (set.clone(), self.lettering());
        if let Some(rule) = self.classes.get(&key) {
            return Ok(Expr::reference(rule.clone()));
        }
        if *set == CharSet::any() {
            return Ok(self.character());
        }
        let characters = match self.lettering() {
            Lettering::Json => characters(set),
            _ => match set.single() {
                Some(c) => Expr::literal(c.to_string()),
                None => Expr::class(set.ranges().iter().copied()),
            },
        };
        match &characters.kind {
            ExprKind::Literal(_) => Ok(characters),
            ExprKind::Class(class) if class.ranges.len() <= SMALL_CLASS => Ok(characters),
            _ => {
                let rule = self.fresh("characters");
                self.rule(rule.clone(), characters)?;
                self.classes.insert(key, rule.clone());
                Ok(Expr::reference(rule))
            }
        }
    }
}

/// For each state from which on nothing but the characters of one class can be read, how many of
/// them, if that is one range.
fn counted_tails(dfa: &Dfa) -> Vec<Option<(u32, u32)>> {
    let states = dfa.states();
    let mut counts: Vec<Option<(u32, u32)>> = vec![None; states.len()];
    // From the ends on, each state once: only its one successor decides.
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    let mut pending = Vec::new();
    for (at, state) in states.iter().enumerate() {
        match &state.transitions[..] {
            [] if state.accepting => {
                counts[at] = Some((0, 0));
                pending.push(at);
            }
            [(_, to)] if *to != at => before[*to].push(at),
            _ => {}
        }
    }
    while let Some(to) = pending.pop() {
        let Some((min, max)) = counts[to] else { continue };
        for &at in &before[to] {
            let class = |state: usize| states[state].transitions.first().map(|(set, _)| set);
            if max > 0 && class(at) != class(to) {
                continue;
            }
            counts[at] = match states[at].accepting {
                true if min == 0 => Some((0, max + 1)),
                true => None,
                false => Some((min + 1, max + 1)),
            };
            pending.push(at);
        }
    }
    counts
}

/// Whether a class is repeated, and the repetitions are counted up to a large number, somewhere in
/// a language without assertions.
fn counts(languages: &Languages, language: LanguageId) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![language];
    while let Some(language) = pending.pop() {
        if !seen.insert(language) {
            continue;
        }
        match languages.shape(language) {
            Some(Shape::Concat(first, second)) => pending.extend([first, second]),
            Some(Shape::Alt(items)) => pending.extend(items),
            Some(Shape::Repeat { item, max, .. }) => {
                let is_class = matches!(languages.shape(item), Some(Shape::Class(_)));
                if is_class && max.is_some_and(|max| max >= MANY_TIMES) {
                    return true;
                }
                pending.push(item);
            }
            None | Some(Shape::Nothing | Shape::Empty | Shape::Class(_) | Shape::All { .. }) => {}
        }
    }
    false
}

/// A language that is written as it is built.
struct Parts<'a> {
    name: &'a str,
    known: FxHashMap<LanguageId, PartFacts>,
    /// The rules of parts that occur more than once.
    rules: FxHashMap<LanguageId, String>,
    /// Whether there are no such rules: each part stands where it occurs.
    in_one_rule: bool,
}

/// What is known of a part.
struct PartFacts {
    /// How large it is,
    size: usize,
    /// and how often it occurs in others.
    uses: usize,
    /// Whether it is one character, or begins with one.
    begins_text: bool,
}

impl<'a> Parts<'a> {
    fn new(name: &'a str, language: LanguageId, languages: &Languages) -> Self {
        let mut known: FxHashMap<LanguageId, PartFacts> = FxHashMap::default();
        // What is in a part comes before it.
        let mut pending = vec![(language, false)];
        while let Some((part, finished)) = pending.pop() {
            if known.contains_key(&part) {
                continue;
            }
            let (mut begins_text, mut is_sequence) = (false, false);
            let inside = match languages.shape(part) {
                Some(Shape::Concat(first, second)) => {
                    is_sequence = true;
                    vec![first, second]
                }
                Some(Shape::Alt(items)) => items,
                Some(Shape::Repeat { item, .. }) => vec![item],
                Some(Shape::All { all, none }) => [all, none].concat(),
                Some(Shape::Class(set)) => {
                    begins_text = set.single().is_some();
                    Vec::new()
                }
                None | Some(Shape::Nothing | Shape::Empty) => Vec::new(),
            };
            if !finished {
                pending.push((part, true));
                pending.extend(inside.into_iter().map(|part| (part, false)));
                continue;
            }
            let begins_with_text = |part| known.get(part).is_some_and(|facts| facts.begins_text);
            // A character and the text behind it are one.
            let is_text = is_sequence && inside.iter().all(begins_with_text);
            begins_text |= is_sequence && begins_with_text(&inside[0]);
            let mut size: usize = usize::from(!is_text);
            for (at, part) in inside.iter().enumerate() {
                let Some(facts) = known.get_mut(part) else { continue };
                facts.uses += 1;
                if !is_text || at > 0 {
                    size = size.saturating_add(facts.size);
                }
            }
            known.insert(part, PartFacts { size, uses: 0, begins_text });
        }
        Self { name, known, rules: FxHashMap::default(), in_one_rule: false }
    }

    fn is_shared(&self, part: LanguageId) -> bool {
        let facts = self.known.get(&part);
        !self.in_one_rule && facts.is_some_and(|facts| facts.uses > 1 && facts.size >= SHARED_SIZE)
    }
}

/// The rules of an automaton that is being written.
struct Rules<'a> {
    dfa: &'a Dfa,
    name: &'a str,
    end: &'a str,
    names: Vec<Option<String>>,
    shared: Vec<bool>,
    /// How often, where a state is nothing but a class that is repeated.
    counts: Vec<Option<(u32, u32)>>,
    /// States whose rules are still to be written.
    pending: Vec<usize>,
}

/// One code point of a set, with an escape only where JSON requires one.
fn characters(set: &CharSet) -> Expr {
    if let Some(c) = set.single() {
        return Expr::literal(required_escape(c).unwrap_or_else(|| c.to_string()));
    }
    // Most sets are of a few characters that need no escape.
    let is_apart =
        |&(lo, hi): &(char, char)| NOT_RAW.iter().all(|&(from, to)| hi < from || to < lo);
    if set.ranges().iter().all(is_apart) {
        return Expr::class(set.ranges().iter().copied());
    }
    let special = CharSet::from_ranges(NOT_RAW);
    let raw = set.intersection(&special.complement());
    let escaped = set.intersection(&special);
    let mut cases = Vec::new();
    if !raw.is_empty() {
        cases.push(Expr::class(raw.ranges().iter().copied()));
    }
    if !escaped.is_empty() {
        cases.push(escape(&escaped));
    }
    choice(cases)
}

/// The escape of one of these code points: what comes after the backslash, by its characters.
fn escape(escaped: &CharSet) -> Expr {
    let class = |last: Vec<char>| {
        let set = CharSet::from_ranges(last.into_iter().map(|c| (c, c)));
        Expr::class(set.ranges().iter().copied())
    };
    let points = escaped.ranges().iter().flat_map(|&(low, high)| low..=high);
    let mut by_start: BTreeMap<String, Vec<char>> = BTreeMap::new();
    for mut text in points.filter_map(required_escape) {
        let last = text.pop().unwrap_or_default();
        by_start.entry(text).or_default().push(last);
    }
    let mut short = Vec::new();
    let mut unnamed = Vec::new();
    for (start, last) in by_start {
        match start.strip_prefix("\\u00") {
            Some(digit) => unnamed.push(sequence([Expr::literal(digit.to_owned()), class(last)])),
            None => short.push(class(last)),
        }
    }
    if !unnamed.is_empty() {
        short.push(sequence([Expr::literal("u00"), choice(unnamed)]));
    }
    sequence([Expr::literal("\\"), choice(short)])
}
