//! What may come next, in words.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::automaton::{ByteSet, Entry, Label, Session, State};
use crate::grammar::{CharClass, TokenName, TokenReference};
use crate::matcher::{MAX_WORK, Matcher};

/// One of the things that may come next in a text; see [`Matcher::expected`].
///
/// Displayed as a message names it: `` `true` ``, `a digit`, `[a-f]`, `end of text`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// This text, with no choice up to its end. It may go on after [`Expected::MAX_TEXT`]
    /// characters.
    Text(String),
    /// One character of the class.
    Characters(CharClass),
    /// One of these bytes: what has been read ends in the midst of a character.
    Bytes(ByteSet),
    /// A token of the vocabulary.
    Token(TokenReference),
    /// Nothing: the text may end here.
    End,
}

/// How many single characters are listed one by one; more become a class.
const MAX_SINGLE: usize = 8;
/// How many forced texts are listed; of more only the first characters are, as a class.
const MAX_TEXTS: usize = 12;
/// How many ranges of a class are displayed.
const MAX_RANGES: usize = 12;

impl Expected {
    /// How many characters of a text are kept.
    pub const MAX_TEXT: usize = 40;

    /// Several of them as a list: `` `"`, a digit or end of text ``.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Expected, Matcher, parse};
    ///
    /// let grammar = parse("root ::= \"-\"? [0-9]+ | \"none\"")?;
    /// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
    /// assert_eq!(Expected::list(&matcher.expected()), "`-`, a digit or `none`");
    /// matcher.advance(b"7")?;
    /// assert_eq!(Expected::list(&matcher.expected()), "a digit or end of text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list(items: &[Self]) -> String {
        match items {
            [] => "nothing".to_owned(),
            [only] => only.to_string(),
            [items @ .., last] => {
                let items: Vec<_> = items.iter().map(Self::to_string).collect();
                format!("{} or {last}", items.join(", "))
            }
        }
    }
}

impl Matcher {
    /// What may come next, in words: short, without repetition, and always in the same order.
    /// Empty only if the grammar matches nothing at all.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Expected, Matcher, parse};
    ///
    /// let grammar = parse("root ::= \"yes\" | \"no\" [.!]?")?;
    /// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
    /// matcher.advance(b"n")?;
    /// assert_eq!(matcher.expected(), [Expected::Text("o".to_owned())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn expected(&self) -> Vec<Expected> {
        let mut found = Found::default();
        let mut session = self.session();
        for &entry in self.state().entries() {
            let mut add = |session: &mut Session| found.add(session, self.state(), entry);
            // What takes too much work is left out.
            session.look_ahead(|session| session.limited(MAX_WORK, &mut add));
        }
        found.list(self.is_complete())
    }
}

/// What has been found.
#[derive(Default)]
struct Found {
    texts: Vec<String>,
    characters: Vec<(char, char)>,
    bytes: ByteSet,
    tokens: Vec<TokenReference>,
}

impl Found {
    fn add(&mut self, session: &mut Session, state: &State, entry: Entry) {
        if let Label::Token(token) = entry.label {
            let token = session.token(token).clone();
            if !self.tokens.contains(&token) {
                self.tokens.push(token);
            }
            return;
        }
        let mut decoder = Decoder { session, known: FxHashMap::default() };
        let (groups, bytes) = decoder.characters(&state.only(entry));
        self.bytes.union_with(&bytes);
        for (after, ranges) in groups {
            match ranges[..] {
                [(low, high)] if low == high => {
                    let text = decoder.forced(low, after, entry);
                    if text.len() == low.len_utf8() {
                        self.characters.push((low, low));
                    } else if !self.texts.contains(&text) {
                        self.texts.push(text);
                    }
                }
                _ => self.characters.extend(ranges),
            }
        }
    }

