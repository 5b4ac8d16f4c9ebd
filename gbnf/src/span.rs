//! Places in a grammar text.

/// A range of bytes of the source text, end exclusive.
///
/// Spans never take part in equality of grammars: two trees that differ only in their spans are
/// equal, so that `parse(print(g)) == g` can be written down.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from byte `start` to byte `end` (exclusive).
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
