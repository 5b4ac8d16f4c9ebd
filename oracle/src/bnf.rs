//! A grammar's tree as plain BNF over bytes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use grammask_gbnf::{CharClass, Expr, ExprKind, Grammar};

use crate::conjunction;
use crate::members::MembersRule;
use crate::unique::UniqueRule;
use crate::utf8::encodings;

/// The number of a nonterminal.
pub(crate) type Name = usize;

/// What stands on a right-hand side.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Symbol {
    /// One byte of a range.
    Byte(u8, u8),
    /// A nonterminal.
    Name(Name),
}

/// What a nonterminal stands for.
#[derive(Debug)]
pub(crate) enum Rule {
    /// One of these; none: nothing.
    Alternatives(Vec<Vec<Symbol>>),
    /// Members in any order.
    Members(MembersRule),
    /// A list of items that differ.
    Unique(UniqueRule),
}

/// Rules by number, and what is known of each.
#[derive(Debug)]
pub(crate) struct Bnf {
    /// What to match.
    pub(crate) root: Name,
    /// All rules. No alternative holds an unproductive name.
    pub(crate) rules: Vec<Rule>,
    /// Whether the name derives some text.
    pub(crate) productive: Vec<bool>,
    /// Whether the name derives the empty text.
    pub(crate) nullable: Vec<bool>,
    /// The least number of bytes that each name derives, or less.
    pub(crate) shortest: Vec<usize>,
    /// Whether items that must differ occur: what is productive may then still match nothing.
    pub(crate) has_unique: bool,
    /// Whether it has been given up to see whether some text can be finished.
    pub(crate) gave_up: AtomicBool,
}

impl Bnf {
    /// The language of `expr`, whose references are to rules of `grammar`.
    pub(crate) fn new(grammar: &Grammar, expr: &Expr) -> Self {
        let mut lowering = Lowering::new(grammar);
        let body = lowering.expr(expr);
        let root = lowering.add(vec![body]);
        while let Some((name, rule)) = lowering.unfinished.pop() {
            let body = lowering.expr(&rule);
            lowering.rules[name] = Rule::Alternatives(vec![body]);
        }
        let rules = lowering.rules;
        let mut bnf = Self {
            root,
            productive: vec![false; rules.len()],
            nullable: vec![false; rules.len()],
            shortest: vec![usize::MAX; rules.len()],
            gave_up: AtomicBool::new(false),
            has_unique: rules.iter().any(|rule| matches!(rule, Rule::Unique(_))),
            rules,
        };
        bnf.find_productive();
        bnf.find_nullable();
        bnf.drop_unproductive();
        bnf.find_shortest();
        bnf
    }

    /// A name derives a text if one alternative has only names that do.
    fn find_productive(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for name in 0..self.rules.len() {
                let productive = match &self.rules[name] {
                    Rule::Alternatives(alternatives) => {
                        alternatives.iter().any(|body| all_names(body, &self.productive))
                    }
                    Rule::Members(members) => members.can_start(&self.productive),
                    Rule::Unique(list) => list.can_start(&self.productive),
                };
                if productive && !self.productive[name] {
                    self.productive[name] = true;
                    changed = true;
                }
            }
        }
    }

    /// A name derives the empty text if one alternative is made of names that do.
    fn find_nullable(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for name in 0..self.rules.len() {
                let nullable = match &self.rules[name] {
                    Rule::Alternatives(alternatives) => alternatives.iter().any(|body| {
                        body.iter().all(|symbol| matches!(symbol, Symbol::Name(_)))
                            && all_names(body, &self.nullable)
                    }),
                    Rule::Members(members) => members.may_be_empty(),
                    Rule::Unique(list) => list.min == 0,
                };
                if nullable && !self.nullable[name] {
                    self.nullable[name] = true;
                    changed = true;
                }
            }
        }
    }

    /// Each name's shortest text. (That of members counts as empty.)
    fn find_shortest(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for name in 0..self.rules.len() {
                let length = match &self.rules[name] {
                    Rule::Alternatives(alternatives) => {
                        alternatives.iter().map(|body| self.length(body)).min()
                    }
                    Rule::Members(_) => Some(0),
                    Rule::Unique(list) => Some(list.shortest(0, 0, &self.shortest)),
                };
                if length.is_some_and(|length| length < self.shortest[name]) {
                    self.shortest[name] = length.unwrap_or(usize::MAX);
                    changed = true;
                }
            }
        }
    }

    /// The least number of bytes that symbols derive.
    pub(crate) fn length(&self, body: &[Symbol]) -> usize {
        body.iter().fold(0, |sum: usize, symbol| match symbol {
            Symbol::Byte(..) => sum.saturating_add(1),
            Symbol::Name(name) => sum.saturating_add(self.shortest[*name]),
        })
    }

    fn drop_unproductive(&mut self) {
        for rule in &mut self.rules {
            if let Rule::Alternatives(alternatives) = rule {
                alternatives.retain(|body| all_names(body, &self.productive));
            }
        }
    }
}

/// Whether every name of `body` is marked.
fn all_names(body: &[Symbol], marked: &[bool]) -> bool {
    body.iter().all(|symbol| match symbol {
        Symbol::Byte(..) => true,
        Symbol::Name(name) => marked[*name],
    })
}

