//! Which parts have infinitely many texts: by a loop, or because they contain themselves.

use rustc_hash::FxHashSet;

use crate::automaton::canonical::BLANKS;
use crate::automaton::lower::{Kind, Lowered, LoweredUnique, Part};
use crate::automaton::terms::{TermId, Terms};
use crate::graph::Graph;

/// What is known of the parts of a grammar.
pub(crate) struct Growth {
    /// Whether the part matches some text that is more than blanks.
    has_text: Vec<bool>,
    /// Whether the part lies on a circle on which something comes before or behind it that is more
    /// than blanks.
    grows: Vec<bool>,
    /// Whether the part has infinitely many texts that differ in more than blanks, because of a loop.
    is_endless: Vec<bool>,
}

impl Growth {
    pub(crate) fn new(lowered: &Lowered, terms: &Terms) -> Self {
        let parts = Graph::new(0..lowered.kinds.len(), |part, to| {
            children(part, lowered, |child| to.push(child));
        });
        let has_text = has_text(lowered, &parts.reversed(), terms);
        let component = parts.components();
        let mut is_growing = vec![false; component.iter().max().map_or(0, |&max| max as usize + 1)];
        for part in 0..lowered.kinds.len() {
            children(part, lowered, |child| {
                let is_inside = component[part] == component[child as usize];
                if is_inside && has_text_around(part, child, lowered, &has_text) {
                    is_growing[component[part] as usize] = true;
                }
            });
        }
        let grows = component.iter().map(|&component| is_growing[component as usize]).collect();
        let is_endless = is_endless(lowered, &has_text);
        Self { has_text, grows, is_endless }
    }

    pub(crate) fn has_text(&self, part: Part) -> bool {
        self.has_text[part as usize]
    }

    pub(crate) fn grows(&self, part: Part) -> bool {
        self.grows[part as usize]
    }

    /// Whether there are infinitely many texts, seen without any of them. Parts may be endless for other
    /// reasons.
    pub(crate) fn is_endless(&self, part: Part) -> bool {
        self.is_endless[part as usize]
    }
}

/// The items that can be written.
fn possible_items<'l>(
    list: &'l LoweredUnique,
    lowered: &'l Lowered<'_>,
) -> impl Iterator<Item = Part> + 'l {
    let most = lowered.most_items(list) as usize;
    let rest = list.rest.filter(|_| most > list.first.len());
    list.first.iter().copied().take(most).chain(rest)
}

/// Calls `add` with each part of which texts are parts of those of `part`.
fn children(part: usize, lowered: &Lowered, mut add: impl FnMut(Part)) {
    if !lowered.productive[part] {
        return;
    }
    let mut add = |part: Part| {
        if lowered.productive[part as usize] {
            add(part);
        }
    };
    match &lowered.kinds[part] {
        Kind::Rule(rule) => add(lowered.rules[*rule as usize]),
        &Kind::Sequence(items) | &Kind::Choice(items) => {
            lowered.items(items).iter().copied().for_each(add);
        }
        Kind::Repeat { item, max, .. } if *max != Some(0) => add(*item),
        Kind::Members(members) if members.max != Some(0) => {
            for member in &members.members {
                if lowered.member_possible(member) {
                    add(member.key);
                    add(member.value);
                }
            }
            if members.max != Some(1) {
                add(members.separator);
            }
        }
        Kind::Unique(list) => {
            possible_items(list, lowered).for_each(&mut add);
            if lowered.most_items(list) > 1 {
                add(list.separator);
            }
        }
        Kind::Nothing
        | Kind::Empty
        | Kind::Text(_)
        | Kind::Texts(_)
        | Kind::Class(_)
        | Kind::Token(_)
        | Kind::Repeat { .. }
        | Kind::Members(_)
        | Kind::All(_)
        | Kind::Known(_) => {}
    }
}

/// The parts that have infinitely many texts, as a loop over some text is in them.
fn is_endless(lowered: &Lowered, has_text: &[bool]) -> Vec<bool> {
    let parts = Graph::new(0..lowered.kinds.len(), |part, to| match &lowered.kinds[part] {
        Kind::Members(members) if lowered.productive[part] => {
            // Those that must be there may take all the room.
            let room = lowered.most_members(members);
            let needed = members.members.iter().map(|member| u64::from(member.repetition.min()));
            let is_full = needed.sum::<u64>() >= u64::from(room);
            for member in &members.members {
                let fits = !is_full || member.repetition.min() > 0;
                if fits && lowered.member_possible(member) {
                    // All keys of many may be declared, but not infinitely many.
                    let is_many = member.repetition.is_many();
                    to.push(if is_many { member.key } else { member.value });
                }
            }
        }
        // Which items there can be before one is another question.
        Kind::Members(_) | Kind::Unique(_) => {}
        _ => children(part, lowered, |child| to.push(child)),
    });
    let is_loop = |part: &usize| match lowered.kinds[*part] {
        Kind::Repeat { item, max: None, .. } => {
            lowered.productive[*part] && has_text[item as usize]
        }
        _ => false,
    };
    parts.reversed().reachable((0..parts.len()).filter(is_loop))
}

