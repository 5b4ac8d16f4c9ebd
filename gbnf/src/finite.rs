//! Which parts of a grammar match some finite text.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::grammar::{Expr, ExprKind, Grammar, Member, Members, Repetition};

/// For each part of a grammar, whether some finite text matches it.
pub(crate) struct Finite<'a> {
    /// Each part after what it is part of.
    nodes: Vec<Node<'a>>,
    /// The nodes of each rule, its body first.
    rules: Vec<Range<usize>>,
    is_finite: Vec<bool>,
}

struct Node<'a> {
    part: Part<'a>,
    parent: Parent,
    role: Role,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Expr(&'a Expr),
    Member(&'a Member),
}

#[derive(Clone, Copy)]
enum Parent {
    Node(usize),
    Rule(usize),
}

/// What a part means to its parent.
#[derive(Clone, Copy)]
enum Role {
    /// It is one of those that must be finite.
    Needed,
    /// It may stand for one of the optional ones that must be.
    Optional,
    /// It stands for any number of optional ones.
    Many,
    Unneeded,
}

/// How many parts a node still waits for.
#[derive(Clone, Copy, Default)]
struct Missing {
    needed: usize,
    optional: usize,
}

impl Missing {
    fn is_none(self) -> bool {
        self.needed == 0 && self.optional == 0
    }

    fn found(&mut self, role: Role) {
        match role {
            Role::Needed => self.needed = self.needed.saturating_sub(1),
            Role::Optional => self.optional = self.optional.saturating_sub(1),
            Role::Many => self.optional = 0,
            Role::Unneeded => {}
        }
    }
}

impl<'a> Finite<'a> {
    /// Looks at all rules; `rules` says which rule a name means.
    pub(crate) fn new(grammar: &'a Grammar, rules: &FxHashMap<&str, usize>) -> Self {
        let mut nodes = Vec::new();
        let mut ranges = Vec::new();
        for (at, rule) in grammar.rules.iter().enumerate() {
            let first = nodes.len();
            push_nodes(&mut nodes, &rule.body, Parent::Rule(at));
            ranges.push(first..nodes.len());
        }
        let is_finite = solve(&nodes, grammar.rules.len(), rules);
        Self { nodes, rules: ranges, is_finite }
    }

    /// Whether some finite text matches the rule.
    pub(crate) fn rule(&self, rule: usize) -> bool {
        self.is_finite[self.rules[rule].start]
    }

    /// The parts of a rule that are not finite, though what they are part of is.
    pub(crate) fn dead_parts(&self, rule: usize) -> impl Iterator<Item = &'a Expr> {
        self.rules[rule].clone().filter_map(|at| {
            let node = &self.nodes[at];
            let alive = match node.parent {
                Parent::Node(parent) => self.is_finite[parent],
                Parent::Rule(_) => false,
            };
            let part = match node.part {
                Part::Expr(expr) => expr,
                Part::Member(member) => &member.key,
            };
            (alive && !self.is_finite[at]).then_some(part)
        })
    }
}

fn push_nodes<'a>(nodes: &mut Vec<Node<'a>>, body: &'a Expr, parent: Parent) {
    let mut ahead = vec![Node { part: Part::Expr(body), parent, role: Role::Needed }];
    while let Some(node) = ahead.pop() {
        let parent = Parent::Node(nodes.len());
        let from = ahead.len();
        let mut push = |part, role| ahead.push(Node { part, parent, role });
        match node.part {
            Part::Expr(Expr { kind: ExprKind::Members(members), .. }) => {
                let role =
                    if members_at_least(members) > 1 { Role::Needed } else { Role::Unneeded };
                push(Part::Expr(&members.separator), role);
                for member in &members.members {
                    let role = match member.repetition {
                        Repetition::Required => Role::Needed,
                        Repetition::Optional => Role::Optional,
                        Repetition::Many => Role::Many,
                        Repetition::Never => Role::Unneeded,
                    };
                    push(Part::Member(member), role);
                }
            }
            Part::Expr(expr) => {
                expr.children().for_each(|child| push(Part::Expr(child), Role::Needed));
            }
            Part::Member(member) => {
                push(Part::Expr(&member.key), Role::Needed);
                push(Part::Expr(&member.value), Role::Needed);
            }
        }
        ahead[from..].reverse();
        nodes.push(node);
    }
}

/// Wakes what waits for a part as soon as that is found to be finite.
fn solve(nodes: &[Node<'_>], rule_count: usize, rules: &FxHashMap<&str, usize>) -> Vec<bool> {
    let mut finite = vec![false; nodes.len()];
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); rule_count];
    let mut missing = Vec::with_capacity(nodes.len());
    let mut woken = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        if let Part::Expr(Expr { kind: ExprKind::Reference(name), .. }) = node.part
            && let Some(&rule) = rules.get(name.as_str())
        {
            uses[rule].push(at);
        }
        let waits = waits_for(node.part);
        // `None` is never finite.
        if waits.is_some_and(Missing::is_none) {
            woken.push(at);
        }
        missing.push(waits);
    }
    while let Some(at) = woken.pop() {
        if std::mem::replace(&mut finite[at], true) {
            continue;
        }
        match nodes[at].parent {
            Parent::Rule(rule) => woken.extend(&uses[rule]),
            Parent::Node(parent) => {
                if let Some(missing) = &mut missing[parent] {
                    missing.found(nodes[at].role);
                    if missing.is_none() {
                        woken.push(parent);
                    }
                }
            }
        }
    }
    finite
}

/// What must be finite for `part` to be; `None`: nothing makes it so.
fn waits_for(part: Part<'_>) -> Option<Missing> {
    let needed = match part {
        Part::Member(_) => 2,
        Part::Expr(expr) => match &expr.kind {
            ExprKind::Class(class) if class.negated && class.matched().is_empty() => return None,
            ExprKind::Literal(_) | ExprKind::Class(_) | ExprKind::Any | ExprKind::Token(_) => 0,
            ExprKind::Reference(_) | ExprKind::Choice(_) => 1,
            ExprKind::Sequence(items) => items.len(),
            ExprKind::Repeat { min, max, .. } if max.is_some_and(|max| max < *min) => return None,
            ExprKind::Repeat { min, .. } => usize::from(*min > 0),
            ExprKind::Members(members) => return members_wait_for(members),
        },
    };
    Some(Missing { needed, optional: 0 })
}

fn members_wait_for(members: &Members) -> Option<Missing> {
    let required = required_members(members);
    let least = members_at_least(members);
    if members.max.is_some_and(|max| (max as usize) < least) {
        return None;
    }
    let separator = usize::from(least > 1);
    Some(Missing { needed: required + separator, optional: least - required })
}

fn required_members(members: &Members) -> usize {
    let repetitions = members.members.iter().map(|member| member.repetition);
    repetitions.filter(|repetition| *repetition == Repetition::Required).count()
}

/// How many members there are in any case.
fn members_at_least(members: &Members) -> usize {
    required_members(members).max(members.min as usize)
}
