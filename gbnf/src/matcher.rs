//! The matcher: how far a text is in the language of a grammar.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::automaton::{Automaton, ByteSet, Session, State};
use crate::grammar::TokenReference;

/// Reads a text bit by bit and knows at each point whether it is in the language, and what may
/// come next. Whatever it has read can always be completed: a byte that leads nowhere is refused.
///
/// A clone costs O(1) and shares the tables; it and the original go their own ways.
///
/// ```
/// use grammask_gbnf::{Automaton, Expr, Grammar, Matcher};
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::choice([Expr::literal("yes"), Expr::literal("no")]));
/// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
/// matcher.advance(b"ye")?;
/// assert!(!matcher.is_complete());
/// assert_eq!(matcher.advance(b"ah").unwrap_err().valid_up_to(), 0);
/// matcher.advance(b"s")?;
/// assert!(matcher.is_complete());
/// matcher.rollback(2);
/// matcher.advance(b"no")?;
/// assert!(matcher.is_complete());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    automaton: Automaton,
    session: Arc<Mutex<Session>>,
    now: Arc<Moment>,
}

/// A state and how it was reached.
#[derive(Debug)]
struct Moment {
    state: State,
    /// Number of steps from the start.
    depth: usize,
    before: Option<Arc<Moment>>,
    /// A moment further back: with it n steps back take O(log n) (Myers, "An applicative
    /// random-access stack", 1983).
    jump: Option<Arc<Moment>>,
}

impl Drop for Moment {
    /// Without recursion: the chain is as long as the text.
    fn drop(&mut self) {
        self.jump = None;
        let mut next = self.before.take();
        while let Some(moment) = next {
            next = Arc::into_inner(moment).and_then(|mut moment| {
                moment.jump = None;
                moment.before.take()
            });
        }
    }
}

impl Moment {
    fn after(before: &Arc<Self>, state: State) -> Arc<Self> {
        let jump = before.jump.as_ref().and_then(|jump| {
            let further = jump.jump.as_ref()?;
            (before.depth - jump.depth == jump.depth - further.depth).then(|| Arc::clone(further))
        });
        Arc::new(Self {
            state,
            depth: before.depth + 1,
            jump: Some(jump.unwrap_or_else(|| Arc::clone(before))),
            before: Some(Arc::clone(before)),
        })
    }
}

/// The greatest size of a session, in interned values: some GB.
const MAX_SESSION: usize = 20_000_000;
/// The most work for [`AT_ONCE`] bytes, see [`Session::limited`]: a second or so.
pub(crate) const MAX_WORK: u64 = 1 << 20;
/// So many bytes share a limit of work: those of nearly every token.
const AT_ONCE: usize = 64;
/// So many bytes are looked ahead at most to see what is forced.
pub const MOST_FORCED: usize = 512;
/// A matcher at the start leaves a session of this size, a few dozen MB, to its clones.
const LARGE_SESSION: usize = 200_000;

impl Matcher {
    /// A matcher before the first byte.
    pub fn new(automaton: &Automaton) -> Self {
        let mut session = automaton.session();
        let state = session.start();
        Self {
            automaton: automaton.clone(),
            session: Arc::new(Mutex::new(session)),
            now: Arc::new(Moment { state, depth: 0, before: None, jump: None }),
        }
    }

    /// What it runs.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The tables that this matcher shares with its clones.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state within the session.
    pub fn state(&self) -> &State {
        &self.now.state
    }

