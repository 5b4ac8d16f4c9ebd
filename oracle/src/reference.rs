//! The reference matcher: Earley's algorithm.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use grammask_gbnf::{Expr, Grammar};

use crate::bnf::{Bnf, Name, Rule, Symbol};
use crate::members::{MembersRule, Used};

/// What a grammar means.
///
/// Any grammar is understood: left-recursive, ambiguous, cyclic, nullable. A token reference and
/// an undefined name match nothing; of two rules of one name the last counts.
///
/// Time grows with the cube of the text. Expressions nested thousands deep overflow the stack.
/// Declared keys of members must be non-empty literals, all different (else: panic, or an answer
/// that nobody promised).
#[derive(Debug)]
pub struct Reference {
    bnf: Bnf,
}

/// The state of a [`Reference`] after some bytes: one Earley set for each position.
#[derive(Clone, Debug)]
pub struct Chart<'r> {
    bnf: &'r Bnf,
    sets: Vec<Set>,
}

/// The items after some bytes, each once.
#[derive(Clone, Debug, Default)]
struct Set {
    items: Vec<Item>,
    known: HashSet<Item>,
    /// For each name, the items that go on when it is complete.
    waiting: HashMap<Name, Vec<Item>>,
}

/// A rule that is being read, how far, and from which position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Item {
    head: Name,
    place: Place,
    origin: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Before symbol `dot` of an alternative.
    Alternative { number: usize, dot: usize },
    /// Before the first member.
    Start,
    /// In a key, of which `text` is read.
    Key { used: Rc<Used>, text: Vec<u8> },
    /// Before the value of a member; its key is used.
    Value { used: Rc<Used>, member: usize },
    /// After the value of a member.
    After { used: Rc<Used> },
}

impl Reference {
    /// The language of the rule `root`; the empty language if there is no such rule.
    pub fn new(grammar: &Grammar, root: &str) -> Self {
        Self::of(grammar, &Expr::reference(root))
    }

    /// The language of an expression whose references are to rules of `grammar`.
    pub fn of(grammar: &Grammar, expr: &Expr) -> Self {
        Self { bnf: Bnf::new(grammar, expr) }
    }

    /// The state before any input.
    pub fn start(&self) -> Chart<'_> {
        let mut set = Set::default();
        if self.bnf.productive[self.bnf.root] {
            predict(&self.bnf, &mut set, self.bnf.root, 0);
        }
        let mut chart = Chart { bnf: &self.bnf, sets: Vec::new() };
        chart.close(set);
        chart
    }

    /// The state after `input`; `None` if no text of the language starts with it.
    pub fn read(&self, input: &[u8]) -> Option<Chart<'_>> {
        let mut chart = self.start();
        (chart.alive() && input.iter().all(|&byte| chart.push(byte))).then_some(chart)
    }

    /// Whether some text of the language starts with `input`.
    pub fn alive(&self, input: &[u8]) -> bool {
        self.read(input).is_some()
    }

    /// Whether `input` belongs to the language.
    pub fn matches(&self, input: &[u8]) -> bool {
        self.read(input).is_some_and(|chart| chart.matches())
    }

    /// Whether the language has no text.
    pub fn is_empty(&self) -> bool {
        !self.bnf.productive[self.bnf.root]
    }
}

