//! The tree of a grammar in an arena, rules resolved, with what the compiler must know of each
//! part: whether it is regular, how large it is as one terminal, whether it can be empty, whether
//! it matches anything at all.

mod analyse;

use std::cell::OnceCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::bodies::{KnownBody, Met};
use crate::automaton::terms::{Fingerprint, SearchTooLong, TermId, Terms};
use crate::automaton::{CompileError, CompileErrorKind};
use crate::grammar::{CharClass, Expr, ExprKind, Grammar, Repetition, TokenReference};
use crate::span::Span;

/// A part of the lowered grammar.
pub(crate) type Part = u32;

/// A piece of [`Lowered::items`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items {
    start: usize,
    end: usize,
}

#[derive(Debug)]
pub(crate) enum Kind<'g> {
    Nothing,
    Empty,
    Text(&'g [u8]),
    /// Many literals in one choice: a trie.
    Texts(Vec<&'g [u8]>),
    Class(Vec<(char, char)>),
    /// Index of a rule.
    Rule(u32),
    /// Index of a token reference.
    Token(u32),
    Sequence(Items),
    Choice(Items),
    Repeat {
        item: Part,
        min: u32,
        max: Option<u32>,
    },
    Members(Box<LoweredMembers>),
    Unique(Box<LoweredUnique>),
    All(Box<LoweredAll>),
    /// What a body is that was met in a grammar before.
    Known(Arc<KnownBody>),
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
    /// Holds a conjunction between two literals, as a string with a format is: it is a terminal with
    /// these, and its states should be the same ones within a loop, which is none with it.
    pub(crate) apart: bool,
}

/// So many parts a rule has in most grammars, on average.
const PARTS: usize = 8;
/// Room for no more is made at once.
const MOST_ROOM: usize = 1 << 16;
/// A terminal that is no loop has at most this size.
pub(crate) const TERMINAL_SIZE: u32 = 512;
/// The lowered grammar.
#[derive(Debug)]
pub(crate) struct Lowered<'g> {
    pub(crate) kinds: Vec<Kind<'g>>,
    /// The items of all sequences and choices.
    items: Vec<Part>,
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
    /// The rules with bodies that are met again and not yet known.
    pub(crate) met_again: Vec<(u32, Fingerprint)>,
    /// Whether the rule is regular although it recurses.
    regular: Vec<bool>,
    /// Parts of rule i lie before `ends[i]`, and behind those of rule i - 1.
    ends: Vec<usize>,
}

struct Lowering<'g> {
    kinds: Vec<Kind<'g>>,
    items: Vec<Part>,
    /// The items of what is being lowered.
    open: Vec<Part>,
    names: FxHashMap<&'g str, u32>,
    tokens: Vec<TokenReference>,
    /// Where the parts of the body begin that is being lowered.
    start: Part,
    /// The last part that refers to each rule: within one body all references to it are one part.
    references: Vec<Option<Part>>,
    has_lists: bool,
}