    fn list(mut self, may_end: bool) -> Vec<Expected> {
        let mut list = Vec::new();
        if self.texts.len() > MAX_TEXTS {
            let first = self.texts.drain(..).filter_map(|text| text.chars().next());
            self.characters.extend(first.map(|c| (c, c)));
        }
        if !self.characters.is_empty() {
            let class = CharClass { negated: false, ranges: self.characters };
            let matched = class.matched();
            // A text that begins with one of the characters says nothing more.
            self.texts.retain(|text| text.chars().next().is_none_or(|c| !contains(&matched, c)));
            list_characters(&matched, &mut list);
        }
        self.texts.sort();
        list.extend(self.texts.into_iter().map(Expected::Text));
        if !self.bytes.is_empty() {
            list.push(Expected::Bytes(self.bytes));
        }
        self.tokens.sort_by(|a, b| (a.negated, &a.token).cmp(&(b.negated, &b.token)));
        list.extend(self.tokens.into_iter().map(Expected::Token));
        if may_end {
            list.push(Expected::End);
        }
        list
    }
}

fn contains(ranges: &[(char, char)], c: char) -> bool {
    ranges.iter().any(|&(low, high)| (low..=high).contains(&c))
}

/// Classes of characters and single ones, from sorted ranges.
fn list_characters(matched: &[(char, char)], list: &mut Vec<Expected>) {
    let class = CharClass { negated: false, ranges: matched.to_vec() };
    let others = CharClass { negated: true, ..class.clone() };
    let size = |ranges: &[(char, char)]| -> u32 {
        ranges.iter().map(|&(low, high)| high as u32 - low as u32 + 1).sum()
    };
    let complement = others.matched();
    if size(&complement) < size(matched) {
        list.push(Expected::Characters(CharClass { negated: true, ranges: complement }));
        return;
    }
    let is_single = |&(low, high): &(char, char)| {
        let pair = high as u32 - low as u32 == 1;
        low == high || (pair && low.is_ascii() && !low.is_ascii_alphanumeric())
    };
    let singles: Vec<char> = matched
        .iter()
        .filter(|range| is_single(range))
        .flat_map(|&(low, high)| low..=high)
        .collect();
    if singles.len() > MAX_SINGLE {
        list.push(Expected::Characters(class));
        return;
    }
    list.extend(singles.into_iter().map(|c| Expected::Text(c.to_string())));
    let ranges: Vec<_> = matched.iter().filter(|range| !is_single(range)).copied().collect();
    if !ranges.is_empty() {
        list.push(Expected::Characters(CharClass { negated: false, ranges }));
    }
}

/// Reads whole characters instead of bytes.
struct Decoder<'s> {
    session: &'s mut Session,
    /// What the rest of a character may be, by the number of bytes missing: the values of its
    /// bits, six to a byte.
    known: FxHashMap<(State, usize), Vec<Bits>>,
}

/// The characters that lead to a state.
type Group = (State, Vec<(char, char)>);

/// A range of bits, and the state after them.
type Bits = (u32, u32, State);

