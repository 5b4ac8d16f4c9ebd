//! JSON (RFC 8259) that is read while it is written.

use std::fmt::Write as _;
use std::mem;

use serde_json::{Map, Number, Value};
use thiserror::Error;

use crate::pieces::{Incomplete, Piece};

/// Reads a JSON text piece by piece, each byte once.
///
/// Each value is handed out where it ends, members before their object, with its JSON Pointer (RFC
/// 6901). The document so far, with everything closed that is open, can be had at any time:
/// [`JsonStream::closed`]. The language and the values are those of `serde_json::from_str`: a
/// surrogate without its other half is an error, of equal keys the last one counts.
///
/// Reading takes time linear in the text, and memory for the values and one frame a level.
///
/// ```
/// use grammask_agents::JsonStream;
/// use serde_json::json;
///
/// let mut stream = JsonStream::new();
/// let mut ended = Vec::new();
/// stream.push(r#"{"city": "Par"#, |_, _| {})?;
/// assert_eq!(stream.closed(), Some(&json!({"city": "Par"})));
/// stream.push(r#"is", "days": [1, 2"#, |pointer, value| ended.push(format!("{pointer} {value}")))?;
/// assert_eq!(ended, ["/city \"Paris\"", "/days/0 1"]);
/// assert_eq!(stream.closed(), Some(&json!({"city": "Paris", "days": [1, 2]})));
/// # Ok::<(), grammask_agents::JsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct JsonStream {
    /// Containers that are open, the outermost first.
    open: Vec<Open>,
    /// The JSON Pointer of the value that is being read or comes next.
    pointer: String,
    state: State,
    /// The string, key or number that is being read, decoded.
    text: String,
    /// The root, when it has ended or everything is closed.
    root: Option<Value>,
    /// Whether everything is closed for the moment, and what that has covered up.
    closed: Option<Closed>,
    /// Bytes that were read.
    position: u64,
    tail: Incomplete,
    most_depth: usize,
    error: Option<JsonError>,
}

/// A container that is open.
#[derive(Clone, Debug)]
struct Open {
    value: Container,
    /// The length of the pointer to it.
    pointer: usize,
}

#[derive(Clone, Debug)]
enum Container {
    Array(Vec<Value>),
    /// With the key of the member that is being read.
    Object(Map<String, Value>, String),
}

/// What closing everything has covered up.
#[derive(Clone, Debug)]
struct Closed {
    /// From the inside to the outside: the members with the key of one that is not finished.
    hidden: Vec<Option<Value>>,
    /// Whether the innermost container has the value that is being read at its end.
    has_scalar: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value comes next; in an array that has just been opened it may end as well.
    Value {
        or_end: bool,
    },
    /// A key comes next; in an object that has just been opened it may end as well.
    Key {
        or_end: bool,
    },
    Colon,
    /// A value of a container has ended.
    Next,
    /// In a string or a key.
    String {
        is_key: bool,
        escape: Escape,
    },
    Number(Digits),
    /// In `true`, `false` or `null`: how many of its bytes were read.
    Literal {
        literal: &'static str,
        read: usize,
    },
    /// The root has ended.
    End,
}

/// Where in an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    /// After the backslash.
    Begun,
    /// In the digits after `\u`, with the leading surrogate before it.
    Digits {
        lead: Option<u16>,
        read: u8,
        unit: u16,
    },
    /// After a leading surrogate, with whether the backslash of the next one was read.
    Lead {
        lead: u16,
        backslash: bool,
    },
}

/// Where in a number, and what may follow (RFC 8259, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind} at byte {position}")]
pub struct JsonError {
    kind: JsonErrorKind,
    position: u64,
}

