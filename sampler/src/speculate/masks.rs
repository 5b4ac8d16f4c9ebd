//! The masks of all positions of a draft.

use thiserror::Error;

use super::tree::DraftTree;
use crate::{Constraint, TokenId, TokenMask};

/// Fills the masks of what may come before each token of a draft and behind the last one. Returns how
/// many tokens of the draft the grammar allows.
///
/// Masks behind a token that is refused are empty, and so is the one behind a token that ends
/// generation. The constraint stays where it is.
///
/// # Errors
///
/// [`DraftMaskError`]: one mask more than tokens is needed, each as long as the vocabulary.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Engine, TokenId, TokenMask, Vocabulary, fill_draft_masks};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse(r#"root ::= "ab" "a"?"#)?, "root")?;
/// let mut masks = vec![TokenMask::new(2); 4];
/// // The second `b` is refused.
/// let draft = [0, 1, 1].map(TokenId);
/// assert_eq!(fill_draft_masks(&constraint, &draft, &mut masks)?, 2);
/// let tokens = masks.iter().map(|mask| mask.tokens().map(|token| token.0).collect());
/// assert_eq!(tokens.collect::<Vec<Vec<_>>>(), [vec![0], vec![1], vec![0], vec![]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_draft_masks(
    constraint: &Constraint,
    draft: &[TokenId],
    masks: &mut [TokenMask],
) -> Result<usize, DraftMaskError> {
    fill_tree_masks(constraint, &DraftTree::path(draft), masks)
}

/// Fills the masks of all positions of a tree: that of what may come first, then those behind each
/// node. Returns how many nodes the grammar allows.
///
/// Masks behind a node that is refused are empty, and so are those behind one that ends generation.
/// The constraint stays where it is: a copy of it reads each node once, and goes back between
/// branches.
///
/// # Errors
///
/// As [`fill_draft_masks`].
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, DraftTree, Engine, TokenId, TokenMask, Vocabulary, fill_tree_masks,
/// };
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse(r#"root ::= "ab" | "ba""#)?, "root")?;
/// let tree = DraftTree::new([(TokenId(0), None), (TokenId(1), None)])?;
/// let mut masks = vec![TokenMask::new(2); 3];
/// assert_eq!(fill_tree_masks(&constraint, &tree, &mut masks)?, 2);
/// assert!(masks[1].contains(TokenId(1)) && masks[2].contains(TokenId(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_tree_masks(
    constraint: &Constraint,
    tree: &DraftTree,
    masks: &mut [TokenMask],
) -> Result<usize, DraftMaskError> {
    let len = constraint.engine().vocabulary().len();
    if masks.len() != tree.positions() {
        return Err(DraftMaskError::Count { expected: tree.positions(), given: masks.len() });
    }
    if let Some(mask) = masks.iter().find(|mask| mask.len() != len) {
        return Err(DraftMaskError::Length { expected: len, given: mask.len() });
    }
    let mut is_read = vec![false; masks.len()];
    let mut constraint = constraint.clone();
    constraint.fill_mask(&mut masks[0]);
    is_read[0] = true;
    // The nodes still to be read, the next one last, each with the number of those above it.
    let mut pending: Vec<(usize, usize)> = Vec::new();
    let push = |pending: &mut Vec<_>, position, depth| {
        let begun = pending.len();
        pending.extend(tree.children(position).map(|node| (node, depth)));
        pending[begun..].reverse();
    };
    push(&mut pending, 0, 0);
    let (mut depth, mut allowed) = (0, 0);
    while let Some((node, above)) = pending.pop() {
        constraint.rollback(depth - above);
        depth = above;
        if constraint.accept(tree.token(node)).is_err() {
            continue;
        }
        depth += 1;
        allowed += 1;
        constraint.fill_mask(&mut masks[node + 1]);
        is_read[node + 1] = true;
        push(&mut pending, node + 1, depth);
    }
    let unread = masks.iter_mut().zip(is_read).filter(|(_, is_read)| !is_read);
    unread.for_each(|(mask, _)| mask.clear());
    Ok(allowed)
}

/// Masks that do not fit a draft.
///
/// ```
/// use grammask_sampler::DraftMaskError;
///
/// let error = DraftMaskError::Count { expected: 4, given: 3 };
/// assert_eq!(error.to_string(), "3 masks for a draft with 4 positions: one is needed for each");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DraftMaskError {
    /// Not a mask for each position.
    #[error("{given} masks for a draft with {expected} positions: one is needed for each")]
    Count {
        /// Number of positions, one more than tokens.
        expected: usize,
        /// Number of masks.
        given: usize,
    },
    /// A mask of another vocabulary.
    #[error("a mask of {given} ids for a vocabulary of {expected}")]
    Length {
        /// Number of ids of the vocabulary.
        expected: usize,
        /// Number of ids of the mask.
        given: usize,
    },
}