/// Lowers all rules of a grammar; of two rules of one name the last counts.
pub(crate) fn lower<'g>(
    grammar: &'g Grammar,
    terms: &Terms,
) -> Result<(Lowered<'g>, FxHashMap<&'g str, u32>), CompileError> {
    let mut names: FxHashMap<&str, u32> = FxHashMap::default();
    names.reserve(grammar.rules.len());
    let mut bodies: Vec<&Arc<Expr>> = Vec::with_capacity(grammar.rules.len());
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
    let room = MOST_ROOM.min(PARTS * bodies.len());
    let mut lowering = Lowering {
        kinds: Vec::with_capacity(room),
        items: Vec::with_capacity(room),
        open: Vec::new(),
        names,
        tokens: Vec::new(),
        start: 0,
        references: Vec::new(),
        has_lists: false,
    };
    let mut met_again = Vec::new();
    let mut found = lowering.bodies(&bodies, Some((terms, &mut met_again)))?;
    if lowering.has_lists {
        // The texts of their items are put together from those of the parts.
        found = lowering.bodies(&bodies, None)?;
    }
    let (rules, ends) = found;
    let mut lowered = Lowered {
        met_again,
        extents: Vec::new(),
        nullable: vec![false; lowering.kinds.len()],
        productive: vec![false; lowering.kinds.len()],
        has_conjunctions: lowering.kinds.iter().any(|kind| matches!(kind, Kind::All(_))),
        kinds: lowering.kinds,
        items: lowering.items,
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

impl<'g> Lowering<'g> {
    /// Lowers all bodies: their parts, and where the parts of each end. Those that are known need
    /// not be taken apart, if the terms are given; those that are met again are noted.
    fn bodies(
        &mut self,
        bodies: &[&'g Arc<Expr>],
        mut known: Option<(&Terms, &mut Vec<(u32, Fingerprint)>)>,
    ) -> Result<(Vec<Part>, Vec<usize>), CompileError> {
        self.kinds.clear();
        self.items.clear();
        self.tokens.clear();
        self.start = 0;
        self.references = vec![None; bodies.len()];
        let mut rules = Vec::with_capacity(bodies.len());
        let mut ends = Vec::with_capacity(bodies.len());
        for body in bodies {
            let met = match &known {
                Some((terms, _)) => {
                    terms.fingerprint_of_body(body).map(|body| (body, terms.meet_body(body)))
                }
                None => None,
            };
            if let (Some((body, Met::Once)), Some((_, again))) = (&met, &mut known) {
                again.push((rules.len() as u32, *body));
            }
            rules.push(match met {
                Some((_, Met::Known(body))) => self.add(Kind::Known(body)),
                _ => self.expr(body)?,
            });
            ends.push(self.kinds.len());
            self.start = self.kinds.len() as Part;
        }
        Ok((rules, ends))
    }

    fn add(&mut self, kind: Kind<'g>) -> Part {
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

    fn expr(&mut self, expr: &'g Expr) -> Result<Part, CompileError> {
        match &expr.kind {
            // Most have nothing in them.
            ExprKind::Literal(_) | ExprKind::Class(_) | ExprKind::Reference(_) => self.lower(expr),
            // As deep as groups are nested.
            _ => stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.lower(expr)),
        }
    }

    fn all(&mut self, items: &'g [Expr]) -> Result<Vec<Part>, CompileError> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    /// Makes items of those that are open from a place on.
    fn close(&mut self, from: usize) -> Items {
        let start = self.items.len();
        self.items.extend(self.open.drain(from..));
        Items { start, end: self.items.len() }
    }

    fn lower(&mut self, expr: &'g Expr) -> Result<Part, CompileError> {
        let kind = match &expr.kind {
            ExprKind::Literal(text) if text.is_empty() => Kind::Empty,
            ExprKind::Literal(text) => Kind::Text(text.as_bytes()),
            ExprKind::Class(class) => match class.matched() {
                ranges if ranges.is_empty() => Kind::Nothing,
                ranges => Kind::Class(ranges),
            },
            ExprKind::Any => Kind::Class(vec![('\0', char::MAX)]),
            ExprKind::Reference(name) => match self.names.get(&**name) {
                Some(&rule) => return Ok(self.reference(rule)),
                None => {
                    return Err(CompileError::at(
                        CompileErrorKind::UndefinedRule(name.to_string()),
                        expr.span,
                    ));
                }
            },
            ExprKind::Token(token) => {
                self.tokens.push(token.clone());
                Kind::Token((self.tokens.len() - 1) as u32)
            }
            ExprKind::Sequence(items) if items.is_empty() => Kind::Empty,
            ExprKind::Sequence(items) => {
                let from = self.open.len();
                for item in items {
                    let part = self.expr(item)?;
                    self.open.push(part);
                }
                Kind::Sequence(self.close(from))
            }
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
                self.has_lists = true;
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
    fn choice(&mut self, items: &'g [Expr]) -> Result<Part, CompileError> {
        let mut texts: Vec<&[u8]> = Vec::new();
        let mut ranges = Vec::new();
        let from = self.open.len();
        for item in items {
            match &item.kind {
                // A long one is a terminal of its own: a trie has a node for each byte.
                ExprKind::Literal(text)
                    if !text.is_empty() && text.len() <= TERMINAL_SIZE as usize =>
                {
                    texts.push(text.as_bytes());
                }
                ExprKind::Class(class) => ranges.extend(class.matched()),
                _ => {
                    let part = self.expr(item)?;
                    self.open.push(part);
                }
            }
        }
        if !ranges.is_empty() {
            let ranges = CharClass { negated: false, ranges }.matched();
            let part = self.add(Kind::Class(ranges));
            self.open.push(part);
        }
        if let Some(&first) = texts.first() {
            let kind = if texts.len() == 1 { Kind::Text(first) } else { Kind::Texts(texts) };
            let part = self.add(kind);
            self.open.push(part);
        }
        let parts = self.close(from);
        Ok(match self.items[parts.start..] {
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
        let Kind::Choice(parts) = self.kinds[item as usize] else { return (item, min) };
        let parts = &self.items[parts.start..parts.end];
        if !parts.iter().any(|&part| inner(&self.kinds, part).is_some()) {
            return (item, min);
        }
        let mut least = min;
        let from = self.open.len();
        self.open.extend(parts.iter().map(|&part| match inner(&self.kinds, part) {
            Some((inside, inside_min)) => {
                least = least.min(inside_min);
                inside
            }
            None => part,
        }));
        let parts = self.close(from);
        (self.add(Kind::Choice(parts)), least)
    }
}

impl Lowered<'_> {
    /// Some items, in order.
    pub(crate) fn items(&self, items: Items) -> &[Part] {
        &self.items[items.start..items.end]
    }

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

    /// The term of a regular part.
    pub(crate) fn term(&mut self, part: Part, terms: &Terms) -> TermId {
        let mut rule_terms = std::mem::take(&mut self.rule_terms);
        let term = self.term_with(part, terms, &mut rule_terms);
        self.rule_terms = rule_terms;
        term
    }

    /// The term of regular parts, one after the other.
    pub(crate) fn sequence_term(&mut self, items: &[Part], terms: &Terms) -> TermId {
        let parts = items.iter().rev();
        parts.fold(TermId::EMPTY, |rest, &item| terms.concat(self.term(item, terms), rest))
    }

    /// The term of a part, with the terms of rules as far as they are known.
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
            Kind::Known(body) => body.term,
            Kind::Empty => TermId::EMPTY,
            Kind::Text(text) => terms.text(text),
            Kind::Texts(texts) => terms.texts(texts.iter().copied()),
            Kind::Class(ranges) => terms.class(ranges),
            Kind::Rule(rule) => {
                let term = of(self.rules[*rule as usize]);
                rule_terms.insert(*rule, term);
                term
            }
            &Kind::Sequence(items) => {
                let items = self.items(items);
                items.iter().rev().fold(TermId::EMPTY, |rest, &item| terms.concat(of(item), rest))
            }
            &Kind::Choice(items) => {
                let items = self.items(items).iter();
                terms.alt(items.map(|&item| of(item)))
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
}