fn has_text(lowered: &Lowered, users: &Graph, terms: &Terms) -> Vec<bool> {
    let is_blank = |byte: &u8| BLANKS.contains(byte);
    let has_own_text = |part: &usize| match &lowered.kinds[*part] {
        Kind::Text(text) => !text.iter().all(is_blank),
        Kind::Texts(texts) => texts.iter().any(|text| !text.iter().all(is_blank)),
        Kind::Class(ranges) => ranges.iter().any(|&(_, high)| high > ' '),
        Kind::All(found) => !has_blanks_only(found.known_term(), terms),
        _ => false,
    };
    users.reachable((0..users.len()).filter(has_own_text))
}

/// Whether all that a term matches is blanks.
fn has_blanks_only(term: TermId, terms: &Terms) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            for &(lo, hi, to) in terms.transitions(term) {
                if (lo..=hi).any(|byte| !BLANKS.contains(&byte)) {
                    return false;
                }
                pending.push(to);
            }
        }
    }
    true
}

/// Whether something that is more than blanks may come before or behind a part of `part`.
fn has_text_around(part: usize, child: Part, lowered: &Lowered, has_text: &[bool]) -> bool {
    let has_text = |part: Part| has_text[part as usize];
    match &lowered.kinds[part] {
        &Kind::Sequence(items) => {
            lowered.items(items).iter().any(|&item| item != child && has_text(item))
        }
        Kind::Repeat { item, max, .. } => *max != Some(1) && has_text(*item),
        Kind::Members(members) => members.members.iter().any(|member| has_text(member.key)),
        Kind::Unique(list) if lowered.most_items(list) > 1 => {
            let others = possible_items(list, lowered).chain([list.separator]);
            others.into_iter().any(has_text)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::OnceCell;

    use super::Growth;
    use crate::automaton::few::{Language, Languages, NotFew};
    use crate::automaton::lower::lower;
    use crate::automaton::terms::Terms;
    use crate::parse;

    /// Each is an item of a list; whether it is seen to be endless.
    const ITEMS: [(&str, bool); 18] = [
        ("\"a\" [0-9]+", true),
        ("\"a\" [0-9]{1,3}", false),
        ("\"a\" [ \\n]*", false),
        ("\"a\" | \"\\\"\" [^\"]* \"\\\"\"", true),
        ("\"a\" | [^\\x00-\\U0010FFFF]* \"b\"", false),
        ("\"a\" [^\\x00-\\U0010FFFF] [b]* | \"c\"", false),
        ("inner{1,2}\ninner ::= \"a\" (\"b\" [c]*)?", true),
        ("\"{\" @members(\",\")( \"a\" => \":\" [0-9]+ ; \"b\" ?=> \":1\" ) \"}\"", true),
        ("\"{\" @members(\",\")( \"a\" => \":1\" ; \"b\" ?=> \":\" [0-9]+ ) \"}\"", true),
        ("\"{\" @members(\",\"){0,1}( \"a\" => \":1\" ; \"b\" ?=> \":\" [0-9]+ ) \"}\"", false),
        ("\"{\" @members(\",\"){0,1}( \"a\" => \":\" [0-9]+ ; \"b\" ?=> \":1\" ) \"}\"", true),
        (
            "\"{\" @members([^\\x00-\\U0010FFFF])( \"a\" => \":1\" ; \"b\" ?=> \":\" [0-9]+ ) \"}\"",
            false,
        ),
        ("\"{\" @members(\",\")( \"a\" ?=> \":1\" ; [a-z]+ *=> \":1\" ) \"}\"", true),
        ("\"{\" @members(\",\")( \"a\" ?=> \":1\" ; [a] *=> \":\" [0-9]+ ) \"}\"", false),
        (
            "\"{\" @members(\",\")( \"a\" => \":1\" ; [a-z]+ *=> \":\" [^\\x00-\\U0010FFFF] ) \"}\"",
            false,
        ),
        ("\"[\" @unique(\",\")( [0-9]+* ) \"]\"", false),
        ("@all( \"a\" [0-9]+ )", false),
        ("\"a\" | \"(\" item \")\"", false),
    ];

    #[test]
    fn what_is_seen_to_be_endless_has_no_list_of_texts() {
        for (item, is_endless) in ITEMS {
            let text = format!("root ::= @unique(\";\")( item* )\nitem ::= {item}");
            let grammar = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let terms = Terms::default();
            let (lowered, names) = lower(&grammar, &terms).expect("it has rules");
            let quick = Growth::new(&lowered, &terms);
            assert_eq!(
                quick.is_endless(lowered.rules[names["item"] as usize]),
                is_endless,
                "{text}"
            );
            let mut languages = Languages::new(&lowered, &terms);
            let mut plainly = Languages::new(&lowered, &terms);
            let is_endless = vec![false; lowered.kinds.len()];
            plainly.growth = OnceCell::from(Growth { is_endless, ..quick });
            for part in 0..lowered.kinds.len() as u32 {
                match (&*languages.of_item(part), &*plainly.of_item(part)) {
                    (Language::Few(one), Language::Few(other)) => assert_eq!(one, other, "{text}"),
                    (Language::Other(NotFew::Endless), Language::Few(few)) => {
                        panic!("{text}: {few:?}")
                    }
                    (Language::Few(few), Language::Other(_)) => panic!("{text}: {few:?}"),
                    (Language::Other(_), _) => {}
                }
            }
        }
    }
}
