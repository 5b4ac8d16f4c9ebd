//! Earley's algorithm against sets: the language of every rule, cut at a length, as the least
//! solution of the grammar's equations.

use std::collections::{BTreeMap, BTreeSet};

use grammask_gbnf::{
    Automaton, Expr, ExprKind, Grammar, Matcher, Member, Members, Repetition, Unique,
};
use grammask_oracle::{Reference, enumerate, generate};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

type Texts = BTreeSet<String>;

/// A few characters and the longest text in bytes.
struct Frame {
    characters: &'static str,
    longest: usize,
}

/// Members, and the languages that they are made of.
struct Parts<'g> {
    members: &'g Members,
    keys: Vec<Texts>,
    values: Vec<Texts>,
    separators: Texts,
}

/// A list, and the languages that it is made of.
struct Items<'g> {
    list: &'g Unique,
    first: Vec<Texts>,
    rest: Option<Texts>,
    separators: Texts,
}

impl Frame {
    /// All texts of the rule `root` within the frame.
    fn language(&self, grammar: &Grammar) -> Texts {
        let mut languages: BTreeMap<&str, Texts> = BTreeMap::new();
        loop {
            let mut next = BTreeMap::new();
            for rule in &grammar.rules {
                next.insert(&*rule.name, self.expr(&rule.body, &languages));
            }
            if next == languages {
                return languages.remove("root").unwrap_or_default();
            }
            languages = next;
        }
    }

