//! Places where tokens leave what has been read of them, to go on with what lies below: what makes two of
//! them the same, and sets of them.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Label};
use rustc_hash::FxHashSet;

use crate::below::{Below, BelowNode};
use crate::generations::Footprint;
use crate::interior::{Interior, Iterations};
use crate::trie::TrieNode;

/// Places where tokens leave what has been read of them: they go on with what lies below.
#[derive(Clone, Debug)]
pub(crate) enum Exit {
    /// At these nodes.
    At(Arc<Below>),
    /// At these nodes of what lies below others.
    Within(Arc<Within>),
    /// Where the table of a terminal says so.
    Table(Arc<TableExit>),
}

/// Nodes of what lies below others, in order. What lies below them all is not merged: mostly little of it
/// is read on, and behind a long run of spaces all the others lie.
#[derive(Debug)]
pub(crate) struct Within {
    pub(crate) nodes: Box<[(Arc<Below>, BelowNode)]>,
    /// The bytes with which tokens go on.
    first: ByteSet,
}

impl Within {
    pub(crate) fn new(nodes: Vec<(Arc<Below>, BelowNode)>) -> Self {
        let mut first = ByteSet::default();
        let bytes = nodes.iter().flat_map(|(below, node)| below.children(*node));
        bytes.for_each(|(byte, _)| first.insert(byte));
        Self { nodes: nodes.into(), first }
    }
}

/// Where tokens leave a terminal.
#[derive(Debug)]
pub(crate) struct TableExit {
    /// The node at which the table begins.
    pub(crate) node: TrieNode,
    pub(crate) label: Label,
    pub(crate) table: ExitTable,
    /// The bytes with which tokens may go on behind the terminal.
    first: ByteSet,
}

#[derive(Debug)]
pub(crate) enum ExitTable {
    Interior(Arc<Interior>),
    Iterations(Arc<Iterations>),
}

/// What makes it the exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ExitKey(usize, u32, u32);

impl Exit {
    /// The exit at some nodes, if anything lies below them.
    pub(crate) fn at(nodes: &Arc<Below>) -> Option<Self> {
        nodes.is_inner().then(|| Self::At(Arc::clone(nodes)))
    }

    /// The exit of a term.
    pub(crate) fn of_term(node: TrieNode, label: Label, table: &Arc<Interior>) -> Option<Self> {
        if table.exits.is_empty() && table.ambiguous.is_empty() {
            return Self::at(&table.ends);
        }
        let mut first = table.ends.first;
        first.union_with(&table.ambiguous);
        table.exits.iter().for_each(|(byte, _)| first.insert(byte));
        let table = ExitTable::Interior(Arc::clone(table));
        Some(Self::Table(Arc::new(TableExit { node, label, table, first })))
    }

    /// The exit of a loop.
    pub(crate) fn of_loop(node: TrieNode, label: Label, table: &Arc<Iterations>) -> Option<Self> {
        let mut first = table.ambiguous;
        table.ends.iter().for_each(|(_, nodes)| first.union_with(&nodes.first));
        table.exits.iter().for_each(|&((byte, _), _)| first.insert(byte));
        let table = ExitTable::Iterations(Arc::clone(table));
        (!first.is_empty()).then(|| Self::Table(Arc::new(TableExit { node, label, table, first })))
    }

    /// The bytes with which tokens may go on.
    pub(crate) fn first(&self) -> &ByteSet {
        match self {
            Self::At(nodes) => &nodes.first,
            Self::Within(nodes) => &nodes.first,
            Self::Table(exit) => &exit.first,
        }
    }

    pub(crate) fn key(&self) -> ExitKey {
        let exit = match self {
            Self::At(nodes) => return ExitKey(Arc::as_ptr(nodes).addr(), 0, 0),
            Self::Within(nodes) => return ExitKey(Arc::as_ptr(nodes).addr(), 0, 0),
            Self::Table(exit) => exit,
        };
        let address = match &exit.table {
            ExitTable::Interior(table) => Arc::as_ptr(table).addr(),
            ExitTable::Iterations(table) => Arc::as_ptr(table).addr(),
        };
        match exit.label {
            Label::Counted { min, max, .. } => ExitKey(address, min, max),
            _ => ExitKey(address, 0, 0),
        }
    }
}

/// Different exits.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExitSet {
    exits: Vec<Exit>,
    /// What tells them apart, where they are more than [`FEW`].
    keys: FxHashSet<ExitKey>,
}

/// Exits up to which a look at each is quicker than a table.
const FEW: usize = 8;

impl ExitSet {
    /// Adds an exit, unless it is there.
    pub(crate) fn add(&mut self, exit: Exit) {
        let key = exit.key();
        if self.exits.len() == FEW && self.keys.is_empty() {
            self.keys.extend(self.exits.iter().map(Exit::key));
        }
        let is_new = match self.exits.len() {
            ..FEW => self.exits.iter().all(|known| known.key() != key),
            _ => self.keys.insert(key),
        };
        if is_new {
            self.exits.push(exit);
        }
    }

    /// Adds those of another set, which is taken as a whole where it is the larger one.
    pub(crate) fn merge(&mut self, mut other: Self) {
        if other.exits.len() > self.exits.len() {
            std::mem::swap(self, &mut other);
        }
        self.extend(other.exits);
    }

    pub(crate) fn as_slice(&self) -> &[Exit] {
        &self.exits
    }
}

impl Extend<Exit> for ExitSet {
    fn extend<T: IntoIterator<Item = Exit>>(&mut self, exits: T) {
        exits.into_iter().for_each(|exit| self.add(exit));
    }
}

impl Footprint for ExitSet {
    fn bytes(&self) -> usize {
        let of_exit = |exit: &Exit| match exit {
            // Others may keep it as well.
            Exit::At(nodes) => nodes.bytes() / Arc::strong_count(nodes),
            Exit::Within(nodes) => nodes.bytes() / Arc::strong_count(nodes),
            Exit::Table(_) => size_of::<TableExit>(),
        };
        self.exits.capacity() * size_of::<Exit>()
            + self.keys.capacity() * size_of::<ExitKey>()
            + self.exits.iter().map(of_exit).sum::<usize>()
    }
}

impl Footprint for Within {
    fn bytes(&self) -> usize {
        // The places are the key as well, and what lies below is kept by it.
        let below = |(below, _): &(Arc<Below>, _)| below.bytes() / Arc::strong_count(below);
        2 * size_of_val(&*self.nodes) + self.nodes.iter().map(below).sum::<usize>()
    }
}
