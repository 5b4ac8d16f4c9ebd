//! What llama.cpp does with a grammar before it matches anything, as far as it decides whether the
//! grammar is accepted: repetition is expanded into helper rules, and left recursion refused.
//!
//! The expansion here is compact. Of the copies that `x{m,n}` makes, two tell as much about left
//! recursion as two thousand; only the numbers that llama.cpp would have given to its rules are
//! counted in full, because its limits depend on them.

use pest::iterators::Pair;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::graph::Graph;
use crate::notation::Rule;
use crate::parse::undefined_rule;
use crate::span::Span;

/// The greatest minimum; a greater maximum silently is none (llama.cpp:
/// `MAX_REPETITION_THRESHOLD`).
pub(crate) const MAX_REPETITIONS: u32 = 2_000;

/// What takes llama.cpp ten seconds: so many calls in the search for left recursion (24 rules with
/// two ways each make 2^25, half a second), and so many stacks, of which each is compared with all
/// others (2^14 take a quarter of a second).
const MAX_CALLS: u64 = 600_000_000;
const MAX_STACKS: u64 = 100_000;

/// How many symbols the compact expansion may have; only tens of thousands of long runs of
/// quantifiers get there.
const MAX_SYMBOLS: usize = 20_000_000;

/// The rules of a grammar as llama.cpp expands them.
#[derive(Default)]
pub(crate) struct Expansion {
    nodes: Vec<Node>,
    names: FxHashMap<String, usize>,
    /// How many numbers llama.cpp has given out; the number of the next symbol.
    numbers: u64,
    /// The greatest number of a rule with a body, plus one.
    numbers_with_body: u64,
    /// The size of `nodes`.
    symbols: usize,
    /// The node of the rule that is being expanded, and where its text begins.
    owner: usize,
    base: usize,
}

/// A rule: one of the grammar's, or a helper.
struct Node {
    alternatives: Vec<Vec<Symbol>>,
    has_body: bool,
    number: u64,
    /// The rule of the grammar that it belongs to.
    owner: usize,
    /// Where it is defined, or else first used.
    span: Span,
}

#[derive(Clone, Copy, PartialEq)]
enum Symbol {
    /// One or more characters, or a token.
    Terminal,
    Reference(usize),
}

/// The alternative that is being read.
#[derive(Default)]
struct Sequence {
    symbols: Vec<Symbol>,
    /// Where the last item begins, to which a quantifier applies.
    item: usize,
    /// What the last item costs when it is repeated (llama.cpp: `n_prev_rules`).
    cost: u64,
}

