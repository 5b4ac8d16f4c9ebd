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
