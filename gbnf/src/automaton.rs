//! A compiled grammar.

mod alike;
mod bodies;
mod canonical;
mod compile;
mod count;
mod counting;
mod few;
mod fingerprint;
mod growth;
mod interner;
mod items;
mod keys;
mod label;
mod left_corner;
mod linear;
mod lists;
mod lower;
mod members;
mod overlaps;
mod possible;
mod powers;
mod program;
mod scarce;
mod session;
mod shortest;
mod stack;
mod stars;
mod terms;
mod texts;
mod tracks;
mod work;

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::grammar::{Grammar, TokenReference};
use crate::span::Span;
use program::{Op, Position, Program};

pub use interner::Interner;
pub use label::Label;
pub use members::{ContextId, KeyEnd, KeyStateId, KeyTerms, KnownKeys, WrittenKeys};
pub use session::{Blurred, Entry, FrameId, Session, State, Surroundings, ValueId};
pub use shortest::{Needs, Spelling};
pub use stack::NodeId;
pub use terms::{
    ByteSet, Fingerprint, FrozenTerms, Length, Longest, Missing, Pattern, Reading, Rounds, TermId,
    Terms,
};
pub use texts::TextId;
pub use tracks::TrackId;

/// A compiled grammar: immutable, cheap to clone, usable from many threads. All that changes sits
/// in the [`crate::Matcher`]s that are started on it.
///
/// ```
/// use grammask_gbnf::{Automaton, Expr, Grammar, Matcher};
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::literal("yes").repeat(1, Some(3)));
/// let automaton = Automaton::compile(&grammar, "root")?;
/// let mut matcher = Matcher::new(&automaton);
/// matcher.advance(b"yesyes")?;
/// assert!(matcher.is_complete());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Automaton {
    program: Arc<Program>,
    terms: Arc<Terms>,
}

impl Automaton {
    /// Compiles the rule `root` of a grammar.
    ///
    /// # Errors
    ///
    /// A reference to a rule that does not exist, a reversed count, members with keys that are no
    /// literals, or a limit; see [`CompileErrorKind`].
    pub fn compile(grammar: &Grammar, root: &str) -> Result<Self, CompileError> {
        Self::compile_among(grammar, root, &Arc::default())
    }

    /// The same among the terms of other automata: what is known of those need not be found out
    /// again. The store lives as long as one of its automata, with all terms.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use grammask_gbnf::{Automaton, Expr, Grammar};
    /// let mut grammar = Grammar::default();
    /// grammar.add("root", Expr::literal("yes"));
    /// let terms = Arc::default();
    /// Automaton::compile_among(&grammar, "root", &terms)?;
    /// let before = terms.len();
    /// Automaton::compile_among(&grammar, "root", &terms)?;
    /// assert_eq!(terms.len(), before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Automaton::compile`].
    pub fn compile_among(
        grammar: &Grammar,
        root: &str,
        terms: &Arc<Terms>,
    ) -> Result<Self, CompileError> {
        let program = Arc::new(compile::compile(grammar, root, terms)?);
        Ok(Self { program, terms: Arc::clone(terms) })
    }

    /// Whether the language is empty: no text at all matches.
    pub fn is_empty(&self) -> bool {
        !self.program.accepts_empty
            && matches!(self.program.op(self.program.start),
                Op::Fork(to) if to.iter().all(|&to| to == Position::FAIL))
    }

    /// All token references of the grammar.
    pub fn tokens(&self) -> &[TokenReference] {
        &self.program.tokens
    }

    /// The terminals that are terms or counted loops, mostly in the order of the grammar; some several times.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, parse};
    ///
    /// let grammar = parse("root ::= \"(\" root \")\" | [0-9]+")?;
    /// assert_eq!(Automaton::compile(&grammar, "root")?.terminals().count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn terminals(&self) -> impl Iterator<Item = Label> + '_ {
        self.program.ops.iter().filter_map(|op| match op {
            Op::Take { label: label @ (Label::Term(_) | Label::Counted { .. }), .. } => {
                Some(*label)
            }
            _ => None,
        })
    }

    /// Whether there are rules that are called, whose rests are read the same way wherever that is: see
    /// [`Session::has_independent_frames`].
    pub fn has_independent_frames(&self) -> bool {
        self.program.has_independent_frames()
    }

    /// Number of positions of the pushdown automaton.
    pub fn size(&self) -> usize {
        self.program.ops.len()
    }

    /// Its terms.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// What is needed to complete a text in the tokens of a vocabulary: see [`Session::needed`].
    pub fn needs(&self, spelling: Box<dyn Spelling>) -> Needs {
        Needs::new(&self.program, &self.terms, spelling)
    }

    /// No text of the language has fewer bytes; a token that the grammar refers to counts as one.
    /// Nothing if there is no text.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, parse};
    /// let automaton = Automaton::compile(&parse("root ::= \"(\" root \")\" | \"one\"")?, "root")?;
    /// assert_eq!(automaton.shortest(), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shortest(&self) -> Option<u32> {
        Needs::in_bytes(&self.program, &self.terms).start()
    }

    /// Tables for a new use.
    pub fn session(&self) -> Session {
        Session::new(Arc::clone(&self.program), Arc::clone(&self.terms))
    }
}