/// The kinds of [`JsonError`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// A character that cannot stand there.
    #[error("{found:?} instead of {expected}")]
    Unexpected {
        /// The character.
        found: char,
        /// What may stand there, in words.
        expected: &'static str,
    },
    /// An escape of one half of a surrogate pair without the other.
    #[error("half of a surrogate pair")]
    Surrogate,
    /// A number that no number of `serde_json` holds.
    #[error("a number out of range")]
    Number,
    /// Bytes that are no UTF-8.
    #[error("bytes that are no UTF-8")]
    Utf8,
    /// More levels of arrays and objects than allowed.
    #[error("more than {limit} levels of nesting")]
    Depth {
        /// How many are allowed.
        limit: usize,
    },
    /// The text has ended too soon.
    #[error("the end of the text instead of {expected}")]
    Unfinished {
        /// What may stand there, in words.
        expected: &'static str,
    },
}

impl JsonError {
    /// What is wrong.
    pub fn kind(&self) -> &JsonErrorKind {
        &self.kind
    }

    /// How many bytes of the text come before the mistake.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn unexpected(found: char, expected: &'static str, position: u64) -> Self {
        Self { kind: JsonErrorKind::Unexpected { found, expected }, position }
    }

    /// The same in a text that has so many bytes before.
    pub(crate) fn moved(self, by: u64) -> Self {
        Self { position: self.position + by, ..self }
    }
}

impl Default for JsonStream {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonStream {
    /// How many levels of nesting a new stream allows. `serde_json`'s values are compared, printed
    /// and dropped by recursion, which takes about this many levels on any stack.
    pub const MOST_DEPTH: usize = 512;

    /// A stream before the first byte.
    pub fn new() -> Self {
        Self::with_depth(Self::MOST_DEPTH)
    }

    /// A stream that allows so many levels of nesting. The stream itself does not recurse; who gets
    /// its values may: see [`JsonStream::MOST_DEPTH`].
    ///
    /// ```
    /// use grammask_agents::{JsonErrorKind, JsonStream};
    ///
    /// let error = JsonStream::with_depth(2).push("[[[", |_, _| {}).unwrap_err();
    /// assert_eq!((error.kind(), error.position()), (&JsonErrorKind::Depth { limit: 2 }, 2));
    /// ```
    pub fn with_depth(most_depth: usize) -> Self {
        Self {
            open: Vec::new(),
            pointer: String::new(),
            state: State::Value { or_end: false },
            text: String::new(),
            root: None,
            closed: None,
            position: 0,
            tail: Incomplete::default(),
            most_depth,
            error: None,
        }
    }

    /// Reads more of the text, as `str` or as bytes, of which the last may be the beginning of a
    /// character. `on_value` gets each value that ends in it, with its JSON Pointer. A number at the
    /// root ends with the text: see [`JsonStream::finish`].
    ///
    /// # Errors
    ///
    /// If the text is no JSON, whatever follows; and so ever after. Values that had ended before
    /// were handed out.
    pub fn push(
        &mut self,
        text: impl AsRef<[u8]>,
        mut on_value: impl FnMut(&str, &Value),
    ) -> Result<(), JsonError> {
        let mut rest = text.as_ref();
        while let Some(piece) = self.tail.next(&mut rest) {
            match piece {
                Piece::Text(text) => self.push_text(text, &mut on_value)?,
                Piece::Character(c) => {
                    self.push_text(c.encode_utf8(&mut [0; 4]), &mut on_value)?;
                }
                Piece::Invalid => return Err(self.fail(JsonErrorKind::Utf8)),
            }
        }
        self.error.clone().map_or(Ok(()), Err)
    }

    fn push_text(
        &mut self,
        text: &str,
        on_value: &mut impl FnMut(&str, &Value),
    ) -> Result<(), JsonError> {
        let rest = &text[self.read(text, on_value)?..];
        let more = rest.trim_start_matches(BLANKS);
        self.position += (rest.len() - more.len()) as u64;
        match more.chars().next() {
            Some(found) => Err(self.unexpected(found)),
            None => Ok(()),
        }
    }

