//! Forced text: what comes next whatever the model says, which need not be asked for it.

use grammask_gbnf::{MOST_FORCED, Session, State};

use crate::characters::begins_character;
use crate::constraint::Constraint;
use crate::strict::Strict;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

impl Constraint {
    /// The bytes that every text goes on with, up to where it may end or there is a choice. Where
    /// the grammar refers to a token nothing is forced, in free text and after the end neither.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let grammar = parse(r#"root ::= "ab" ("a" | "b")"#)?;
    /// assert_eq!(Constraint::new(&engine, &grammar, "root")?.forced_bytes(), b"ab");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_bytes(&self) -> Vec<u8> {
        match self.matcher() {
            Some(matcher) if !self.is_ended() => matcher.forced_bytes(),
            _ => Vec::new(),
        }
    }

    /// The tokens of the [forced text](Self::forced_bytes) without those that would be others as
    /// soon as more follows: where each text of the language goes on with these tokens, a model
    /// need not be asked (jump-forward decoding).
    ///
    /// `before` are the last tokens that have been accepted, as many as are at hand; where a word
    /// begins among them, tokens are those of the whole word. `encode` is the tokenizer of the model,
    /// for text in which no control token counts; for a built-in vocabulary
    /// [`Vocabulary::encode`](crate::Vocabulary::encode). It has to be one that merges pairs of
    /// neighbouring tokens within words (BPE), or takes the longest token that fits, and may look one
    /// character ahead to see where a word ends.
    ///
    /// # Errors
    ///
    /// What `encode` says.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
    /// let vocabulary = engine.vocabulary();
    /// let forced = |grammar: &str| -> Result<String, Box<dyn std::error::Error>> {
    ///     let constraint = Constraint::new(&engine, &parse(grammar)?, "root")?;
    ///     let tokens = constraint.forced_tokens(&[], |text| vocabulary.encode(text))?;
    ///     let bytes = tokens.iter().flat_map(|&token| vocabulary.bytes(token).unwrap_or_default());
    ///     Ok(String::from_utf8(bytes.copied().collect())?)
    /// };
    /// // A blank, a quotation mark and a letter may be one token; a bracket and a digit never are.
    /// assert_eq!(forced(r#"root ::= "the name: \"" [a-z]+ "\"" "#)?, "the name:");
    /// assert_eq!(forced(r#"root ::= "the name:" " <" [0-9]+ ">""#)?, "the name: <");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forced_tokens<E>(
        &self,
        before: &[TokenId],
        mut encode: impl FnMut(&str) -> Result<Vec<TokenId>, E>,
    ) -> Result<Vec<TokenId>, E> {
        // Where free text may follow a constrained part, so may tokens that are neither's alone.
        let Some(Strict { matcher, .. }) = self.deciding().strict() else { return Ok(Vec::new()) };
        if self.is_ended() {
            return Ok(Vec::new());
        }
        let ahead = |session: &mut Session| {
            Ahead::new(session, matcher.state(), &self.engine().tables.trie)
        };
        let ahead = |session: &mut Session| session.limited(MOST_WORK, ahead);
        // Where it takes too much work to say, nothing is.
        let Some(Ahead { bytes, cuts, next }) = matcher.session().look_ahead(ahead) else {
            return Ok(Vec::new());
        };
        for from in before.len().saturating_sub(BEFORE)..=before.len() {
            let before = &before[from..];
            let Some((text, begun)) = self.text(before, &bytes) else { continue };
            let mut tokens = encode(&text)?;
            if !tokens.starts_with(before) {
                continue;
            }
            for &cut in &cuts {
                let end = (0..=begun + cut).rev().find(|&end| text.is_char_boundary(end));
                let shorter = encode(&text[..end.unwrap_or_default()])?;
                tokens.truncate(common(&tokens, &shorter));
            }
            for character in &next {
                let longer = encode(&format!("{text}{character}"))?;
                tokens.truncate(common(&tokens, &longer));
            }
            let tokens = tokens.get(before.len()..).unwrap_or_default();
            return Ok(self.allowed(tokens, &bytes).to_vec());
        }
        Ok(Vec::new())
    }

    /// The text of some tokens and what follows them, as far as it is characters, and where the
    /// latter begins; `None` if that is no text.
    fn text(&self, before: &[TokenId], bytes: &[u8]) -> Option<(String, usize)> {
        let vocabulary = self.engine().vocabulary();
        let mut text = Vec::new();
        for &token in before {
            text.extend_from_slice(
                vocabulary.bytes(token).filter(|_| !vocabulary.is_control(token))?,
            );
        }
        let begun = text.len();
        text.extend_from_slice(bytes);
        if let Err(error) = std::str::from_utf8(&text) {
            // Only the end of a character may be missing.
            text.truncate(error.error_len().is_none().then_some(error.valid_up_to())?);
        }
        Some((String::from_utf8(text).ok()?, begun))
    }

    /// The first of some tokens, as long as they spell the text and are allowed: a tokenizer may
    /// spell a text as another one, say in a normal form.
    fn allowed<'a>(&self, tokens: &'a [TokenId], mut text: &[u8]) -> &'a [TokenId] {
        let mut constraint = self.clone();
        let is_allowed = |&&token: &&TokenId| {
            let bytes = self.engine().vocabulary().bytes(token);
            let rest = bytes.and_then(|bytes| text.strip_prefix(bytes));
            rest.is_some_and(|rest| {
                text = rest;
                constraint.accept(token).is_ok()
            })
        };
        &tokens[..tokens.iter().take_while(is_allowed).count()]
    }
}

