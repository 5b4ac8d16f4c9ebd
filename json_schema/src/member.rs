//! The members of a JSON object, by name.

use serde_json::{Map, Value};

/// Among so few members a name is found sooner by comparing than by hashing.
const FEW: usize = 16;

/// The member of this name.
pub(crate) fn member<'v>(map: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if map.len() > FEW {
        return map.get(name);
    }
    map.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Which names there may be among some: a bit for each, which others may have as well. Most names
/// that are asked for are not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names(u64);

impl Names {
    pub(crate) fn of<'v>(names: impl IntoIterator<Item = &'v str>) -> Self {
        Self(names.into_iter().fold(0, |bits, name| bits | bit(name)))
    }

    #[inline]
    pub(crate) fn may_have(self, name: &str) -> bool {
        self.0 & bit(name) != 0
    }
}

/// The bit of a name, by its length, its first letter and its last one.
#[inline]
fn bit(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let letter = |byte: Option<&u8>| byte.map_or(0, |&byte| usize::from(byte));
    // The keywords have 46 different bits.
    1 << ((12 * bytes.len() + 2 * letter(bytes.first()) + 5 * letter(bytes.last())) % 64)
}
