//! Drafts that branch.

use thiserror::Error;

use crate::TokenId;

/// Drafted tokens, each with the one that it follows.
///
/// Node i has position i + 1: what the model says behind it. Position 0 is what it says before the
/// draft. A draft without branches is a [`path`](Self::path).
///
/// ```
/// use grammask_sampler::{DraftTree, TokenId};
///
/// // Two ways to begin, and a token behind the first of them.
/// let tree = DraftTree::new([(TokenId(5), None), (TokenId(7), None), (TokenId(5), Some(0))])?;
/// assert_eq!((tree.len(), tree.positions()), (3, 4));
/// assert_eq!(tree.children(0).collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(tree.children(1).collect::<Vec<_>>(), [2]);
/// assert!(DraftTree::new([(TokenId(5), Some(0))]).is_err());
/// # Ok::<(), grammask_sampler::TreeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftTree {
    tokens: Vec<TokenId>,
    /// The first node at each position.
    first: Vec<Option<usize>>,
    /// The next sibling of each node.
    next: Vec<Option<usize>>,
}

/// How the tokens that follow the same one were drawn from the draft's distribution.
///
/// [`GrammarSampler::verify_tree_stochastic`](crate::GrammarSampler::verify_tree_stochastic) has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Siblings {
    /// Each by itself: the same token may come more than once, and is then a node more than once.
    WithReplacement,
    /// Each from what the ones before it have left, made to add up to 1 again, as the best of
    /// perturbed logits are (Gumbel top-k).
    WithoutReplacement,
}

impl DraftTree {
    /// A tree of tokens, each with the node that it follows; `None` for those that come first.
    ///
    /// # Errors
    ///
    /// [`TreeError`] if a token does not come behind the one that it follows.
    pub fn new(
        nodes: impl IntoIterator<Item = (TokenId, Option<usize>)>,
    ) -> Result<Self, TreeError> {
        let (tokens, parents): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
        let wrong = |&(node, parent): &(usize, &Option<usize>)| parent.is_some_and(|at| at >= node);
        if let Some((node, &Some(parent))) = parents.iter().enumerate().find(wrong) {
            return Err(TreeError { node, parent });
        }
        let (mut first, mut next) = (vec![None; tokens.len() + 1], vec![None; tokens.len()]);
        // From the last one on, so that the first child ends up in front.
        for (node, parent) in parents.into_iter().enumerate().rev() {
            next[node] = first[position(parent)].replace(node);
        }
        Ok(Self { tokens, first, next })
    }

    /// Tokens one after the other.
    ///
    /// ```
    /// use grammask_sampler::{DraftTree, TokenId};
    ///
    /// let path = DraftTree::path(&[TokenId(5), TokenId(7)]);
    /// assert_eq!(Ok(path), DraftTree::new([(TokenId(5), None), (TokenId(7), Some(0))]));
    /// ```
    pub fn path(tokens: &[TokenId]) -> Self {
        let len = tokens.len();
        let first = (0..len).map(Some).chain([None]).collect();
        Self { tokens: tokens.to_vec(), first, next: vec![None; len] }
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Number of positions, one more than tokens: so many rows of logits and masks there are.
    pub fn positions(&self) -> usize {
        self.tokens.len() + 1
    }

    /// The token of a node.
    ///
    /// # Panics
    ///
    /// If there is no such node.
    pub fn token(&self, node: usize) -> TokenId {
        self.tokens[node]
    }

    /// The nodes that follow at a position, in order; none where there is no such position.
    pub fn children(&self, position: usize) -> impl Iterator<Item = usize> {
        let first = self.first.get(position).copied().flatten();
        std::iter::successors(first, |&node| self.next[node])
    }
}

/// The position behind a node, or at the start.
fn position(node: Option<usize>) -> usize {
    node.map_or(0, |node| node + 1)
}

/// A token of a tree that does not come behind the one that it follows.
///
/// ```
/// use grammask_sampler::{DraftTree, TokenId};
///
/// let error = DraftTree::new([(TokenId(5), Some(3))]).unwrap_err();
/// assert_eq!((error.node, error.parent), (0, 3));
/// assert_eq!(error.to_string(), "node 0 of the draft follows node 3, which has to be an earlier one");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("node {node} of the draft follows node {parent}, which has to be an earlier one")]
pub struct TreeError {
    /// The node.
    pub node: usize,
    /// The one that it is said to follow.
    pub parent: usize,
}
