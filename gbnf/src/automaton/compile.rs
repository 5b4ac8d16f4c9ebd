//! Lowered grammar to program.
//!
//! Code is generated backwards: "this part, then `next`". Whatever may be empty gets an edge
//! around it, and what takes text takes at least one byte, so that leaving out empty prefixes
//! needs no copies of rules. Parts that match nothing are left out with all that leads only to
//! them: a state that is reached can always be completed.

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::automaton::alike::alike;
use crate::automaton::bodies::KnownBody;
use crate::automaton::counting::Bounds;
use crate::automaton::label::Label;
use crate::automaton::left_corner;
use crate::automaton::lists::List;
use crate::automaton::lower::{Kind, Lowered, Part, TERMINAL_SIZE, lower};
use crate::automaton::members::{self, Shape, ShapeMember};
use crate::automaton::overlaps::{OverlappingLoop, Overlaps};
use crate::automaton::possible::{Supplies, drop_impossible};
use crate::automaton::powers::{Powers, PowersMemo};
use crate::automaton::program::{Loop, Op, Position, Program};
use crate::automaton::stars::stars;
use crate::automaton::terms::{SearchTooLong, TermId, Terms};
use crate::automaton::{CompileError, CompileErrorKind};
use crate::grammar::{Grammar, Repetition};

/// A number of matches that takes more loops is code as it is written.
const MOST_LOOPS: usize = 16;
/// More positions than this are refused.
pub(crate) const MAX_POSITIONS: usize = 50_000_000;

struct Compiler<'a> {
    lowered: Lowered<'a>,
    terms: &'a Terms,
    ops: Vec<Op>,
    /// The positions of what is in values of members: values that are alike are one.
    known: FxHashMap<Op, Position>,
    /// Whether a value is being compiled. Elsewhere each place has a position of its own: the stacks of
    /// ten thousand rules, each behind a call of the next, would be told apart by their heights only.
    in_value: bool,
    loops: Vec<Loop>,
    shapes: Vec<Shape>,
    lists: Vec<List>,
    /// What there is of the items of lists, by the part that the list is.
    supplies: FxHashMap<Part, Supplies>,
    powers: PowersMemo,
    overlaps: Overlaps<'a>,
    texts: Vec<Box<[u8]>>,
    /// Where each rule's code starts, once it is wanted.
    entries: Vec<Option<Position>>,
    /// Rules whose code is still to be generated.
    wanted: Vec<u32>,
}

/// Compiles the rule `root` of a grammar with all that it uses.
pub(crate) fn compile(
    grammar: &Grammar,
    root: &str,
    terms: &Terms,
) -> Result<Program, CompileError> {
    let (mut lowered, names) = lower(grammar, terms)?;
    let &root = names
        .get(root)
        .ok_or_else(|| CompileError::new(CompileErrorKind::UndefinedRoot(root.to_owned())))?;
    check_conjunctions(&lowered)?;
    let supplies = drop_impossible(&mut lowered, terms)?;
    let rules = lowered.rules.len();
    // Most of what lies in values is there once; much else is terminals.
    let most_known = lowered.kinds.len() / 4;
    let mut compiler = Compiler {
        lowered,
        terms,
        ops: vec![Op::Return, Op::Fork(Box::new([]))],
        known: FxHashMap::with_capacity_and_hasher(most_known, FxBuildHasher),
        in_value: false,
        loops: Vec::new(),
        shapes: Vec::new(),
        lists: Vec::new(),
        supplies,
        powers: PowersMemo::default(),
        overlaps: Overlaps::new(terms),
        texts: Vec::new(),
        entries: vec![None; rules],
        wanted: Vec::new(),
    };
    let body = compiler.lowered.rules[root as usize];
    let accepts_empty = compiler.lowered.nullable[body as usize];
    let start = compiler.entry(root)?;
    while let Some(rule) = compiler.wanted.pop() {
        let code = match compiler.linear(rule) {
            Some(term) => {
                compiler.add(Op::Take { label: Label::Term(term), next: Position::RETURN })?
            }
            None => compiler.part(compiler.lowered.rules[rule as usize], Position::RETURN)?,
        };
        let entry = compiler.entry(rule)?;
        compiler.ops[entry.index()] = Op::Fork(Box::new([code]));
    }
    compiler.keep_bodies();
    let mut program = Program {
        ops: compiler.ops,
        loops: compiler.loops,
        shapes: compiler.shapes,
        lists: compiler.lists,
        tokens: compiler.lowered.tokens,
        texts: compiler.texts,
        start,
        accepts_empty,
        ranks: Vec::new(),
        returns: Vec::new(),
        stars: Vec::new(),
        alike: Vec::new(),
    };
    left_corner::eliminate(&mut program)?;
    program.stars = stars(&program);
    let has_calls = program.ops.iter().any(|op| matches!(op, Op::Call { .. } | Op::Count(_)));
    if has_calls && program.shapes.is_empty() && program.lists.is_empty() {
        program.alike = alike(&program);
    }
    Ok(program)
}