    /// The text is over. A number at the root ends here.
    ///
    /// # Errors
    ///
    /// If the document has not ended.
    ///
    /// ```
    /// use grammask_agents::JsonStream;
    ///
    /// let mut stream = JsonStream::new();
    /// stream.push("1.5", |_, _| unreachable!("there may be more digits"))?;
    /// assert_eq!(stream.finish(|_, value| assert_eq!(value, 1.5))?, 1.5);
    /// # Ok::<(), grammask_agents::JsonError>(())
    /// ```
    pub fn finish(mut self, mut on_value: impl FnMut(&str, &Value)) -> Result<Value, JsonError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.reopen();
        if !self.tail.is_empty() {
            return Err(self.fail(JsonErrorKind::Utf8));
        }
        if let State::Number(digits) = self.state
            && self.open.is_empty()
            && digits.may_end()
        {
            self.end_number(&mut on_value)?;
        }
        match self.root.take() {
            Some(root) if self.state == State::End => Ok(root),
            _ => {
                let expected = self.expected();
                Err(self.fail(JsonErrorKind::Unfinished { expected }))
            }
        }
    }

    /// Whether the document has ended; a number at the root may always go on.
    pub fn is_complete(&self) -> bool {
        self.state == State::End
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The document, once it has ended.
    pub(crate) fn take(&mut self) -> Option<Value> {
        if self.is_complete() { self.root.take() } else { None }
    }

    /// The document so far as a valid value: what is open is closed. A string ends before an escape
    /// that is not finished, a number after the longest part that is one; a literal or a key that is
    /// not finished is left out, and so is a key without a value. `None`: there is nothing yet.
    ///
    /// What was read is moved, not copied: the call takes time for each level that is open and for
    /// the digits of a number that is being read, and the next [`JsonStream::push`] for each level;
    /// neither takes time for the length of the document.
    ///
    /// ```
    /// use grammask_agents::JsonStream;
    /// use serde_json::json;
    ///
    /// let mut stream = JsonStream::new();
    /// assert_eq!(stream.closed(), None);
    /// stream.push(r#"[{"a": "caf\u00"#, |_, _| {})?;
    /// assert_eq!(stream.closed(), Some(&json!([{"a": "caf"}])));
    /// stream.push(r#"e9", "b": tru"#, |_, _| {})?;
    /// assert_eq!(stream.closed(), Some(&json!([{"a": "café"}])));
    /// stream.push("e}, -1.5e", |_, _| {})?;
    /// assert_eq!(stream.closed(), Some(&json!([{"a": "café", "b": true}, -1.5])));
    /// # Ok::<(), grammask_agents::JsonError>(())
    /// ```
    pub fn closed(&mut self) -> Option<&Value> {
        if self.closed.is_none() && self.state != State::End {
            let mut inner = self.scalar();
            let mut closed = Closed { hidden: Vec::new(), has_scalar: inner.is_some() };
            for frame in self.open.iter_mut().rev() {
                let mut hidden = None;
                if let Some(value) = inner {
                    match &mut frame.value {
                        Container::Array(items) => items.push(value),
                        Container::Object(members, key) => {
                            hidden = members.insert(key.clone(), value);
                        }
                    }
                }
                closed.hidden.push(hidden);
                inner = Some(match &mut frame.value {
                    Container::Array(items) => Value::Array(mem::take(items)),
                    Container::Object(members, _) => Value::Object(mem::take(members)),
                });
            }
            self.root = inner;
            self.closed = Some(closed);
        }
        self.root.as_ref()
    }

    /// The string or number that is being read, as far as it is one. The text of a string is taken:
    /// [`JsonStream::reopen`] brings it back.
    fn scalar(&mut self) -> Option<Value> {
        match self.state {
            State::String { is_key: false, .. } => Some(Value::String(mem::take(&mut self.text))),
            State::Number(digits) => {
                let text = match digits {
                    Digits::Minus => return None,
                    _ if digits.may_end() => &self.text,
                    // Before the point or the exponent.
                    Digits::Point => self.text.strip_suffix('.')?,
                    _ => &self.text[..self.text.rfind(['e', 'E'])?],
                };
                serde_json::from_str(text).ok().map(Value::Number)
            }
            _ => None,
        }
    }

    /// Takes back what was closed.
    fn reopen(&mut self) {
        let Some(Closed { hidden, has_scalar }) = self.closed.take() else { return };
        let mut inner = self.root.take();
        let innermost = self.open.len().checked_sub(1);
        for ((at, frame), hidden) in self.open.iter_mut().enumerate().zip(hidden.into_iter().rev())
        {
            let has_inner = has_scalar || Some(at) != innermost;
            match (&mut frame.value, inner.take()) {
                (Container::Array(items), Some(Value::Array(whole))) => {
                    *items = whole;
                    inner = if has_inner { items.pop() } else { None };
                }
                (Container::Object(members, key), Some(Value::Object(whole))) => {
                    *members = whole;
                    if has_inner {
                        inner = match hidden {
                            Some(hidden) => members.insert(key.clone(), hidden),
                            // The last one: no other one changes its place.
                            None => members.swap_remove(key.as_str()),
                        };
                    }
                }
                // Each frame was closed as what it is.
                _ => return,
            }
        }
        if let Some(Value::String(text)) = inner {
            self.text = text;
        }
    }

    /// Reads up to the end of the root, and says how many bytes that was. With the root's end
    /// reached, nothing is read. A number at the root ends before what cannot belong to it.
    pub(crate) fn read(
        &mut self,
        text: &str,
        on_value: &mut impl FnMut(&str, &Value),
    ) -> Result<usize, JsonError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.reopen();
        let start = self.position;
        let mut rest = text;
        while self.state != State::End {
            let Some(c) = rest.chars().next() else { break };
            let read = self.step(c, rest, on_value)?;
            self.position += read as u64;
            rest = &rest[read..];
        }
        Ok((self.position - start) as usize)
    }

