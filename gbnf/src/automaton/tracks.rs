//! How far the items that are being read are like those that they must differ from.

use smallvec::SmallVec;

use crate::automaton::canonical::Quoting;
use crate::automaton::interner::Interner;
use crate::automaton::texts::{ObjectId, SetId, Texts};

/// The items, one in another, that a configuration lies within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(u32);

impl TrackId {
    /// Outside of all items.
    pub const NONE: Self = Self(0);
}

/// Where the text of an item leads to in the set of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CursorId(u32);

impl CursorId {
    /// To none of them.
    const NONE: Self = Self(0);
}

/// What has been read of an item, or of a part of an object in it, is at a node of the set; around
/// a part, the object is at another one.
///
/// The closed parts of an object are parts of one object that the item may be like. Its open part
/// only begins as one of any such object does, so what counts as like may differ already: that
/// comes to light when the part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Cursor {
    node: SetId,
    /// The parts of the object before this one.
    before: ObjectId,
    /// The cursor before the object.
    around: CursorId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    /// The item is like some of those from which it must differ.
    Like {
        /// To those with matching brackets.
        cursor: CursorId,
        /// What the others, which are plain texts, have behind what has been read.
        plain: SetId,
        place: Quoting,
    },
    /// So many items, one in another, that differ already. However deep they nest, it is one track.
    Different { items: u32 },
    /// Those from which the item must differ have been forgotten.
    Unknown,
}

/// The innermost items, and those around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Track {
    item: Item,
    around: TrackId,
    /// Whether one of the items is like another one so far.
    like: bool,
    /// Whether of one of them that is not known.
    unknown: bool,
}

/// All tracks of a session.
#[derive(Debug)]
pub(crate) struct Tracks {
    tracks: Interner<Option<Track>>,
    cursors: Interner<Option<Cursor>>,
}

/// How much [`Tracks`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracksMark {
    tracks: usize,
    cursors: usize,
}

impl Default for Tracks {
    fn default() -> Self {
        let mut tracks = Self { tracks: Interner::default(), cursors: Interner::default() };
        tracks.tracks.intern(None);
        tracks.cursors.intern(None);
        tracks
    }
}

/// How an item ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is one of those that it must differ from.
    Equal,
    /// It is none of them; the items around it.
    Different(TrackId),
    /// It is not known what it must differ from.
    Unknown,
}

impl Tracks {
    pub(crate) fn len(&self) -> usize {
        self.tracks.len() + self.cursors.len()
    }

    /// How much there is, for [`Tracks::forget_since`].
    pub(crate) fn mark(&self) -> TracksMark {
        TracksMark { tracks: self.tracks.len(), cursors: self.cursors.len() }
    }

    /// Forgets all that has been made since.
    pub(crate) fn forget_since(&mut self, mark: TracksMark) {
        self.tracks.truncate(mark.tracks);
        self.cursors.truncate(mark.cursors);
    }

    /// Whether one of the items is like another one so far: then it must still come to differ.
    pub(crate) fn is_like(&self, track: TrackId) -> bool {
        track != TrackId::NONE && self.tracks.get(track.0).is_some_and(|track| track.like)
    }

    /// Whether it is not known what one of the items must differ from.
    pub(crate) fn is_unknown(&self, track: TrackId) -> bool {
        track != TrackId::NONE && self.tracks.get(track.0).is_some_and(|track| track.unknown)
    }

    /// Whether a blank counts in no item that is like another one so far.
    pub(crate) fn is_outside(&self, track: TrackId) -> bool {
        let mut at = track;
        while let Some(track) = *self.tracks.get(at.0)
            && track.like
        {
            if matches!(track.item, Item::Like { place, .. } if place != Quoting::Outside) {
                return false;
            }
            at = track.around;
        }
        true
    }