    /// Whether the text read so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.now.state.is_complete()
    }

    /// Whether nothing may follow: the text read so far is complete, and only that.
    pub fn is_finished(&self) -> bool {
        self.now.state.entries().is_empty()
    }

    /// Number of steps since the start; a step is one successful call of an `advance` method.
    pub fn steps(&self) -> usize {
        self.now.depth
    }

    /// Reads bytes, as one step.
    ///
    /// # Errors
    ///
    /// If they do not fit, all of them together; the matcher stays as it was. If the limit of the
    /// session is reached.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<(), AdvanceError> {
        let state = self.read(&mut self.session(), bytes)?;
        self.step_to(state);
        Ok(())
    }

    fn read(&self, session: &mut Session, bytes: &[u8]) -> Result<State, AdvanceError> {
        let mut state = self.now.state.clone();
        let mut read = 0;
        for part in bytes.chunks(AT_ONCE) {
            let mut valid = 0;
            let read_part = |session: &mut Session| {
                for &byte in part {
                    let next = session.step(&state, byte);
                    if session.is_spent() || next.is_dead() {
                        return Err(AdvanceErrorKind::Refused);
                    }
                    if session.size() > MAX_SESSION {
                        return Err(AdvanceErrorKind::SessionTooLarge { limit: MAX_SESSION });
                    }
                    state = next;
                    valid += 1;
                }
                Ok(())
            };
            let too_ambiguous = AdvanceErrorKind::TooAmbiguous { limit: MAX_WORK };
            let result = session.limited(MAX_WORK, read_part).unwrap_or(Err(too_ambiguous));
            result.map_err(|kind| AdvanceError { kind, valid_up_to: read + valid })?;
            read += valid;
        }
        Ok(state)
    }

    /// Reads one token of a vocabulary, as one step: its bytes (`None` for a control token, which
    /// never matches as text), or as the token that it is, where the grammar refers to tokens;
    /// `matches` says whether a reference means this token.
    ///
    /// # Errors
    ///
    /// As [`Matcher::advance`].
    pub fn advance_token(
        &mut self,
        bytes: Option<&[u8]>,
        matches: impl Fn(&TokenReference) -> bool,
    ) -> Result<(), AdvanceError> {
        let state = self.after_token(&mut self.session(), bytes, matches)?;
        self.step_to(state);
        Ok(())
    }

    fn after_token(
        &self,
        session: &mut Session,
        bytes: Option<&[u8]>,
        matches: impl Fn(&TokenReference) -> bool,
    ) -> Result<State, AdvanceError> {
        let step = |session: &mut Session| {
            session.step_token(&self.now.state, bytes.unwrap_or_default(), matches)
        };
        let Some(as_token) = session.limited(MAX_WORK, step) else {
            let kind = AdvanceErrorKind::TooAmbiguous { limit: MAX_WORK };
            return Err(AdvanceError { kind, valid_up_to: 0 });
        };
        let as_text = match bytes {
            Some(bytes) => match self.read(session, bytes) {
                Ok(state) => state,
                Err(error) if as_token.is_dead() => return Err(error),
                Err(_) => State::default(),
            },
            None => State::default(),
        };
        match (as_token.is_dead(), as_text.is_dead()) {
            (true, true) => Err(AdvanceError { kind: AdvanceErrorKind::Refused, valid_up_to: 0 }),
            (true, false) => Ok(as_text),
            (false, true) => Ok(as_token),
            (false, false) => Ok(session.union(&as_token, &as_text)),
        }
    }

    /// Goes on in a state of its session that it has been in, as one step: where a token leads that has been
    /// read from here before.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Matcher, parse};
    /// let start = Matcher::new(&Automaton::compile(&parse(r#"root ::= "ab""#)?, "root")?);
    /// let (mut read, mut other) = (start.clone(), start);
    /// read.advance(b"a")?;
    /// other.step_to(read.state().clone());
    /// other.advance(b"b")?;
    /// assert!(other.is_complete() && other.steps() == 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_to(&mut self, state: State) {
        self.now = Moment::after(&self.now, state);
    }

    /// Whether a token may come next, as [`Matcher::advance_token`] reads it. Nothing is kept of what
    /// was looked at. `most_work` limits the whole of it, see [`Session::limited`].
    ///
    /// # Errors
    ///
    /// If that limit or one of [`Matcher::advance_token`] is reached before it is known.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Matcher, parse};
    /// let grammar = parse(r#"root ::= "a" <[7]>"#)?;
    /// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
    /// assert!(matcher.accepts_token(Some(b"a"), |_| false, 1_000)?);
    /// assert!(!matcher.accepts_token(None, |_| true, 1_000)?);
    /// matcher.advance(b"a")?;
    /// assert!(matcher.accepts_token(None, |_| true, 1_000)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn accepts_token(
        &self,
        bytes: Option<&[u8]>,
        matches: impl Fn(&TokenReference) -> bool,
        most_work: u64,
    ) -> Result<bool, AdvanceError> {
        let read = |session: &mut Session| self.after_token(session, bytes, matches).map(|_| ());
        match self.session().look_ahead(|session| session.limited(most_work, read)) {
            Some(Ok(())) => Ok(true),
            Some(Err(error)) if error.kind() == AdvanceErrorKind::Refused => Ok(false),
            Some(Err(error)) => Err(error),
            None => {
                let kind = AdvanceErrorKind::TooAmbiguous { limit: most_work };
                Err(AdvanceError { kind, valid_up_to: 0 })
            }
        }
    }

    /// Whether these bytes may come next.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        self.session().look_ahead(|session| self.read(session, bytes).is_ok())
    }

    /// The bytes that every text of the language goes on with, up to where it may end or there is a
    /// choice; no more than [`MOST_FORCED`], beyond which there may be more. Where the grammar refers to
    /// a token nothing is forced.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Matcher, parse};
    /// let grammar = parse(r#"root ::= "{\"kind\": " ("\"a\"" | "\"b\"") "}""#)?;
    /// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
    /// assert_eq!(matcher.forced_bytes(), b"{\"kind\": \"");
    /// matcher.advance(b"{\"kind\": \"a")?;
    /// assert_eq!(matcher.forced_bytes(), b"\"}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_bytes(&self) -> Vec<u8> {
        let forced = |session: &mut Session| session.forced(&self.now.state, MOST_FORCED).0;
        let forced = |session: &mut Session| session.limited(MAX_WORK, forced);
        self.session().look_ahead(forced).unwrap_or_default()
    }

    /// Goes back `steps` steps; at most to the start. O(log steps).
    pub fn rollback(&mut self, steps: usize) {
        let depth = self.now.depth.saturating_sub(steps);
        while self.now.depth > depth {
            let back = match (&self.now.jump, &self.now.before) {
                (Some(jump), _) if jump.depth >= depth => Arc::clone(jump),
                (_, Some(before)) => Arc::clone(before),
                (_, None) => break,
            };
            self.now = back;
        }
    }

    /// Goes back to the start. If the tables have become large, new ones are begun, so that a
    /// matcher that is used again and again stays small.
    pub fn reset(&mut self) {
        self.rollback(self.now.depth);
        self.renew();
    }

    /// Begins new tables if this matcher is at its start and those that it shares with its clones
    /// have become large; whether it did.
    pub fn renew(&mut self) -> bool {
        let large = self.now.depth == 0 && self.session().size() > LARGE_SESSION;
        if large {
            *self = Self::new(&self.automaton);
        }
        large
    }

    /// The bytes of which at least one text of the language has one next, but for those that
    /// [`Self::advance`] does not read within its limits.
    pub fn next_bytes(&self) -> ByteSet {
        let mut session = self.session();
        let mut set = ByteSet::default();
        for byte in session.first(&self.now.state).iter() {
            if session.look_ahead(|session| self.read(session, &[byte]).is_ok()) {
                set.insert(byte);
            }
        }
        set
    }
}