    fn expr(&self, expr: &Expr, languages: &BTreeMap<&str, Texts>) -> Texts {
        match &expr.kind {
            ExprKind::Literal(text) => self.cut(text.to_string()).into_iter().collect(),
            ExprKind::Class(class) => self
                .characters
                .chars()
                .filter(|&c| {
                    class.ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi) != class.negated
                })
                .map(String::from)
                .collect(),
            ExprKind::Any => self.characters.chars().map(String::from).collect(),
            ExprKind::Reference(name) => languages.get(&**name).cloned().unwrap_or_default(),
            ExprKind::Token(_) => Texts::new(),
            ExprKind::Sequence(items) => items.iter().fold(empty_text(), |before, item| {
                self.concatenate(&before, &self.expr(item, languages))
            }),
            ExprKind::Choice(items) => {
                items.iter().flat_map(|item| self.expr(item, languages)).collect()
            }
            ExprKind::Repeat { item, min, max } => {
                let item = self.expr(item, languages);
                let mut times = empty_text();
                for _ in 0..*min {
                    times = self.concatenate(&times, &item);
                }
                let mut found = times.clone();
                for _ in *min..max.unwrap_or(u32::MAX) {
                    times = self.concatenate(&times, &item);
                    if times.is_subset(&found) {
                        break;
                    }
                    found.extend(times.iter().cloned());
                }
                found
            }
            ExprKind::Members(members) => {
                let sets = |part: fn(&Member) -> &Expr| {
                    members
                        .members
                        .iter()
                        .map(|member| self.expr(part(member), languages))
                        .collect()
                };
                let parts = Parts {
                    members,
                    keys: sets(|member| &member.key),
                    values: sets(|member| &member.value),
                    separators: self.expr(&members.separator, languages),
                };
                let counts = vec![0; members.members.len()];
                self.members(&parts, &mut Texts::new(), &counts, &empty_text())
            }
            ExprKind::Unique(list) => {
                let items = Items {
                    list,
                    first: list.first.iter().map(|item| self.expr(item, languages)).collect(),
                    rest: list.rest.as_ref().map(|rest| self.expr(rest, languages)),
                    separators: self.expr(&list.separator, languages),
                };
                self.items(&items, &mut Vec::new(), &empty_text())
            }
            ExprKind::All(found) => {
                let mut texts = found.all.iter().map(|item| self.expr(item, languages));
                let all = texts.next().unwrap_or_default();
                let all = texts.fold(all, |all, item| &all & &item);
                let none = found.none.iter().map(|item| self.expr(item, languages));
                none.fold(all, |all, item| &all - &item)
            }
        }
    }

    /// The texts of a list that go on from one of `before`, with the items `used` written.
    fn items(&self, items: &Items, used: &mut Vec<String>, before: &Texts) -> Texts {
        let mut found = Texts::new();
        let count = used.len();
        if before.is_empty() {
            return found;
        }
        if count >= items.list.min as usize {
            found.extend(before.iter().cloned());
        }
        let full = items.list.max.is_some_and(|max| count >= max as usize);
        let Some(next) = items.first.get(count).or(items.rest.as_ref()).filter(|_| !full) else {
            return found;
        };
        let before = match count {
            0 => before.clone(),
            _ => self.concatenate(before, &items.separators),
        };
        for item in next {
            let text = canonical(item);
            if !used.contains(&text) {
                used.push(text);
                let with_item = self.concatenate(&before, &Texts::from([item.clone()]));
                found.extend(self.items(items, used, &with_item));
                used.pop();
            }
        }
        found
    }

    /// The texts of members that go on from one of `before`, with the keys `used`
    /// written, and so many members of each entry.
    fn members(&self, parts: &Parts, used: &mut Texts, counts: &[u32], before: &Texts) -> Texts {
        let members = parts.members;
        let mut found = Texts::new();
        let count = used.len() as u32;
        if before.is_empty() || members.max.is_some_and(|max| count > max) {
            return found;
        }
        let with_keys = || members.members.iter().zip(&parts.keys);
        let missing = members
            .members
            .iter()
            .zip(counts)
            .any(|(member, &count)| count < member.repetition.min());
        if count >= members.min && !missing {
            found.extend(before.iter().cloned());
        }
        let declared: Texts = with_keys()
            .filter(|(member, _)| !member.repetition.is_many())
            .flat_map(|(_, keys)| keys.iter().cloned())
            .collect();
        let before = match count {
            0 => before.clone(),
            _ => self.concatenate(before, &parts.separators),
        };
        for (at, ((member, keys), values)) in with_keys().zip(&parts.values).enumerate() {
            if member.repetition.max().is_some_and(|max| counts[at] >= max) {
                continue;
            }
            let mut counts = counts.to_vec();
            counts[at] += 1;
            for key in keys {
                let allowed = match member.repetition {
                    Repetition::Never => false,
                    Repetition::Many { .. } => !declared.contains(key),
                    Repetition::Required | Repetition::Optional => true,
                };
                if allowed && used.insert(key.clone()) {
                    let with_key = self.concatenate(&before, &Texts::from([key.clone()]));
                    let with_value = self.concatenate(&with_key, values);
                    found.extend(self.members(parts, used, &counts, &with_value));
                    used.remove(key);
                }
            }
        }
        found
    }

    fn concatenate(&self, first: &Texts, second: &Texts) -> Texts {
        let mut by_length = vec![Vec::new(); self.longest + 1];
        for text in second {
            by_length[text.len()].push(text);
        }
        let both = first.iter().flat_map(|a| {
            let fitting = by_length[..=self.longest - a.len()].iter().flatten();
            fitting.map(move |b| format!("{a}{b}"))
        });
        both.collect()
    }

    fn cut(&self, text: String) -> Option<String> {
        let fits = text.len() <= self.longest && text.chars().all(|c| self.characters.contains(c));
        fits.then_some(text)
    }

    /// Compares the two, and looks for dead ends.
    fn check(&self, grammar: &Grammar) -> Result<(), proptest::test_runner::TestCaseError> {
        let expected = self.language(grammar);
        let reference = Reference::new(grammar, "root");
        let mut alphabet = self.characters.as_bytes().to_vec();
        alphabet.sort_unstable();
        alphabet.dedup();
        let found = enumerate::texts(&reference, &alphabet, self.longest, usize::MAX);
        let found: Texts = found
            .into_iter()
            .map(|text| String::from_utf8(text).expect("only UTF-8 matches"))
            .filter(|text| text.chars().all(|c| self.characters.contains(c)))
            .collect();
        if reference.gave_up() {
            return Ok(());
        }
        prop_assert_eq!(&found, &expected);
        for text in &expected {
            for end in 0..=text.len() {
                prop_assert!(reference.alive(&text.as_bytes()[..end]), "{text:?} up to {end}");
            }
        }
        Ok(())
    }
}

