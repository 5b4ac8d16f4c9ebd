//! What the items of lists must be, and whether there are enough of them.

use std::collections::BTreeSet;

use crate::automaton::canonical::canonical;
use crate::automaton::count::Count;
use crate::automaton::few::{FEW, Language, Languages, NotFew, Place};
use crate::automaton::lower::{Kind, Lowered, LoweredUnique, Part};
use crate::automaton::scarce::Scarce;
use crate::automaton::{CompileError, CompileErrorKind};
use crate::graph::Graph;

/// Checks that no item is empty or has token references in it, which are no text to compare.
pub(crate) fn check_items(lowered: &Lowered) -> Result<(), CompileError> {
    let has_token = parts_with_tokens(lowered);
    for kind in &lowered.kinds {
        let Kind::Unique(list) = kind else { continue };
        for (item, &span) in list.items().zip(&list.spans) {
            let item = item as usize;
            let reason = if lowered.nullable[item] {
                "may be empty"
            } else if has_token[item] {
                "contains a token reference"
            } else {
                continue;
            };
            return Err(CompileError::at(CompileErrorKind::Item(reason), span));
        }
    }
    Ok(())
}

fn parts_with_tokens(lowered: &Lowered) -> Vec<bool> {
    let mut found = vec![false; lowered.kinds.len()];
    if lowered.tokens.is_empty() {
        return found;
    }
    let parts = Graph::new(&lowered.kinds, |kind, to| match kind {
        Kind::Rule(rule) => to.push(lowered.rules[*rule as usize]),
        Kind::Sequence(items) | Kind::Choice(items) => to.extend(items),
        Kind::Repeat { item, .. } => to.push(*item),
        Kind::Members(members) => {
            to.push(members.separator);
            to.extend(members.members.iter().flat_map(|member| [member.key, member.value]));
        }
        Kind::Unique(list) => to.extend(list.items().chain([list.separator])),
        Kind::Nothing
        | Kind::Empty
        | Kind::Text(_)
        | Kind::Texts(_)
        | Kind::Class(_)
        | Kind::Token(_) => {}
    });
    let users = parts.reversed();
    let is_token = |part: &usize| matches!(lowered.kinds[*part], Kind::Token(_));
    let mut ahead: Vec<usize> = (0..found.len()).filter(is_token).collect();
    while let Some(part) = ahead.pop() {
        if !std::mem::replace(&mut found[part], true) {
            ahead.extend(users.of(part).iter().map(|&user| user as usize));
        }
    }
    found
}

/// The items that a list must have and of which there are fewer than it must have items; `None` if
/// they cannot all differ.
pub(crate) fn items_needed(
    list: &LoweredUnique,
    lowered: &Lowered,
    languages: &mut Languages<'_>,
) -> Result<Option<Scarce>, CompileError> {
    let (mut texts, mut items) = (Vec::new(), Vec::new());
    let first = list.first.len().min(list.min as usize) as u32;
    let rest = (first < list.min).then_some(list.rest).flatten();
    let entries = (0..first).map(|at| (list.first[at as usize], at..at + 1));
    for (item, places) in entries.chain(rest.map(|rest| (rest, first..list.min))) {
        let few = match size(item, list.min, lowered, languages) {
            Size::Enough => continue,
            Size::Few(few) => few,
            // Without other items there is nothing to share out.
            Size::TooMany(Some(_)) if first == 0 => return Ok(None),
            Size::TooMany(_) => {
                let kind = CompileErrorKind::ItemsTooLarge { limit: FEW };
                let span = list.spans.first().copied().unwrap_or_default();
                return Err(CompileError::at(kind, span));
            }
        };
        if few.len() < places.len() {
            return Ok(None);
        }
        items.extend(places.map(|at| (at, texts.len() as u32)));
        texts.push(few);
    }
    let scarce = Scarce::new(texts, items);
    Ok(scarce.is_possible().then_some(scarce))
}

enum Size {
    /// As many as are asked for, or more.
    Enough,
    /// Fewer: these.
    Few(Vec<Box<[u8]>>),
    /// Fewer, but too many to list them; or so many that it is not known.
    TooMany(Option<u64>),
}

fn size(item: Part, needed: u32, lowered: &Lowered, languages: &mut Languages<'_>) -> Size {
    let is_regular = lowered.extents[item as usize].regular;
    match &*languages.of_item(item) {
        Language::Few(found) => {
            let mut places = found.iter().map(|(_, place)| place);
            if languages.one_order && !places.all(Place::is_matched) {
                // Then the order of members counts after all.
                return Size::TooMany(None);
            }
            let texts: BTreeSet<_> = found.iter().map(|(text, _)| canonical(text)).collect();
            if texts.len() >= needed as usize {
                return Size::Enough;
            }
            Size::Few(texts.into_iter().map(Vec::into_boxed_slice).collect())
        }
        Language::Other(NotFew::Endless) => Size::Enough,
        Language::Other(NotFew::Many) if needed as usize <= FEW => Size::Enough,
        Language::Other(_) if is_regular => match languages.count(item) {
            Count::Endless => Size::Enough,
            Count::Finite(count) if count >= u64::from(needed) => Size::Enough,
            Count::Finite(count) => Size::TooMany(Some(count)),
            Count::Unknown => Size::TooMany(None),
        },
        Language::Other(_) => Size::TooMany(None),
    }
}