impl Decoder<'_> {
    /// The state after a byte. Characters that lead to states that differ in nothing but the text
    /// are one group.
    fn step(&mut self, state: &State, byte: u8) -> State {
        self.session.step(state, byte).without_text()
    }

    /// The characters that may come next, by the state after them, in the order of the first
    /// characters; and the bytes that may come next and begin no character.
    fn characters(&mut self, state: &State) -> (Vec<Group>, ByteSet) {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: FxHashMap<State, usize> = FxHashMap::default();
        let mut inside = ByteSet::default();
        let first = self.session.first(state);
        for byte in first.iter() {
            let after = self.step(state, byte);
            if after.is_dead() {
                continue;
            }
            let (missing, bits) = match byte {
                0..0x80 => (0, u32::from(byte)),
                0xC2..0xE0 => (1, u32::from(byte & 0x1F)),
                0xE0..0xF0 => (2, u32::from(byte & 0x0F)),
                0xF0..0xF5 => (3, u32::from(byte & 0x07)),
                _ => {
                    inside.insert(byte);
                    continue;
                }
            };
            for (low, high, after) in self.rest(&after, missing) {
                let base = bits << (6 * missing);
                let range = (char::from_u32(base | low), char::from_u32(base | high));
                let (Some(low), Some(high)) = range else { continue };
                let place = *places.entry(after.clone()).or_insert(groups.len());
                if place == groups.len() {
                    groups.push((after, Vec::new()));
                }
                match groups[place].1.last_mut() {
                    Some(last) if last.1 as u32 + 1 == low as u32 => last.1 = high,
                    _ => groups[place].1.push((low, high)),
                }
            }
        }
        (groups, inside)
    }

    /// The last `missing` bytes of a character.
    fn rest(&mut self, state: &State, missing: usize) -> Vec<Bits> {
        if missing == 0 {
            return vec![(0, 0, state.clone())];
        }
        let key = (state.clone(), missing);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut all: Vec<Bits> = Vec::new();
        let first = self.session.first(state);
        for byte in first.iter().filter(|byte| (0x80..0xC0).contains(byte)) {
            let after = self.step(state, byte);
            if after.is_dead() {
                continue;
            }
            let base = u32::from(byte & 0x3F) << (6 * (missing - 1));
            for (low, high, after) in self.rest(&after, missing - 1) {
                match all.last_mut() {
                    Some(last) if last.1 + 1 == base | low && last.2 == after => {
                        last.1 = base | high;
                    }
                    _ => all.push((base | low, base | high, after)),
                }
            }
        }
        self.known.insert(key, all.clone());
        all
    }

    /// The text that begins with `first` and goes on as long as there is no choice and the
    /// terminal of `entry` does not end.
    fn forced(&mut self, first: char, mut state: State, entry: Entry) -> String {
        let mut text = String::from(first);
        for _ in 1..Expected::MAX_TEXT {
            let inside = matches!(state.entries(), [one] if one.below == entry.below);
            if state.is_complete() || !inside || self.session.first(&state).len() != 1 {
                break;
            }
            let (mut groups, bytes) = self.characters(&state);
            let Some((after, ranges)) = groups.pop() else { break };
            let [(low, high)] = ranges[..] else { break };
            if low != high || !groups.is_empty() || !bytes.is_empty() {
                break;
            }
            text.push(low);
            state = after;
        }
        text
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => text_in_words(f, text),
            Self::Characters(class) => class_in_words(f, class),
            Self::Bytes(_) => f.write_str("the rest of a character"),
            Self::Token(reference) => {
                let (article, other) = if reference.negated {
                    ("any token but", " and those that end generation")
                } else {
                    ("the token", "")
                };
                match &reference.token {
                    TokenName::Id(id) => write!(f, "{article} {id}{other}"),
                    TokenName::Text(text) => write!(f, "{article} {text}{other}"),
                }
            }
            Self::End => f.write_str("end of text"),
        }
    }
}

fn text_in_words(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    match text {
        " " => f.write_str("a space"),
        "\n" => f.write_str("a line end"),
        "\r" => f.write_str("a carriage return"),
        "\t" => f.write_str("a tab"),
        "`" => f.write_str("a backtick"),
        _ => {
            f.write_str("`")?;
            for c in text.chars() {
                if c.is_control() {
                    write!(f, "{}", c.escape_default())?;
                } else {
                    write!(f, "{c}")?;
                }
            }
            let cut = text.chars().count() >= Expected::MAX_TEXT;
            f.write_str(if cut { "…`" } else { "`" })
        }
    }
}

fn class_in_words(f: &mut fmt::Formatter<'_>, class: &CharClass) -> fmt::Result {
    if class.negated {
        return except_in_words(f, &class.ranges);
    }
    match class.ranges[..] {
        [('0', '9')] => f.write_str("a digit"),
        [('1', '9')] => f.write_str("a digit other than `0`"),
        [('a', 'z')] => f.write_str("a lower-case letter"),
        [('A', 'Z')] => f.write_str("an upper-case letter"),
        [('A', 'Z'), ('a', 'z')] => f.write_str("a letter"),
        [('0', '9'), ('A', 'Z'), ('a', 'z')] => f.write_str("a letter or digit"),
        [('0', '9'), ('a', 'f')] | [('0', '9'), ('A', 'F'), ('a', 'f')] => {
            f.write_str("a hexadecimal digit")
        }
        _ => brief(f, class),
    }
}

