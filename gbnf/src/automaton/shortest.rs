//! What it takes to complete a text, in the tokens of a vocabulary.
//!
//! Each rule is counted once, as Knuth generalised Dijkstra's algorithm to grammars ("A generalization
//! of Dijkstra's algorithm", 1977); what lies on a stack is added up. A terminal counts what the least of
//! its shortest texts takes. So the count is that of a text that can be written, terminal by terminal,
//! and its first token always leads to where at least one token less is needed.

mod positions;
mod shapes;
mod spelled;

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::automaton::label::{self, Label};
use crate::automaton::program::{Position, Program};
use crate::automaton::terms::{TermId, Terms};
use crate::grammar::TokenReference;
use shapes::ShapeNeeds;
pub(crate) use shapes::{KeyRest, Present, plus, times};
use spelled::{ByLength, least_text};

/// So many tokens are needed: more than that, or nothing that can be written.
pub(crate) const NEVER: u32 = u32::MAX;

/// How the tokens of a vocabulary spell texts.
pub trait Spelling: Send + Sync {
    /// Whether each byte is a token by itself.
    fn has_all_bytes(&self) -> bool;

    /// For each place in `text` up to its end, the least number of tokens that spell the rest; nothing
    /// if none do.
    fn count(&self, text: &[u8]) -> Vec<Option<u32>>;

    /// The least number of tokens that spell a text of a terminal, where not each byte is a token:
    /// `step` says how the terminal goes on with a byte, if it does, and whether it may end there.
    /// Nothing if there is none, or none that is soon found.
    fn least(&self, start: Label, step: &dyn Fn(Label, u8) -> (Option<Label>, bool))
    -> Option<u32>;

    /// Whether a token is meant by the reference.
    fn has_token(&self, reference: &TokenReference) -> bool;
}

/// Bytes in place of tokens: what no vocabulary needs less than, but for the length of its tokens.
struct Bytes;

impl Spelling for Bytes {
    fn has_all_bytes(&self) -> bool {
        true
    }

    fn count(&self, text: &[u8]) -> Vec<Option<u32>> {
        (0..=text.len()).rev().map(|left| Some(left as u32)).collect()
    }

    fn least(&self, _: Label, _: &dyn Fn(Label, u8) -> (Option<Label>, bool)) -> Option<u32> {
        None
    }

    fn has_token(&self, _: &TokenReference) -> bool {
        true
    }
}

/// How many tokens an automaton needs from each of its positions on. Asked with
/// [`crate::Session::needed`].
pub struct Needs {
    program: Arc<Program>,
    terms: Arc<Terms>,
    spelling: Box<dyn Spelling>,
    /// Whether items of lists count although others may be equal to them: what is counted is a lower
    /// bound then.
    ignores_items: bool,
    positions: Vec<u32>,
    shapes: Vec<ShapeNeeds>,
    labels: Mutex<FxHashMap<Label, u32>>,
    /// The first texts of what is left of keys.
    ends: Mutex<FxHashMap<TermId, Option<Arc<[u8]>>>>,
    /// Those behind the first.
    others: Mutex<OtherTexts>,
    /// The same in bytes, if there are lists: they guide the search for items that differ.
    bytes: Option<Box<Needs>>,
}

/// So many labels are known at a time, and so many texts.
const MOST_LABELS: usize = 1 << 18;

/// The texts of terms that have been asked for, and how many of them are kept, whole ones and others.
#[derive(Debug, Default)]
struct OtherTexts {
    of: FxHashMap<TermId, ByLength>,
    len: usize,
}

impl Needs {
    pub(crate) fn new(
        program: &Arc<Program>,
        terms: &Arc<Terms>,
        spelling: Box<dyn Spelling>,
    ) -> Self {
        let mut needs = Self::of(program, terms, spelling, false);
        if !program.lists.is_empty() {
            needs.bytes = Some(Box::new(Self::in_bytes(program, terms)));
        }
        needs
    }

    /// The same in bytes, at least.
    pub(crate) fn in_bytes(program: &Arc<Program>, terms: &Arc<Terms>) -> Self {
        Self::of(program, terms, Box::new(Bytes), true)
    }

