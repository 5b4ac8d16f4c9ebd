//! Texts that have been read, and sets of them, both persistent: what they have in common is there
//! once.

use smallvec::SmallVec;

use crate::automaton::canonical::{Quoting, canonical_with};
use crate::automaton::interner::Interner;

/// A text that has been read, as a chain of its bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(u32);

impl TextId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// A set of texts, as a trie; or a node of one, which is the set of what the texts have behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) const EMPTY: Self = Self(0);
}

/// The parts of an object, in one order; or some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectId(u32);

impl ObjectId {
    /// No parts.
    pub(crate) const EMPTY: Self = Self(0);
}

/// In the text of an item this byte and a number of [`OBJECT_LENGTH`] further bytes stand for an
/// object. No text of a grammar has it.
const OBJECT: u8 = 0xFF;
const OBJECT_LENGTH: usize = 4;
/// The text of an item in which brackets do not match begins so.
const PLAIN: u8 = 0xFE;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Set {
    /// Mostly one.
    children: SmallVec<[(u8, SetId); 1]>,
    /// The text that ends here.
    text: Option<TextId>,
    /// How many texts there are.
    len: u32,
    /// The parts of all objects that may come next.
    parts: SetId,
}

/// All texts and sets of a session.
#[derive(Debug)]
pub(crate) struct Texts {
    /// (the text before, its last byte); of the empty text neither.
    steps: Interner<Option<(TextId, u8)>>,
    sets: Interner<Set>,
    /// The parts, sorted.
    objects: Interner<Box<[TextId]>>,
}

/// How much [`Texts`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextsMark {
    steps: usize,
    sets: usize,
    objects: usize,
}

