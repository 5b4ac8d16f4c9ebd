//! What the items of lists must be, and whether there are enough of them.

use std::collections::BTreeSet;

use crate::automaton::canonical::canonical;
use crate::automaton::count::Count;
use crate::automaton::few::{FEW, Language, Languages, NotFew};
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
    if lowered.tokens.is_empty() {
        return vec![false; lowered.kinds.len()];
    }
    let parts = Graph::new(&lowered.kinds, |kind, to| match kind {
        Kind::Rule(rule) => to.push(lowered.rules[*rule as usize]),
        &Kind::Sequence(items) | &Kind::Choice(items) => to.extend(lowered.items(items)),
        Kind::Repeat { item, .. } => to.push(*item),
        Kind::Members(members) => {
            to.push(members.separator);
            to.extend(members.members.iter().flat_map(|member| [member.key, member.value]));
        }
        Kind::Unique(list) => to.extend(list.items().chain([list.separator])),
        Kind::All(found) => to.extend(found.parts()),
        Kind::Nothing
        | Kind::Empty
        | Kind::Text(_)
        | Kind::Texts(_)
        | Kind::Class(_)
        | Kind::Token(_)
        | Kind::Known(_) => {}
    });
    let is_token = |part: &usize| matches!(lowered.kinds[*part], Kind::Token(_));
    parts.reversed().reachable((0..parts.len()).filter(is_token))
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
        let few = match supply(item, lowered, languages) {
            supply if supply.count() >= u64::from(list.min) => continue,
            Supply::Few(few) => few,
            // Without other items there is nothing to share out.
            Supply::Exactly(_) if first == 0 => return Ok(None),
            Supply::Exactly(_) | Supply::AtLeast(_) => {
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

/// Which items there are that differ.
#[derive(Clone, Debug)]
pub(crate) enum Supply {
    /// These.
    Few(Box<[Box<[u8]>]>),
    /// So many.
    Exactly(u64),
    /// So many or more.
    AtLeast(u64),
}

impl Supply {
    const ENDLESS: Self = Self::AtLeast(u64::MAX);

    /// How many there are at least.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Few(texts) => texts.len() as u64,
            Self::Exactly(count) | Self::AtLeast(count) => *count,
        }
    }
}

/// What there is of an item.
pub(crate) fn supply(item: Part, lowered: &Lowered, languages: &mut Languages<'_>) -> Supply {
    let is_regular = lowered.extents[item as usize].regular;
    match &*languages.of_item(item) {
        // Where brackets do not match, the order of members counts after all.
        Language::Few(found)
            if !languages.one_order || found.iter().all(|(_, place)| place.is_matched()) =>
        {
            let texts: BTreeSet<_> = found.iter().map(|(text, _)| canonical(text)).collect();
            Supply::Few(texts.into_iter().map(Vec::into_boxed_slice).collect())
        }
        Language::Few(found) => Supply::AtLeast(u64::from(!found.is_empty())),
        Language::Other(NotFew::Endless) => Supply::ENDLESS,
        Language::Other(size) => match is_regular.then(|| languages.count(item)) {
            Some(Count::Endless) => Supply::ENDLESS,
            Some(Count::Finite(count)) => Supply::Exactly(count),
            _ if *size == NotFew::Many => Supply::AtLeast(FEW as u64 + 1),
            _ => Supply::AtLeast(1),
        },
    }
}