/// Checks that the parts of conjunctions are regular, and that it is known what they match.
fn check_conjunctions(lowered: &Lowered) -> Result<(), CompileError> {
    for kind in &lowered.kinds {
        let Kind::All(found) = kind else { continue };
        let error = match found.term {
            Some(Ok(_)) => continue,
            Some(Err(SearchTooLong)) => CompileErrorKind::ConjunctionTooLarge,
            None => CompileErrorKind::Irregular,
        };
        return Err(CompileError::at(error, found.span));
    }
    Ok(())
}

impl Compiler<'_> {
    fn add(&mut self, op: Op) -> Result<Position, CompileError> {
        if self.ops.len() >= MAX_POSITIONS {
            return Err(CompileError::new(CompileErrorKind::TooLarge { limit: MAX_POSITIONS }));
        }
        self.ops.push(op);
        Ok(Position((self.ops.len() - 1) as u32))
    }

    /// The position of something of which nothing is to be changed any more.
    fn shared(&mut self, op: Op) -> Result<Position, CompileError> {
        if !self.in_value {
            return self.add(op);
        }
        if let Some(&known) = self.known.get(&op) {
            return Ok(known);
        }
        let position = self.add(op.clone())?;
        self.known.insert(op, position);
        Ok(position)
    }

    /// Keeps what bodies are that are met again, as far as they are needed and small terminals.
    fn keep_bodies(&mut self) {
        for (rule, fingerprint) in std::mem::take(&mut self.lowered.met_again) {
            let body = self.lowered.rules[rule as usize];
            let extent = self.lowered.extents[body as usize];
            let is_small = extent.regular && !extent.wide && extent.size <= TERMINAL_SIZE;
            let Some(&term) = self.lowered.rule_terms.get(&rule) else { continue };
            if !is_small || matches!(term, TermId::NOTHING | TermId::EMPTY) {
                continue;
            }
            // With literals it is hardly a number of the same thing, which would take long to find out.
            let parts = self.lowered.parts_of(rule as usize);
            let has_literals = parts.into_iter().any(|part| self.lowered.is_text(part as Part));
            let known = KnownBody {
                term,
                nullable: self.terms.nullable(term),
                size: extent.size,
                has_wide_class: self.lowered.has_wide_class(body, 0),
                is_conjunction: matches!(self.lowered.kinds[body as usize], Kind::All(_)),
                powers: if has_literals {
                    None
                } else {
                    self.powers.of(body, &mut self.lowered, self.terms)
                },
            };
            self.terms.bodies.keep(fingerprint, known);
        }
    }

    fn entry(&mut self, rule: u32) -> Result<Position, CompileError> {
        if let Some(entry) = self.entries[rule as usize] {
            return Ok(entry);
        }
        let entry = self.add(Op::Fork(Box::new([])))?;
        self.entries[rule as usize] = Some(entry);
        self.wanted.push(rule);
        Ok(entry)
    }

    /// The code "`part`, then `next`".
    fn part(&mut self, part: Part, next: Position) -> Result<Position, CompileError> {
        if next == Position::FAIL || !self.lowered.productive[part as usize] {
            return Ok(Position::FAIL);
        }
        // As deep as groups are nested.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.generate(part, next))
    }

    fn fork(&mut self, mut to: Vec<Position>) -> Result<Position, CompileError> {
        to.retain(|&position| position != Position::FAIL);
        to.sort_unstable();
        to.dedup();
        match to[..] {
            [] => Ok(Position::FAIL),
            [position] => Ok(position),
            _ => self.shared(Op::Fork(to.into())),
        }
    }

    /// `code` or, if the part may be empty, `next` at once.
    fn or_skip(
        &mut self,
        part: Part,
        code: Position,
        next: Position,
    ) -> Result<Position, CompileError> {
        if self.lowered.nullable[part as usize] { self.fork(vec![code, next]) } else { Ok(code) }
    }

    fn generate(&mut self, part: Part, next: Position) -> Result<Position, CompileError> {
        if let Some(label) = self.label(part) {
            let code = self.shared(Op::Take { label, next })?;
            return self.or_skip(part, code, next);
        }
        if self.lowered.extents[part as usize].wide
            && let Some(powers) = self.powers.of(part, &mut self.lowered, self.terms)
            && let Some(code) = self.counted(&powers, next)?
        {
            return Ok(code);
        }
        match &self.lowered.kinds[part as usize] {
            Kind::Nothing => Ok(Position::FAIL),
            // A conjunction that matches more is a terminal.
            Kind::Empty | Kind::All(_) => Ok(next),
            Kind::Text(_) | Kind::Texts(_) | Kind::Class(_) | Kind::Known(_) => {
                unreachable!("literals, classes and small terminals are terminals")
            }
            &Kind::Rule(rule) => {
                let to = self.entry(rule)?;
                let code = self.shared(Op::Call { to, next })?;
                self.or_skip(part, code, next)
            }
            &Kind::Token(token) => self.shared(Op::Token { token, next }),
            &Kind::Sequence(items) => {
                let items: SmallVec<[Part; 8]> = self.lowered.items(items).into();
                self.sequence(&items, next)
            }
            &Kind::Choice(items) => {
                let (branches, others) = branches(self.lowered.items(items), &self.lowered);
                let mut codes = Vec::with_capacity(others.len() + 1);
                for item in others {
                    codes.push(self.part(item, next)?);
                }
                match self.trie(&branches) {
                    TermId::NOTHING => {}
                    term => codes.push(self.shared(Op::Take { label: Label::Term(term), next })?),
                }
                self.fork(codes)
            }
            &Kind::Repeat { item, min, max } => self.repeat(item, min, max, next),
            Kind::Members(_) => self.members(part, next),
            Kind::Unique(_) => self.unique(part, next),
        }
    }

    /// The code of some parts, one after the other. Those that are powers of the same are one loop, and
    /// those that overlap one terminal.
    fn sequence(&mut self, items: &[Part], next: Position) -> Result<Position, CompileError> {
        let (mut items, mut next) = (items, next);
        // Of these one is in every run that becomes a loop.
        let is_wide = |&item: &Part| {
            let extent = self.lowered.extents[item as usize];
            extent.regular && extent.wide
        };
        let may_run = items.iter().any(is_wide);
        while let Some((&last, before)) = items.split_last() {
            let run = if may_run { self.run(items) } else { None };
            let code = match run {
                Some((others, powers)) => self.counted(&powers, next)?.map(|code| (others, code)),
                None => None,
            };
            (items, next) = if let Some(found) = code {
                found
            } else if may_run
                && let Some((others, term)) = self.overlaps.at_end(items, &mut self.lowered)
            {
                (others, self.take(term, next)?)
            } else {
                (before, self.part(last, next)?)
            };
        }
        Ok(next)
    }

    /// The code of a term, of which the empty text may be a match.
    fn take(&mut self, term: TermId, next: Position) -> Result<Position, CompileError> {
        let code = self.shared(Op::Take { label: Label::Term(term), next })?;
        if self.terms.nullable(term) { self.fork(vec![code, next]) } else { Ok(code) }
    }

    /// The last of some parts, if they are powers of the same, with those before them.
    fn run<'p>(&mut self, items: &'p [Part]) -> Option<(&'p [Part], Powers)> {
        let [.., before, last] = *items else { return None };
        let extents = &self.lowered.extents;
        let may_be = |part: Part| extents[part as usize].regular && !self.lowered.is_text(part);
        if !may_be(before) || !may_be(last) {
            return None;
        }
        let (_, mut others) = items.split_last()?;
        let mut run = self.powers.of(last, &mut self.lowered, self.terms)?;
        while let Some((&item, before)) = others.split_last()
            && let Some(longer) = self.powers.of(item, &mut self.lowered, self.terms)
            && let Some(longer) = longer.then(&run)
        {
            run = longer;
            others = before;
        }
        let found = &items[others.len()..];
        let is_wide = found.iter().any(|&item| self.lowered.extents[item as usize].wide);
        (found.len() > 1 && is_wide).then_some((others, run))
    }

    /// The code of a number of matches, if that is some terminals.
    fn counted(
        &mut self,
        powers: &Powers,
        next: Position,
    ) -> Result<Option<Position>, CompileError> {
        let intervals = powers.counts.intervals();
        if intervals.len() > MOST_LOOPS {
            return Ok(None);
        }
        let some = intervals.iter().filter(|&&(_, max)| max != Some(0));
        let labels = some.map(|&(min, max)| self.loop_label(powers.base, min, max));
        let Some(labels) = labels.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let mut codes = Vec::with_capacity(labels.len() + 1);
        if intervals.iter().any(|&(min, _)| min == 0) {
            codes.push(next);
        }
        for label in labels {
            codes.push(self.shared(Op::Take { label, next })?);
        }
        self.fork(codes).map(Some)
    }

    /// The terminal that a number of matches is; nothing if it is more than one and one of them can
    /// be the beginning of another.
    fn loop_label(&self, item: TermId, min: u32, max: Option<u32>) -> Option<Label> {
        match (min, max) {
            (0 | 1, None) => Some(Label::Term(self.terms.repeat(item, min, None))),
            (1, Some(1)) => Some(Label::Term(item)),
            _ => self.terms.is_prefix_free(item).then(|| Label::Counted {
                rest: TermId::EMPTY,
                item,
                min,
                max: max.unwrap_or(u32::MAX),
            }),
        }
    }

    fn unique(&mut self, part: Part, next: Position) -> Result<Position, CompileError> {
        let Kind::Unique(list) = &self.lowered.kinds[part as usize] else {
            unreachable!("only called for lists")
        };
        let most = self.lowered.most_items(list);
        if most == 0 {
            return Ok(next);
        }
        let (first, rest, separator, min) =
            (list.first.clone(), list.rest, list.separator, list.min);
        let (item, end) = (self.add(Op::Return)?, self.add(Op::Return)?);
        let mut starts = Vec::with_capacity(first.len());
        for &item in first.iter().take(most as usize) {
            starts.push(self.part(item, Position::RETURN)?);
        }
        let rest = match rest.filter(|_| most as usize > first.len()) {
            Some(rest) => Some(self.part(rest, Position::RETURN)?),
            None => None,
        };
        let separator_code = self.part(separator, Position::RETURN)?;
        let index = self.lists.len() as u32;
        self.ops[item.index()] = Op::Item(index);
        self.ops[end.index()] = Op::ItemEnd(index);
        self.lists.push(List {
            first: starts,
            rest,
            min,
            max: (most < u32::MAX).then_some(most),
            separator: separator_code,
            separator_nullable: self.lowered.nullable[separator as usize],
            item,
            end,
            next,
            supplies: self.supplies.remove(&part).unwrap_or_default(),
        });
        self.or_skip(part, item, next)
    }

    fn repeat(
        &mut self,
        item: Part,
        min: u32,
        max: Option<u32>,
        next: Position,
    ) -> Result<Position, CompileError> {
        let nullable = self.lowered.nullable[item as usize];
        let min = if nullable { 0 } else { min };
        if max == Some(0) || matches!(self.lowered.kinds[item as usize], Kind::Empty) {
            return Ok(next);
        }
        if !self.lowered.productive[item as usize] {
            return Ok(if min == 0 { next } else { Position::FAIL });
        }
        if max == Some(1) {
            let once = self.part(item, next)?;
            return if min == 0 { self.fork(vec![once, next]) } else { Ok(once) };
        }
        if max.is_none() && min <= 1 {
            if self.lowered.extents[item as usize].wide
                && let Some(overlapping) = self.overlaps.of_loop(item, &mut self.lowered)
            {
                return self.overlapping_loop(overlapping, min, next);
            }
            let again = self.add(Op::Fork(Box::new([])))?;
            let body = self.part(item, again)?;
            self.ops[again.index()] = Op::Fork([body, next].into());
            return Ok(if min == 0 { again } else { body });
        }
        let body = self.part(item, Position::RETURN)?;
        let index = self.loops.len() as u32;
        let count = self.add(Op::Count(index))?;
        self.loops.push(Loop { min, max, body, next, count });
        let code = self.shared(Op::Call { to: body, next: count })?;
        if min == 0 { self.fork(vec![code, next]) } else { Ok(code) }
    }

    /// The code of a loop of which some rounds overlap: as many of these as there are, and then another.
    fn overlapping_loop(
        &mut self,
        overlapping: OverlappingLoop,
        min: u32,
        next: Position,
    ) -> Result<Position, CompileError> {
        let OverlappingLoop { rounds, others } = overlapping;
        let again = self.add(Op::Fork(Box::new([])))?;
        let mut codes = Vec::with_capacity(others.len());
        for other in others {
            codes.push(self.part(other, again)?);
        }
        let other = self.fork(codes)?;
        let after = self.fork(vec![other, next])?;
        let rounds = self.shared(Op::Take { label: Label::Term(rounds), next: after })?;
        self.ops[again.index()] = Op::Fork([rounds, other, next].into());
        if min == 0 { Ok(again) } else { self.fork(vec![rounds, other]) }
    }

    fn members(&mut self, part: Part, next: Position) -> Result<Position, CompileError> {
        let mut rule_terms = std::mem::take(&mut self.lowered.rule_terms);
        let Kind::Members(members) = &self.lowered.kinds[part as usize] else {
            unreachable!("only called for members")
        };
        let separator = members.separator;
        let (min, max) = (members.min, members.max);
        let entries: Vec<_> = members
            .members
            .iter()
            .map(|member| {
                let key = self.lowered.key_term(member, self.terms, &mut rule_terms);
                let possible = self.lowered.member_possible(member);
                (key, member.value, member.repetition, possible)
            })
            .collect();
        self.lowered.rule_terms = rule_terms;
        let mut shape_members = Vec::with_capacity(entries.len());
        for (key, value, repetition, possible) in entries {
            let kind = match repetition {
                Repetition::Many { min, max } if possible => {
                    members::Kind::Many(self.key_bounds(key, min, max))
                }
                Repetition::Many { .. } => continue,
                Repetition::Required => members::Kind::Required,
                Repetition::Optional if possible => members::Kind::Optional,
                Repetition::Optional | Repetition::Never => members::Kind::Never,
            };
            let never = kind == members::Kind::Never;
            shape_members.push(ShapeMember {
                kind,
                key,
                value: if never { Position::RETURN } else { self.value(value)? },
                value_nullable: self.lowered.nullable[value as usize],
            });
        }
        // Without a separator there can be one member only.
        let separable = self.lowered.productive[separator as usize];
        let max = if separable { max } else { Some(max.unwrap_or(1).min(1)) };
        let index = self.shapes.len() as u32;
        let key = self.add(Op::Key(index))?;
        let after = self.add(Op::After(index))?;
        let separator_code = self.part(separator, Position::RETURN)?;
        self.shapes.push(Shape {
            min,
            max,
            least: shape_members
                .iter()
                .fold(0, |sum: u32, member| sum.saturating_add(member.kind.min())),
            has_many: shape_members.iter().any(|member| member.kind.is_many()),
            members: shape_members,
            separator: separator_code,
            separator_nullable: self.lowered.nullable[separator as usize],
            key,
            after,
            next,
        });
        self.or_skip(part, key, next)
    }

    fn value(&mut self, value: Part) -> Result<Position, CompileError> {
        let outer = std::mem::replace(&mut self.in_value, true);
        let code = self.part(value, Position::RETURN);
        self.in_value = outer;
        code
    }

    /// How often a key of an entry that may occur repeatedly does; no more often than it has
    /// matches is no bound.
    fn key_bounds(&self, key: TermId, min: u32, max: Option<u32>) -> Bounds {
        let keys = max.and_then(|_| self.terms.count(key));
        let bounded = |&max: &u32| keys.is_none_or(|keys| u64::from(max) < keys);
        Bounds { min, max: max.filter(bounded) }
    }

    /// The term of a rule that is a terminal by itself, unless it matches the empty text only.
    fn linear(&mut self, rule: u32) -> Option<TermId> {
        if !self.lowered.is_linear(rule) {
            return None;
        }
        let term = self.lowered.rule_terms.get(&rule).copied()?;
        (!self.terms.first(term).is_empty()).then_some(term)
    }

    /// The terminal that a part is, if it is one: see [`crate::automaton::lower::Extent`].
    fn label(&mut self, part: Part) -> Option<Label> {
        let extent = self.lowered.extents[part as usize];
        if !extent.regular || !self.lowered.productive[part as usize] {
            return None;
        }
        if let &Kind::Rule(rule) = &self.lowered.kinds[part as usize]
            && let Some(term) = self.linear(rule)
        {
            return Some(Label::Term(term));
        }
        if let Kind::Text(text) = &self.lowered.kinds[part as usize]
            && extent.size > TERMINAL_SIZE
        {
            self.texts.push((*text).into());
            return Some(Label::Text { text: (self.texts.len() - 1) as u32, at: 0 });
        }
        if let Kind::Texts(_) = &self.lowered.kinds[part as usize] {
            return Some(Label::Term(self.term(part)));
        }
        if extent.size <= TERMINAL_SIZE && !extent.wide {
            return match self.term(part) {
                // The empty text alone is no terminal.
                TermId::EMPTY | TermId::NOTHING => None,
                term => Some(Label::Term(term)),
            };
        }
        let &Kind::Repeat { item, min, max } = &self.lowered.kinds[part as usize] else {
            return None;
        };
        let inside = self.lowered.extents[item as usize];
        if inside.size > TERMINAL_SIZE || inside.wide || inside.apart || max == Some(1) {
            return None;
        }
        let item = self.term(item);
        if self.terms.nullable(item) {
            return None;
        }
        self.loop_label(item, min, max)
    }

    /// The terminal of these branches of a choice.
    fn trie(&mut self, branches: &[Branch]) -> TermId {
        let terms = branches.iter().map(|branch| {
            let rest = self.lowered.sequence_term(&branch.rest, self.terms);
            (branch.text.as_slice(), rest)
        });
        let terms = terms.collect();
        self.terms.branches(terms)
    }

    /// The term of a regular part.
    fn term(&mut self, part: Part) -> TermId {
        self.lowered.term(part, self.terms)
    }
}

