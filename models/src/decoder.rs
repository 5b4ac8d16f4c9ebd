//! From tokens to logits, layer by layer.

use std::io::{Read, Seek};

use candle_core::{Device, Result, Tensor};
use grammask_sampler::TokenId;

use crate::LoadError;
use crate::attention::{Attention, Masks, Step};
use crate::cache::{Cache, LayerCache};
use crate::config::{Config, LayerConfig};
use crate::feed_forward::FeedForward;
use crate::matrix::Matrix;
use crate::norm::Norm;
use crate::rope::Rope;
use crate::short_convolution::ShortConvolution;
use crate::weights::Weights;

/// The matrix of the output; without it, it is that of the embeddings.
const OUTPUT: &str = "output.weight";

/// Under this name LFM 2 has the norm of the output.
const EMBEDDING_NORM: &str = "token_embd_norm.weight";

/// The weights of a model, and how they are put to use.
#[derive(Debug)]
pub(crate) struct Decoder {
    embeddings: Matrix,
    embedding_scale: Option<f64>,
    layers: Vec<Layer>,
    norm: Norm,
    output: Matrix,
    logit_cap: Option<f64>,
    pub(crate) rope: Rope,
}

#[derive(Debug)]
struct Layer {
    mixer_norm: Norm,
    mixer: Mixer,
    /// Applied to what the mixer gives, and to what feed-forward gives.
    post_norms: Option<(Norm, Norm)>,
    feed_forward_norm: Norm,
    feed_forward: FeedForward,
}

/// What mixes the positions.
#[derive(Debug)]
enum Mixer {
    Attention(Attention),
    Convolution(ShortConvolution),
}

impl Decoder {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        tokens: usize,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let traits = config.architecture.traits();
        let embeddings = weights.matrix("token_embd.weight", tokens, config.width)?;
        let layers = (0..config.layers.len())
            .map(|at| Layer::read(config, at, weights))
            .collect::<std::result::Result<_, _>>()?;
        let norm = if weights.has(EMBEDDING_NORM) { EMBEDDING_NORM } else { "output_norm.weight" };
        Ok(Self {
            embedding_scale: traits.scaled_embeddings.then(|| (config.width as f64).sqrt()),
            layers,
            norm: Norm::read(weights, norm, config.width, config.epsilon)?,
            output: if weights.has(OUTPUT) {
                weights.matrix(OUTPUT, tokens, config.width)?
            } else {
                embeddings.clone()
            },
            embeddings,
            logit_cap: config.logit_cap,
            rope: Rope::read(config, weights)?,
        })
    }

    /// Whether its largest matrix is a small one.
    pub(crate) fn is_small(&self) -> bool {
        matches!(self.output, Matrix::Local(_))
    }

    /// Puts tokens at the positions from `start` on into the cache; what the last one lets expect, a
    /// number for each token of the vocabulary.
    pub(crate) fn forward(
        &self,
        tokens: &[TokenId],
        start: usize,
        is_long: bool,
        cache: &mut Cache,
        device: &Device,
    ) -> Result<Tensor> {
        let ids: Vec<u32> = tokens.iter().map(|token| token.0).collect();
        let count = ids.len();
        let mut rows = self.embeddings.embedding(ids, device)?;
        if let Some(scale) = self.embedding_scale {
            rows = (rows * scale)?;
        }
        let mut step = Step {
            start,
            rope: &self.rope,
            rotations: self.rope.forth(start, count, is_long, device)?,
            masks: Masks::default(),
        };
        for (layer, cache) in self.layers.iter().zip(&mut cache.layers) {
            let normed = layer.mixer_norm.forward(&rows)?;
            let mut mixed = match (&layer.mixer, cache) {
                (Mixer::Attention(attention), LayerCache::Attention { keys, values, .. }) => {
                    attention.forward(&normed, &mut step, keys, values)?
                }
                (Mixer::Convolution(convolution), LayerCache::Convolution { inputs }) => {
                    convolution.forward(&normed, start, inputs)?
                }
                _ => unreachable!("a cache has the layers of its model"),
            };
            if let Some((norm, _)) = &layer.post_norms {
                mixed = norm.forward(&mixed)?;
            }
            rows = (rows + mixed)?;
            let mut thought =
                layer.feed_forward.forward(&layer.feed_forward_norm.forward(&rows)?)?;
            if let Some((_, norm)) = &layer.post_norms {
                thought = norm.forward(&thought)?;
            }
            rows = (rows + thought)?;
        }
        let last = self.norm.forward(&rows.narrow(0, count - 1, 1)?.contiguous()?)?;
        let logits = self.output.forward(&last)?.squeeze(0)?;
        match self.logit_cap {
            Some(cap) => (logits / cap)?.tanh()? * cap,
            None => Ok(logits),
        }
    }
}

impl Layer {
    fn read<F: Read + Seek>(
        config: &Config,
        at: usize,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let layer = format!("blk.{at}");
        let norm = |weights: &mut Weights<'_, F>, name: &str| {
            Norm::read(weights, &format!("{layer}.{name}.weight"), config.width, config.epsilon)
        };
        Ok(Self {
            mixer_norm: norm(weights, "attn_norm")?,
            mixer: match config.layers[at] {
                LayerConfig::Attention { kv_heads, window } => {
                    Mixer::Attention(Attention::read(config, kv_heads, window, &layer, weights)?)
                }
                LayerConfig::Convolution => {
                    Mixer::Convolution(ShortConvolution::read(config, &layer, weights)?)
                }
            },
            post_norms: if config.architecture.traits().post_norms {
                Some((norm(weights, "post_attention_norm")?, norm(weights, "post_ffw_norm")?))
            } else {
                None
            },
            feed_forward_norm: norm(weights, "ffn_norm")?,
            feed_forward: FeedForward::read(config, &layer, weights)?,
        })
    }
}
