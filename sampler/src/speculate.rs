//! Speculative decoding: tokens are drafted cheaply, and the model looks at many of them at once.

mod draft;
mod forced;
mod history;
mod masks;
mod ngram_cache;
mod ngram_counts;
mod ngram_index;
mod ngram_map;
mod ngram_mod;
mod ngram_simple;
mod proposal;
mod residual;
mod tree;
mod verify;

pub use draft::{DraftError, Drafter, Drafts};
pub use forced::Forced;
pub use history::History;
pub use masks::{DraftMaskError, fill_draft_masks, fill_tree_masks};
pub use ngram_cache::{NgramCache, NgramCacheSettings};
pub use ngram_map::{NgramMap, NgramMapSettings};
pub use ngram_mod::{NgramMod, NgramModSettings};
pub use ngram_simple::{NgramSimple, NgramSimpleSettings};
pub use tree::{DraftTree, Siblings, TreeError};
pub use verify::{Verified, VerifyError};
