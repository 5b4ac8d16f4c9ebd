//! The keys of an entry that may occur repeatedly: a language, and what has been asked of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use grammask_gbnf::{Expr, Grammar};

use crate::reference::Reference;

/// A language of which the same is asked again and again, as each way to read a text does.
#[derive(Debug)]
pub(crate) struct Keys {
    reference: Reference,
    known: Mutex<HashMap<Vec<u8>, Option<Arc<Prefix>>>>,
}

/// What is known of a text with which keys start.
#[derive(Debug)]
struct Prefix {
    matches: bool,
    next_bytes: OnceLock<Vec<u8>>,
}

impl Keys {
    pub(crate) fn of(grammar: &Grammar, expr: &Expr) -> Self {
        Self { reference: Reference::of(grammar, expr), known: Mutex::default() }
    }

    /// Whether some key starts with `text`.
    pub(crate) fn alive(&self, text: &[u8]) -> bool {
        self.prefix(text).is_some()
    }

    /// Whether `text` is a key.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        self.prefix(text).is_some_and(|prefix| prefix.matches)
    }

    /// The bytes with which keys that start with `text` go on.
    pub(crate) fn next_bytes(&self, text: &[u8]) -> Vec<u8> {
        let Some(prefix) = self.prefix(text) else { return Vec::new() };
        let read = || self.reference.read(text).map_or_else(Vec::new, |chart| chart.next_bytes());
        prefix.next_bytes.get_or_init(read).clone()
    }

    fn prefix(&self, text: &[u8]) -> Option<Arc<Prefix>> {
        let mut known = self.known.lock().expect("nothing panics while it is held");
        if let Some(prefix) = known.get(text) {
            return prefix.clone();
        }
        let prefix = self.reference.read(text).map(|chart| {
            Arc::new(Prefix { matches: chart.matches(), next_bytes: OnceLock::new() })
        });
        known.insert(text.to_vec(), prefix.clone());
        prefix
    }
}
