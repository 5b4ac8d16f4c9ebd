//! Vocabulary, token masks, grammar sampler and the sampler chain.
