//! The reference matcher: Earley's algorithm.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use grammask_gbnf::{Expr, Grammar};

use crate::bnf::{Bnf, Name, Rule, Symbol};
use crate::members::{MembersRule, Used};
use crate::unique::{Items, UniqueRule, Value};

/// What a grammar means.
///
/// Any grammar is understood: left-recursive, ambiguous, cyclic, nullable. A token reference and
/// an undefined name match nothing; of two rules of one name the last counts.
///
/// Time grows with the cube of the text. Expressions nested thousands deep overflow the stack.
/// Declared keys of members must be non-empty literals, all different (else: panic, or an answer
/// that nobody promised). Where items must differ, all ways to finish a text are tried, of which
/// there may be infinitely many: see [`Reference::gave_up`].
#[derive(Debug)]
pub struct Reference {
    bnf: Bnf,
}

/// How many ways to go on are tried, to find one to finish a text.
const MOST_TRIED: usize = 3_000;

/// How many items these may have together: where keys can be told apart in many ways, one byte has thousands.
const MOST_ITEMS: usize = 100_000;

/// How many bytes of one kind are tried, to find a way to finish a text.
const SAME_KIND: usize = 12;

/// The state of a [`Reference`] after some bytes: one Earley set for each position.
#[derive(Clone, Debug)]
pub struct Chart<'r> {
    bnf: &'r Bnf,
    input: Vec<u8>,
    sets: Vec<Rc<Set>>,
}

/// The items after some bytes, each once.
#[derive(Clone, Debug, Default)]
struct Set {
    items: Vec<Item>,
    known: HashSet<Item>,
    /// For each name, the items that go on when it is complete.
    waiting: BTreeMap<Name, Vec<Item>>,
    /// For each of these names, the least number of bytes that follow it up to the end of the
    /// text, if items need not differ.
    following: HashMap<Name, usize>,
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
    /// Before an item of a list, behind others.
    Item { items: Rc<Items> },
    /// The same, once the item is known to begin here.
    Begun { items: Rc<Items>, start: usize },
    /// After an item of a list.
    Behind { items: Rc<Items> },
}

impl Reference {
    /// The language of the rule `root`; the empty language if there is no such rule.
    pub fn new(grammar: &Grammar, root: &str) -> Self {
        Self::of(grammar, &Expr::reference(root.to_owned()))
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
        let mut chart = Chart { bnf: &self.bnf, input: Vec::new(), sets: Vec::new() };
        chart.close(set);
        if !chart.can_finish() {
            chart.sets[0] = Rc::default();
        }
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

    /// Whether some answer has been given up: that a text can be finished may then be wrong.
    pub fn gave_up(&self) -> bool {
        self.bnf.gave_up.load(Ordering::Relaxed)
    }

    /// Whether the language has no text.
    pub fn is_empty(&self) -> bool {
        !self.start().alive()
    }
}

impl Chart<'_> {
    /// Reads one byte. `false`: no text of the language goes on so, and nothing has changed.
    pub fn push(&mut self, byte: u8) -> bool {
        if !self.read(byte) {
            return false;
        }
        let alive = self.can_finish();
        if !alive {
            self.pop();
        }
        alive
    }

    /// The same without a look at whether items can come to differ.
    fn read(&mut self, byte: u8) -> bool {
        let mut set = Set::default();
        for item in &self.last().items {
            if let Some(next) = self.scan(item, byte) {
                set.add(next);
            }
        }
        if set.items.is_empty() {
            return false;
        }
        self.input.push(byte);
        self.close(set);
        true
    }