    /// Reads some of the text, whose first character is `c`; perhaps none of it, where a number
    /// ends.
    fn step(
        &mut self,
        c: char,
        rest: &str,
        on_value: &mut impl FnMut(&str, &Value),
    ) -> Result<usize, JsonError> {
        match self.state {
            State::String { is_key, escape: Escape::None } => {
                let plain = rest.bytes().position(|b| b < b' ' || matches!(b, b'"' | b'\\'));
                let plain = plain.unwrap_or(rest.len());
                self.text.push_str(&rest[..plain]);
                if plain > 0 {
                    return Ok(plain);
                }
                match c {
                    '"' => self.end_string(is_key, on_value),
                    '\\' => self.state = State::String { is_key, escape: Escape::Begun },
                    _ => return Err(self.unexpected(c)),
                }
            }
            State::String { is_key, escape } => {
                let escape = self.escape(escape, c)?;
                self.state = State::String { is_key, escape };
            }
            State::Number(digits) => match digits.after(c) {
                Some(next) => {
                    self.text.push(c);
                    self.state = State::Number(next);
                }
                None if digits.may_end() => {
                    self.end_number(on_value)?;
                    return Ok(0);
                }
                None => return Err(self.unexpected(c)),
            },
            State::Literal { literal, read } => {
                if literal.as_bytes()[read] as char != c {
                    return Err(self.unexpected(c));
                }
                if read + 1 < literal.len() {
                    self.state = State::Literal { literal, read: read + 1 };
                } else {
                    let value = match literal {
                        "true" => Value::Bool(true),
                        "false" => Value::Bool(false),
                        _ => Value::Null,
                    };
                    self.end_value(value, on_value);
                }
            }
            _ if BLANKS.contains(&c) => {
                return Ok(rest.len() - rest.trim_start_matches(BLANKS).len());
            }
            State::Value { or_end } => self.begin_value(c, or_end, on_value)?,
            State::Key { or_end } => match c {
                '"' => self.begin_string(true),
                '}' if or_end => self.close(on_value),
                _ => return Err(self.unexpected(c)),
            },
            State::Colon => match c {
                ':' => self.state = State::Value { or_end: false },
                _ => return Err(self.unexpected(c)),
            },
            State::Next => {
                let is_array =
                    matches!(self.open.last(), Some(Open { value: Container::Array(_), .. }));
                match (c, is_array) {
                    (',', true) => {
                        self.point_at_item();
                        self.state = State::Value { or_end: false };
                    }
                    (',', false) => self.state = State::Key { or_end: false },
                    (']', true) | ('}', false) => self.close(on_value),
                    _ => return Err(self.unexpected(c)),
                }
            }
            State::End => return Ok(0),
        }
        Ok(c.len_utf8())
    }

