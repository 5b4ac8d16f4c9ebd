//! Counts that llama.cpp takes.
//!
//! llama.cpp refuses a least count above its limit and drops a greatest one, and it limits what one
//! repetition expands to. Both are a matter of one quantifier: what goes over the limit is shared
//! out among rules.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::grammar::{Expr, ExprKind, Grammar};
use crate::llama_cpp::MAX_REPETITIONS;

impl Grammar {
    /// The same language with counts that llama.cpp takes: what is repeated more often than its
    /// limit of 2,000, or costs more than that because of what is repeated in it, is split into
    /// further rules. Extensions stay what they are.
    ///
    /// ```
    /// use grammask_gbnf::{Dialect, Grammar, parse_with};
    ///
    /// let grammar = Grammar::parse("root ::= [a-z]{5000}").unwrap().with_split_counts();
    /// let text = "root ::= root-2000{2} [a-z]{1000}\nroot-2000 ::= [a-z]{2000}\n";
    /// assert_eq!(grammar.to_string(), text);
    /// assert!(parse_with(text, Dialect::LlamaCpp).is_ok());
    /// ```
    #[must_use]
    pub fn with_split_counts(self) -> Self {
        let mut splitter = Splitter {
            taken: self.rules.iter().map(|rule| rule.name.clone()).collect(),
            names: FxHashMap::default(),
            owner: String::new(),
            added: Self::default(),
        };
        let mut grammar = Self::default();
        for mut rule in self.rules {
            splitter.owner.clone_from(&rule.name);
            rule.body = splitter.split(Arc::unwrap_or_clone(rule.body)).into();
            grammar.rules.push(rule);
        }
        grammar.rules.append(&mut splitter.added.rules);
        grammar
    }
}

struct Splitter {
    /// The names of all rules.
    taken: FxHashSet<String>,
    /// The rules that were added, by what they are.
    names: FxHashMap<Expr, String>,
    /// The rule that is being rewritten.
    owner: String,
    added: Grammar,
}

impl Splitter {
    fn split(&mut self, expr: Expr) -> Expr {
        // A tree is as deep as its text is nested.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let kind = match expr.kind {
                ExprKind::Choice(cases) => {
                    ExprKind::Choice(cases.into_iter().map(|case| self.split(case)).collect())
                }
                ExprKind::Sequence(items) => {
                    let mut parts = Vec::with_capacity(items.len());
                    for item in items {
                        match item.kind {
                            ExprKind::Repeat { item, min, max } => {
                                self.repeat(*item, min, max, &mut parts);
                            }
                            kind => parts.push(self.split(Expr { kind, span: item.span })),
                        }
                    }
                    ExprKind::Sequence(parts)
                }
                ExprKind::Repeat { item, min, max } => {
                    let mut parts = Vec::new();
                    self.repeat(*item, min, max, &mut parts);
                    return Expr::sequence(parts);
                }
                kind => kind,
            };
            Expr { kind, span: expr.span }
        })
    }

    /// Adds `item{min,max}`, in one part or in several.
    fn repeat(&mut self, item: Expr, min: u32, max: Option<u32>, parts: &mut Vec<Expr>) {
        let mut item = self.split(item);
        let times = u64::from(max.filter(|&max| max > 0).unwrap_or(min).max(1));
        if cost(&item).saturating_mul(times) > MAX_REPETITIONS.into() && !is_atom(&item) {
            let name = format!("{}-item", self.owner);
            item = self.rule(item, &name);
        }
        if times <= MAX_REPETITIONS.into() {
            parts.push(item.repeat(min, max));
            return;
        }
        self.exactly(&item, min, parts);
        match max {
            None => parts.push(item.repeat(0, None)),
            Some(max) => self.at_most(&item, max - min, parts),
        }
    }

    /// Adds `item{count}`.
    fn exactly(&mut self, item: &Expr, count: u32, parts: &mut Vec<Expr>) {
        let (blocks, rest) = (count / MAX_REPETITIONS, count % MAX_REPETITIONS);
        if blocks > 0 {
            let block = self.block(item);
            self.exactly(&block, blocks, parts);
        }
        match rest {
            0 => {}
            1 => parts.push(item.clone()),
            _ => parts.push(item.clone().repeat(rest, Some(rest))),
        }
    }

    /// Adds `item{0,count}`. Whole blocks come first, so that a reader follows few ways at once: the
    /// block goes on, or these are the items after the last one.
    fn at_most(&mut self, item: &Expr, count: u32, parts: &mut Vec<Expr>) {
        if count <= MAX_REPETITIONS {
            if count > 0 {
                parts.push(item.clone().repeat(0, Some(count)));
            }
            return;
        }
        let (blocks, rest) = (count / MAX_REPETITIONS, count % MAX_REPETITIONS);
        let block = self.block(item);
        let (mut some, mut all) = (Vec::new(), Vec::new());
        self.at_most(&block, blocks - 1, &mut some);
        some.push(item.clone().repeat(0, Some(MAX_REPETITIONS - 1)));
        self.exactly(&block, blocks, &mut all);
        self.at_most(item, rest, &mut all);
        parts.push(Expr::choice([Expr::sequence(some), Expr::sequence(all)]));
    }

    /// As many of them as one quantifier may ask for.
    fn block(&mut self, item: &Expr) -> Expr {
        let base = match &item.kind {
            ExprKind::Reference(name) => &**name,
            _ => &self.owner,
        };
        let name = format!("{base}-{MAX_REPETITIONS}");
        self.rule(item.clone().repeat(MAX_REPETITIONS, Some(MAX_REPETITIONS)), &name)
    }

    /// A reference to a rule with this body, which is added if there is none.
    fn rule(&mut self, body: Expr, label: &str) -> Expr {
        if let Some(name) = self.names.get(&body) {
            return Expr::reference(name.clone());
        }
        // From the number of rules on, so that a free one is near.
        let numbers = (self.added.rules.len() + 1..).map(|number| format!("{label}-{number}"));
        let mut names = std::iter::once(label.to_owned()).chain(numbers);
        let name = names.find(|name| !self.taken.contains(name)).expect("numbers do not end");
        self.taken.insert(name.clone());
        self.names.insert(body.clone(), name.clone());
        self.added.add(&name, body);
        Expr::reference(name)
    }
}

/// Whether it stands before a quantifier without parentheses.
fn is_atom(expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::Sequence(_) | ExprKind::Choice(_) | ExprKind::Repeat { .. })
}

/// What it costs llama.cpp to repeat this once, at most: for a group one for itself and for each
/// group, name and optional repetition in it.
fn cost(expr: &Expr) -> u64 {
    if is_atom(expr) {
        return 1;
    }
    let costs = expr.descendants().map(|part| match part.kind {
        ExprKind::Reference(_) | ExprKind::Sequence(_) | ExprKind::Choice(_) => 1,
        ExprKind::Repeat { min, max, .. } => {
            1 + max.map_or(1, |max| u64::from(max.saturating_sub(min)))
        }
        _ => 0,
    });
    costs.sum()
}