impl Default for Texts {
    fn default() -> Self {
        let mut texts = Self {
            steps: Interner::default(),
            sets: Interner::default(),
            objects: Interner::default(),
        };
        // The empty ones.
        texts.steps.intern(None);
        texts.sets.intern(Set::default());
        texts.objects.intern(Box::default());
        texts
    }
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.steps.len() + self.sets.len() + self.objects.len()
    }

    /// How many sets there are, the rests of their texts included.
    pub(crate) fn sets_len(&self) -> usize {
        self.sets.len()
    }

    /// How much there is, for [`Texts::forget_since`].
    pub(crate) fn mark(&self) -> TextsMark {
        let (steps, sets) = (self.steps.len(), self.sets.len());
        TextsMark { steps, sets, objects: self.objects.len() }
    }

    /// Forgets all that has been made since.
    pub(crate) fn forget_since(&mut self, mark: TextsMark) {
        self.steps.truncate(mark.steps);
        self.sets.truncate(mark.sets);
        self.objects.truncate(mark.objects);
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

    fn text(&mut self, bytes: &[u8]) -> TextId {
        bytes.iter().fold(TextId::EMPTY, |text, &byte| self.append(text, byte))
    }

    /// What counts of an item: equal items are the same text, in which objects are written as
    /// their numbers.
    pub(crate) fn item(&mut self, item: &[u8]) -> TextId {
        let text = canonical_with(item, |parts| {
            let mut object = ObjectId::EMPTY;
            for part in parts {
                let part = self.text(&part);
                object = self.with_part(object, part);
            }
            [&[OBJECT], &object.0.to_be_bytes()[..]].concat()
        });
        let text = text.unwrap_or_else(|| {
            let (kept, _) = Quoting::default().read(item.iter().copied());
            [&[PLAIN], &kept[..]].concat()
        });
        self.text(&text)
    }

    /// With one more part.
    pub(crate) fn with_part(&mut self, object: ObjectId, part: TextId) -> ObjectId {
        let mut parts = self.objects.get(object.0).to_vec();
        parts.insert(parts.partition_point(|&other| other < part), part);
        ObjectId(self.objects.intern(parts.into()))
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

    /// The text that ends at a node.
    pub(crate) fn ends(&self, set: SetId) -> Option<TextId> {
        self.sets.get(set.0).text
    }

    /// How many texts a set has.
    pub(crate) fn len_of(&self, set: SetId) -> u32 {
        self.sets.get(set.0).len
    }

    /// Whether a text is in the set.
    pub(crate) fn contains(&self, set: SetId, text: TextId) -> bool {
        let end = self.along(set, &self.between(TextId::EMPTY, text));
        end.is_some_and(|end| self.ends(end).is_some())
    }

    fn along(&self, set: SetId, bytes: &[u8]) -> Option<SetId> {
        bytes.iter().try_fold(set, |set, &byte| self.child(set, byte))
    }

    /// The items among the texts of a set in which brackets do not match, as they are but for
    /// blanks.
    pub(crate) fn plain(&self, set: SetId) -> Option<SetId> {
        self.child(set, PLAIN)
    }

    /// The parts of the objects with which texts of a set begin; `None` if there are none.
    pub(crate) fn parts(&self, set: SetId) -> Option<SetId> {
        let parts = self.sets.get(set.0).parts;
        (parts != SetId::EMPTY).then_some(parts)
    }

    /// What the texts of a set that begin with this object have behind it.
    pub(crate) fn behind_object(&self, set: SetId, object: ObjectId) -> Option<SetId> {
        self.along(self.child(set, OBJECT)?, &object.0.to_be_bytes())
    }

    /// Whether some text of a set begins with an object that has all these parts and more.
    pub(crate) fn has_more_parts(&self, set: SetId, some: ObjectId) -> bool {
        let some = self.objects.get(some.0);
        let mut ahead: Vec<_> =
            self.child(set, OBJECT).map(|set| (set, 0, 0)).into_iter().collect();
        while let Some((set, number, length)) = ahead.pop() {
            if length < OBJECT_LENGTH {
                let children = self.children(set).iter();
                ahead.extend(
                    children.map(|&(byte, to)| (to, number << 8 | u32::from(byte), length + 1)),
                );
            } else if has_more(self.objects.get(number), some) {
                return true;
            }
        }
        false
    }

    /// The set with one more text: the nodes along the text are new, the others shared.
    pub(crate) fn insert(&mut self, set: SetId, text: TextId) -> SetId {
        let bytes = self.between(TextId::EMPTY, text);
        let mut along = vec![Some(set)];
        for &byte in &bytes {
            let next = along.last().copied().flatten().and_then(|node| self.child(node, byte));
            along.push(next);
        }
        let mut objects = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == OBJECT {
                objects.push(at);
                at += OBJECT_LENGTH;
            }
            at += 1;
        }
        let mut child: Option<SetId> = None;
        for (depth, node) in along.into_iter().enumerate().rev() {
            let mut node = node.map_or_else(Set::default, |node| self.sets.get(node.0).clone());
            match child {
                None => node.text = Some(text),
                Some(child) => {
                    let byte = bytes[depth];
                    let children = &mut node.children;
                    match children.binary_search_by_key(&byte, |&(byte, _)| byte) {
                        Ok(at) => children[at].1 = child,
                        Err(at) => children.insert(at, (byte, child)),
                    }
                }
            }
            if objects.pop_if(|at| *at == depth).is_some() {
                let number = &bytes[depth + 1..=depth + OBJECT_LENGTH];
                let number = number.iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
                for part in self.objects.get(number).to_vec() {
                    // As deep as objects are nested.
                    node.parts = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                        self.insert(node.parts, part)
                    });
                }
            }
            let behind = node.children.iter().map(|&(_, child)| self.len_of(child));
            node.len = u32::from(node.text.is_some()) + behind.sum::<u32>();
            child = Some(SetId(self.sets.intern(node)));
        }
        child.unwrap_or(set)
    }
}

/// Whether sorted parts are all of others and more.
fn has_more(parts: &[TextId], others: &[TextId]) -> bool {
    let mut parts_left = parts.iter();
    parts.len() > others.len() && others.iter().all(|other| parts_left.any(|part| part == other))
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

        let (a, ab, none) = (texts.item(b"a"), texts.item(b"ab"), texts.item(b""));
        let one = texts.insert(SetId::EMPTY, ab);
        let two = texts.insert(one, a);
        assert!(texts.contains(two, a) && texts.contains(two, ab));
        assert!(!texts.contains(one, a) && !texts.contains(two, none));
        let other = texts.insert(SetId::EMPTY, a);
        assert_eq!(texts.insert(other, ab), two, "the order does not matter");
        let again = texts.insert(two, a);
        assert_eq!([one, two, again].map(|set| texts.len_of(set)), [1, 2, 2]);
    }

    #[test]
    fn equal_items_are_one_text() {
        let mut texts = Texts::default();
        let mut same =
            |one: &str, other: &str| texts.item(one.as_bytes()) == texts.item(other.as_bytes());
        assert!(same("[{a, b, {c, d}}]", "[{ {d,c} ,b,a}]"));
        assert!(!same("{a,b,b}", "{a,a,b}"));
        assert!(!same("{a,[c,d]}", "{a,[d,c]}"));
        assert!(!same("{a,b", "{b,a"));
    }
}