    fn begin_value(
        &mut self,
        c: char,
        or_end: bool,
        on_value: &mut impl FnMut(&str, &Value),
    ) -> Result<(), JsonError> {
        self.state = match c {
            '"' => {
                self.begin_string(false);
                return Ok(());
            }
            '{' => {
                self.open(Container::Object(Map::new(), String::new()))?;
                State::Key { or_end: true }
            }
            '[' => {
                self.open(Container::Array(Vec::new()))?;
                self.point_at_item();
                State::Value { or_end: true }
            }
            ']' if or_end => {
                self.close(on_value);
                return Ok(());
            }
            't' => State::Literal { literal: "true", read: 1 },
            'f' => State::Literal { literal: "false", read: 1 },
            'n' => State::Literal { literal: "null", read: 1 },
            _ => {
                let digits = match c {
                    '-' => Digits::Minus,
                    '0' => Digits::Zero,
                    '1'..='9' => Digits::Integer,
                    _ => return Err(self.unexpected(c)),
                };
                self.text.clear();
                self.text.push(c);
                State::Number(digits)
            }
        };
        Ok(())
    }

    fn begin_string(&mut self, is_key: bool) {
        self.text.clear();
        self.state = State::String { is_key, escape: Escape::None };
    }

    fn escape(&mut self, escape: Escape, c: char) -> Result<Escape, JsonError> {
        Ok(match escape {
            Escape::None | Escape::Begun => {
                let decoded = match c {
                    '"' | '\\' | '/' => c,
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => return Ok(Escape::Digits { lead: None, read: 0, unit: 0 }),
                    _ => return Err(self.unexpected(c)),
                };
                self.text.push(decoded);
                Escape::None
            }
            Escape::Digits { lead, read, unit } => {
                let Some(digit) = c.to_digit(16) else { return Err(self.unexpected(c)) };
                let unit = unit << 4 | digit as u16;
                if read < 3 {
                    return Ok(Escape::Digits { lead, read: read + 1, unit });
                }
                if lead.is_none() && (0xD800..0xDC00).contains(&unit) {
                    return Ok(Escape::Lead { lead: unit, backslash: false });
                }
                let units = lead.into_iter().chain([unit]);
                for decoded in char::decode_utf16(units) {
                    match decoded {
                        Ok(decoded) => self.text.push(decoded),
                        Err(_) => return Err(self.fail(JsonErrorKind::Surrogate)),
                    }
                }
                Escape::None
            }
            Escape::Lead { lead, backslash: false } if c == '\\' => {
                Escape::Lead { lead, backslash: true }
            }
            Escape::Lead { lead, backslash: true } if c == 'u' => {
                Escape::Digits { lead: Some(lead), read: 0, unit: 0 }
            }
            Escape::Lead { .. } => return Err(self.fail(JsonErrorKind::Surrogate)),
        })
    }

    fn end_string(&mut self, is_key: bool, on_value: &mut impl FnMut(&str, &Value)) {
        let text = mem::take(&mut self.text);
        if !is_key {
            self.end_value(Value::String(text), on_value);
            return;
        }
        if let Some(Open { value: Container::Object(_, key), pointer }) = self.open.last_mut() {
            self.pointer.truncate(*pointer);
            self.pointer.push('/');
            for c in text.chars() {
                match c {
                    '~' => self.pointer.push_str("~0"),
                    '/' => self.pointer.push_str("~1"),
                    c => self.pointer.push(c),
                }
            }
            *key = text;
        }
        self.state = State::Colon;
    }