impl Expansion {
    /// Expands a `definition` whose text begins at byte `base`.
    pub(crate) fn add(&mut self, pair: Pair<'_, Rule>, base: usize, faults: &mut Vec<Diagnostic>) {
        self.base = base;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => {
                    self.owner = self.named(&part);
                    self.nodes[self.owner].span = self.span(&part);
                }
                Rule::alternatives => {
                    let alternatives = self.alternatives(part, faults);
                    self.set_body(self.owner, alternatives);
                }
                _ => {}
            }
        }
    }

    fn alternatives(
        &mut self,
        pair: Pair<'_, Rule>,
        faults: &mut Vec<Diagnostic>,
    ) -> Vec<Vec<Symbol>> {
        let mut alternatives = Vec::new();
        let mut sequence = Sequence::default();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::bar => alternatives.push(std::mem::take(&mut sequence).symbols),
                Rule::star => self.repeat(&mut sequence, 0, None, &part, faults),
                Rule::plus => self.repeat(&mut sequence, 1, None, &part, faults),
                Rule::optional => self.repeat(&mut sequence, 0, Some(1), &part, faults),
                Rule::bounds => {
                    let (min, max) = bounds(&part);
                    self.repeat(&mut sequence, min, max, &part, faults);
                }
                rule => {
                    let numbers = self.numbers;
                    let symbol = self.atom(part, faults);
                    sequence.item = sequence.symbols.len();
                    sequence.symbols.extend(symbol);
                    sequence.cost = match rule {
                        Rule::group => (self.numbers - numbers).max(1),
                        _ => 1,
                    };
                }
            }
        }
        alternatives.push(sequence.symbols);
        alternatives
    }

    fn atom(&mut self, pair: Pair<'_, Rule>, faults: &mut Vec<Diagnostic>) -> Option<Symbol> {
        match pair.as_rule() {
            Rule::reference => Some(Symbol::Reference(self.named(&pair))),
            Rule::group => {
                let node = self.helper();
                let inner = pair.into_inner().next();
                let body = inner.map(|inner| self.alternatives(inner, faults));
                self.set_body(node, body.unwrap_or_default());
                Some(Symbol::Reference(node))
            }
            // Without characters there is no symbol.
            Rule::literal if pair.as_str() == "\"\"" => None,
            Rule::class if matches!(pair.as_str(), "[]" | "[^]") => None,
            _ => Some(Symbol::Terminal),
        }
    }

    fn repeat(
        &mut self,
        sequence: &mut Sequence,
        min: u64,
        max: Option<u64>,
        quantifier: &Pair<'_, Rule>,
        faults: &mut Vec<Diagnostic>,
    ) {
        let span = self.span(quantifier);
        let limit = u64::from(MAX_REPETITIONS);
        if min > limit {
            let fault = format!("llama.cpp repeats at least {limit} times at most, not {min}");
            faults.push(Diagnostic::new(Code::Limit, span, fault));
            return;
        }
        let max = max.filter(|&max| max <= limit);
        if sequence.item == sequence.symbols.len() {
            let fault = "llama.cpp sees nothing before this to repeat";
            faults.push(Diagnostic::new(Code::Syntax, span, fault));
            return;
        }
        let times = max.filter(|&max| max > 0).unwrap_or(min).max(1);
        let Some(cost) = Some(sequence.cost * times).filter(|&cost| cost <= limit) else {
            let fault = format!(
                "llama.cpp repeats at most {limit} rules: {} in the group times {times}",
                sequence.cost
            );
            faults.push(
                Diagnostic::new(Code::Limit, span, fault)
                    .with_help("give the group a name, and put that rule before this one"),
            );
            return;
        };
        sequence.cost = cost;
        self.symbols += 2 * (sequence.symbols.len() - sequence.item);
        if self.symbols > MAX_SYMBOLS {
            if faults.last().is_none_or(|fault| fault.code != Code::Limit) {
                let fault = format!("llama.cpp's expansion has more than {MAX_SYMBOLS} symbols");
                faults.push(Diagnostic::new(Code::Limit, span, fault));
            }
            return;
        }
        self.expand(sequence, min, max);
    }

    fn expand(&mut self, sequence: &mut Sequence, min: u64, max: Option<u64>) {
        let item = sequence.symbols[sequence.item..].to_vec();
        match min {
            0 => sequence.symbols.truncate(sequence.item),
            1 => {}
            _ => sequence.symbols.extend_from_slice(&item),
        }
        let optional = max.map(|max| max.saturating_sub(min));
        let node = match optional {
            Some(0) => return,
            Some(1) => {
                let node = self.helper();
                self.set_body(node, vec![item, Vec::new()]);
                node
            }
            Some(more) => {
                let rest = self.helper();
                self.set_body(rest, vec![item.clone(), Vec::new()]);
                self.numbers += more - 2;
                let node = self.helper();
                self.set_body(node, vec![followed(item, rest), Vec::new()]);
                node
            }
            None => {
                let node = self.helper();
                self.set_body(node, vec![followed(item, node), Vec::new()]);
                node
            }
        };
        sequence.symbols.push(Symbol::Reference(node));
    }

    fn helper(&mut self) -> usize {
        self.push_node(self.owner, Span::default())
    }

    fn named(&mut self, pair: &Pair<'_, Rule>) -> usize {
        if let Some(&node) = self.names.get(pair.as_str()) {
            return node;
        }
        let node = self.push_node(self.nodes.len(), self.span(pair));
        self.names.insert(pair.as_str().to_owned(), node);
        node
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(self.base + span.start(), self.base + span.end())
    }

    fn push_node(&mut self, owner: usize, span: Span) -> usize {
        let node = self.nodes.len();
        let number = self.numbers;
        self.numbers += 1;
        self.nodes.push(Node { alternatives: Vec::new(), has_body: false, number, owner, span });
        node
    }

    fn set_body(&mut self, node: usize, alternatives: Vec<Vec<Symbol>>) {
        let node = &mut self.nodes[node];
        node.alternatives = alternatives;
        node.has_body = true;
        self.numbers_with_body = self.numbers_with_body.max(node.number + 1);
    }

    /// Reports what llama.cpp refuses, or never returns from, once all rules are known.
    pub(crate) fn check(&self, root: &str, faults: &mut Vec<Diagnostic>) {
        let mut names: Vec<_> = self.names.iter().map(|(name, &node)| (node, name)).collect();
        names.sort_unstable();
        self.check_defined(&names, faults);
        let start = self.names.get(root).copied();
        let Some(start) = start.filter(|&start| self.nodes[start].has_body) else {
            let fault = format!("the start rule '{root}' is not defined");
            faults.push(Diagnostic::new(Code::MissingStart, Span::default(), fault));
            return;
        };
        if !faults.is_empty() {
            return;
        }
        let names: FxHashMap<_, _> = names.into_iter().collect();
        let name = |node: usize| names.get(&self.nodes[node].owner).map_or("", |name| name);
        let report = |code, nodes: &[usize], what: &str, help: &str| {
            let mut owners: Vec<_> = nodes.iter().map(|&node| self.nodes[node].owner).collect();
            owners.sort_unstable();
            owners.dedup();
            let places = owners.into_iter().map(|owner| (owner, self.nodes[owner].span));
            places
                .map(|(owner, span)| {
                    let fault = format!("{what} in the rule '{}'", name(owner));
                    Diagnostic::new(code, span, fault).with_help(help)
                })
                .collect::<Vec<_>>()
        };
        let recursive = report(
            Code::LeftRecursion,
            &self.left_recursive(),
            "llama.cpp refuses the left recursion",
            "put something that is never empty before the recursion, or repeat with '*'",
        );
        if !recursive.is_empty() {
            faults.extend(recursive);
            return;
        }
        let hidden = report(
            Code::Hangs,
            &self.hanging(start),
            "llama.cpp never returns from the hidden left recursion",
            "what stands before the recursion may be empty",
        );
        if !hidden.is_empty() {
            faults.extend(hidden);
            return;
        }
        faults.extend(report(
            Code::Hangs,
            self.branching(start).as_slice(),
            "llama.cpp tries too many ways",
            "let the alternatives begin differently, or share their beginning in one rule",
        ));
    }

    /// An undefined name matters to llama.cpp if a reference to it is left after the expansion, or
    /// if its number is below that of some rule with a body.
    fn check_defined(&self, names: &[(usize, &String)], faults: &mut Vec<Diagnostic>) {
        let mut used = vec![false; self.nodes.len()];
        let symbols = self.nodes.iter().flat_map(|node| node.alternatives.iter().flatten());
        for symbol in symbols {
            if let Symbol::Reference(node) = *symbol {
                used[node] = true;
            }
        }
        for &(at, name) in names {
            let node = &self.nodes[at];
            if !node.has_body && (used[at] || node.number < self.numbers_with_body) {
                faults.push(undefined_rule(name, &[node.span], None));
            }
        }
    }

    /// The nodes on a cycle that llama.cpp's search finds: it follows the leftmost reference of
    /// each alternative, and the next one after a rule with a literally empty alternative.
    fn left_recursive(&self) -> Vec<usize> {
        let empty: Vec<bool> =
            self.nodes.iter().map(|node| node.alternatives.iter().any(Vec::is_empty)).collect();
        let edges = Graph::new(&self.nodes, |node, to| {
            to.extend(left_edges(node, &empty).map(|(node, _)| node as u32));
        });
        let cyclic = edges.on_cycles(&edges.components());
        (0..self.nodes.len()).filter(|&node| cyclic[node]).collect()
    }

    /// The nodes that put their own continuation below themselves without having read anything,
    /// again and again, so that llama.cpp's stacks grow for ever; as far as `start` leads to them.
    fn hanging(&self, start: usize) -> Vec<usize> {
        let references = Graph::new(&self.nodes, |node, to| {
            to.extend(node.alternatives.iter().flatten().filter_map(|symbol| match *symbol {
                Symbol::Reference(node) => Some(node as u32),
                Symbol::Terminal => None,
            }));
        });
        let reached = references.reachable([start]);
        let empty = self.nullable();
        let edges = Graph::new(&self.nodes, |node, to| {
            to.extend(left_edges(node, &empty).map(|(node, _)| node as u32));
        });
        let component = edges.components();
        (0..self.nodes.len())
            .filter(|&node| {
                reached[node]
                    && left_edges(&self.nodes[node], &empty)
                        .any(|(to, is_last)| !is_last && component[node] == component[to])
            })
            .collect()
    }

    /// The node at which llama.cpp takes too long, as it follows every way down to a terminal
    /// although many ways lead to the same rule: in its search for left recursion, or where it
    /// makes a stack of each way from `start`.
    fn branching(&self, start: usize) -> Option<usize> {
        let empty = self.nullable();
        let edges = Graph::new(&self.nodes, |node, to| {
            to.extend(left_edges(node, &empty).map(|(node, _)| node as u32));
        });
        // A component is numbered after all those that it leads to. (What leads back to itself
        // does so as a last symbol, which adds no way.)
        let component = edges.components();
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_unstable_by_key(|&node| component[node]);
        let (mut calls, mut stacks) = (vec![0_u64; order.len()], vec![0_u64; order.len()]);
        for node in order {
            let alternatives = &self.nodes[node].alternatives;
            let leaves = alternatives.iter().filter(|it| it.first() == Some(&Symbol::Terminal));
            stacks[node] = leaves.count() as u64;
            calls[node] = 1;
            let mut edges: Vec<_> = left_edges(&self.nodes[node], &empty).collect();
            for &(to, _) in &edges {
                calls[node] = calls[node].saturating_add(calls[to]);
            }
            // Nothing is left of a last symbol: such ways give the same stack.
            edges.sort_unstable();
            edges.dedup_by(|next, last| next == last && next.1);
            for (to, _) in edges {
                stacks[node] = stacks[node].saturating_add(stacks[to]);
            }
        }
        let slow = calls.iter().position(|&calls| calls > MAX_CALLS);
        slow.or_else(|| (stacks[start] > MAX_STACKS).then_some(start))
    }

    /// Which nodes match the empty text: each alternative waits for its references.
    fn nullable(&self) -> Vec<bool> {
        let mut nullable = vec![false; self.nodes.len()];
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut alternatives = Vec::new();
        let mut found = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            for alternative in &node.alternatives {
                if alternative.contains(&Symbol::Terminal) {
                    continue;
                }
                for symbol in alternative {
                    if let Symbol::Reference(to) = *symbol {
                        waiting[to].push(alternatives.len());
                    }
                }
                alternatives.push((at, alternative.len()));
                if alternative.is_empty() {
                    found.push(at);
                }
            }
        }
        while let Some(node) = found.pop() {
            if std::mem::replace(&mut nullable[node], true) {
                continue;
            }
            for &alternative in &waiting[node] {
                let (owner, missing) = &mut alternatives[alternative];
                *missing -= 1;
                if *missing == 0 {
                    found.push(*owner);
                }
            }
        }
        nullable
    }
}