    fn of(
        program: &Arc<Program>,
        terms: &Arc<Terms>,
        spelling: Box<dyn Spelling>,
        ignores_items: bool,
    ) -> Self {
        let mut needs = Self {
            program: Arc::clone(program),
            terms: Arc::clone(terms),
            spelling,
            ignores_items,
            positions: vec![NEVER; program.ops.len()],
            shapes: Vec::new(),
            labels: Mutex::default(),
            ends: Mutex::default(),
            others: Mutex::default(),
            bytes: None,
        };
        needs.settle();
        needs
    }

    /// What is needed before the first byte.
    pub(crate) fn start(&self) -> Option<u32> {
        if self.program.accepts_empty {
            return Some(0);
        }
        Some(self.position(self.program.start)).filter(|&needed| needed != NEVER)
    }

    pub(crate) fn bytes(&self) -> Option<&Self> {
        self.bytes.as_deref()
    }

    pub(crate) fn ignores_items(&self) -> bool {
        self.ignores_items
    }

    /// What is needed from a position on to the end of its rule.
    pub(crate) fn position(&self, position: Position) -> u32 {
        self.positions.get(position.index()).copied().unwrap_or(0)
    }

    /// Whether a terminal counts what the least of its shortest texts takes, as each byte is a token;
    /// otherwise it counts what takes the fewest tokens of all its texts.
    pub fn counts_shortest(&self) -> bool {
        self.spelling.has_all_bytes()
    }

    /// How many tokens spell the rest of a term, if any do; none where it may end.
    pub fn term(&self, term: TermId) -> Option<u32> {
        let needed = if self.terms.nullable(term) { 0 } else { self.label(Label::Term(term)) };
        (needed != NEVER).then_some(needed)
    }

    /// What is needed of a terminal: at least a byte.
    pub(crate) fn label(&self, label: Label) -> u32 {
        if let Label::Token(token) = label {
            let has_token = self.spelling.has_token(&self.program.tokens[token as usize]);
            return if has_token { 1 } else { NEVER };
        }
        let mut known = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = known.get(&label) {
            return known;
        }
        if known.len() >= MOST_LABELS {
            known.clear();
        }
        let texts = &self.program.texts;
        if !self.spelling.has_all_bytes() {
            let step = |label, byte| {
                let after = label::step(label, byte, &self.terms, texts);
                (after.label, after.ends)
            };
            let least = self.spelling.least(label, &step).unwrap_or(NEVER);
            known.insert(label, least);
            return least;
        }
        let Some((path, text)) = least_text(label, &self.terms, texts) else {
            known.insert(label, NEVER);
            return NEVER;
        };
        // What is left of the text is the least of what is left of the terminal.
        let counts = self.count(&text);
        known.extend(path.into_iter().zip(counts.iter().copied()));
        counts[0]
    }

    /// The least of the shortest texts of a term, if it is soon found.
    fn first_text(&self, term: TermId) -> Option<Arc<[u8]>> {
        let mut known = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_LABELS {
            known.clear();
        }
        let find = || {
            let (_, text) = least_text(Label::Term(term), &self.terms, &self.program.texts)?;
            Some(text.into())
        };
        known.entry(term).or_insert_with(find).clone()
    }

    /// The texts of a term, by length and then by bytes, as far as they are soon found.
    fn texts(&self, term: TermId) -> impl Iterator<Item = Arc<[u8]>> + '_ {
        let first = self.first_text(term);
        let others = first.is_some().then(|| (1..).map_while(move |at| self.text(term, at)));
        first.into_iter().chain(others.into_iter().flatten())
    }

    /// The text of a term that has so many before it.
    fn text(&self, term: TermId, at: usize) -> Option<Arc<[u8]>> {
        let mut known = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        // Not while a term is asked for its texts, one after the other.
        if known.len >= MOST_LABELS && !known.of.contains_key(&term) {
            *known = OtherTexts::default();
        }
        let OtherTexts { of, len } = &mut *known;
        let before = of.get(&term).map_or(0, ByLength::len);
        let least = |term| self.first_text(term).map(|text| text.len() as u32);
        let new = || ByLength::new(term, &self.terms, &least);
        let texts = of.entry(term).or_insert_with(new);
        let text = texts.get(at, &self.terms, &least);
        *len = (*len + texts.len()).saturating_sub(before);
        text
    }

    /// See [`Spelling::count`].
    pub(crate) fn count(&self, text: &[u8]) -> Vec<u32> {
        self.spelling.count(text).into_iter().map(|count| count.unwrap_or(NEVER)).collect()
    }
}

impl std::fmt::Debug for Needs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Needs").field("positions", &self.positions.len()).finish_non_exhaustive()
    }
}