    fn end_number(&mut self, on_value: &mut impl FnMut(&str, &Value)) -> Result<(), JsonError> {
        let Ok(number) = serde_json::from_str::<Number>(&self.text) else {
            return Err(self.fail(JsonErrorKind::Number));
        };
        self.end_value(Value::Number(number), on_value);
        Ok(())
    }

    fn open(&mut self, value: Container) -> Result<(), JsonError> {
        if self.open.len() >= self.most_depth {
            return Err(self.fail(JsonErrorKind::Depth { limit: self.most_depth }));
        }
        self.open.push(Open { value, pointer: self.pointer.len() });
        Ok(())
    }

    /// Points at the next item of the innermost array.
    fn point_at_item(&mut self) {
        if let Some(Open { value: Container::Array(items), pointer }) = self.open.last() {
            self.pointer.truncate(*pointer);
            // Writing to a string never fails.
            let _ = write!(self.pointer, "/{}", items.len());
        }
    }

    /// The innermost container ends.
    fn close(&mut self, on_value: &mut impl FnMut(&str, &Value)) {
        let Some(Open { value, pointer }) = self.open.pop() else { return };
        self.pointer.truncate(pointer);
        let value = match value {
            Container::Array(items) => Value::Array(items),
            Container::Object(members, _) => Value::Object(members),
        };
        self.end_value(value, on_value);
    }

    fn end_value(&mut self, value: Value, on_value: &mut impl FnMut(&str, &Value)) {
        on_value(&self.pointer, &value);
        self.state = State::Next;
        match self.open.last_mut().map(|open| &mut open.value) {
            None => {
                self.root = Some(value);
                self.state = State::End;
            }
            Some(Container::Array(items)) => items.push(value),
            Some(Container::Object(members, key)) => {
                members.insert(mem::take(key), value);
            }
        }
    }

    fn unexpected(&mut self, found: char) -> JsonError {
        let expected = self.expected();
        self.fail(JsonErrorKind::Unexpected { found, expected })
    }

    fn fail(&mut self, kind: JsonErrorKind) -> JsonError {
        self.error.get_or_insert(JsonError { kind, position: self.position }).clone()
    }

    /// What may come next, in words.
    fn expected(&self) -> &'static str {
        match self.state {
            State::Value { or_end: false } => "a value",
            State::Value { or_end: true } => "a value or `]`",
            State::Key { or_end: false } => "a key",
            State::Key { or_end: true } => "a key or `}`",
            State::Colon => "`:`",
            State::Next => match self.open.last() {
                Some(Open { value: Container::Array(_), .. }) => "`,` or `]`",
                _ => "`,` or `}`",
            },
            State::String { escape: Escape::None, .. } => "a character of a string",
            State::String { escape: Escape::Digits { .. }, .. } => "a hexadecimal digit",
            State::String { .. } => "an escape",
            State::Number(_) => "a digit",
            State::Literal { literal, .. } => literal,
            State::End => "the end of the text",
        }
    }
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

impl Digits {
    /// Where a character leads; `None`: it does not belong to the number.
    fn after(self, c: char) -> Option<Self> {
        Some(match (self, c) {
            (Self::Minus, '0') => Self::Zero,
            (Self::Minus, '1'..='9') | (Self::Integer, '0'..='9') => Self::Integer,
            (Self::Zero | Self::Integer, '.') => Self::Point,
            (Self::Point | Self::Fraction, '0'..='9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, 'e' | 'E') => Self::E,
            (Self::E, '+' | '-') => Self::Sign,
            (Self::E | Self::Sign | Self::Exponent, '0'..='9') => Self::Exponent,
            _ => return None,
        })
    }

    fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::Exponent)
    }
}
