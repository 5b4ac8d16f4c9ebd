//! The search for triggers in free text, byte by byte, with the exact place where each match begins.
//!
//! llama.cpp keeps the whole text and searches it anew after each token. What it would find is found
//! here in one pass: all ways to match run side by side (Pike's simulation), the preferred ones first,
//! each with the places of its groups. What depends on what follows (`$`, `\b`) waits for the next
//! byte; at the end of each token it is tried as if the text ended there.

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_syntax::hir::{Hir, HirKind};
use smallvec::{SmallVec, smallvec};

use super::error::LazyError;

/// How many bytes the program of a pattern may take: what a byte costs is at most in proportion to it.
const MOST_PROGRAM: usize = 1 << 18;

/// No place yet.
const NOWHERE: u64 = u64::MAX;

/// A pattern that is searched for.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) hir: Hir,
    /// The trigger that it belongs to.
    pub(super) trigger: usize,
    /// Whether the end of a token counts as the end of the text. If not, `\b` waits for what follows.
    pub(super) ends_with_token: bool,
    /// Whether what follows begins behind the match.
    pub(super) is_behind: bool,
}

/// The patterns of a lazy grammar, the preferred ones first.
#[derive(Debug)]
pub(super) struct Search {
    programs: Box<[Program]>,
}

#[derive(Debug)]
struct Program {
    nfa: NFA,
    start: StateID,
    /// For each slot of the program, which one of a thread's it is.
    slots: Box<[Option<usize>]>,
    /// Where what follows may begin, in order: at the first of these groups that is not empty. The
    /// slots of its start and, where it may be empty, of its end. Begins behind the match if there
    /// are none.
    groups: Box<[(usize, Option<usize>)]>,
    /// How many slots a thread has.
    width: usize,
    trigger: usize,
    ends_with_token: bool,
    is_behind: bool,
}

type Slots = SmallVec<[u64; 3]>;

/// One way to match so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    at: StateID,
    slots: Slots,
}

/// How far a search has come.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// For each pattern, the preferred threads first.
    threads: SmallVec<[Vec<Thread>; 2]>,
    /// The byte before.
    before: Option<u8>,
    /// How many bytes have been read.
    at: u64,
}

/// All that matters for what comes: see [`Place::situation`].
pub(super) type Situation = Vec<(StateID, Slots)>;

/// A trigger that has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) trigger: usize,
    /// Where what follows begins.
    pub(super) start: u64,
}

/// What a step needs room for.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    stack: Vec<(StateID, Slots)>,
    /// In which round a state has been seen last, and in which it was listed last.
    seen: Vec<u64>,
    listed: Vec<u64>,
    round: u64,
    next: Vec<Thread>,
    /// How many states have been looked at.
    work: u64,
}