    /// Whether the text can be finished: trivial, but for items that must differ. Then all ways are
    /// tried, first those of which the least is left if items need not differ.
    fn can_finish(&self) -> bool {
        if !self.bnf.has_unique || self.last().items.is_empty() {
            return true;
        }
        let mut ahead = BTreeMap::from([((self.shortest_rest(), 0), self.clone())]);
        let (mut tried, mut items) = (0_usize, 0_usize);
        while let Some((_, chart)) = ahead.pop_first() {
            if chart.matches() {
                return true;
            }
            // What is given up once need not be sought again: no answer counts any more.
            let is_too_long = tried > MOST_TRIED || items > MOST_ITEMS;
            if is_too_long || self.bnf.gave_up.load(Ordering::Relaxed) {
                self.bnf.gave_up.store(true, Ordering::Relaxed);
                return true;
            }
            for byte in chart.some_bytes() {
                let mut longer = chart.clone();
                if longer.read(byte) {
                    tried += 1;
                    items += longer.last().items.len();
                    ahead.insert((longer.shortest_rest(), usize::MAX - tried), longer);
                }
            }
        }
        false
    }

    /// Of the bytes that may come next, a few of each kind: bytes that all items take or do not take
    /// alike differ only in the texts of items, and there are never more than a few of those.
    fn some_bytes(&self) -> Vec<u8> {
        let mut kinds: HashMap<Vec<Option<Vec<usize>>>, usize> = HashMap::new();
        let mut bytes = self.bytes();
        bytes.retain(|&byte| {
            // Of a key, also which members it may be if it ends.
            let kind = self.last().items.iter().map(|item| {
                let next = self.scan(item, byte)?;
                Some(match &next.place {
                    Place::Key { used, text } => {
                        self.members(item).taking(used, text, &self.bnf.productive)
                    }
                    _ => Vec::new(),
                })
            });
            let same = kinds.entry(kind.collect()).or_default();
            *same += 1;
            *same <= SAME_KIND
        });
        bytes
    }

    /// The least number of bytes up to the end of the text, if items need not differ.
    fn shortest_rest(&self) -> usize {
        let items = self.last().items.iter();
        items.map(|item| self.length(item, self.last())).min().unwrap_or(usize::MAX)
    }

    /// The least number of bytes from an item of the set `here` up to the end of the text.
    fn length(&self, item: &Item, here: &Set) -> usize {
        let shortest = &self.bnf.shortest;
        let list = |count, least| self.list(item).shortest(count, least, shortest);
        let rest = match &item.place {
            Place::Alternative { number, dot } => match &self.bnf.rules[item.head] {
                Rule::Alternatives(alternatives) => self.bnf.length(&alternatives[*number][*dot..]),
                Rule::Members(_) | Rule::Unique(_) => 0,
            },
            Place::Value { used, member } => {
                let members = self.members(item);
                members.shortest(used, shortest).saturating_add(shortest[members.value(*member)])
            }
            Place::Start => self.members(item).shortest(&Used::default(), shortest),
            Place::After { used } => self.members(item).shortest(used, shortest),
            Place::Key { used, text } => {
                let members = self.members(item);
                let taking = members.taking(used, text, &self.bnf.productive);
                let values = taking.iter().map(|&member| {
                    let used = used.with(member, text);
                    members
                        .shortest(&used, shortest)
                        .saturating_add(shortest[members.value(member)])
                });
                values.min().unwrap_or_else(|| 1 + members.shortest(used, shortest))
            }
            Place::Item { items } if items.is_empty() => list(0, 0),
            Place::Item { items } => {
                let separator = shortest[self.list(item).separator];
                list(items.len(), items.len() + 1).saturating_sub(separator)
            }
            Place::Behind { items } => list(items.len(), 0),
            Place::Begun { items, .. } => list(items.len() + 1, 0),
        };
        if item.head == self.bnf.root && item.origin == 0 {
            return rest;
        }
        let origin = self.sets.get(item.origin).map_or(here, |set| &**set);
        let following = origin.following.get(&item.head).copied().unwrap_or(usize::MAX);
        rest.saturating_add(following)
    }

