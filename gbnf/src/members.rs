//! What the keys of `@members` must be.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::grammar::{ExprKind, Members, Repetition};

/// Reports keys that are no literals where they must be, empty keys and repeated ones.
pub(crate) fn check_keys(members: &Members, faults: &mut Vec<Diagnostic>) {
    let mut seen = FxHashMap::default();
    for member in &members.members {
        let span = member.key.span;
        let fault = match (&member.key.kind, member.repetition) {
            (ExprKind::Literal(key), _) if key.is_empty() => {
                Diagnostic::new(Code::BadMembers, span, "empty key")
            }
            (ExprKind::Literal(key), _) => match seen.entry(&**key) {
                Entry::Vacant(entry) => {
                    entry.insert(span);
                    continue;
                }
                Entry::Occupied(entry) => {
                    let fault = format!("repeated key '{}'", key.escape_debug());
                    Diagnostic::new(Code::BadMembers, span, fault)
                        .with_related(*entry.get(), "first here")
                }
            },
            (_, Repetition::Many { .. }) => continue,
            _ => Diagnostic::new(Code::BadMembers, span, "the key must be a literal")
                .with_help("only a key of '*=>' may be another expression"),
        };
        faults.push(fault);
    }
}
