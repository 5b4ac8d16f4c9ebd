//! The gaps between tokens.

use grammask_gbnf::Expr;

use super::terminal::Terminal;
use super::{Emitter, sequence};
use crate::options::Whitespace;

/// Of spaces or tabs after a line end.
const MOST_INDENTATION: u32 = 64;

impl Emitter<'_, '_, '_> {
    /// A gap as a part of a sequence; the empty text if there are none.
    pub(super) fn gap(&mut self) -> Expr {
        match self.options.whitespace {
            Whitespace::Compact | Whitespace::Python => Expr::empty(),
            Whitespace::Bounded | Whitespace::Any => self.terminal(Terminal::Whitespace),
        }
    }

    /// A separator and the gap after it.
    pub(super) fn separator(&mut self, text: &'static str) -> Expr {
        sequence(self.separator_parts(text))
    }

    /// The same as parts of a sequence.
    pub(super) fn separator_parts(&mut self, text: &'static str) -> [Expr; 2] {
        if self.is_implied(text) {
            return [Expr::empty(), Expr::empty()];
        }
        let gap = self.gap();
        let literal = match self.options.whitespace {
            Whitespace::Python => Expr::literal(format!("{text} ")),
            _ => Expr::literal(text),
        };
        [literal, gap]
    }

    /// What a gap is.
    pub(super) fn whitespace(&self) -> Expr {
        if self.options.whitespace == Whitespace::Any {
            return Expr::class([' ', '\t', '\n', '\r'].map(|c| (c, c))).repeat(0, None);
        }
        let line_end = sequence([Expr::literal("\r").optional(), Expr::literal("\n")]);
        let indentation = Expr::class([(' ', ' '), ('\t', '\t')]).repeat(0, Some(MOST_INDENTATION));
        let lines = sequence([line_end.repeat(1, Some(2)), indentation]);
        Expr::choice([Expr::literal(" "), lines]).optional()
    }
}
