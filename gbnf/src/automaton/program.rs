//! The pushdown automaton: positions, each with what to do there.

use crate::automaton::counting::Bounds;
use crate::automaton::label::Label;
use crate::automaton::lists::List;
use crate::automaton::members::Shape;
use crate::grammar::TokenReference;

/// A place in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Position(pub(crate) u32);

impl Position {
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// The end of a rule: go on with the frame on top of the stack.
    pub(crate) const RETURN: Self = Self(0);
    /// Nothing goes on from here.
    pub(crate) const FAIL: Self = Self(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a position does. Whatever takes text takes at least one byte: that something may be empty
/// is an edge of its own around it. So no stack grows without a byte being read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Return,
    /// Each of them.
    Fork(Box<[Position]>),
    /// Reads a terminal.
    Take {
        label: Label,
        next: Position,
    },
    /// Reads a token.
    Token {
        token: u32,
        next: Position,
    },
    /// Puts `next` on the stack and goes to `to`.
    Call {
        to: Position,
        next: Position,
    },
    /// After an iteration of a counted loop; the frame's argument is a counting set.
    Count(u32),
    /// Before a member's key; the argument is a member state.
    Key(u32),
    /// After a member's value; the argument is a member state.
    After(u32),
    /// Before an item of a list; the argument is a list state.
    Item(u32),
    /// Behind an item of a list; the argument is a list state.
    ItemEnd(u32),
}

/// A loop whose iterations may overlap or recurse, counted in its frame.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// The start of an iteration.
    pub(crate) body: Position,
    /// Where the loop leads when it ends.
    pub(crate) next: Position,
    /// The position of the loop's frame.
    pub(crate) count: Position,
}

impl Loop {
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { min: self.min, max: self.max }
    }
}

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) lists: Vec<List>,
    pub(crate) tokens: Vec<TokenReference>,
    pub(crate) texts: Vec<Box<[u8]>>,
    pub(crate) start: Position,
    /// Whether the start rule matches the empty text.
    pub(crate) accepts_empty: bool,
    /// Order in which positions are to be visited within one step, so that each is visited once.
    pub(crate) ranks: Vec<u32>,
    /// Whether the end of the rule can be reached without reading. For positions with an argument:
    /// whether it can be from where they lead to.
    pub(crate) returns: Vec<bool>,
    /// Whether two frames of the position on top of each other read what one reads: see
    /// [`crate::automaton::stars`].
    pub(crate) stars: Vec<bool>,
    /// Positions from which the same can be read, as one of them; nothing if frames are not read by
    /// themselves.
    pub(crate) alike: Vec<Position>,
}

impl Program {
    pub(crate) fn op(&self, position: Position) -> &Op {
        self.ops.get(position.index()).unwrap_or(&Op::Return)
    }

    /// Whether there are rules that are called, and a frame that is read by itself is read as it is on a
    /// stack: there are neither members nor lists, of which what has been read says how they go on.
    pub(crate) fn has_independent_frames(&self) -> bool {
        !self.alike.is_empty()
    }
}
