//! A second reference for long texts of grammars without recursion: partial derivatives of the
//! expressions themselves (Antimirov, 1996), where a count is a number. The reference matcher
//! spells a count out.

use std::collections::{HashMap, HashSet};

use grammask_gbnf::{Expr, ExprKind, Grammar};

use crate::verdict::Verdict;

/// A grammar without recursion, of which no part is a dead end.
pub struct Derivatives {
    rules: HashMap<String, Expr>,
    root: String,
}

/// What is left to match, the last first.
type Rest = Vec<Expr>;

impl Derivatives {
    /// `None` if the grammar recurses, or has members or an empty class.
    pub fn new(grammar: &Grammar, root: &str) -> Option<Self> {
        let mut rules = HashMap::new();
        for rule in &grammar.rules {
            rules.insert(rule.name.clone(), Expr::clone(&rule.body));
        }
        let derivatives = Self { rules, root: root.to_owned() };
        let mut open = Vec::new();
        derivatives.is_plain(root, &mut open, &mut HashSet::new()).then_some(derivatives)
    }

    /// Whether a rule leads neither to itself nor to a dead end.
    fn is_plain<'g>(
        &'g self,
        name: &'g str,
        open: &mut Vec<&'g str>,
        done: &mut HashSet<&'g str>,
    ) -> bool {
        if done.contains(name) {
            return true;
        }
        let Some(body) = self.rules.get(name).filter(|_| !open.contains(&name)) else {
            return false;
        };
        open.push(name);
        let plain = body.descendants().all(|expr| match &expr.kind {
            ExprKind::Reference(name) => self.is_plain(name, open, done),
            ExprKind::Class(class) => !class.matched().is_empty(),
            ExprKind::Members(_) | ExprKind::Unique(_) | ExprKind::All(_) | ExprKind::Token(_) => {
                false
            }
            _ => true,
        });
        open.pop();
        done.insert(name);
        plain
    }

    /// What is true of a text.
    pub fn of_text(&self, text: &str) -> Verdict {
        let mut states = vec![vec![Expr::reference(self.root.clone())]];
        for character in text.chars() {
            let mut seen = HashSet::new();
            let mut next = Vec::new();
            for state in states {
                self.walk(state, &mut |head, rest| match &head.kind {
                    ExprKind::Literal(literal) if literal.starts_with(character) => {
                        let mut rest = rest.clone();
                        rest.push(Expr::literal(literal[character.len_utf8()..].to_owned()));
                        next.push(rest);
                    }
                    ExprKind::Any => next.push(rest.clone()),
                    ExprKind::Class(class) => {
                        let mut ranges = class.matched().into_iter();
                        if ranges.any(|(low, high)| low <= character && character <= high) {
                            next.push(rest.clone());
                        }
                    }
                    _ => {}
                });
            }
            next.retain(|rest| seen.insert(rest.clone()));
            if next.is_empty() {
                return Verdict::Refused;
            }
            states = next;
        }
        let complete = states.into_iter().any(|state| self.walk(state, &mut |_, _| {}));
        Verdict::of(true, complete)
    }

    /// Calls `found` with each literal, class or `.` that may come first, and what follows it;
    /// whether nothing at all may come.
    fn walk(&self, state: Rest, found: &mut impl FnMut(&Expr, &Rest)) -> bool {
        let mut nullable = false;
        let mut seen = HashSet::new();
        let mut open = vec![state];
        while let Some(mut rest) = open.pop() {
            if !seen.insert(rest.clone()) {
                continue;
            }
            let Some(head) = rest.pop() else {
                nullable = true;
                continue;
            };
            match &head.kind {
                ExprKind::Literal(text) if text.is_empty() => open.push(rest),
                ExprKind::Reference(name) => {
                    rest.extend(self.rules.get(&**name).cloned());
                    open.push(rest);
                }
                ExprKind::Sequence(items) => {
                    rest.extend(items.iter().rev().cloned());
                    open.push(rest);
                }
                ExprKind::Choice(items) => {
                    for item in items {
                        open.push([rest.as_slice(), std::slice::from_ref(item)].concat());
                    }
                }
                ExprKind::Repeat { item, min, max } => {
                    if *min == 0 {
                        open.push(rest.clone());
                    }
                    if *max != Some(0) {
                        let more = item.clone();
                        let max = max.map(|max| max - 1);
                        rest.push(Expr::clone(item).repeat(min.saturating_sub(1), max));
                        rest.push(*more);
                        open.push(rest);
                    }
                }
                _ => found(&head, &rest),
            }
        }
        nullable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammask_oracle::Reference;

    #[test]
    fn the_two_references_agree() {
        let grammars = [
            "root ::= \"ab\"{0,3} x?\nx ::= [^a] \"\" . | \"b\"{2,}",
            "root ::= (\"a\"* | \"b\"?){2,4} \"a\"{0,0}",
            "root ::= ((\"a\"?){3,5} \"b\")+ | (x x)*\nx ::= \"ba\" | ",
        ];
        for text in grammars {
            let grammar = grammask_gbnf::parse(text).unwrap();
            let reference = Reference::new(&grammar, "root");
            let derivatives = Derivatives::new(&grammar, "root").unwrap();
            let mut texts = vec![String::new()];
            for length in 0..8 {
                for text in texts.clone().iter().filter(|text| text.len() == length) {
                    texts.extend(["a", "b"].map(|more| text.clone() + more));
                }
            }
            for input in &texts {
                let expected = reference
                    .read(input.as_bytes())
                    .map_or(Verdict::Refused, |chart| Verdict::of(true, chart.matches()));
                assert_eq!(derivatives.of_text(input), expected, "{text}: {input:?}");
            }
        }
    }

    #[test]
    fn recursion_and_dead_ends_are_left_to_the_other() {
        for text in ["root ::= \"a\" root | \"b\"", "root ::= \"a\" [^\\x00-\\U0010FFFF] | \"b\""] {
            assert!(Derivatives::new(&grammask_gbnf::parse(text).unwrap(), "root").is_none());
        }
    }
}