fn except_in_words(f: &mut fmt::Formatter<'_>, ranges: &[(char, char)]) -> fmt::Result {
    let control = ranges.first() == Some(&('\0', '\x1F'));
    let others = if control { &ranges[1..] } else { ranges };
    let few = others.iter().all(|(low, high)| low == high) && others.len() <= MAX_SINGLE;
    if !few {
        let class = CharClass { negated: false, ranges: ranges.to_vec() };
        f.write_str("any character except ")?;
        return brief(f, &class);
    }
    if ranges.is_empty() {
        return f.write_str("any character");
    }
    let mut items: Vec<Expected> =
        others.iter().map(|(c, _)| Expected::Text(c.to_string())).collect();
    f.write_str("any character except ")?;
    if !control {
        return f.write_str(&Expected::list(&items));
    }
    if items.is_empty() {
        return f.write_str("control characters");
    }
    let items: Vec<String> = items.drain(..).map(|item| item.to_string()).collect();
    write!(f, "{} or control characters", items.join(", "))
}

/// The class as GBNF, without its last ranges if there are many.
fn brief(f: &mut fmt::Formatter<'_>, class: &CharClass) -> fmt::Result {
    let ranges = class.ranges.iter().take(MAX_RANGES).copied().collect();
    write!(f, "{}", CharClass { ranges, ..*class })?;
    let left = class.ranges.len().saturating_sub(MAX_RANGES);
    if left > 0 { write!(f, " and {left} more ranges of characters") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Automaton, Grammar};

    fn after(grammar: &str, read: &str) -> String {
        after_bytes(grammar, read.as_bytes())
    }

    fn after_bytes(grammar: &str, read: &[u8]) -> String {
        let grammar = Grammar::parse(grammar).expect("the grammar of a test parses");
        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
        let mut matcher = Matcher::new(&automaton);
        matcher.advance(read).expect("the text of a test is allowed");
        Expected::list(&matcher.expected())
    }

    #[test]
    fn words() {
        let json = r#"
root ::= value
value ::= "true" | "false" | "null" | "[" (value ("," value)*)? "]" | number | string
number ::= "-"? [0-9]+
string ::= "\"" ([^"\\\x00-\x1F] | "\\" ["\\nt])* "\""
"#;
        for (read, expected) in [
            ("", "`\"`, `-`, `[`, a digit, `false`, `null` or `true`"),
            ("tr", "`ue`"),
            ("[1", "`,`, `]` or a digit"),
            ("\"", "any character except control characters"),
            ("\"\\", "`\"`, `\\`, `n` or `t`"),
            ("null", "end of text"),
        ] {
            assert_eq!(after(json, read), expected, "after {read:?}");
        }
        for (grammar, expected) in [
            (
                "root ::= [^\"\\\\\\x00-\\x1F]",
                "any character except `\"`, `\\` or control characters",
            ),
            ("root ::= .", "any character"),
            ("root ::= [а-яё]+", "`ё` or [а-я]"),
            ("root ::= [0-9a-f]", "a hexadecimal digit"),
            ("root ::= [ \\t\\n`]", "a tab, a line end, a space or a backtick"),
            (
                "root ::= <think> | !<[7]> | \"a\"?",
                "`a`, the token <think>, any token but 7 and those that end generation or end of text",
            ),
            ("root ::= \"日本\" | \"日曜\"", "`日`"),
            ("root ::= [😀-😂] \"x\"", "[😀-😂]"),
            ("root ::= @members(\",\")(\"name=\" => \"1\"; \"note=\" => \"2\")", "`n`"),
        ] {
            assert_eq!(after(grammar, ""), expected, "{grammar}");
        }
    }

    #[test]
    fn in_the_midst_of_a_character() {
        let found = after_bytes("root ::= [à-ü]", b"\xC3");
        assert_eq!(found, "the rest of a character");
    }

    #[test]
    fn long_texts_and_long_lists_are_cut() {
        let long = "x".repeat(100);
        let expected = format!("`{}…`", "x".repeat(Expected::MAX_TEXT));
        assert_eq!(after(&format!("root ::= \"{long}\""), ""), expected);
        let words: Vec<String> = ('a'..='z').map(|c| format!("\"{c}{c}{c}\"")).collect();
        let found = after(&format!("root ::= {}", words.join(" | ")), "");
        assert_eq!(found, "a lower-case letter");
        let scattered: String = (0..40_u32).filter_map(|i| char::from_u32(0x400 + 2 * i)).collect();
        let found = after(&format!("root ::= [{scattered}]"), "");
        assert!(found.ends_with("and 28 more ranges of characters"), "{found}");
    }
}
