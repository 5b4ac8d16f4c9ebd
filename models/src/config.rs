//! Hyperparameters: what the metadata says of the sizes of a model.

use grammask_sampler::gguf::{Header, Value};

use crate::{Architecture, LoadError};

const ARCHITECTURE: &str = "general.architecture";

/// No width, no number of heads and the like is larger. Products of two fit into 64 bits.
const LARGEST: u64 = 1 << 24;

/// No model has more layers.
const MOST_LAYERS: usize = 1 << 12;

/// The hyperparameters of a model. All sizes are positive.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) architecture: Architecture,
    /// The width of what goes from layer to layer.
    pub(crate) width: usize,
    /// How many tokens the model was made for.
    pub(crate) context_length: usize,
    pub(crate) epsilon: f32,
    /// Heads of queries.
    pub(crate) heads: usize,
    pub(crate) head_width: usize,
    pub(crate) attention_scale: f64,
    pub(crate) layers: Vec<LayerConfig>,
    pub(crate) feed_forward: FeedForwardConfig,
    pub(crate) rope: RopeConfig,
    /// How many positions a convolution sees, itself included.
    pub(crate) convolution_length: usize,
    /// Logits are bent towards at most this, if at all.
    pub(crate) logit_cap: Option<f64>,
}

/// What mixes the positions in a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LayerConfig {
    Attention {
        /// Heads of keys and values: a divisor of those of queries.
        kv_heads: usize,
        /// How many positions are seen, itself included, if not all.
        window: Option<usize>,
    },
    Convolution,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FeedForwardConfig {
    Dense { width: usize },
    Experts { count: usize, used: usize, width: usize },
}

/// How positions are told apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RopeConfig {
    /// How many numbers of a head are rotated: even, at most all.
    pub(crate) dimensions: usize,
    pub(crate) base: f64,
    /// The base of layers with a window.
    pub(crate) window_base: f64,
    /// Positions are divided by this, but for layers with a window.
    pub(crate) factor: f64,
    /// The context for which the factors for short texts are.
    pub(crate) original_context: Option<usize>,
    /// What rotated numbers are multiplied with.
    pub(crate) magnitude: f64,
}

/// The metadata of one architecture.
struct Keys<'h> {
    header: &'h Header,
    architecture: Architecture,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture.name())
    }

    /// A size, if it is there.
    fn find(&self, name: &str) -> Result<Option<usize>, LoadError> {
        let key = self.key(name);
        match self.header.integer(&key)? {
            Some(number) if number == 0 || number > LARGEST => {
                Err(LoadError::key(key, format!("{number} is not from 1 to {LARGEST}")))
            }
            number => Ok(number.map(|number| number as usize)),
        }
    }

    fn size(&self, name: &str) -> Result<usize, LoadError> {
        self.find(name)?.ok_or_else(|| LoadError::key(self.key(name), "is missing"))
    }

    /// A number above 0, if it is there.
    fn positive(&self, name: &str) -> Result<Option<f64>, LoadError> {
        let key = self.key(name);
        match self.header.number(&key)? {
            Some(number) if number <= 0.0 => {
                Err(LoadError::key(key, format!("{number} is not above 0")))
            }
            number => Ok(number),
        }
    }
}

impl Config {
    pub(crate) fn read(header: &Header) -> Result<Self, LoadError> {
        let name =
            header.text(ARCHITECTURE)?.ok_or_else(|| LoadError::key(ARCHITECTURE, "is missing"))?;
        let architecture = Architecture::from_name(name)?;
        let keys = Keys { header, architecture };
        let width = keys.size("embedding_length")?;
        let heads = keys.size("attention.head_count")?;
        let head_width = match keys.find("attention.key_length")? {
            Some(head_width) => head_width,
            None if width.is_multiple_of(heads) => width / heads,
            None => {
                let message = format!("{heads} does not divide the width of {width}");
                return Err(LoadError::key(keys.key("attention.head_count"), message));
            }
        };
        let value_width = keys.find("attention.value_length")?.unwrap_or(head_width);
        if value_width != head_width {
            let message = format!("{value_width} is not the length of keys, {head_width}");
            return Err(LoadError::key(keys.key("attention.value_length"), message));
        }
        let layers = layers(&keys, heads)?;
        let has_convolutions = layers.iter().any(|layer| matches!(layer, LayerConfig::Convolution));
        // As llama.cpp tells Gemma 3 27B apart, which scales by the width of all.
        let scaled_width = if architecture == Architecture::Gemma3 && layers.len() == 62 {
            width as f64 / heads as f64
        } else {
            head_width as f64
        };
        let context_length = keys.key("context_length");
        let context_length = header
            .integer(&context_length)?
            .and_then(|length| usize::try_from(length).ok().filter(|&length| length > 0))
            .ok_or_else(|| LoadError::key(context_length, "is missing or 0"))?;
        let epsilon = keys.key("attention.layer_norm_rms_epsilon");
        let epsilon = header
            .number(&epsilon)?
            .filter(|&epsilon| epsilon >= 0.0)
            .ok_or_else(|| LoadError::key(epsilon, "is missing or negative"))?;
        Ok(Self {
            architecture,
            width,
            context_length,
            epsilon: epsilon as f32,
            heads,
            head_width,
            attention_scale: 1.0 / scaled_width.sqrt(),
            feed_forward: feed_forward(&keys)?,
            rope: rope(&keys, head_width)?,
            convolution_length: if has_convolutions { keys.size("shortconv.l_cache")? } else { 0 },
            logit_cap: keys.positive("final_logit_softcapping")?,
            layers,
        })
    }
}

