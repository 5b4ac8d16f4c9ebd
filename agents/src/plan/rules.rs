//! The rules of many grammars in one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grammask_gbnf::{Expr, ExprKind, Grammar};

/// Puts grammars together. Rules that are the same in several of them, with all that they refer to,
/// are there once: those of any string, any number and so on.
#[derive(Default)]
pub(super) struct Rules {
    pub(super) grammar: Grammar,
    /// The bodies of rules that kept their names.
    kept: HashMap<String, Arc<Expr>>,
}

impl Rules {
    /// Adds a grammar and returns the name of what was its `root`. Names that are taken get the
    /// prefix.
    pub(super) fn add(&mut self, prefix: &str, grammar: &Grammar) -> String {
        let bodies: HashMap<&str, &Expr> =
            grammar.rules.iter().map(|rule| (rule.name.as_str(), &*rule.body)).collect();
        // What cannot keep its name: the root, what is taken by something else, and what refers to
        // such rules.
        let mut users: HashMap<String, Vec<&str>> = HashMap::new();
        let mut pending = vec!["root"];
        for rule in &grammar.rules {
            for name in references(&rule.body) {
                users.entry(name).or_default().push(&rule.name);
            }
            let is_taken = self.kept.get(&rule.name).is_some_and(|known| *known != rule.body);
            // A name with another prefix is no name of this one.
            if is_taken || rule.name.starts_with(PREFIX) {
                pending.push(&rule.name);
            }
        }
        let mut renamed: HashSet<&str> = HashSet::new();
        while let Some(name) = pending.pop() {
            if renamed.insert(name) {
                pending.extend(users.get(name).into_iter().flatten());
            }
        }
        let new_name = |name: &str| match name {
            "root" => prefix.to_owned(),
            name if renamed.contains(name) || !bodies.contains_key(name) => {
                format!("{prefix}-{name}")
            }
            name => name.to_owned(),
        };
        let mut added = Vec::new();
        for rule in &grammar.rules {
            let name = new_name(&rule.name);
            if renamed.contains(rule.name.as_str()) {
                let mut body = rule.body.clone();
                rename(Arc::make_mut(&mut body), &new_name);
                added.push((name, body));
            } else if !self.kept.contains_key(&name) {
                self.kept.insert(name.clone(), rule.body.clone());
                added.push((name, rule.body.clone()));
            }
        }
        for (name, body) in added {
            self.grammar.add(name, body);
        }
        prefix.to_owned()
    }
}

/// What the names of rules begin with that are not shared.
pub(super) const PREFIX: &str = "tool-";

/// The expressions inside, one level down.
fn inside(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Literal(_)
        | ExprKind::Class(_)
        | ExprKind::Any
        | ExprKind::Reference(_)
        | ExprKind::Token(_) => Vec::new(),
        ExprKind::Sequence(items) | ExprKind::Choice(items) => items.iter_mut().collect(),
        ExprKind::Repeat { item, .. } => vec![item],
        ExprKind::Members(members) => {
            let parts = members.members.iter_mut().flat_map(|one| [&mut one.key, &mut one.value]);
            parts.chain([&mut members.separator]).collect()
        }
        ExprKind::Unique(list) => {
            let items = list.first.iter_mut().chain(&mut list.rest);
            items.chain([&mut list.separator]).collect()
        }
        ExprKind::All(all) => all.all.iter_mut().chain(&mut all.none).collect(),
    }
}

fn rename(expr: &mut Expr, new_name: &impl Fn(&str) -> String) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        if let ExprKind::Reference(name) = &mut expr.kind {
            *name = new_name(name).into();
        }
        pending.extend(inside(expr));
    }
}

fn references(expr: &Expr) -> Vec<String> {
    let names = expr.descendants().filter_map(|expr| match &expr.kind {
        ExprKind::Reference(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use grammask_gbnf::parse;

    use super::*;

    #[test]
    fn what_is_the_same_is_shared() {
        let mut rules = Rules::default();
        let first = parse("root ::= a b ws\na ::= [x] b\nb ::= \"1\"\nws ::= \" \"?\n").unwrap();
        // `a` reads the same, but uses another `b`.
        let second = parse("root ::= a b ws\na ::= [x] b\nb ::= \"2\"\nws ::= \" \"?\n").unwrap();
        rules.add("tool-0", &first);
        rules.add("tool-1", &second);
        let expected = "tool-0 ::= a b ws\na ::= [x] b\nb ::= \"1\"\nws ::= \" \"?\n\
            tool-1 ::= tool-1-a tool-1-b ws\ntool-1-a ::= [x] tool-1-b\ntool-1-b ::= \"2\"\n";
        assert_eq!(rules.grammar.to_string(), expected);
    }
}
