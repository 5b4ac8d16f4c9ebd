//! The tree of a grammar in an arena, rules resolved, with what the compiler must know of each
//! part: whether it is regular, how large it is as one terminal, whether it can be empty, whether
//! it matches anything at all.

use std::cell::OnceCell;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::linear::{Linear, LinearRules};
use crate::automaton::terms::{SearchTooLong, TermId, Terms};
use crate::automaton::{CompileError, CompileErrorKind};
use crate::grammar::{CharClass, Expr, ExprKind, Grammar, Repetition, TokenReference};
use crate::graph::Graph;
use crate::span::Span;

/// A part of the lowered grammar.
pub(crate) type Part = u32;

#[derive(Debug)]
pub(crate) enum Kind {
    Nothing,
    Empty,
    Text(Box<[u8]>),
    /// Many literals in one choice: a trie.
    Texts(Vec<Box<[u8]>>),
    Class(Vec<(char, char)>),
    /// Index of a rule.
    Rule(u32),
    /// Index of a token reference.
    Token(u32),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat {
        item: Part,
        min: u32,
        max: Option<u32>,
    },
    Members(Box<LoweredMembers>),
    Unique(Box<LoweredUnique>),
    All(Box<LoweredAll>),
}

#[derive(Debug)]
pub(crate) struct LoweredMembers {
    pub(crate) members: Vec<LoweredMember>,
    pub(crate) separator: Part,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct LoweredMember {
    pub(crate) key: Part,
    /// The term of the key, once somebody has asked for it.
    term: OnceCell<TermId>,
    /// Where the key stands in the grammar's text.
    pub(crate) key_span: Span,
    pub(crate) repetition: Repetition,
    pub(crate) value: Part,
}

impl LoweredMembers {
    fn nullable(&self) -> bool {
        self.min == 0 && self.members.iter().all(|member| member.repetition.min() == 0)
    }
}

/// A list of items of which no two are equal.
#[derive(Debug)]
pub(crate) struct LoweredUnique {
    pub(crate) first: Vec<Part>,
    pub(crate) rest: Option<Part>,
    /// Where each item stands in the grammar's text.
    pub(crate) spans: Vec<Span>,
    pub(crate) separator: Part,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

impl LoweredUnique {
    /// What the item is that has so many before it.
    pub(crate) fn item(&self, at: usize) -> Option<Part> {
        self.first.get(at).copied().or(self.rest)
    }

    /// Whether it takes several items: then there may be too few.
    pub(crate) fn asks_for_items(&self) -> bool {
        self.min > 1
    }

    /// Each item that is written in the grammar.
    pub(crate) fn items(&self) -> impl Iterator<Item = Part> + '_ {
        self.first.iter().copied().chain(self.rest)
    }
}

/// What all of some parts match and none of some others.
#[derive(Debug)]
pub(crate) struct LoweredAll {
    pub(crate) all: Vec<Part>,
    pub(crate) none: Vec<Part>,
    /// Where it stands in the grammar's text.
    pub(crate) span: Span,
    /// Itself, once its parts are known to be regular.
    pub(crate) term: Option<Result<TermId, SearchTooLong>>,
}

impl LoweredAll {
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        self.all.iter().chain(&self.none).copied()
    }

    /// Itself; nothing, if that is not known.
    pub(crate) fn known_term(&self) -> TermId {
        match self.term {
            Some(Ok(term)) => term,
            _ => TermId::NOTHING,
        }
    }
}

/// What one terminal may look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// No rule that recurses elsewhere than at its end, no token reference, no members, no list of
    /// unique items.
    pub(crate) regular: bool,
    /// Nodes when written out as one regular expression, repetitions unrolled; saturating.
    pub(crate) size: u32,
    /// Holds a loop over many characters (the inside of a string, say), whose states should be
    /// shared by all places where it occurs: such a loop is a terminal of its own.
    pub(crate) wide: bool,
}

/// A terminal that is no loop has at most this size.
pub(crate) const TERMINAL_SIZE: u32 = 512;
/// A loop of at least this many iterations over at least [`WIDE_CLASS`] characters is wide.
const WIDE_LOOP: u32 = 4;
const WIDE_CLASS: u32 = 33;