/// Why a grammar could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    kind: CompileErrorKind,
    span: Option<Span>,
}

/// The kinds of [`CompileError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileErrorKind {
    /// A rule refers to this name, which no rule has.
    UndefinedRule(String),
    /// No rule has the name of the start rule.
    UndefinedRoot(String),
    /// A repetition whose maximum is below its minimum.
    ReversedCount,
    /// The key of a member is not what it must be.
    MemberKey(&'static str),
    /// Members are counted in a way that only a search for a matching could keep exact.
    MemberCount(&'static str),
    /// An item of a list of unique items is not what it must be.
    Item(&'static str),
    /// An item of a list of unique items begins with that list.
    ItemRecursion,
    /// A list of unique items asks for many of items that are finitely many, but too many to see
    /// which of them it must leave to which place.
    ItemsTooLarge {
        /// The greatest number of texts that are told apart.
        limit: usize,
    },
    /// A part of a conjunction is not regular.
    Irregular,
    /// It takes too long to find out whether there is a text that a conjunction matches.
    ConjunctionTooLarge,
    /// The automaton would have more positions than the limit.
    TooLarge {
        /// The greatest number of positions.
        limit: usize,
    },
    /// Left recursion among too many rules.
    LeftRecursionTooLarge {
        /// The greatest number of pairs of rules.
        limit: usize,
    },
    /// Left recursion that the rewriting did not remove: a defect of this library.
    LeftRecursionLeft,
}

impl CompileError {
    pub(crate) fn new(kind: CompileErrorKind) -> Self {
        Self { kind, span: None }
    }

    pub(crate) fn at(kind: CompileErrorKind, span: Span) -> Self {
        Self { kind, span: Some(span) }
    }

    /// What is wrong.
    pub fn kind(&self) -> &CompileErrorKind {
        &self.kind
    }

    /// Where in the grammar's text, if the grammar was parsed and the place is known.
    pub fn span(&self) -> Option<Span> {
        self.span
    }

    /// The same as a mistake in the grammar's text.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = match self.kind {
            CompileErrorKind::UndefinedRule(_) => Code::UndefinedRule,
            CompileErrorKind::UndefinedRoot(_) => Code::MissingStart,
            CompileErrorKind::ReversedCount => Code::ReversedCount,
            CompileErrorKind::MemberKey(_) | CompileErrorKind::MemberCount(_) => Code::BadMembers,
            CompileErrorKind::Item(_) | CompileErrorKind::ItemRecursion => Code::BadItem,
            CompileErrorKind::Irregular => Code::BadConjunction,
            _ => Code::Limit,
        };
        Diagnostic::new(code, self.span.unwrap_or_default(), self.to_string())
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            CompileErrorKind::UndefinedRule(name) => write!(f, "undefined rule '{name}'"),
            CompileErrorKind::UndefinedRoot(name) => {
                write!(f, "the grammar has no rule '{name}' to start with")
            }
            CompileErrorKind::ReversedCount => {
                f.write_str("the maximum of a repetition is below its minimum")
            }
            CompileErrorKind::MemberKey(reason) => write!(f, "a key of '@members' {reason}"),
            CompileErrorKind::MemberCount(reason) => write!(f, "a count of '@members' {reason}"),
            CompileErrorKind::Item(reason) => write!(f, "an item of '@unique' {reason}"),
            CompileErrorKind::ItemRecursion => {
                f.write_str("an item of '@unique' begins with the list itself")
            }
            CompileErrorKind::ItemsTooLarge { limit } => write!(
                f,
                "the items of '@unique' have finitely many texts, but more than {limit}, the limit \
                 where others may need them"
            ),
            CompileErrorKind::Irregular => f.write_str(
                "a part of '@all' is not regular: it uses a token reference, '@members', '@unique' \
                 or a rule that recurses elsewhere than at its end",
            ),
            CompileErrorKind::ConjunctionTooLarge => f.write_str(
                "it takes too long to find a text that all parts of '@all' match: give it fewer or \
                 simpler parts",
            ),
            CompileErrorKind::TooLarge { limit } => {
                write!(f, "the grammar needs more than {limit} automaton positions, the limit")
            }
            CompileErrorKind::LeftRecursionTooLarge { limit } => write!(
                f,
                "the left-recursive rules depend on each other in more than {limit} ways, the limit"
            ),
            CompileErrorKind::LeftRecursionLeft => {
                f.write_str("left recursion was not removed; this is a defect, please report it")
            }
        }
    }
}

impl std::error::Error for CompileError {}