fn layers(keys: &Keys<'_>, heads: usize) -> Result<Vec<LayerConfig>, LoadError> {
    let count = keys.size("block_count")?;
    if count > MOST_LAYERS {
        let message = format!("{count} is more than {MOST_LAYERS}");
        return Err(LoadError::key(keys.key("block_count"), message));
    }
    let key = keys.key("attention.head_count_kv");
    let kv_heads: Vec<i128> = match keys.header.value(&key) {
        Some(Value::Array(_)) => keys.header.integers(&key)?.unwrap_or_default(),
        Some(_) => vec![keys.header.integer(&key)?.unwrap_or_default().into(); count],
        None => vec![heads as i128; count],
    };
    if kv_heads.len() != count {
        let message = format!("has {} entries for {count} layers", kv_heads.len());
        return Err(LoadError::key(key, message));
    }
    let is_gemma = keys.architecture == Architecture::Gemma3;
    let window = if is_gemma { keys.find("attention.sliding_window")? } else { None };
    let pattern = keys.find("attention.sliding_window_pattern")?.unwrap_or(6);
    let layer = |(at, kv_heads): (usize, i128)| match usize::try_from(kv_heads) {
        Ok(0) if keys.architecture == Architecture::Lfm2 => Ok(LayerConfig::Convolution),
        Ok(kv_heads) if kv_heads > 0 && heads.is_multiple_of(kv_heads) => {
            let window = window.filter(|_| (at + 1) % pattern != 0);
            Ok(LayerConfig::Attention { kv_heads, window })
        }
        _ => {
            let message = format!("{kv_heads} does not divide the {heads} heads of queries");
            Err(LoadError::key(&key, message))
        }
    };
    kv_heads.into_iter().enumerate().map(layer).collect()
}

fn feed_forward(keys: &Keys<'_>) -> Result<FeedForwardConfig, LoadError> {
    let count = keys.key("expert_count");
    // Files without experts may say that there are none.
    if keys.header.integer(&count)?.unwrap_or(0) == 0 {
        if keys.architecture == Architecture::Qwen3Moe {
            return Err(LoadError::key(count, "is missing or 0"));
        }
        return Ok(FeedForwardConfig::Dense { width: keys.size("feed_forward_length")? });
    }
    if !keys.architecture.traits().experts {
        return Err(LoadError::key(count, "experts are not run with this architecture"));
    }
    let count = keys.size("expert_count")?;
    let used = keys.size("expert_used_count")?;
    if used > count {
        let message = format!("{used} is more than the {count} experts");
        return Err(LoadError::key(keys.key("expert_used_count"), message));
    }
    let width = match keys.find("expert_feed_forward_length")? {
        Some(width) => width,
        None => keys.size("feed_forward_length")?,
    };
    Ok(FeedForwardConfig::Experts { count, used, width })
}

fn rope(keys: &Keys<'_>, head_width: usize) -> Result<RopeConfig, LoadError> {
    let dimensions = keys.find("rope.dimension_count")?.unwrap_or(head_width);
    if dimensions > head_width || !dimensions.is_multiple_of(2) {
        let message = format!("{dimensions} is not an even number up to {head_width}");
        return Err(LoadError::key(keys.key("rope.dimension_count"), message));
    }
    let kind = keys.key("rope.scaling.type");
    let factor = keys.positive("rope.scaling.factor")?.unwrap_or(1.0);
    let factor = match keys.header.text(&kind)? {
        None | Some("linear") => factor,
        // What is scaled then is said by tensors of factors.
        Some("none" | "longrope") => 1.0,
        Some(other) => {
            let message = format!("{other:?} is not run; there are none, linear and longrope");
            return Err(LoadError::key(kind, message));
        }
    };
    Ok(RopeConfig {
        dimensions,
        base: keys.positive("rope.freq_base")?.unwrap_or(10_000.0),
        window_base: keys.positive("rope.freq_base_swa")?.unwrap_or(10_000.0),
        factor,
        original_context: keys.find("rope.scaling.original_context_length")?,
        magnitude: keys.positive("rope.scaling.attn_factor")?.unwrap_or(1.0),
    })
}