impl Program {
    fn new(pattern: &Pattern) -> Result<Self, LazyError> {
        let config = Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::All)
            .nfa_size_limit(Some(MOST_PROGRAM));
        let too_large = |_| LazyError::TooLarge { limit: MOST_PROGRAM };
        let nfa =
            Compiler::new().configure(config).build_from_hir(&pattern.hir).map_err(too_large)?;
        let mut slots = vec![None; nfa.group_info().slot_len()];
        let (mut groups, mut width) = (Vec::new(), 0);
        let mut slot = |index: usize| {
            slots[index] = Some(width);
            width += 1;
            width - 1
        };
        if !pattern.is_behind {
            // Of the implicit group only the start counts, and only where all others may be empty.
            let mut is_sure = false;
            for group in 1..nfa.group_info().all_group_len() {
                is_sure = is_never_empty(&pattern.hir, group as u32);
                let start = slot(2 * group);
                groups.push((start, (!is_sure).then(|| slot(2 * group + 1))));
                if is_sure {
                    break;
                }
            }
            if !is_sure {
                groups.push((slot(0), None));
            }
        }
        Ok(Self {
            start: nfa.start_anchored(),
            slots: slots.into(),
            groups: groups.into(),
            width,
            trigger: pattern.trigger,
            ends_with_token: pattern.ends_with_token,
            is_behind: pattern.is_behind,
            nfa,
        })
    }

    /// Where what follows a match begins that ends `at` a place.
    fn hit(&self, slots: &[u64], at: u64) -> Hit {
        let is_there = |&&(start, end): &&(usize, Option<usize>)| {
            slots[start] != NOWHERE
                && end.is_none_or(|end| slots[end] != NOWHERE && slots[end] > slots[start])
        };
        let group = self.groups.iter().find(is_there);
        Hit { trigger: self.trigger, start: group.map_or(at, |&(start, _)| slots[start]) }
    }

    /// Follows all threads over a byte, or to the end of the text; `fresh` says whether a match may
    /// begin here. The preferred match that ends here, if there is one: what is less preferred has been
    /// dropped then.
    fn step(
        &self,
        threads: &mut Vec<Thread>,
        fresh: bool,
        (before, byte, at): (Option<u8>, Option<u8>, u64),
        scratch: &mut Scratch,
    ) -> Option<Hit> {
        scratch.begin(self.nfa.states().len());
        let Scratch { stack, seen, listed, round, next, work } = scratch;
        let first = Thread { at: self.start, slots: smallvec![NOWHERE; self.width] };
        let mut found = None;
        'threads: for thread in threads.drain(..).chain(fresh.then_some(first)) {
            stack.push((thread.at, thread.slots));
            while let Some((state, mut slots)) = stack.pop() {
                *work += 1;
                if std::mem::replace(&mut seen[state.as_usize()], *round) == *round {
                    continue;
                }
                let over = |transition: Option<StateID>| transition.filter(|_| byte.is_some());
                let unit = byte.unwrap_or_default();
                let target = match self.nfa.state(state) {
                    State::ByteRange { trans } => {
                        over(trans.matches_byte(unit).then_some(trans.next))
                    }
                    State::Sparse(transitions) => over(transitions.matches_byte(unit)),
                    State::Dense(transitions) => over(transitions.matches_byte(unit)),
                    State::Look { look, next } => {
                        if holds(*look, before, byte) {
                            stack.push((*next, slots));
                        }
                        continue;
                    }
                    State::Union { alternates } => {
                        let alternates = alternates.iter().rev();
                        stack.extend(alternates.map(|&alternate| (alternate, slots.clone())));
                        continue;
                    }
                    State::BinaryUnion { alt1, alt2 } => {
                        stack.push((*alt2, slots.clone()));
                        stack.push((*alt1, slots));
                        continue;
                    }
                    State::Capture { next, slot, .. } => {
                        if let Some(slot) = self.slots[slot.as_usize()] {
                            slots[slot] = at;
                        }
                        stack.push((*next, slots));
                        continue;
                    }
                    State::Fail => continue,
                    State::Match { .. } => {
                        found = Some(self.hit(&slots, at));
                        stack.clear();
                        break 'threads;
                    }
                };
                if let Some(target) = target
                    && std::mem::replace(&mut listed[target.as_usize()], *round) != *round
                {
                    next.push(Thread { at: target, slots });
                }
            }
        }
        std::mem::swap(threads, next);
        next.clear();
        found
    }
}

impl Scratch {
    fn begin(&mut self, states: usize) {
        if self.seen.len() < states {
            self.seen.resize(states, 0);
            self.listed.resize(states, 0);
        }
        self.round += 1;
    }

    /// How many states of programs have been looked at so far.
    pub(super) fn work(&self) -> u64 {
        self.work
    }
}

impl Search {
    pub(super) fn new(patterns: &[Pattern]) -> Result<Self, LazyError> {
        let programs: Result<_, _> = patterns.iter().map(Program::new).collect();
        Ok(Self { programs: programs? })
    }

    /// Before the first byte.
    pub(super) fn start(&self) -> Place {
        let threads = self.programs.iter().map(|_| Vec::new()).collect();
        Place { threads, before: None, at: 0 }
    }

