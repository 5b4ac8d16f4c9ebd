//! Small models with random weights, as GGUF files.

use std::collections::BTreeMap;
use std::io::Cursor;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use grammask_models::{Architecture, Model};

/// The texts of the tokens but for the last one, which ends a text: what JSON is written in.
const TEXTS: &str =
    "{}[]\":,.-+_/!?#%&0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// How many tokens the vocabulary has.
pub(crate) const TOKENS: usize = TEXTS.len() + 1;

/// Random numbers, always the same: Knuth's constants.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// From -1 to 1.
    fn number(&mut self) -> f32 {
        self.next() as f32 / (1_u32 << 30) as f32 - 1.0
    }
}

/// A model before it is a file.
#[derive(Clone)]
pub(crate) struct Tiny {
    pub(crate) architecture: Architecture,
    pub(crate) layers: usize,
    pub(crate) width: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_width: usize,
    pub(crate) feed_forward: usize,
    pub(crate) rope_dimensions: usize,
    pub(crate) rope_base: f32,
    pub(crate) window: Option<usize>,
    /// All of them and those that are used.
    pub(crate) experts: Option<(usize, usize)>,
    pub(crate) tied: bool,
    pub(crate) metadata: BTreeMap<String, Value>,
    /// Numbers and their shape, the last dimension being that of neighbours.
    pub(crate) tensors: BTreeMap<String, (Vec<f32>, Vec<usize>)>,
}

pub(crate) const ALL: [Architecture; 8] = [
    Architecture::Llama,
    Architecture::Qwen2,
    Architecture::Qwen3,
    Architecture::Qwen3Moe,
    Architecture::Gemma3,
    Architecture::Phi3,
    Architecture::Glm4,
    Architecture::Lfm2,
];

impl Tiny {
    pub(crate) fn new(architecture: Architecture) -> Self {
        Self {
            architecture,
            layers: 3,
            width: 64,
            heads: 4,
            kv_heads: 2,
            // Only some architectures say how wide a head is.
            head_width: match architecture {
                Architecture::Qwen3 | Architecture::Qwen3Moe | Architecture::Gemma3 => 32,
                _ => 16,
            },
            feed_forward: 96,
            rope_dimensions: match architecture {
                Architecture::Glm4 => 8,
                Architecture::Qwen3 | Architecture::Qwen3Moe | Architecture::Gemma3 => 32,
                _ => 16,
            },
            rope_base: 10_000.0,
            window: (architecture == Architecture::Gemma3).then_some(5),
            experts: (architecture == Architecture::Qwen3Moe).then_some((6, 2)),
            tied: !matches!(architecture, Architecture::Llama | Architecture::Phi3),
            metadata: BTreeMap::new(),
            tensors: BTreeMap::new(),
        }
    }

    /// The same with this many layers.
    pub(crate) fn with_layers(self, layers: usize) -> Self {
        Self { layers, ..self }
    }

    /// Whether a layer of LFM 2 is a convolution.
    pub(crate) fn is_convolution(&self, layer: usize) -> bool {
        self.architecture == Architecture::Lfm2 && layer % 3 != 1
    }

