//! How far the items that are being read are like those that they must differ from.

use crate::automaton::interner::Interner;
use crate::automaton::quoting::Quoting;
use crate::automaton::texts::{SetId, Texts};

/// The items, one in another, that a configuration lies within.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(u32);

impl TrackId {
    /// Outside of all items.
    pub const NONE: Self = Self(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    /// What the texts from which the item must differ have behind what has been read of it.
    Like { others: SetId, place: Quoting },
    /// So many items, one in another, that differ already. However deep they nest, it is one track.
    Different { items: u32 },
}

/// The innermost items, and those around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Track {
    item: Item,
    around: TrackId,
    /// Whether one of the items is like another one so far.
    like: bool,
}

/// All tracks of a session.
#[derive(Debug)]
pub(crate) struct Tracks {
    tracks: Interner<Option<Track>>,
}

impl Default for Tracks {
    fn default() -> Self {
        let mut tracks = Interner::default();
        tracks.intern(None);
        Self { tracks }
    }
}

/// How an item ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is one of those that it must differ from.
    Equal,
    /// It is none of them; the items around it.
    Different(TrackId),
}

impl Tracks {
    pub(crate) fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Forgets all tracks but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.tracks.truncate(len);
    }

    /// Whether one of the items is like another one so far: then it must still come to differ.
    pub(crate) fn is_like(&self, track: TrackId) -> bool {
        self.tracks.get(track.0).is_some_and(|track| track.like)
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
    pub(crate) fn open(&mut self, around: TrackId, others: SetId) -> TrackId {
        if others == SetId::EMPTY {
            return self.push(around, Item::Different { items: 1 });
        }
        self.push(around, Item::Like { others, place: Quoting::default() })
    }

    fn push(&mut self, around: TrackId, item: Item) -> TrackId {
        let below = *self.tracks.get(around.0);
        let mut track = Track { item, around, like: matches!(item, Item::Like { .. }) };
        if let Some(below) = below {
            track.like |= below.like;
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
            Item::Like { others, .. } if texts.ends(others) => Ended::Equal,
            Item::Like { .. } | Item::Different { items: 1 } => Ended::Different(around),
            Item::Different { items } => {
                Ended::Different(self.push(around, Item::Different { items: items - 1 }))
            }
        }
    }

    /// After a byte of the items.
    pub(crate) fn step(&mut self, track: TrackId, byte: u8, texts: &Texts) -> TrackId {
        if !self.is_like(track) {
            return track;
        }
        let mut items = Vec::new();
        let mut around = track;
        while let Some(Track { item, around: next, like: true }) = *self.tracks.get(around.0) {
            items.push(item);
            around = next;
        }
        for item in items.into_iter().rev() {
            let item = match item {
                Item::Like { others, place } => match place.after(byte) {
                    None => item,
                    Some(place) => match texts.child(others, byte) {
                        Some(others) => Item::Like { others, place },
                        None => Item::Different { items: 1 },
                    },
                },
                Item::Different { .. } => item,
            };
            around = self.push(around, item);
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_in_items() {
        let (mut texts, mut tracks) = (Texts::default(), Tracks::default());
        let others = [&b"ab"[..], b"a\" \""];
        let others = others.iter().fold(SetId::EMPTY, |set, text| texts.insert(set, text));
        let outer = tracks.open(TrackId::NONE, others);
        let a = b" a ".iter().fold(outer, |track, &byte| tracks.step(track, byte, &texts));
        assert!(tracks.is_like(a) && tracks.is_outside(a));
        assert_eq!(tracks.close(a, &texts), Ended::Different(TrackId::NONE));
        let inner = tracks.open(a, SetId::EMPTY);
        let inner = tracks.open(inner, SetId::EMPTY);
        assert!(tracks.is_like(inner));

        let same = tracks.step(inner, b'b', &texts);
        let Ended::Different(one) = tracks.close(same, &texts) else { panic!("it differs") };
        let Ended::Different(ab) = tracks.close(one, &texts) else { panic!("it differs") };
        assert_eq!(tracks.close(ab, &texts), Ended::Equal);

        let string = tracks.step(inner, b'"', &texts);
        assert!(!tracks.is_outside(string));
        let other = tracks.step(inner, b'c', &texts);
        assert!(!tracks.is_like(other));
        let three = (0..3).fold(TrackId::NONE, |track, _| tracks.open(track, SetId::EMPTY));
        assert_eq!(other, three, "what differs is only counted");
    }
}