/// The lowered grammar.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) extents: Vec<Extent>,
    /// Whether the part matches the empty text.
    pub(crate) nullable: Vec<bool>,
    /// Whether the part matches anything.
    pub(crate) productive: Vec<bool>,
    /// The body of each rule.
    pub(crate) rules: Vec<Part>,
    pub(crate) tokens: Vec<TokenReference>,
    /// The terms of rules, as far as they have been needed: of regular ones.
    pub(crate) rule_terms: FxHashMap<u32, TermId>,
    /// Members and lists of which it is not known whether there are enough keys or items for them.
    pub(crate) unproven: FxHashSet<Part>,
    /// Whether the rule is a terminal although it recurses or is wide: see [`LinearRules`].
    linear: Vec<bool>,
    /// Whether there is a conjunction in the grammar.
    pub(crate) has_conjunctions: bool,
    /// Whether the rule is regular although it recurses.
    regular: Vec<bool>,
    /// Parts of rule i lie before `ends[i]`, and behind those of rule i - 1.
    ends: Vec<usize>,
}

struct Lowering<'a> {
    kinds: Vec<Kind>,
    names: FxHashMap<&'a str, u32>,
    tokens: Vec<TokenReference>,
    /// Where the parts of the body begin that is being lowered.
    start: Part,
    /// The last part that refers to each rule: within one body all references to it are one part.
    references: Vec<Option<Part>>,
}

/// Lowers all rules of a grammar; of two rules of one name the last counts.
pub(crate) fn lower<'a>(
    grammar: &'a Grammar,
    terms: &Terms,
) -> Result<(Lowered, FxHashMap<&'a str, u32>), CompileError> {
    let mut names: FxHashMap<&str, u32> = FxHashMap::default();
    let mut bodies: Vec<&Expr> = Vec::new();
    for rule in &grammar.rules {
        match names.entry(&rule.name) {
            std::collections::hash_map::Entry::Occupied(known) => {
                bodies[*known.get() as usize] = &rule.body;
            }
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(bodies.len() as u32);
                bodies.push(&rule.body);
            }
        }
    }
    let mut lowering = Lowering {
        kinds: Vec::new(),
        names,
        tokens: Vec::new(),
        start: 0,
        references: vec![None; bodies.len()],
    };
    let mut rules = Vec::with_capacity(bodies.len());
    let mut ends = Vec::with_capacity(bodies.len());
    for body in bodies {
        rules.push(lowering.expr(body)?);
        ends.push(lowering.kinds.len());
        lowering.start = lowering.kinds.len() as Part;
    }
    let mut lowered = Lowered {
        extents: Vec::new(),
        nullable: vec![false; lowering.kinds.len()],
        productive: vec![false; lowering.kinds.len()],
        has_conjunctions: lowering.kinds.iter().any(|kind| matches!(kind, Kind::All(_))),
        kinds: lowering.kinds,
        rule_terms: FxHashMap::default(),
        unproven: FxHashSet::default(),
        linear: vec![false; rules.len()],
        regular: vec![false; rules.len()],
        rules,
        tokens: lowering.tokens,
        ends,
    };
    lowered.analyse(terms);
    Ok((lowered, lowering.names))
}