/// So many of the tokens before are looked at: words have fewer.
const BEFORE: usize = 8;
/// The most work for a look ahead, see [`Session::limited`]: some seconds.
const MOST_WORK: u64 = 1 << 20;

fn common(one: &[TokenId], other: &[TokenId]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// What lies ahead: forced text, and all that what follows it may do to its tokens.
struct Ahead {
    /// The forced text.
    bytes: Vec<u8>,
    /// Where a token may begin that does not end within the characters of the text. What lies before
    /// such a place has the tokens that it has alone: no pair across the place is merged.
    cuts: Vec<usize>,
    /// Characters that may follow the text, one of each kind: where words end depends on that.
    next: Vec<char>,
}

impl Ahead {
    fn new(session: &mut Session, state: &State, trie: &TokenTrie) -> Self {
        let (bytes, state) = session.forced(state, MOST_FORCED);
        // The last character may be incomplete, and so may the first.
        let last = bytes.iter().rposition(|&byte| begins_character(byte)).unwrap_or(0);
        let is_whole = std::str::from_utf8(&bytes[last..]).is_ok() || bytes.is_empty();
        let end = if is_whole { bytes.len() } else { last };
        let from = end.saturating_sub(trie.height(TokenTrie::ROOT));
        let crossing = |&at: &usize| crosses((&bytes[at..], end - at), session, &state, trie);
        let cuts = (from..end).filter(crossing).collect();
        let next = next_characters(&bytes[end..], session, &state);
        Self { bytes, cuts, next }
    }
}

/// Whether a token begins with a part of the text, `bytes` up to `end`, and goes on behind it, in the
/// rest of the bytes or beyond them as the state allows.
fn crosses(
    (bytes, end): (&[u8], usize),
    session: &mut Session,
    state: &State,
    trie: &TokenTrie,
) -> bool {
    let mut node = TokenTrie::ROOT;
    for (at, &byte) in bytes.iter().enumerate() {
        let Some(child) = trie.child(node, byte) else { return false };
        node = child;
        if at >= end && trie.has_token(node) {
            return true;
        }
    }
    has_token_below(node, session, state, trie)
}

/// Whether a token that can be read lies below a node.
fn has_token_below(node: TrieNode, session: &mut Session, state: &State, trie: &TokenTrie) -> bool {
    let mut pending = vec![(node, state.clone())];
    while let Some((node, state)) = pending.pop() {
        let first = session.first(&state);
        for (byte, child) in trie.children(node).filter(|&(byte, _)| first.contains(byte)) {
            let next = session.step(&state, byte);
            if next.is_dead() {
                continue;
            }
            if trie.has_token(child) {
                return true;
            }
            pending.push((child, next));
        }
    }
    false
}

/// The characters that may follow, one of each kind; `begun` is the beginning of all of them.
fn next_characters(begun: &[u8], session: &mut Session, state: &State) -> Vec<char> {
    let mut found: Vec<char> = Vec::new();
    let first = session.first(state);
    for byte in first.iter() {
        let mut bytes = begun.to_vec();
        let mut state = session.step(state, byte);
        bytes.push(byte);
        // Up to a whole character, whichever.
        while !state.is_dead() && bytes.len() < 4 && std::str::from_utf8(&bytes).is_err() {
            let mut steps = session.first(&state).iter().collect::<Vec<_>>().into_iter();
            let step = steps.find_map(|byte| {
                let next = session.step(&state, byte);
                (!next.is_dead()).then_some((byte, next))
            });
            let Some((byte, next)) = step else { break };
            bytes.push(byte);
            state = next;
        }
        let character = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
        if let Some(character) = character.filter(|_| !state.is_dead())
            && !found.iter().any(|&known| kind(known) == kind(character))
        {
            found.push(character);
        }
    }
    found
}

/// What tokenizers look at to see where a word ends: letters, digits, each blank, all others.
fn kind(character: char) -> (bool, bool, Option<char>) {
    let blank = character.is_whitespace().then_some(character);
    (character.is_alphabetic(), character.is_numeric(), blank)
}