    /// Before an item that must differ from `others`.
    pub(crate) fn open(&mut self, around: TrackId, others: SetId, texts: &Texts) -> TrackId {
        if others == SetId::EMPTY {
            return self.push(around, Item::Different { items: 1 });
        }
        let cursor = self.at(others, ObjectId::EMPTY, CursorId::NONE);
        let plain = texts.plain(others).unwrap_or(SetId::EMPTY);
        self.push(around, Item::Like { cursor, plain, place: Quoting::default() })
    }

    /// Before an item of which it is not known what it must differ from.
    pub(crate) fn open_unknown(&mut self, around: TrackId) -> TrackId {
        self.push(around, Item::Unknown)
    }

    fn at(&mut self, node: SetId, before: ObjectId, around: CursorId) -> CursorId {
        CursorId(self.cursors.intern(Some(Cursor { node, before, around })))
    }

    fn push(&mut self, around: TrackId, item: Item) -> TrackId {
        let below = *self.tracks.get(around.0);
        let (like, unknown) = (matches!(item, Item::Like { .. }), item == Item::Unknown);
        let mut track = Track { item, around, like, unknown };
        if let Some(below) = below {
            track.like |= below.like;
            track.unknown |= below.unknown;
            if let (Item::Different { items: more }, Item::Different { items }) = (item, below.item)
            {
                track = Track { item: Item::Different { items: items + more }, ..below };
            }
        }
        TrackId(self.tracks.intern(Some(track)))
    }

    /// Behind the innermost item.
    pub(crate) fn close(&mut self, track: TrackId, texts: &Texts) -> Ended {
        let Some(Track { item, around, .. }) = *self.tracks.get(track.0) else {
            return Ended::Different(TrackId::NONE);
        };
        match item {
            Item::Like { cursor, plain, .. } => {
                let is_whole = |cursor: &Cursor| cursor.around == CursorId::NONE;
                let whole = self.cursors.get(cursor.0).filter(is_whole);
                let ends = |node| texts.ends(node).is_some();
                if whole.is_some_and(|cursor| ends(cursor.node)) || ends(plain) {
                    return Ended::Equal;
                }
                Ended::Different(around)
            }
            Item::Unknown => Ended::Unknown,
            Item::Different { items: 1 } => Ended::Different(around),
            Item::Different { items } => {
                Ended::Different(self.push(around, Item::Different { items: items - 1 }))
            }
        }
    }

    /// After a byte.
    pub(crate) fn step(&mut self, track: TrackId, byte: u8, texts: &mut Texts) -> TrackId {
        if !self.is_like(track) {
            return track;
        }
        let mut items: SmallVec<[Item; 4]> = SmallVec::new();
        let mut around = track;
        while let Some(Track { item, around: next, like: true, .. }) = *self.tracks.get(around.0) {
            items.push(item);
            around = next;
        }
        for item in items.into_iter().rev() {
            let item = match item {
                Item::Like { cursor, plain, place } => match place.after(byte) {
                    None => item,
                    Some(after) => {
                        let cursor = self.step_cursor(cursor, byte, place, texts);
                        let plain = texts.child(plain, byte).unwrap_or(SetId::EMPTY);
                        if cursor == CursorId::NONE && plain == SetId::EMPTY {
                            Item::Different { items: 1 }
                        } else {
                            Item::Like { cursor, plain, place: after }
                        }
                    }
                },
                Item::Different { .. } | Item::Unknown => item,
            };
            around = self.push(around, item);
        }
        around
    }