/// A regular alternative that begins with a text.
struct Branch {
    text: Vec<u8>,
    rest: Vec<Part>,
    size: u32,
}

impl Branch {
    fn new(part: Part, lowered: &Lowered) -> Option<Self> {
        let extent = lowered.extents[part as usize];
        if !extent.regular || extent.wide || extent.size > TERMINAL_SIZE {
            return None;
        }
        let resolved = |mut part: Part| loop {
            match &lowered.kinds[part as usize] {
                Kind::Rule(rule) => part = lowered.rules[*rule as usize],
                kind => break kind,
            }
        };
        let (text, rest) = match resolved(part) {
            Kind::Text(text) => (text, Vec::new()),
            &Kind::Sequence(items) => match lowered.items(items).split_first() {
                Some((&first, rest)) => match resolved(first) {
                    Kind::Text(text) => (text, rest.to_vec()),
                    _ => return None,
                },
                None => return None,
            },
            _ => return None,
        };
        Some(Self { text: text.to_vec(), rest, size: extent.size - text.len() as u32 })
    }
}

/// The alternatives of a wide choice that can be told apart by the texts with which they begin,
/// and the others: as one terminal, what they have in common is read once, and a state is what
/// is left of the few that the text may still be. Where texts begin with each other, a state is
/// several of them; those must not be more than one terminal may be.
fn branches(items: &[Part], lowered: &Lowered) -> (Vec<Branch>, Vec<Part>) {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for &item in items {
        match Branch::new(item, lowered) {
            Some(branch) => found.push((branch, item)),
            None => others.push(item),
        }
    }
    found.sort_by(|(a, _), (b, _)| a.text.cmp(&b.text));
    // The branches with whose texts the current one begins.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut kept: Vec<Branch> = Vec::with_capacity(found.len());
    for (branch, item) in found {
        while let Some(&(before, _)) = open.last()
            && !branch.text.starts_with(&kept[before].text)
        {
            open.pop();
        }
        let size = open.last().map_or(0, |&(_, size)| size).saturating_add(branch.size);
        if size > TERMINAL_SIZE {
            others.push(item);
            continue;
        }
        open.push((kept.len(), size));
        kept.push(branch);
    }
    (kept, others)
}
