//! A slow, obvious matcher over the tree of a grammar: all ends of all ways to match.

use std::collections::BTreeSet;

use grammask_gbnf::{Expr, ExprKind, Grammar, Members, Repetition};

/// What a grammar says about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the language.
    Complete,
    /// It is not, but more text may make it so.
    Alive,
    /// It is not and never will be.
    Dead,
}

struct Matcher<'a> {
    grammar: &'a Grammar,
    text: Vec<char>,
    /// Whether some way needs a character after the end of the text.
    at_end: bool,
    steps: usize,
}

type Ends = BTreeSet<usize>;

/// Matches `text` against the rule `root`.
pub fn verdict(grammar: &Grammar, text: &str) -> Verdict {
    let mut matcher =
        Matcher { grammar, text: text.chars().collect(), at_end: false, steps: 0 };
    let root = &grammar.rule("root").expect("a root").body;
    let ends = matcher.ends(root, 0);
    if ends.contains(&matcher.text.len()) {
        Verdict::Complete
    } else if matcher.at_end {
        Verdict::Alive
    } else {
        Verdict::Dead
    }
}

impl Matcher<'_> {
    fn ends(&mut self, expr: &Expr, start: usize) -> Ends {
        self.steps += 1;
        assert!(self.steps < 20_000_000, "the reference matcher runs too long");
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let mut at = start;
                for c in literal.chars() {
                    match self.text.get(at) {
                        None => {
                            self.at_end = true;
                            return Ends::new();
                        }
                        Some(&found) if found == c => at += 1,
                        Some(_) => return Ends::new(),
                    }
                }
                Ends::from([at])
            }
            ExprKind::Class(class) => {
                let matched = class.matched();
                self.one(start, !matched.is_empty(), |c| {
                    matched.iter().any(|&(low, high)| (low..=high).contains(&c))
                })
            }
            ExprKind::Any => self.one(start, true, |_| true),
            ExprKind::Reference(name) => {
                let grammar = self.grammar;
                let rule = grammar.rule(name).unwrap_or_else(|| panic!("undefined rule {name}"));
                self.ends(&rule.body, start)
            }
            ExprKind::Token(_) => panic!("no tokens here"),
            ExprKind::Sequence(items) => {
                let mut ends = Ends::from([start]);
                for item in items {
                    ends = ends.iter().flat_map(|&at| self.ends(item, at)).collect();
                }
                ends
            }
            ExprKind::Choice(cases) => {
                cases.iter().flat_map(|case| self.ends(case, start)).collect()
            }
            ExprKind::Repeat { item, min, max } => {
                let mut all = Ends::new();
                let mut ends = Ends::from([start]);
                let mut count = 0;
                loop {
                    if count >= *min {
                        let before = all.len();
                        all.extend(&ends);
                        if all.len() == before {
                            return all;
                        }
                    }
                    if ends.is_empty() || Some(count) == *max {
                        return all;
                    }
                    ends = ends.iter().flat_map(|&at| self.ends(item, at)).collect();
                    count += 1;
                }
            }
            ExprKind::Members(members) => {
                let mut ends = Ends::new();
                self.members(members, start, &mut Vec::new(), &mut ends);
                ends
            }
        }
    }

    fn one(&mut self, start: usize, possible: bool, matches: impl Fn(char) -> bool) -> Ends {
        match self.text.get(start) {
            None => {
                self.at_end |= possible;
                Ends::new()
            }
            Some(&c) if matches(c) => Ends::from([start + 1]),
            Some(_) => Ends::new(),
        }
    }

    fn members(&mut self, members: &Members, start: usize, seen: &mut Vec<String>, ends: &mut Ends) {
        let literal = |expr: &Expr| match &expr.kind {
            ExprKind::Literal(text) => text.clone(),
            _ => panic!("the key of a declared member is a literal"),
        };
        let missing = members
            .members
            .iter()
            .filter(|member| member.repetition == Repetition::Required)
            .filter(|member| !seen.contains(&literal(&member.key)))
            .count();
        let count = seen.len();
        if missing == 0 && count >= members.min as usize {
            ends.insert(start);
        }
        let full = |needed: usize| members.max.is_some_and(|max| count + needed > max as usize);
        if full(1) {
            return;
        }
        let starts = if seen.is_empty() {
            Ends::from([start])
        } else {
            self.ends(&members.separator, start)
        };
        for start in starts {
            for member in &members.members {
                let required = member.repetition == Repetition::Required;
                if member.repetition == Repetition::Never || full(missing + usize::from(!required)) {
                    continue;
                }
                for at in self.ends(&member.key, start) {
                    let key: String = self.text[start..at].iter().collect();
                    let declared = members.members.iter().any(|other| {
                        other.repetition != Repetition::Many && literal(&other.key) == key
                    });
                    if seen.contains(&key) || declared && member.repetition == Repetition::Many {
                        continue;
                    }
                    for end in self.ends(&member.value, at) {
                        seen.push(key.clone());
                        self.members(members, end, seen, ends);
                        seen.pop();
                    }
                }
            }
        }
    }
}
