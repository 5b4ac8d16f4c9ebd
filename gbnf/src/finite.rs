//! Which parts of a grammar match some finite text.

use std::ops::Range;

use crate::grammar::{Expr, ExprKind, Grammar, Member, Members, Repetition, Unique};
use crate::graph::Graph;

/// For each part of a grammar, whether some finite text matches it.
pub(crate) struct Finite<'a> {
    /// Each part after what it is part of.
    nodes: Vec<Node<'a>>,
    /// The nodes of each rule, its body first.
    rules: Vec<Range<usize>>,
    answers: Vec<bool>,
}

struct Node<'a> {
    part: Part<'a>,
    /// The node that it is part of; of a body the rule.
    parent: u32,
    role: Role,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Expr(&'a Expr),
    Member(&'a Member),
}

/// What a part means to its parent.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// It is the body of a rule.
    Body,
    /// It is one of those that must be finite.
    Needed,
    /// A member that may occur.
    Member {
        /// It must be finite, as it occurs in any case.
        needed: bool,
        /// For how many of the members that are not needed it may stand; `None`: for any number.
        more: Option<u32>,
    },
    Unneeded,
}

/// How many parts a node still waits for.
#[derive(Clone, Copy, Default)]
struct Missing {
    needed: u32,
    optional: u32,
}

impl Missing {
    fn is_none(self) -> bool {
        self.needed == 0 && self.optional == 0
    }

    fn found(&mut self, role: Role) {
        match role {
            Role::Needed => self.needed = self.needed.saturating_sub(1),
            Role::Member { needed, more } => {
                self.needed = self.needed.saturating_sub(u32::from(needed));
                self.optional = more.map_or(0, |more| self.optional.saturating_sub(more));
            }
            Role::Body | Role::Unneeded => {}
        }
    }
}

impl<'a> Finite<'a> {
    /// Looks at all rules; `references` says which rules they mean, in their order.
    pub(crate) fn new(grammar: &'a Grammar, references: &Graph) -> Self {
        let mut nodes = Vec::new();
        let mut rules = Vec::with_capacity(grammar.rules.len());
        let mut ahead = Vec::new();
        for (at, rule) in grammar.rules.iter().enumerate() {
            let first = nodes.len();
            let body = Part::Expr(&rule.body);
            ahead.push(Node { part: body, parent: at as u32, role: Role::Body });
            push_nodes(&mut nodes, &mut ahead);
            rules.push(first..nodes.len());
        }
        let answers = solve(&nodes, &rules, references);
        Self { nodes, rules, answers }
    }

    /// Whether some finite text matches the rule.
    pub(crate) fn rule(&self, rule: usize) -> bool {
        self.answers[self.rules[rule].start]
    }

    /// The parts of a rule that are not finite, though what they are part of is.
    pub(crate) fn dead_parts(&self, rule: usize) -> impl Iterator<Item = &'a Expr> {
        self.rules[rule].clone().filter_map(|at| {
            let node = &self.nodes[at];
            let alive = node.role != Role::Body && self.answers[node.parent as usize];
            let part = match node.part {
                Part::Expr(expr) => expr,
                Part::Member(member) => &member.value,
            };
            (alive && !self.answers[at]).then_some(part)
        })
    }
}

/// Moves the nodes that are ahead, and all parts of them.
fn push_nodes<'a>(nodes: &mut Vec<Node<'a>>, ahead: &mut Vec<Node<'a>>) {
    while let Some(node) = ahead.pop() {
        let parent = nodes.len() as u32;
        let from = ahead.len();
        let mut push = |part, role| ahead.push(Node { part, parent, role });
        match node.part {
            Part::Expr(Expr { kind: ExprKind::Members(members), .. }) => {
                let role =
                    if members_at_least(members) > 1 { Role::Needed } else { Role::Unneeded };
                push(Part::Expr(&members.separator), role);
                for member in &members.members {
                    push(Part::Member(member), role_of(member.repetition));
                }
            }
            Part::Expr(Expr { kind: ExprKind::Unique(list), .. }) => {
                let role = |needed| if needed { Role::Needed } else { Role::Unneeded };
                push(Part::Expr(&list.separator), role(list.min > 1));
                for (at, item) in list.first.iter().chain(&list.rest).enumerate() {
                    push(Part::Expr(item), role((list.min as usize) > at));
                }
            }
            Part::Expr(Expr { kind: ExprKind::All(found), .. }) => {
                for item in &found.all {
                    push(Part::Expr(item), Role::Needed);
                }
                for item in &found.none {
                    push(Part::Expr(item), Role::Unneeded);
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

fn role_of(repetition: Repetition) -> Role {
    let (min, max) = (repetition.min(), repetition.max());
    if max == Some(0) {
        return Role::Unneeded;
    }
    Role::Member { needed: min > 0, more: max.map(|max| max.saturating_sub(min)) }
}

/// Wakes what waits for a part as soon as that is found to be finite.
fn solve(nodes: &[Node<'_>], rules: &[Range<usize>], references: &Graph) -> Vec<bool> {
    let mut finite = vec![false; nodes.len()];
    let is_reference = |at: &usize| {
        matches!(nodes[*at].part, Part::Expr(Expr { kind: ExprKind::Reference(_), .. }))
    };
    let mut uses = vec![Vec::new(); rules.len()];
    for (rule, range) in rules.iter().enumerate() {
        for (at, &to) in range.clone().filter(is_reference).zip(references.of(rule)) {
            uses[to as usize].push(at);
        }
    }
    let mut missing = Vec::with_capacity(nodes.len());
    let mut woken = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
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
        let Node { parent, role, .. } = nodes[at];
        let parent = parent as usize;
        if role == Role::Body {
            woken.extend(&uses[parent]);
        } else if let Some(missing) = &mut missing[parent] {
            missing.found(role);
            if missing.is_none() {
                woken.push(parent);
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
            ExprKind::Sequence(items) => items.len() as u32,
            ExprKind::Repeat { min, max, .. } if max.is_some_and(|max| max < *min) => return None,
            ExprKind::Repeat { min, .. } => u32::from(*min > 0),
            ExprKind::Members(members) => return members_wait_for(members),
            ExprKind::Unique(list) => return items_wait_for(list),
            ExprKind::All(found) => found.all.len() as u32,
        },
    };
    Some(Missing { needed, optional: 0 })
}

fn members_wait_for(members: &Members) -> Option<Missing> {
    let least = members_at_least(members);
    if members.max.is_some_and(|max| max < least) {
        return None;
    }
    let needed = members.members.iter().filter(|member| member.repetition.min() > 0).count() as u32;
    let separator = u32::from(least > 1);
    Some(Missing { needed: needed + separator, optional: least - required_members(members) })
}

fn items_wait_for(list: &Unique) -> Option<Missing> {
    let (least, given) = (list.min as usize, list.first.len() + usize::from(list.rest.is_some()));
    let too_few = list.rest.is_none() && given < least;
    if too_few || list.max.is_some_and(|max| max < list.min) {
        return None;
    }
    Some(Missing { needed: least.min(given) as u32 + u32::from(least > 1), optional: 0 })
}

/// How many members the entries ask for.
fn required_members(members: &Members) -> u32 {
    members.members.iter().fold(0, |sum, member| sum.saturating_add(member.repetition.min()))
}

/// How many members there are in any case.
fn members_at_least(members: &Members) -> u32 {
    required_members(members).max(members.min)
}