    pub(crate) fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture.name())
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.metadata.insert(self.key(name), value);
    }

    /// With weights and metadata; what is there already stays.
    pub(crate) fn finish(mut self, seed: u64) -> Self {
        let sizes = [
            ("block_count", self.layers),
            ("context_length", 1 << 11),
            ("embedding_length", self.width),
            ("feed_forward_length", self.feed_forward),
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", self.kv_heads),
            ("attention.key_length", self.head_width),
            ("attention.value_length", self.head_width),
            ("rope.dimension_count", self.rope_dimensions),
        ];
        for (name, size) in sizes {
            self.set(name, Value::U32(size as u32));
        }
        if self.architecture == Architecture::Lfm2 {
            let heads = |layer| if self.is_convolution(layer) { 0 } else { self.kv_heads };
            let heads = (0..self.layers).map(|layer| Value::U32(heads(layer) as u32)).collect();
            self.set("attention.head_count_kv", Value::Array(heads));
            self.set("shortconv.l_cache", Value::U32(3));
        }
        if let Some(window) = self.window {
            self.set("attention.sliding_window", Value::U32(window as u32));
        }
        if let Some((count, used)) = self.experts {
            self.set("expert_count", Value::U32(count as u32));
            self.set("expert_used_count", Value::U32(used as u32));
            self.set("expert_feed_forward_length", Value::U32(self.feed_forward as u32));
        }
        self.set("attention.layer_norm_rms_epsilon", Value::F32(1e-5));
        self.set("rope.freq_base", Value::F32(self.rope_base));
        let texts = TEXTS.chars().map(String::from);
        let texts = texts.chain(["<|endoftext|>".to_owned()]).map(Value::String).collect();
        let kinds =
            (0..TOKENS).map(|at| Value::I32(if at + 1 == TOKENS { 3 } else { 1 })).collect();
        let name = self.architecture.name().to_owned();
        for (key, value) in [
            ("general.architecture", Value::String(name)),
            // What candle takes from a file of Qwen 3.
            ("general.dtype", Value::U32(0)),
            ("tokenizer.ggml.model", Value::String("gpt2".to_owned())),
            ("tokenizer.ggml.tokens", Value::Array(texts)),
            ("tokenizer.ggml.token_type", Value::Array(kinds)),
            ("tokenizer.ggml.eos_token_id", Value::U32(TOKENS as u32 - 1)),
        ] {
            self.metadata.insert(key.to_owned(), value);
        }
        let mut random = Random(seed);
        for (name, shape) in self.shapes() {
            let fan = *shape.last().expect("a dimension") as f32;
            let mut number = || match (shape.len(), name.contains("norm")) {
                (1, true) => 1.0 + 0.3 * random.number(),
                (1, false) => 0.3 * random.number(),
                _ => random.number() * (3.0 / fan).sqrt(),
            };
            let numbers = (0..shape.iter().product()).map(|_| number()).collect();
            self.tensors.entry(name).or_insert((numbers, shape));
        }
        self
    }

    fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        use Architecture::{Gemma3, Glm4, Lfm2, Phi3, Qwen2, Qwen3, Qwen3Moe};
        let (width, ff) = (self.width, self.feed_forward);
        let (q, kv) = (self.heads * self.head_width, self.kv_heads * self.head_width);
        let norm = if self.architecture == Lfm2 { "token_embd_norm" } else { "output_norm" };
        let mut shapes = vec![
            ("token_embd.weight".to_owned(), vec![TOKENS, width]),
            (format!("{norm}.weight"), vec![width]),
        ];
        if !self.tied {
            shapes.push(("output.weight".to_owned(), vec![TOKENS, width]));
        }
        for layer in 0..self.layers {
            let mut add = |name: &str, shape: &[usize]| {
                shapes.push((format!("blk.{layer}.{name}"), shape.to_vec()));
            };
            add("attn_norm.weight", &[width]);
            add("ffn_norm.weight", &[width]);
            if matches!(self.architecture, Gemma3 | Glm4) {
                add("post_attention_norm.weight", &[width]);
                add("post_ffw_norm.weight", &[width]);
            }
            if self.is_convolution(layer) {
                add("shortconv.in_proj.weight", &[3 * width, width]);
                add("shortconv.conv.weight", &[width, 3]);
                add("shortconv.out_proj.weight", &[width, width]);
            } else {
                if self.architecture == Phi3 {
                    add("attn_qkv.weight", &[q + 2 * kv, width]);
                } else {
                    add("attn_q.weight", &[q, width]);
                    add("attn_k.weight", &[kv, width]);
                    add("attn_v.weight", &[kv, width]);
                }
                add("attn_output.weight", &[width, q]);
                if matches!(self.architecture, Qwen2 | Glm4) {
                    add("attn_q.bias", &[q]);
                    add("attn_k.bias", &[kv]);
                    add("attn_v.bias", &[kv]);
                }
                if matches!(self.architecture, Qwen3 | Qwen3Moe | Gemma3 | Lfm2) {
                    add("attn_q_norm.weight", &[self.head_width]);
                    add("attn_k_norm.weight", &[self.head_width]);
                }
            }
            if let Some((count, _)) = self.experts {
                add("ffn_gate_inp.weight", &[count, width]);
                add("ffn_gate_exps.weight", &[count, ff, width]);
                add("ffn_up_exps.weight", &[count, ff, width]);
                add("ffn_down_exps.weight", &[count, width, ff]);
            } else {
                if matches!(self.architecture, Phi3 | Glm4) {
                    add("ffn_up.weight", &[2 * ff, width]);
                } else {
                    add("ffn_gate.weight", &[ff, width]);
                    add("ffn_up.weight", &[ff, width]);
                }
                add("ffn_down.weight", &[width, ff]);
            }
        }
        shapes
    }

    /// The tensors as they are in the file. Matrices have the type, the rest has 32 bits a number.
    pub(crate) fn quantised(&self, kind: GgmlDType) -> BTreeMap<String, QTensor> {
        let tensor = |(name, (numbers, shape)): (&String, &(Vec<f32>, Vec<usize>))| {
            let tensor =
                Tensor::from_slice(numbers, shape.as_slice(), &Device::Cpu).expect("it fits");
            let is_matrix = shape.len() > 1 && !name.contains("shortconv.conv");
            let kind = if is_matrix { kind } else { GgmlDType::F32 };
            (name.clone(), QTensor::quantize(&tensor, kind).expect("whole blocks"))
        };
        self.tensors.iter().map(tensor).collect()
    }

    pub(crate) fn file(&self, kind: GgmlDType) -> Vec<u8> {
        let tensors = self.quantised(kind);
        let mut file = Cursor::new(Vec::new());
        let metadata: Vec<_> = self.metadata.iter().map(|(key, value)| (&**key, value)).collect();
        let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (&**name, tensor)).collect();
        gguf_file::write(&mut file, &metadata, &tensors).expect("it is written");
        file.into_inner()
    }

    pub(crate) fn model(&self, kind: GgmlDType) -> Model {
        read(&self.file(kind)).expect("it is a model")
    }
}

/// The model of a file.
pub(crate) fn read(file: &[u8]) -> Result<Model, grammask_models::LoadError> {
    Model::read(Cursor::new(file), &Device::Cpu, |_| {})
}
