//! What has been reached: configurations, and states that are sets of them.

use smallvec::SmallVec;

use crate::automaton::label::Label;
use crate::automaton::stack::NodeId;
use crate::automaton::texts::TextId;
use crate::automaton::tracks::TrackId;

/// A configuration: how far a terminal has been read, and what lies below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The terminal on top.
    pub label: Label,
    /// The items of lists that it lies within.
    pub track: TrackId,
    /// Everything below: a set of stacks.
    pub below: NodeId,
}

/// A state of the matcher: its configurations, each terminal in the same items once, sorted; and
/// whether the text may end here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) entries: SmallVec<[Entry; 2]>,
    pub(super) complete: bool,
    /// What has been read, if there are lists whose items may have to be compared.
    pub(super) text: TextId,
}

impl State {
    /// The state with only this one of its configurations.
    #[must_use]
    pub fn only(&self, entry: Entry) -> Self {
        Self { entries: SmallVec::from_slice(&[entry]), complete: false, text: self.text }
    }

    /// The text that has been read, if there are lists whose items may have to be compared.
    pub fn text(&self) -> TextId {
        self.text
    }

    /// The text that has been read, as far as what follows one of the configurations depends on
    /// it: not at all outside of the items of lists.
    pub fn text_of(&self, entry: Entry) -> TextId {
        if entry.track == TrackId::NONE { TextId::EMPTY } else { self.text }
    }

    /// The state without the text that has been read: what follows is as before, but for items that
    /// have begun already and are equal to later ones.
    #[must_use]
    pub(crate) fn without_text(self) -> Self {
        Self { text: TextId::EMPTY, ..self }
    }

    /// The configurations.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Drops the configurations that are not to be kept.
    pub fn retain(&mut self, mut keep: impl FnMut(Entry) -> bool) {
        self.entries.retain(|entry| keep(*entry));
    }

    /// Whether a token reference may come next.
    pub fn has_tokens(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.label, Label::Token(_)))
    }

    /// Whether the text read so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether no text at all leads on, and the text read so far is not in the language.
    pub fn is_dead(&self) -> bool {
        self.entries.is_empty() && !self.complete
    }
}