impl Chart<'_> {
    /// Reads one byte. `false`: no text of the language goes on so, and nothing has changed.
    pub fn push(&mut self, byte: u8) -> bool {
        let mut set = Set::default();
        for item in &self.last().items {
            if let Some(next) = self.scan(item, byte) {
                set.add(next);
            }
        }
        if set.items.is_empty() {
            return false;
        }
        self.close(set);
        true
    }

    /// Takes the last byte back. Does nothing at the start.
    pub fn pop(&mut self) {
        if self.sets.len() > 1 {
            self.sets.pop();
        }
    }

    /// How many bytes were read.
    pub fn position(&self) -> usize {
        self.sets.len() - 1
    }

    /// Whether what was read belongs to the language.
    pub fn matches(&self) -> bool {
        let root = self.bnf.root;
        self.last()
            .items
            .iter()
            .any(|item| item.head == root && item.origin == 0 && self.is_complete(item))
    }

    /// Whether some text of the language starts with what was read: always, unless the language
    /// is empty.
    pub fn alive(&self) -> bool {
        !self.last().items.is_empty()
    }

    /// Whether `push(byte)` would succeed.
    pub fn allows(&self, byte: u8) -> bool {
        self.last().items.iter().any(|item| self.scan(item, byte).is_some())
    }

    /// Every byte that may come next, ascending.
    pub fn next_bytes(&self) -> Vec<u8> {
        let mut allowed = [false; 256];
        for item in &self.last().items {
            if let Place::Key { used, text } = &item.place {
                let members = self.members(item);
                for byte in members.next_bytes(used, text, &self.bnf.productive) {
                    allowed[usize::from(byte)] = true;
                }
            } else if let Some(Symbol::Byte(lo, hi)) = self.symbol(item) {
                allowed[usize::from(lo)..=usize::from(hi)].fill(true);
            }
        }
        (0..=255).filter(|&byte| allowed[usize::from(byte)]).collect()
    }

    fn last(&self) -> &Set {
        self.sets.last().expect("the set before any input is never taken back")
    }

    fn members(&self, item: &Item) -> &MembersRule {
        match &self.bnf.rules[item.head] {
            Rule::Members(members) => members,
            Rule::Alternatives(_) => unreachable!("only members have such places"),
        }
    }

    /// The symbol before which an item of an alternative stands.
    fn symbol(&self, item: &Item) -> Option<Symbol> {
        match (&self.bnf.rules[item.head], &item.place) {
            (Rule::Alternatives(alternatives), &Place::Alternative { number, dot }) => {
                alternatives[number].get(dot).copied()
            }
            _ => None,
        }
    }

    /// The item after the byte, if it can read it.
    fn scan(&self, item: &Item, byte: u8) -> Option<Item> {
        match &item.place {
            Place::Alternative { number, dot } => match self.symbol(item) {
                Some(Symbol::Byte(lo, hi)) if lo <= byte && byte <= hi => {
                    Some(item.at(Place::Alternative { number: *number, dot: dot + 1 }))
                }
                _ => None,
            },
            Place::Key { used, text } => {
                let text = [text, &[byte][..]].concat();
                let open = self.members(item).is_open(used, &text, &self.bnf.productive);
                open.then(|| item.at(Place::Key { used: Rc::clone(used), text }))
            }
            Place::Start | Place::Value { .. } | Place::After { .. } => None,
        }
    }

    /// Whether the item's rule may end here.
    fn is_complete(&self, item: &Item) -> bool {
        match &item.place {
            Place::Alternative { .. } => self.symbol(item).is_none(),
            Place::Start => self.members(item).may_be_empty(),
            Place::After { used } => self.members(item).is_complete(used),
            Place::Key { .. } | Place::Value { .. } => false,
        }
    }

    /// The name that the item waits for, and the item after it.
    fn awaited(&self, item: &Item) -> Option<(Name, Item)> {
        match &item.place {
            Place::Alternative { number, dot } => match self.symbol(item) {
                Some(Symbol::Name(name)) => {
                    Some((name, item.at(Place::Alternative { number: *number, dot: dot + 1 })))
                }
                _ => None,
            },
            Place::Value { used, member } => {
                let after = item.at(Place::After { used: Rc::clone(used) });
                Some((self.members(item).value(*member), after))
            }
            Place::After { used } => {
                let members = self.members(item);
                let open = self.bnf.productive[members.separator]
                    && members.is_open(used, b"", &self.bnf.productive);
                let key = item.at(Place::Key { used: Rc::clone(used), text: Vec::new() });
                open.then_some((members.separator, key))
            }
            Place::Start | Place::Key { .. } => None,
        }
    }

    /// The items that the item turns into without reading anything.
    fn turns_into(&self, item: &Item) -> Vec<Item> {
        let productive = &self.bnf.productive;
        match &item.place {
            Place::Start => {
                let used = Rc::new(Used::default());
                if self.members(item).is_open(&used, b"", productive) {
                    vec![item.at(Place::Key { used, text: Vec::new() })]
                } else {
                    Vec::new()
                }
            }
            Place::Key { used, text } => self
                .members(item)
                .taking(used, text, productive)
                .into_iter()
                .map(|member| {
                    let used = Rc::new(used.with(member, text));
                    item.at(Place::Value { used, member })
                })
                .collect(),
            Place::Alternative { .. } | Place::Value { .. } | Place::After { .. } => Vec::new(),
        }
    }

    /// Completes and predicts until nothing is new, then keeps the set.
    fn close(&mut self, mut set: Set) {
        let here = self.sets.len();
        let mut next = 0;
        while let Some(item) = set.items.get(next).cloned() {
            next += 1;
            for turned in self.turns_into(&item) {
                set.add(turned);
            }
            if let Some((name, after)) = self.awaited(&item) {
                // An empty name is complete at once, whenever it was predicted (Aycock, Horspool).
                if self.bnf.nullable[name] {
                    set.add(after.clone());
                }
                set.waiting.entry(name).or_default().push(after);
                predict(self.bnf, &mut set, name, here);
            }
            if self.is_complete(&item) {
                let origin = if item.origin == here { &set } else { &self.sets[item.origin] };
                for after in origin.waiting.get(&item.head).cloned().unwrap_or_default() {
                    set.add(after);
                }
            }
        }
        self.sets.push(set);
    }
}

impl Item {
    /// The same rule at another place.
    fn at(&self, place: Place) -> Self {
        Self { head: self.head, place, origin: self.origin }
    }
}

impl Set {
    fn add(&mut self, item: Item) {
        if self.known.insert(item.clone()) {
            self.items.push(item);
        }
    }
}

/// Starts every alternative of `name`.
fn predict(bnf: &Bnf, set: &mut Set, name: Name, origin: usize) {
    match &bnf.rules[name] {
        Rule::Alternatives(alternatives) => {
            for number in 0..alternatives.len() {
                let place = Place::Alternative { number, dot: 0 };
                set.add(Item { head: name, place, origin });
            }
        }
        Rule::Members(_) => set.add(Item { head: name, place: Place::Start, origin }),
    }
}