/// Where a node may go without reading anything, given which nodes may be empty; and whether the
/// reference is the last symbol of its alternative.
fn left_edges(node: &Node, empty: &[bool]) -> impl Iterator<Item = (usize, bool)> {
    node.alternatives.iter().flat_map(move |alternative| {
        let mut goes_on = true;
        alternative.iter().enumerate().map_while(move |(at, symbol)| match *symbol {
            Symbol::Reference(to) if goes_on => {
                goes_on = empty[to];
                Some((to, at + 1 == alternative.len()))
            }
            _ => None,
        })
    })
}

/// The item with a reference after it.
fn followed(mut item: Vec<Symbol>, node: usize) -> Vec<Symbol> {
    item.push(Symbol::Reference(node));
    item
}

/// What stands in the braces, which the tree builder has found readable.
fn bounds(pair: &Pair<'_, Rule>) -> (u64, Option<u64>) {
    let mut min = 0;
    let mut max = None;
    let mut commas = 0;
    for part in pair.clone().into_inner() {
        match (part.as_rule(), commas) {
            (Rule::count, 0) => {
                min = part.as_str().parse().unwrap_or(u64::MAX);
                max = Some(min);
            }
            (Rule::count, _) => max = Some(part.as_str().parse().unwrap_or(u64::MAX)),
            (Rule::comma, _) => (commas, max) = (1, None),
            _ => {}
        }
    }
    (min, max)
}
