//! Vocabulary, token masks, grammar sampler and the sampler chain.
//!
//! From the numbers of a language model to the next token: a [`Vocabulary`] says what each token
//! spells, [`Candidates`] hold the logits of one step, and a [`Chain`] of [`Sampler`]s reshapes them
//! and picks one. The samplers compute what llama.cpp computes, draw for draw.
//! No model and no network is touched here, and no file but those of [`Vocabulary::from_path`].
//!
//! ```
//! use grammask_sampler::{Candidates, Chain, Dist, Temperature, TopA, TopK, Vocabulary};
//!
//! let vocabulary = Vocabulary::from_name("r50k_base")?;
//! let mut chain = Chain::new();
//! chain.add(TopK::new(40)).add(Temperature::new(0.8)?).add(Dist::new(42));
//!
//! let mut candidates = Candidates::from_logits(&vec![0.0; vocabulary.len()]);
//! let token = chain.sample(&mut candidates).expect("one candidate is selected");
//! chain.accept(token);
//! assert!(vocabulary.bytes(token).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod below;
mod blanks;
mod block;
mod bound;
mod budget;
mod by_byte;
mod candidates;
mod chain;
mod characters;
mod constraint;
mod cores;
mod crossings;
mod declared;
mod departures;
mod dfa;
mod engine;
mod exact;
mod exit;
mod few_states;
mod forbidden;
mod forced;
mod frames;
mod generations;
pub mod gguf;
mod grammar_sampler;
mod interior;
mod items;
mod keys;
mod kinds;
mod lazy;
mod lengths;
mod look;
mod lookahead;
mod loops;
mod mask;
mod meant;
mod nucleus;
mod preorder;
mod quotient;
mod radix;
mod reach;
mod read_ahead;
mod rng;
mod rounds;
mod runs;
mod samplers;
mod settings;
mod shapes;
mod similar;
mod sort;
mod speculate;
mod steps;
mod strict;
mod tables;
#[cfg(test)]
mod test_tables;
mod token_id;
mod token_set;
mod trie;
mod unanchored;
mod values;
mod vocabulary;
mod walk;

pub use batch::fill_masks;
pub use budget::BudgetError;
pub use candidates::{Candidate, Candidates};
pub use chain::{Chain, Sampler, Timing};
pub use constraint::{Constraint, ConstraintError};
pub use engine::Engine;
pub use grammar_sampler::{GrammarSampler, Mode, SampleError};
pub use lazy::{LazyError, LazyGrammar, PatternError, PatternProblem, ThinkingBudget, Trigger};
pub use mask::TokenMask;
pub use reach::Reach;
pub use rng::{Discrete, Mt19937, uniform_f32, uniform_f64};
pub use samplers::{
    AdaptiveP, AdaptiveSettings, Dist, Dry, DryBreakers, DrySettings, DynamicTemperature,
    EpsilonCutoff, EtaCutoff, Greedy, Infill, LogitBias, MinP, Mirostat, MirostatSettings,
    MirostatV2, ParameterError, Penalties, PenaltySettings, Temperature, TopA, TopK, TopNSigma,
    TopP, Typical, Xtc, XtcSettings,
};
pub use settings::{ChainSettings, MirostatVersion, SamplerKind, SettingsError};
pub use speculate::{
    DraftError, DraftMaskError, DraftTree, Drafter, Drafts, Forced, History, NgramCache,
    NgramCacheSettings, NgramMap, NgramMapSettings, NgramMod, NgramModSettings, NgramSimple,
    NgramSimpleSettings, Siblings, TreeError, Verified, VerifyError, fill_draft_masks,
    fill_tree_masks,
};
pub use token_id::TokenId;
pub use vocabulary::{
    EncodeError, ModelConfig, TiktokenName, Vocabulary, VocabularyBuilder, VocabularyError,
};