/// Why bytes or a token could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceError {
    kind: AdvanceErrorKind,
    valid_up_to: usize,
}

/// The kinds of [`AdvanceError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AdvanceErrorKind {
    /// No text of the language goes on so.
    Refused,
    /// The session holds more values than the limit.
    SessionTooLarge {
        /// The greatest number of values.
        limit: usize,
    },
    /// Some bytes take more work than the limit: there are too many ways to read the text.
    TooAmbiguous {
        /// The most work.
        limit: u64,
    },
}

impl AdvanceError {
    /// What is wrong.
    pub fn kind(&self) -> AdvanceErrorKind {
        self.kind
    }

    /// How many of the bytes would have fitted.
    pub fn valid_up_to(&self) -> usize {
        self.valid_up_to
    }
}

impl fmt::Display for AdvanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            AdvanceErrorKind::Refused => {
                write!(f, "the grammar does not allow byte {} of the text", self.valid_up_to)
            }
            AdvanceErrorKind::SessionTooLarge { limit } => {
                write!(f, "the text needs more than {limit} matcher states, the limit")
            }
            AdvanceErrorKind::TooAmbiguous { limit } => write!(
                f,
                "up to byte {} the text takes more than {limit} steps to read, the limit: there are too \
                 many ways to read it; make the grammar less ambiguous",
                self.valid_up_to
            ),
        }
    }
}

impl std::error::Error for AdvanceError {}
