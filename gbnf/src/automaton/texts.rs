//! Texts that have been read, and sets of them, both persistent: what they have in common is there
//! once.

use crate::automaton::interner::Interner;

/// A text that has been read, as a chain of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(u32);

impl TextId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// A set of texts, as a trie; or a node of one, which is the set of what the texts have behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) const EMPTY: Self = Self(0);
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Set {
    children: Box<[(u8, SetId)]>,
    /// Whether a text ends here.
    ends: bool,
}

/// All texts and sets of a session.
#[derive(Debug)]
pub(crate) struct Texts {
    /// (the text before, its last byte); of the empty text neither.
    steps: Interner<Option<(TextId, u8)>>,
    sets: Interner<Set>,
}

/// How much [`Texts`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextsMark {
    steps: usize,
    sets: usize,
}

impl Default for Texts {
    fn default() -> Self {
        let mut texts = Self { steps: Interner::default(), sets: Interner::default() };
        // The empty ones.
        texts.steps.intern(None);
        texts.sets.intern(Set::default());
        texts
    }
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.steps.len() + self.sets.len()
    }

    /// How much there is, for [`Texts::forget_since`].
    pub(crate) fn mark(&self) -> TextsMark {
        TextsMark { steps: self.steps.len(), sets: self.sets.len() }
    }

    /// Forgets all that has been made since.
    pub(crate) fn forget_since(&mut self, mark: TextsMark) {
        self.steps.truncate(mark.steps);
        self.sets.truncate(mark.sets);
    }

    /// The text with one more byte.
    pub(crate) fn append(&mut self, text: TextId, byte: u8) -> TextId {
        TextId(self.steps.intern(Some((text, byte))))
    }

    /// What `to` has behind `from`, with which it begins.
    pub(crate) fn between(&self, from: TextId, to: TextId) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut at = to;
        while at != from
            && let Some((before, byte)) = *self.steps.get(at.0)
        {
            bytes.push(byte);
            at = before;
        }
        bytes.reverse();
        bytes
    }

    /// What the texts of a set that begin with `byte` have behind it; `None` if there are none.
    pub(crate) fn child(&self, set: SetId, byte: u8) -> Option<SetId> {
        let children = self.children(set);
        children.binary_search_by_key(&byte, |&(byte, _)| byte).ok().map(|at| children[at].1)
    }

    /// The first bytes of the texts of a set, sorted, with what they have behind it.
    pub(crate) fn children(&self, set: SetId) -> &[(u8, SetId)] {
        &self.sets.get(set.0).children
    }

    /// Whether the empty text is in the set.
    pub(crate) fn ends(&self, set: SetId) -> bool {
        self.sets.get(set.0).ends
    }

    /// Whether a text is in the set.
    pub(crate) fn contains(&self, set: SetId, text: &[u8]) -> bool {
        let end = text.iter().try_fold(set, |set, &byte| self.child(set, byte));
        end.is_some_and(|end| self.ends(end))
    }

    /// The set with one more text: the nodes along the text are new, the others shared.
    pub(crate) fn insert(&mut self, set: SetId, text: &[u8]) -> SetId {
        let mut along = vec![Some(set)];
        for &byte in text {
            let next = along.last().copied().flatten().and_then(|node| self.child(node, byte));
            along.push(next);
        }
        let mut child: Option<SetId> = None;
        for (depth, node) in along.into_iter().enumerate().rev() {
            let mut node = node.map_or_else(Set::default, |node| self.sets.get(node.0).clone());
            match child {
                None => node.ends = true,
                Some(child) => {
                    let byte = text[depth];
                    let mut children = node.children.to_vec();
                    match children.binary_search_by_key(&byte, |&(byte, _)| byte) {
                        Ok(at) => children[at].1 = child,
                        Err(at) => children.insert(at, (byte, child)),
                    }
                    node.children = children.into();
                }
            }
            child = Some(SetId(self.sets.intern(node)));
        }
        child.unwrap_or(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_sets() {
        let mut texts = Texts::default();
        let zero = texts.append(TextId::EMPTY, 0);
        assert_ne!(zero, TextId::EMPTY);
        let read = b"abc".iter().fold(zero, |text, &byte| texts.append(text, byte));
        assert_eq!(texts.between(zero, read), b"abc");
        assert_eq!(texts.between(read, read), b"");

        let one = texts.insert(SetId::EMPTY, b"ab");
        let two = texts.insert(one, b"a");
        assert!(texts.contains(two, b"a") && texts.contains(two, b"ab"));
        assert!(!texts.contains(one, b"a") && !texts.contains(two, b""));
        let other = texts.insert(SetId::EMPTY, b"a");
        assert_eq!(texts.insert(other, b"ab"), two, "the order does not matter");
    }
}