    /// Reads the text of a token, at the end of which triggers count: the first of the patterns that
    /// match somewhere in the text, at its leftmost match. After that nothing more can be read.
    pub(super) fn read(
        &self,
        place: &mut Place,
        bytes: &[u8],
        scratch: &mut Scratch,
    ) -> Option<Hit> {
        let (before, at) = (place.before, place.at);
        place.before = bytes.last().copied().or(before);
        place.at += bytes.len() as u64;
        let mut hits = self.programs.iter().zip(&mut place.threads).map(|(program, threads)| {
            let (mut before, mut at, mut hit) = (before, at, None);
            for &byte in bytes {
                let fresh = hit.is_none();
                let found = program.step(threads, fresh, (before, Some(byte), at), scratch);
                hit = found.or(hit);
                before = Some(byte);
                at += 1;
            }
            if program.ends_with_token && (hit.is_none() || !threads.is_empty()) {
                let mut threads = threads.clone();
                let found = program.step(&mut threads, hit.is_none(), (before, None, at), scratch);
                hit = found.or(hit);
            }
            hit
        });
        hits.find_map(|hit| hit)
    }

    /// What matches if the text ends here, where the end of a token was not enough.
    pub(super) fn end(&self, place: &Place, scratch: &mut Scratch) -> Option<Hit> {
        let mut waiting = self
            .programs
            .iter()
            .zip(&place.threads)
            .filter(|(program, _)| !program.ends_with_token);
        waiting.find_map(|(program, threads)| {
            program.step(&mut threads.clone(), true, (place.before, None, place.at), scratch)
        })
    }

    /// Whether what follows a trigger begins behind it.
    pub(super) fn is_behind(&self, trigger: usize) -> bool {
        self.programs.iter().any(|program| program.trigger == trigger && program.is_behind)
    }

    /// Where the earliest match begins that may still be completed; nothing if there is none, or if
    /// what comes before it does not matter.
    pub(super) fn earliest(&self, place: &Place) -> Option<u64> {
        let starts = self.programs.iter().zip(&place.threads).flat_map(|(program, threads)| {
            threads
                .iter()
                .flat_map(|thread| program.groups.iter().map(|&(start, _)| thread.slots[start]))
        });
        starts.filter(|&start| start != NOWHERE).min()
    }
}

impl Place {
    /// Whether no match has begun.
    pub(super) fn is_idle(&self) -> bool {
        self.threads.iter().all(Vec::is_empty)
    }

    /// Reads bytes after which no match has begun.
    pub(super) fn skip(&mut self, bytes: &[u8]) {
        self.threads.iter_mut().for_each(Vec::clear);
        self.before = bytes.last().copied().or(self.before);
        self.at += bytes.len() as u64;
    }

    /// How many bytes have been read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The threads, with their places as distances from here. Places where this is the same, and the
    /// state of the table of transitions, have the same to come.
    pub(super) fn situation(&self) -> Situation {
        let mut situation = Vec::new();
        for threads in &self.threads {
            for thread in threads {
                let distance = |&slot: &u64| if slot == NOWHERE { slot } else { self.at - slot };
                situation.push((thread.at, thread.slots.iter().map(distance).collect()));
            }
            // What is behind this belongs to the next pattern: no state has this number.
            situation.push((StateID::MAX, Slots::new()));
        }
        situation
    }
}

/// Whether what an assertion asks for is so between two bytes; `None` is the end of the text.
fn holds(look: Look, before: Option<u8>, after: Option<u8>) -> bool {
    let is_word = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
    match look {
        Look::Start => before.is_none(),
        Look::End => after.is_none(),
        Look::WordAscii => is_word(before) != is_word(after),
        Look::WordAsciiNegate => is_word(before) == is_word(after),
        // Nothing else is written.
        _ => false,
    }
}

/// Whether every match has a group, and that is not empty.
fn is_never_empty(hir: &Hir, group: u32) -> bool {
    match hir.kind() {
        HirKind::Capture(capture) if capture.index == group => {
            capture.sub.properties().minimum_len().is_some_and(|len| len > 0)
        }
        HirKind::Capture(capture) => is_never_empty(&capture.sub, group),
        HirKind::Repetition(repetition) => {
            repetition.min > 0 && is_never_empty(&repetition.sub, group)
        }
        HirKind::Concat(parts) => parts.iter().any(|part| is_never_empty(part, group)),
        HirKind::Alternation(parts) => parts.iter().all(|part| is_never_empty(part, group)),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}