    fn step_cursor(
        &mut self,
        cursor: CursorId,
        byte: u8,
        place: Quoting,
        texts: &mut Texts,
    ) -> CursorId {
        let Some(Cursor { node, before, around }) = *self.cursors.get(cursor.0) else {
            return CursorId::NONE;
        };
        match (byte, *self.cursors.get(around.0)) {
            (b'{', _) if place == Quoting::Outside => {
                let Some(parts) = texts.parts(node) else { return CursorId::NONE };
                return self.at(parts, ObjectId::EMPTY, cursor);
            }
            (b',' | b'}', Some(outer)) if place == Quoting::Outside => {
                if let Some(part) = texts.ends(node) {
                    let before = texts.with_part(before, part);
                    if byte == b',' {
                        return match texts.parts(outer.node) {
                            Some(parts) if texts.has_more_parts(outer.node, before) => {
                                self.at(parts, before, around)
                            }
                            _ => CursorId::NONE,
                        };
                    }
                    return match texts.behind_object(outer.node, before) {
                        Some(behind) => self.at(behind, outer.before, outer.around),
                        None => CursorId::NONE,
                    };
                }
            }
            _ => {}
        }
        // A part has no comma of its own but in brackets, where none of its beginnings ends.
        match texts.child(node, byte) {
            Some(node) => self.at(node, before, around),
            None => CursorId::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(others: &[&str], texts: &mut Texts) -> SetId {
        others.iter().fold(SetId::EMPTY, |set, other| {
            let other = texts.item(other.as_bytes());
            texts.insert(set, other)
        })
    }

    #[test]
    fn items_in_items() {
        let (mut texts, mut tracks) = (Texts::default(), Tracks::default());
        let others = set(&["ab", "a\" \""], &mut texts);
        let outer = tracks.open(TrackId::NONE, others, &texts);
        let a = b" a ".iter().fold(outer, |track, &byte| tracks.step(track, byte, &mut texts));
        assert!(tracks.is_like(a) && tracks.is_outside(a));
        assert_eq!(tracks.close(a, &texts), Ended::Different(TrackId::NONE));
        let inner = tracks.open(a, SetId::EMPTY, &texts);
        let inner = tracks.open(inner, SetId::EMPTY, &texts);
        assert!(tracks.is_like(inner));

        let same = tracks.step(inner, b'b', &mut texts);
        let Ended::Different(one) = tracks.close(same, &texts) else { panic!("it differs") };
        let Ended::Different(ab) = tracks.close(one, &texts) else { panic!("it differs") };
        assert_eq!(tracks.close(ab, &texts), Ended::Equal);

        let string = tracks.step(inner, b'"', &mut texts);
        assert!(!tracks.is_outside(string));
        let other = tracks.step(inner, b'c', &mut texts);
        assert!(!tracks.is_like(other));
        let three = (0..3).fold(TrackId::NONE, |track, _| tracks.open(track, SetId::EMPTY, &texts));
        assert_eq!(other, three, "what differs is only counted");
    }

    #[test]
    fn objects_in_any_order() {
        let (mut texts, mut tracks) = (Texts::default(), Tracks::default());
        let others = [r#"[{"a":1,"b":{"c":[1,2],"d":"}"}}]"#, "[{x,x,y}]", "{x,y", "[{}]"];
        let others = set(&others, &mut texts);
        let mut is_like = |text: &str| {
            let start = tracks.open(TrackId::NONE, others, &texts);
            let read = |track, byte| tracks.step(track, byte, &mut texts);
            let end = text.bytes().fold(start, read);
            (tracks.is_like(end), tracks.close(end, &texts) == Ended::Equal)
        };
        for text in [
            r#"[{"b":{"d":"}","c":[1,2]},"a":1}]"#,
            r#"[{"a":1,"b":{"c":[1,2],"d":"}"}}]"#,
            "[{y,x,x}]",
            "[{ x,y, x}]",
            "{x,y",
            "[{}]",
        ] {
            assert_eq!(is_like(text), (true, true), "{text}");
        }
        for text in [r#"[{"b":{"d":"}","#, "[{y,x", "{x,", "[{x,x,"] {
            assert_eq!(is_like(text), (true, false), "{text}");
        }
        for text in [r#"[{"b":{"d":"}","c":[2"#, "[{y,y", "{y", "[{y,x}", "{x,y}", "[{x,x,x"] {
            let (like, equal) = is_like(text);
            assert!(!equal && (!like || text.ends_with(['x', 'y'])), "{text}");
        }
    }
}