/// What counts of an item: all but blanks outside of strings, and not the order between commas in
/// the braces of an item in which brackets match.
fn canonical(item: &str) -> String {
    // Strings are the odd parts; their characters are put out of the way.
    let parts = item.split('"').enumerate();
    let kept: Vec<String> = parts
        .map(|(at, part)| match at % 2 {
            0 => part.replace(' ', ""),
            _ => part.chars().map(|c| char::from_u32(c as u32 + 0x1_0000).unwrap_or(c)).collect(),
        })
        .collect();
    let plain = kept.join("\"");
    // Brackets with no brackets in them are put in order, and become other characters.
    let mut text = plain.clone();
    while let Some(close) = text.find(['}', ']'])
        && let Some(open) = text[..close].rfind(['{', '['])
    {
        let mut parts: Vec<&str> = text[open + 1..close].split(',').collect();
        let other = match (&text[open..=open], &text[close..=close]) {
            ("{", "}") => {
                parts.sort_unstable();
                format!("\u{E000}{}\u{E001}", parts.join("\u{E002}"))
            }
            ("[", "]") => format!("\u{E003}{}\u{E004}", parts.join("\u{E002}")),
            _ => return plain,
        };
        text.replace_range(open..=close, &other);
    }
    if text.contains(['{', '}', '[', ']']) { plain } else { text }
}

fn empty_text() -> Texts {
    Texts::from([String::new()])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plain_grammars_mean_their_equations(grammar in generate::plain_grammars()) {
        Frame { characters: "abcé", longest: 5 }.check(&grammar)?;
    }

    #[test]
    fn no_state_is_a_dead_end(
        grammar in generate::grammars(),
        steps in generate::steps(30),
    ) {
        let reference = Reference::new(&grammar, "root");
        let text = generate::walk(&reference, &steps);
        let mut chart = reference.start();
        prop_assert_eq!(chart.alive(), !reference.is_empty());
        for &byte in &text {
            prop_assert!(chart.matches() || !chart.next_bytes().is_empty());
            prop_assert!(chart.push(byte));
        }
    }

    #[test]
    fn charts_take_back_and_refuse_without_a_trace(
        grammar in generate::grammars(),
        steps in generate::steps(20),
        changes in generate::changes(),
    ) {
        let reference = Reference::new(&grammar, "root");
        let text = generate::walk(&reference, &steps);
        let other = generate::mutate(&text, &changes);
        if let Some(mut chart) = reference.read(&text) {
            let (complete, next) = (chart.matches(), chart.next_bytes());
            let allowed: Vec<u8> = (0..=255).filter(|&byte| chart.allows(byte)).collect();
            prop_assert_eq!(&next, &allowed);
            let read = other.iter().filter(|&&byte| chart.push(byte)).count();
            prop_assert_eq!(chart.position(), text.len() + read);
            for _ in 0..read {
                chart.pop();
            }
            prop_assert_eq!(chart.matches(), complete);
            prop_assert_eq!(chart.next_bytes(), next);
        }
    }
}

proptest! {
    // The equations write members out in all orders, which takes its time.
    #![proptest_config(ProptestConfig {
        cases: 60,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn members_mean_their_equations(grammar in generate::members_grammars()) {
        Frame { characters: "ab,=", longest: 6 }.check(&grammar)?;
    }
}

proptest! {
    // The reference looks for a way to finish each text.
    #![proptest_config(ProptestConfig {
        cases: 30,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn lists_mean_their_equations(grammar in generate::unique_grammars()) {
        Frame { characters: "ab, \"", longest: 5 }.check(&grammar)?;
    }
}

proptest! {
    #[test]
    fn items_are_equal_whatever_the_order_of_members(
        (one, other) in generate::like_items(),
    ) {
        let any = Expr::class([(' ', ':'), ('<', '~')]).repeat(0, None);
        let item = Expr::sequence([Expr::literal("x"), any]);
        let list = Unique {
            first: Vec::new(),
            rest: Some(item),
            separator: Expr::literal(";"),
            min: 2,
            max: Some(2),
        };
        let mut grammar = Grammar::default();
        grammar.add("root", Expr::new(ExprKind::Unique(Box::new(list))));
        let (one, other) = (format!("x{one}"), format!("x{other}"));
        let differ = canonical(&one) != canonical(&other);
        let text = format!("{one};{other}");
        let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root").expect("it compiles"));
        prop_assert!(matcher.advance(text.as_bytes()).is_ok(), "{}", text);
        prop_assert_eq!(matcher.is_complete(), differ, "{}", text);
        if text.len() < 24 {
            prop_assert_eq!(Reference::new(&grammar, "root").matches(text.as_bytes()), differ);
        }
    }
}