/// Builds the rules; only those that the start needs.
struct Lowering<'g> {
    grammar: &'g Grammar,
    rules: Vec<Rule>,
    /// The names of the grammar's rules.
    named: HashMap<String, Name>,
    /// The names of classes already spelled.
    classes: HashMap<CharClass, Name>,
    /// Named rules whose body is still missing.
    unfinished: Vec<(Name, Expr)>,
}

impl<'g> Lowering<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        Self {
            grammar,
            rules: Vec::new(),
            named: HashMap::new(),
            classes: HashMap::new(),
            unfinished: Vec::new(),
        }
    }

    fn add(&mut self, alternatives: Vec<Vec<Symbol>>) -> Name {
        self.rules.push(Rule::Alternatives(alternatives));
        self.rules.len() - 1
    }

    /// The symbols that spell `expr` one after the other.
    fn expr(&mut self, expr: &Expr) -> Vec<Symbol> {
        match &expr.kind {
            ExprKind::Literal(text) => text.bytes().map(|b| Symbol::Byte(b, b)).collect(),
            ExprKind::Class(class) => vec![Symbol::Name(self.class(class))],
            ExprKind::Any => {
                let any = CharClass { negated: true, ranges: Vec::new() };
                vec![Symbol::Name(self.class(&any))]
            }
            ExprKind::Reference(name) => vec![Symbol::Name(self.reference(name))],
            // A token is no text.
            ExprKind::Token(_) => vec![Symbol::Name(self.add(Vec::new()))],
            ExprKind::Sequence(items) => items.iter().flat_map(|item| self.expr(item)).collect(),
            ExprKind::Choice(items) => {
                let alternatives = items.iter().map(|item| self.expr(item)).collect();
                vec![Symbol::Name(self.add(alternatives))]
            }
            ExprKind::Repeat { item, min, max } => {
                let item = self.expr(item);
                let item = self.add(vec![item]);
                self.repeat(item, *min, *max)
            }
            ExprKind::Members(members) => {
                let mut name = |expr: &Expr| {
                    let body = self.expr(expr);
                    self.add(vec![body])
                };
                let values = members.members.iter().map(|member| name(&member.value)).collect();
                let separator = name(&members.separator);
                let rule = MembersRule::new(self.grammar, members, values, separator);
                self.rules.push(Rule::Members(rule));
                vec![Symbol::Name(self.rules.len() - 1)]
            }
            ExprKind::Unique(list) => {
                let mut name = |expr: &Expr| {
                    let body = self.expr(expr);
                    self.add(vec![body])
                };
                let rule = UniqueRule {
                    first: list.first.iter().map(&mut name).collect(),
                    rest: list.rest.as_ref().map(&mut name),
                    separator: name(&list.separator),
                    min: list.min as usize,
                    max: list.max.map(|max| max as usize),
                };
                self.rules.push(Rule::Unique(rule));
                vec![Symbol::Name(self.rules.len() - 1)]
            }
            ExprKind::All(found) => {
                let states = conjunction::automaton(self.grammar, found);
                let first = self.rules.len();
                for state in states {
                    let edges = state.edges.iter();
                    let step = |&(lo, hi, to)| vec![Symbol::Byte(lo, hi), Symbol::Name(first + to)];
                    let end = state.accepting.then(Vec::new);
                    self.add(edges.map(step).chain(end).collect());
                }
                vec![Symbol::Name(first)]
            }
        }
    }

    fn class(&mut self, class: &CharClass) -> Name {
        if let Some(&name) = self.classes.get(class) {
            return name;
        }
        let alternatives = encodings(class.negated, &class.ranges)
            .into_iter()
            .map(|way| way.into_iter().map(|(lo, hi)| Symbol::Byte(lo, hi)).collect())
            .collect();
        let name = self.add(alternatives);
        self.classes.insert(class.clone(), name);
        name
    }

    /// The rule `name`; nothing, if there is none.
    fn reference(&mut self, name: &str) -> Name {
        if let Some(&known) = self.named.get(name) {
            return known;
        }
        let new = self.add(Vec::new());
        self.named.insert(name.to_owned(), new);
        // The last definition counts.
        if let Some(rule) = self.grammar.rules.iter().rfind(|rule| rule.name == name) {
            self.unfinished.push((new, Expr::clone(&rule.body)));
        }
        new
    }

    fn repeat(&mut self, item: Name, min: u32, max: Option<u32>) -> Vec<Symbol> {
        let least = self.exactly(item, min);
        let rest = match max {
            None => {
                // star ::= | star item
                let star = self.add(Vec::new());
                self.rules[star] = Rule::Alternatives(vec![
                    Vec::new(),
                    vec![Symbol::Name(star), Symbol::Name(item)],
                ]);
                star
            }
            Some(max) if max < min => self.add(Vec::new()),
            Some(max) => {
                // "At most n" is n optional items.
                let optional = self.add(vec![Vec::new(), vec![Symbol::Name(item)]]);
                self.exactly(optional, max - min)
            }
        };
        vec![Symbol::Name(least), Symbol::Name(rest)]
    }

    /// `count` times `item`, by halves: the rules are few also for a million.
    fn exactly(&mut self, item: Name, count: u32) -> Name {
        let mut body = Vec::new();
        if count >= 2 {
            let half = self.exactly(item, count / 2);
            body.extend([Symbol::Name(half), Symbol::Name(half)]);
        }
        if count % 2 == 1 {
            body.push(Symbol::Name(item));
        }
        self.add(vec![body])
    }
}
