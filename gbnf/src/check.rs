//! What is wrong with a grammar that parsed, and what is probably not meant.
//!
//! All analyses are linear in the grammar and without recursion.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic};
use crate::finite::Finite;
use crate::grammar::{Expr, ExprKind, Grammar};
use crate::graph::Graph;
use crate::parse::undefined_rule;
use crate::similar::most_similar;

impl Grammar {
    /// Errors and warnings about the grammar with the start rule `root`, in source order of the
    /// rules.
    ///
    /// Errors: names that no rule defines, a missing start rule, a grammar that matches nothing.
    /// Warnings: rules defined again, rules that are never used, alternatives that can never
    /// finish, unbounded whitespace.
    ///
    /// ```
    /// use grammask_gbnf::{Code, Grammar};
    ///
    /// let grammar = Grammar::parse("root ::= \"a\" root")?;
    /// assert_eq!(grammar.check("root")[0].code, Code::MatchesNothing);
    /// # Ok::<(), grammask_gbnf::Diagnostics>(())
    /// ```
    pub fn check(&self, root: &str) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let rules = last_definitions(self, &mut found);
        let references = check_references(self, &rules, &mut found);
        if let Some(&start) = rules.get(root) {
            if found.iter().all(|diagnostic| diagnostic.code == Code::DuplicateRule) {
                check_use(self, &rules, &references, start, &mut found);
            }
        } else {
            let mut fault = missing_start(root);
            let names = self.rules.iter().map(|rule| rule.name.as_str());
            if let Some(similar) = most_similar(root, names) {
                fault = fault.with_help(format!("did you mean '{similar}'?"));
            }
            found.push(fault);
        }
        for rule in &self.rules {
            check_whitespace(&rule.body, &mut found);
        }
        found
    }
}

pub(crate) fn missing_start(root: &str) -> Diagnostic {
    let fault = format!("the start rule '{root}' is not defined");
    Diagnostic::new(Code::MissingStart, crate::Span::default(), fault)
}

/// For each name the place of the rule that counts.
fn last_definitions<'a>(
    grammar: &'a Grammar,
    found: &mut Vec<Diagnostic>,
) -> FxHashMap<&'a str, usize> {
    let mut rules: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, rule) in grammar.rules.iter().enumerate() {
        if let Some(before) = rules.insert(&rule.name, at) {
            let fault = format!("the rule '{}' is defined again", rule.name);
            found.push(
                Diagnostic::new(Code::DuplicateRule, rule.name_span, fault)
                    .with_help("the last definition counts")
                    .with_related(grammar.rules[before].name_span, "without effect"),
            );
        }
    }
    rules
}

/// Which rules each rule refers to, in the order of the references; reports names that no rule
/// defines.
fn check_references(
    grammar: &Grammar,
    rules: &FxHashMap<&str, usize>,
    found: &mut Vec<Diagnostic>,
) -> Graph {
    let mut reported = FxHashSet::default();
    Graph::new(&grammar.rules, |rule, edges| {
        for expr in rule.body.descendants() {
            let ExprKind::Reference(name) = &expr.kind else { continue };
            if let Some(&rule) = rules.get(&**name) {
                edges.push(rule as u32);
            } else if reported.insert(&**name) {
                found.push(undefined_rule(name, &[expr.span], None));
            }
        }
    })
}

/// What depends on the start rule: unused rules, and what can never finish.
fn check_use(
    grammar: &Grammar,
    rules: &FxHashMap<&str, usize>,
    references: &Graph,
    start: usize,
    found: &mut Vec<Diagnostic>,
) {
    let reached = references.reachable([start]);
    let finite = Finite::new(grammar, references);
    for (at, rule) in grammar.rules.iter().enumerate() {
        if rules.get(rule.name.as_str()) != Some(&at) {
            continue;
        }
        if !reached[at] {
            let fault = format!("rule '{}' is never used", rule.name);
            found.push(Diagnostic::new(Code::UnreachableRule, rule.name_span, fault));
        } else if at == start && !finite.rule(at) {
            let fault = format!("no text matches the start rule '{}'", rule.name);
            found.push(
                Diagnostic::new(Code::MatchesNothing, rule.name_span, fault).with_help(
                    "each way through it goes on for ever, or needs a character of none",
                ),
            );
        } else if finite.rule(at) {
            found.extend(finite.dead_parts(at).map(never_finishes));
        }
    }
}

fn never_finishes(part: &Expr) -> Diagnostic {
    let fault = "this can never finish, so it is never taken";
    let fault = Diagnostic::new(Code::NeverFinishes, part.span, fault);
    let culprit = part.descendants().find_map(|expr| match &expr.kind {
        ExprKind::Reference(name) => Some(name),
        _ => None,
    });
    match culprit {
        Some(name) => fault.with_help(format!("look at the rule '{name}'")),
        None => fault,
    }
}

/// Reports repetitions without a maximum of what is only whitespace.
fn check_whitespace(body: &Expr, found: &mut Vec<Diagnostic>) {
    let unbounded = |expr: &Expr| matches!(expr.kind, ExprKind::Repeat { max: None, .. });
    if !body.descendants().any(unbounded) {
        return;
    }
    // Each part after what it is part of; so backwards, the parts come first.
    let mut parts: Vec<(&Expr, usize)> = Vec::new();
    let mut ahead = vec![(body, 0)];
    while let Some((expr, parent)) = ahead.pop() {
        let at = parts.len();
        parts.push((expr, parent));
        ahead.extend(expr.children().rev().map(|child| (child, at)));
    }
    let mut is_blank = vec![true; parts.len()];
    for (at, &(expr, parent)) in parts.iter().enumerate().rev() {
        is_blank[at] &= match &expr.kind {
            ExprKind::Literal(text) => text.chars().all(is_whitespace),
            ExprKind::Class(class) => {
                let mut ranges = class.ranges.iter();
                !class.negated && ranges.all(|&(low, high)| (low..=high).all(is_whitespace))
            }
            ExprKind::Sequence(_) | ExprKind::Choice(_) | ExprKind::Repeat { .. } => true,
            _ => false,
        };
        if !is_blank[at] {
            is_blank[parent] = false;
        }
    }
    for (at, &(expr, parent)) in parts.iter().enumerate() {
        let ExprKind::Repeat { max: None, item, .. } = &expr.kind else { continue };
        let inside_another = at > 0
            && is_blank[parent]
            && matches!(parts[parent].0.kind, ExprKind::Repeat { max: None, .. });
        if is_blank[at] && !inside_another && matches_a_character(item) {
            let fault = "unbounded whitespace";
            found
                .push(Diagnostic::new(Code::UnboundedWhitespace, expr.span, fault).with_help(
                    "a model may write blanks for ever: give a maximum, as in '{0,20}'",
                ));
        }
    }
}

fn matches_a_character(expr: &Expr) -> bool {
    expr.descendants().any(|expr| match &expr.kind {
        ExprKind::Literal(text) => !text.is_empty(),
        ExprKind::Class(_) => true,
        _ => false,
    })
}

fn is_whitespace(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}