    /// Takes the last byte back. Does nothing at the start.
    pub fn pop(&mut self) {
        if self.sets.len() > 1 {
            self.sets.pop();
            self.input.pop();
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
        if self.bnf.has_unique {
            return self.clone().push(byte);
        }
        self.last().items.iter().any(|item| self.scan(item, byte).is_some())
    }

    /// Every byte that may come next, ascending.
    pub fn next_bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes();
        if self.bnf.has_unique {
            let mut chart = self.clone();
            bytes.retain(|&byte| {
                let alive = chart.push(byte);
                if alive {
                    chart.pop();
                }
                alive
            });
        }
        bytes
    }

    /// The same without a look at whether items can come to differ.
    fn bytes(&self) -> Vec<u8> {
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
            Rule::Alternatives(_) | Rule::Unique(_) => {
                unreachable!("only members have such places")
            }
        }
    }

    fn list(&self, item: &Item) -> &UniqueRule {
        match &self.bnf.rules[item.head] {
            Rule::Unique(list) => list,
            Rule::Alternatives(_) | Rule::Members(_) => {
                unreachable!("only lists have such places")
            }
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
            _ => None,
        }
    }

    /// Whether the item's rule may end here.
    fn is_complete(&self, item: &Item) -> bool {
        match &item.place {
            Place::Alternative { .. } => self.symbol(item).is_none(),
            Place::Start => self.members(item).may_be_empty(),
            Place::After { used } => self.members(item).is_complete(used),
            Place::Item { items } => items.is_empty() && self.list(item).min == 0,
            Place::Behind { items } => items.len() >= self.list(item).min,
            Place::Key { .. } | Place::Value { .. } | Place::Begun { .. } => false,
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
            Place::Item { items } => {
                let start = self.sets.len();
                let name = self.list(item).item(items.len(), &self.bnf.productive)?;
                Some((name, item.at(Place::Begun { items: Rc::clone(items), start })))
            }
            Place::Behind { items } => {
                let list = self.list(item);
                list.item(items.len(), &self.bnf.productive)?;
                Some((list.separator, item.at(Place::Item { items: Rc::clone(items) })))
            }
            Place::Start | Place::Key { .. } | Place::Begun { .. } => None,
        }
    }

    /// The item once what it waited for has been read; `None` if an item of a list equals another.
    fn arrived(&self, item: &Item) -> Option<Item> {
        let Place::Begun { items, start } = &item.place else { return Some(item.clone()) };
        let mut items = Items::clone(items);
        let is_new = items.insert(Value::new(&self.input[*start..]));
        is_new.then(|| item.at(Place::Behind { items: Rc::new(items) }))
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
            _ => Vec::new(),
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
                    set.add_some(self.arrived(&after));
                }
                set.waiting.entry(name).or_default().push(after);
                predict(self.bnf, &mut set, name, here);
            }
            if self.is_complete(&item) {
                let origin = if item.origin == here { &set } else { &self.sets[item.origin] };
                for after in origin.waiting.get(&item.head).cloned().unwrap_or_default() {
                    set.add_some(self.arrived(&after));
                }
            }
        }
        if self.bnf.has_unique {
            self.find_following(&mut set);
        }
        self.sets.push(Rc::new(set));
    }

    /// Fills in [`Set::following`].
    fn find_following(&self, set: &mut Set) {
        let mut changed = true;
        while changed {
            changed = false;
            for (&name, waiting) in &set.waiting.clone() {
                let lengths = waiting.iter().map(|item| self.length(item, set));
                let least = lengths.min().unwrap_or(usize::MAX);
                let known = set.following.entry(name).or_insert(usize::MAX);
                changed |= least < *known;
                *known = least.min(*known);
            }
        }
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

    fn add_some(&mut self, item: Option<Item>) {
        if let Some(item) = item {
            self.add(item);
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
        Rule::Unique(_) => {
            let place = Place::Item { items: Rc::default() };
            set.add(Item { head: name, place, origin });
        }
    }
}
