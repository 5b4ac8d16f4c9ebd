//! Which members and lists can be written at all: some ask for more different keys or items than
//! there are.

use rustc_hash::FxHashMap;

use crate::automaton::CompileError;
use crate::automaton::few::Languages;
use crate::automaton::items::{Supply, check_items, items_needed, supply};
use crate::automaton::keys::{asks_for_keys, check_keys, too_few_keys};
use crate::automaton::lower::{Kind, Lowered, Part};
use crate::automaton::scarce::Scarce;
use crate::automaton::terms::Terms;

/// Checks the keys of all members and the items of all lists, and makes those members and lists
/// match nothing that ask for more different ones than there are. What there is of the items of
/// the other lists.
pub(crate) fn drop_impossible(
    lowered: &mut Lowered,
    terms: &Terms,
) -> Result<FxHashMap<Part, Supplies>, CompileError> {
    check_items(lowered)?;
    let mut rule_terms = lowered.rule_terms.clone();
    let mut literals = FxHashMap::default();
    for (part, kind) in lowered.kinds.iter().enumerate() {
        if let Kind::Members(members) = kind {
            literals.insert(part as Part, check_keys(members, lowered, terms, &mut rule_terms)?);
        }
    }
    // They are proven one after the other: what one lacks may be a part of others, and what is
    // only proven by itself is nothing.
    let mut open: Vec<Part> = (0..lowered.kinds.len() as Part)
        .filter(|&part| {
            lowered.productive[part as usize]
                && match &lowered.kinds[part as usize] {
                    Kind::Members(members) => asks_for_keys(members),
                    Kind::Unique(list) => list.asks_for_items(),
                    _ => false,
                }
        })
        .collect();
    if open.is_empty() {
        return supplies(lowered, terms);
    }
    let components = lowered.components();
    lowered.unproven = open.iter().copied().collect();
    lowered.find_productive(&components);
    loop {
        // An error may be one only as long as not all is proven.
        let (mut proven, mut error) = (Vec::new(), None);
        let mut rule_terms = lowered.rule_terms.clone();
        let mut languages = Languages::new(lowered, terms);
        for &part in &open {
            let is_possible = match &lowered.kinds[part as usize] {
                Kind::Members(members) => {
                    lowered.members_productive(members)
                        && !too_few_keys(
                            members,
                            &literals[&part],
                            lowered,
                            terms,
                            &mut rule_terms,
                        )?
                }
                Kind::Unique(list) if list.min <= lowered.most_items(list) => {
                    match items_needed(list, lowered, &mut languages) {
                        Ok(needed) => needed.is_some(),
                        Err(found) => {
                            error.get_or_insert(found);
                            false
                        }
                    }
                }
                _ => false,
            };
            if is_possible {
                proven.push(part);
            }
        }
        if proven.is_empty() {
            if let Some(error) = error {
                return Err(error);
            }
            break;
        }
        for part in proven {
            lowered.unproven.remove(&part);
        }
        open.retain(|part| lowered.unproven.contains(part));
        lowered.find_productive(&components);
    }
    lowered.unproven.clear();
    if !open.is_empty() {
        for part in open {
            lowered.kinds[part as usize] = Kind::Nothing;
        }
        lowered.analyse(terms);
    }
    supplies(lowered, terms)
}

/// What there is of the items of a list.
#[derive(Debug, Default)]
pub(crate) struct Supplies {
    /// What items must leave to each other.
    pub(crate) scarce: Scarce,
    /// Of each item that is written in the grammar.
    pub(crate) items: Vec<Supply>,
}

fn supplies(lowered: &Lowered, terms: &Terms) -> Result<FxHashMap<Part, Supplies>, CompileError> {
    let mut languages = Languages::new(lowered, terms);
    let mut supplies = FxHashMap::default();
    for (part, kind) in lowered.kinds.iter().enumerate() {
        if let Kind::Unique(list) = kind
            && lowered.productive[part]
        {
            let scarce = if list.asks_for_items() {
                items_needed(list, lowered, &mut languages)?.unwrap_or_default()
            } else {
                Scarce::default()
            };
            let items = list.items().map(|item| supply(item, lowered, &mut languages)).collect();
            supplies.insert(part as Part, Supplies { scarce, items });
        }
    }
    Ok(supplies)
}