impl Lowering<'_> {
    fn add(&mut self, kind: Kind) -> Part {
        self.kinds.push(kind);
        (self.kinds.len() - 1) as Part
    }

    /// The part of the current body that refers to a rule.
    fn reference(&mut self, rule: u32) -> Part {
        match self.references[rule as usize] {
            Some(known) if known >= self.start => known,
            _ => {
                let part = self.add(Kind::Rule(rule));
                self.references[rule as usize] = Some(part);
                part
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Part, CompileError> {
        // As deep as groups are nested.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.lower(expr))
    }

    fn all(&mut self, items: &[Expr]) -> Result<Vec<Part>, CompileError> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    fn lower(&mut self, expr: &Expr) -> Result<Part, CompileError> {
        let kind = match &expr.kind {
            ExprKind::Literal(text) if text.is_empty() => Kind::Empty,
            ExprKind::Literal(text) => Kind::Text(text.as_bytes().into()),
            ExprKind::Class(class) => match class.matched() {
                ranges if ranges.is_empty() => Kind::Nothing,
                ranges => Kind::Class(ranges),
            },
            ExprKind::Any => Kind::Class(vec![('\0', char::MAX)]),
            ExprKind::Reference(name) => match self.names.get(name.as_str()) {
                Some(&rule) => return Ok(self.reference(rule)),
                None => {
                    return Err(CompileError::at(
                        CompileErrorKind::UndefinedRule(name.clone()),
                        expr.span,
                    ));
                }
            },
            ExprKind::Token(token) => {
                self.tokens.push(token.clone());
                Kind::Token((self.tokens.len() - 1) as u32)
            }
            ExprKind::Sequence(items) if items.is_empty() => Kind::Empty,
            ExprKind::Sequence(items) => Kind::Sequence(self.all(items)?),
            ExprKind::Choice(items) => return self.choice(items),
            ExprKind::Repeat { item, min, max } => {
                if max.is_some_and(|max| max < *min) {
                    return Err(CompileError::at(CompileErrorKind::ReversedCount, expr.span));
                }
                let item = self.expr(item)?;
                let (item, min, max) = self.unwrap_counts(item, *min, *max);
                let (item, min) = match max {
                    None if min <= 1 => self.unwrap_loops(item, min),
                    _ => (item, min),
                };
                Kind::Repeat { item, min, max }
            }
            ExprKind::Members(members) => {
                let mut lowered = Vec::with_capacity(members.members.len());
                for member in &members.members {
                    let (min, max) = (member.repetition.min(), member.repetition.max());
                    if max.is_some_and(|max| max < min) {
                        let span = member.key.span;
                        return Err(CompileError::at(CompileErrorKind::ReversedCount, span));
                    }
                    lowered.push(LoweredMember {
                        key: self.expr(&member.key)?,
                        term: OnceCell::new(),
                        key_span: member.key.span,
                        repetition: member.repetition,
                        value: self.expr(&member.value)?,
                    });
                }
                Kind::Members(Box::new(LoweredMembers {
                    members: lowered,
                    separator: self.expr(&members.separator)?,
                    min: members.min,
                    max: members.max,
                }))
            }
            ExprKind::Unique(list) => {
                if list.max.is_some_and(|max| max < list.min) {
                    return Err(CompileError::at(CompileErrorKind::ReversedCount, expr.span));
                }
                let items = list.first.iter().chain(&list.rest);
                Kind::Unique(Box::new(LoweredUnique {
                    spans: items.map(|item| item.span).collect(),
                    first: self.all(&list.first)?,
                    rest: list.rest.as_ref().map(|rest| self.expr(rest)).transpose()?,
                    separator: self.expr(&list.separator)?,
                    min: list.min,
                    max: list.max,
                }))
            }
            ExprKind::All(found) => Kind::All(Box::new(LoweredAll {
                all: self.all(&found.all)?,
                none: self.all(&found.none)?,
                span: expr.span,
                term: None,
            })),
        };
        Ok(self.add(kind))
    }

    /// A choice; its literals become one trie, its single characters one class.
    fn choice(&mut self, items: &[Expr]) -> Result<Part, CompileError> {
        let mut texts: Vec<Box<[u8]>> = Vec::new();
        let mut ranges = Vec::new();
        let mut parts = Vec::new();
        for item in items {
            match &item.kind {
                // A long one is a terminal of its own: a trie has a node for each byte.
                ExprKind::Literal(text)
                    if !text.is_empty() && text.len() <= TERMINAL_SIZE as usize =>
                {
                    texts.push(text.as_bytes().into());
                }
                ExprKind::Class(class) => ranges.extend(class.matched()),
                _ => parts.push(self.expr(item)?),
            }
        }
        if !ranges.is_empty() {
            let ranges = CharClass { negated: false, ranges }.matched();
            parts.push(self.add(Kind::Class(ranges)));
        }
        match texts.len() {
            0 => {}
            1 => parts.push(self.add(Kind::Text(texts.swap_remove(0)))),
            _ => parts.push(self.add(Kind::Texts(texts))),
        }
        Ok(match parts[..] {
            [] => self.add(Kind::Nothing),
            [part] => part,
            _ => self.add(Kind::Choice(parts)),
        })
    }

    /// `(x{0,5}){2,3}` is `x{0,15}`: with an inner minimum of 0 or 1 no number in between is left
    /// out. (Beyond 2^32 there is no maximum: no text is as long.)
    fn unwrap_counts(&self, item: Part, min: u32, max: Option<u32>) -> (Part, u32, Option<u32>) {
        match self.kinds[item as usize] {
            Kind::Repeat { item, min: least @ (0 | 1), max: most }
                if most != Some(0) && max != Some(0) =>
            {
                (item, least * min, most.zip(max).and_then(|(most, max)| most.checked_mul(max)))
            }
            _ => (item, min, max),
        }
    }

    /// `(x+ | y)*` is `(x | y)*`: the loops directly inside an unbounded loop go.
    fn unwrap_loops(&mut self, item: Part, min: u32) -> (Part, u32) {
        let inner = |kinds: &[Kind], part: Part| match kinds[part as usize] {
            Kind::Repeat { item, min, max: None } if min <= 1 => Some((item, min)),
            _ => None,
        };
        if let Some((inside, least)) = inner(&self.kinds, item) {
            return (inside, min.min(least));
        }
        let Kind::Choice(parts) = &self.kinds[item as usize] else { return (item, min) };
        if !parts.iter().any(|&part| inner(&self.kinds, part).is_some()) {
            return (item, min);
        }
        let mut least = min;
        let parts = parts
            .iter()
            .map(|&part| match inner(&self.kinds, part) {
                Some((inside, inside_min)) => {
                    least = least.min(inside_min);
                    inside
                }
                None => part,
            })
            .collect();
        (self.add(Kind::Choice(parts)), least)
    }
}

impl Lowered {
    /// The parts of a rule, what is in a part before it.
    pub(crate) fn parts_of(&self, rule: usize) -> std::ops::Range<usize> {
        rule.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[rule]
    }

    /// Whether a part is one literal or some.
    pub(crate) fn is_text(&self, part: Part) -> bool {
        matches!(self.kinds[part as usize], Kind::Text(_) | Kind::Texts(_))
    }

    /// Whether the rule is a terminal although it recurses or is wide.
    pub(crate) fn is_linear(&self, rule: u32) -> bool {
        self.linear[rule as usize]
    }

    /// Fills in extents, nullability and productivity, and finds the right-linear rules.
    pub(crate) fn analyse(&mut self, terms: &Terms) {
        self.nullable.fill(false);
        self.productive.fill(false);
        self.rule_terms.clear();
        self.linear.fill(false);
        self.regular.fill(false);
        let n = self.rules.len();
        let references = Graph::new(0..n, |rule, edges| {
            edges.extend(self.kinds[self.parts_of(rule)].iter().filter_map(|kind| match kind {
                Kind::Rule(rule) => Some(*rule),
                _ => None,
            }));
        });
        let users = references.reversed();
        let unknown = Extent { regular: false, size: u32::MAX, wide: true };
        self.extents = vec![unknown; self.kinds.len()];
        // Components come in the order in which what is referred to comes first.
        let component_of = references.components();
        let mut by_component: Vec<usize> = (0..n).collect();
        by_component.sort_by_key(|&rule| component_of[rule]);
        let mut linear = LinearRules::new(terms);
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut queued = vec![false; n];
        for component in by_component.chunk_by(|&a, &b| component_of[a] == component_of[b]) {
            let rule = component[0];
            let recursive = component.len() > 1 || references.of(rule).contains(&(rule as u32));
            if !recursive {
                for part in self.parts_of(rule) {
                    self.conjoin(part, terms);
                    self.update(part..part + 1);
                    self.measure(part..part + 1);
                }
                let extent = self.extents[self.rules[rule] as usize];
                self.linear[rule] = extent.regular
                    && extent.wide
                    && linear.add(component, false, self) == Linear::Terminal;
                continue;
            }
            // Least fixed point within the component: a rule is looked at again when one that it
            // refers to has changed.
            queue.extend(component);
            for &rule in component {
                for part in self.parts_of(rule) {
                    self.measure(part..part + 1);
                    self.conjoin(part, terms);
                }
            }
            for &rule in component {
                queued[rule] = true;
            }
            while let Some(rule) = queue.pop_front() {
                queued[rule] = false;
                let body = self.rules[rule] as usize;
                let before = (self.nullable[body], self.productive[body]);
                self.update(self.parts_of(rule));
                if before != (self.nullable[body], self.productive[body]) {
                    for &user in users.of(rule) {
                        let user = user as usize;
                        let inside = component_of[user] == component_of[rule];
                        if inside && !std::mem::replace(&mut queued[user], true) {
                            queue.push_back(user);
                        }
                    }
                }
            }
            for &rule in component {
                self.measure(self.parts_of(rule));
            }
            let found = linear.add(component, true, self);
            if found != Linear::No {
                for &rule in component {
                    self.linear[rule] = found == Linear::Terminal;
                    self.regular[rule] = true;
                    self.measure(self.parts_of(rule));
                }
            }
        }
    }

    /// The term of a conjunction whose parts are regular.
    fn conjoin(&mut self, part: usize, terms: &Terms) {
        let Kind::All(found) = &self.kinds[part] else { return };
        let (all, none) = (found.all.clone(), found.none.clone());
        let is_regular = found.parts().all(|part| self.extents[part as usize].regular);
        let term = is_regular.then(|| {
            let mut of = |parts: Vec<Part>| -> Vec<TermId> {
                parts.into_iter().map(|part| self.term(part, terms)).collect()
            };
            terms.all(of(all), of(none))
        });
        if let Kind::All(found) = &mut self.kinds[part] {
            found.term = term;
        }
        self.nullable[part] = matches!(term, Some(Ok(term)) if terms.nullable(term));
    }

    /// Nullability and productivity of parts; children come before their parents.
    fn update(&mut self, parts: std::ops::Range<usize>) {
        for part in parts {
            let nullable = |part: Part| self.nullable[part as usize];
            let productive = |part: Part| self.productive[part as usize];
            let proven = |part: usize| !self.unproven.contains(&(part as Part));
            let (is_nullable, is_productive) = match &self.kinds[part] {
                Kind::Nothing => (false, false),
                Kind::Empty => (true, true),
                Kind::Text(_) | Kind::Texts(_) | Kind::Class(_) | Kind::Token(_) => (false, true),
                Kind::Rule(rule) => {
                    let body = self.rules[*rule as usize];
                    (nullable(body), productive(body))
                }
                Kind::Sequence(items) => (
                    items.iter().all(|&item| nullable(item)),
                    items.iter().all(|&item| productive(item)),
                ),
                Kind::Choice(items) => (
                    items.iter().any(|&item| nullable(item)),
                    items.iter().any(|&item| productive(item)),
                ),
                &Kind::Repeat { item, min, max } => (
                    min == 0 || max == Some(0) || nullable(item),
                    min == 0 || max == Some(0) || productive(item),
                ),
                Kind::Members(members) => {
                    (members.nullable(), proven(part) && self.members_productive(members))
                }
                Kind::Unique(list) => {
                    (list.min == 0, proven(part) && list.min <= self.most_items(list))
                }
                Kind::All(found) => (self.nullable[part], found.known_term() != TermId::NOTHING),
            };
            self.nullable[part] = is_nullable;
            self.productive[part] = is_productive;
        }
    }

    /// Whether a member may occur at all.
    pub(crate) fn member_possible(&self, member: &LoweredMember) -> bool {
        member.repetition.max() != Some(0)
            && self.productive[member.key as usize]
            && self.productive[member.value as usize]
    }

    pub(crate) fn members_productive(&self, members: &LoweredMembers) -> bool {
        // The sums are those of fewer than 2^32 entries.
        let (mut least, mut greatest) = (0_u64, 0_u64);
        for member in &members.members {
            let possible = self.member_possible(member);
            if !possible && member.repetition.min() > 0 {
                return false;
            }
            least += u64::from(member.repetition.min());
            if possible {
                // Unbounded is as much as anybody asks for.
                greatest += u64::from(member.repetition.max().unwrap_or(u32::MAX));
            }
        }
        let most = if self.productive[members.separator as usize] {
            members.max.unwrap_or(u32::MAX)
        } else {
            members.max.unwrap_or(u32::MAX).min(1)
        };
        least <= u64::from(most) && members.min <= most && u64::from(members.min) <= greatest
    }

    /// The greatest number of items that a list may have, as far as they can be written at all.
    pub(crate) fn most_items(&self, list: &LoweredUnique) -> u32 {
        let productive = |part: Part| self.productive[part as usize];
        let first = list.first.iter().take_while(|&&item| productive(item)).count();
        let all = first == list.first.len() && list.rest.is_some_and(productive);
        let most = if all { u32::MAX } else { first as u32 };
        let separable = if productive(list.separator) { u32::MAX } else { 1 };
        most.min(separable).min(list.max.unwrap_or(u32::MAX))
    }

    fn measure(&mut self, parts: std::ops::Range<usize>) {
        for part in parts {
            let extent = |part: Part| self.extents[part as usize];
            let together = |items: &[Part]| {
                items.iter().fold(Extent { regular: true, size: 1, wide: false }, |sum, &item| {
                    let item = extent(item);
                    Extent {
                        regular: sum.regular && item.regular,
                        size: sum.size.saturating_add(item.size),
                        wide: sum.wide || item.wide,
                    }
                })
            };
            let leaf = |size: usize| Extent {
                regular: true,
                size: u32::try_from(size).unwrap_or(u32::MAX),
                wide: false,
            };
            let irregular = Extent { regular: false, size: u32::MAX, wide: true };
            self.extents[part] = match &self.kinds[part] {
                Kind::Nothing | Kind::Empty | Kind::Class(_) => leaf(1),
                Kind::Text(text) => leaf(text.len()),
                Kind::Texts(texts) => leaf(texts.iter().map(|text| text.len()).sum()),
                // Its states are to be shared by all places where it occurs.
                Kind::Rule(rule) if self.is_linear(*rule) => {
                    Extent { regular: true, size: 1, wide: true }
                }
                Kind::Rule(rule) if self.regular[*rule as usize] => {
                    Extent { regular: true, size: u32::MAX, wide: true }
                }
                Kind::Rule(rule) => {
                    let body = extent(self.rules[*rule as usize]);
                    Extent { size: body.size.saturating_add(1), ..body }
                }
                // One terminal, however many states it has.
                Kind::All(found) if found.parts().all(|part| extent(part).regular) => leaf(1),
                Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) | Kind::All(_) => irregular,
                Kind::Sequence(items) | Kind::Choice(items) => together(items),
                &Kind::Repeat { item, min, max } => {
                    let inside = extent(item);
                    let copies = max.unwrap_or_else(|| min.saturating_add(1));
                    Extent {
                        regular: inside.regular,
                        size: inside.size.saturating_mul(copies).max(1),
                        wide: inside.wide
                            || (max.is_none_or(|max| max >= WIDE_LOOP)
                                && self.has_wide_class(item, 0)),
                    }
                }
            };
        }
    }

    /// The term of a regular part.
    pub(crate) fn term(&mut self, part: Part, terms: &Terms) -> TermId {
        let mut rule_terms = std::mem::take(&mut self.rule_terms);
        let term = self.term_with(part, terms, &mut rule_terms);
        self.rule_terms = rule_terms;
        term
    }

    /// The same, with the terms of rules as far as they are known.
    pub(crate) fn term_with(
        &self,
        part: Part,
        terms: &Terms,
        rule_terms: &mut FxHashMap<u32, TermId>,
    ) -> TermId {
        if let Kind::Rule(rule) = &self.kinds[part as usize]
            && let Some(&term) = rule_terms.get(rule)
        {
            return term;
        }
        // As deep as groups and rules are nested.
        let mut of = |part: Part| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.term_with(part, terms, rule_terms))
        };
        match &self.kinds[part as usize] {
            Kind::Nothing | Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) => TermId::NOTHING,
            Kind::All(found) => found.known_term(),
            Kind::Empty => TermId::EMPTY,
            Kind::Text(text) => terms.text(text),
            Kind::Texts(texts) => terms.texts(texts.iter().map(|text| &**text)),
            Kind::Class(ranges) => terms.class(ranges),
            Kind::Rule(rule) => {
                let term = of(self.rules[*rule as usize]);
                rule_terms.insert(*rule, term);
                term
            }
            Kind::Sequence(items) => {
                items.iter().rev().fold(TermId::EMPTY, |rest, &item| terms.concat(of(item), rest))
            }
            Kind::Choice(items) => {
                terms.alt(items.iter().map(|&item| of(item)).collect::<Vec<_>>())
            }
            &Kind::Repeat { item, min, max } => terms.repeat(of(item), min, max),
        }
    }

    /// The term of a member's key, which is regular.
    pub(crate) fn key_term(
        &self,
        member: &LoweredMember,
        terms: &Terms,
        rule_terms: &mut FxHashMap<u32, TermId>,
    ) -> TermId {
        *member.term.get_or_init(|| self.term_with(member.key, terms, rule_terms))
    }

    /// Whether a class of many characters occurs in a small part.
    fn has_wide_class(&self, part: Part, depth: u32) -> bool {
        // Beyond that depth nothing is small enough to be a terminal anyway.
        if depth > TERMINAL_SIZE || self.extents[part as usize].size > TERMINAL_SIZE {
            return false;
        }
        match &self.kinds[part as usize] {
            Kind::Class(ranges) => {
                ranges.iter().map(|&(lo, hi)| hi as u32 - lo as u32 + 1).sum::<u32>() >= WIDE_CLASS
            }
            Kind::Rule(rule) => self.has_wide_class(self.rules[*rule as usize], depth + 1),
            Kind::Sequence(items) | Kind::Choice(items) => {
                items.iter().any(|&item| self.has_wide_class(item, depth + 1))
            }
            Kind::Repeat { item, .. } => self.has_wide_class(*item, depth + 1),
            _ => false,
        }
    }
}
