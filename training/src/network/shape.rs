//! How large the network is, and where each tensor lies among the parameters.

use std::ops::Range;

/// The hyperparameters, named as in the metadata of a GGUF file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub(crate) vocabulary: usize,
    /// The longest text, in tokens.
    pub(crate) context: usize,
    pub(crate) width: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    /// Heads of keys and values; each serves `heads / kv_heads` heads of queries.
    pub(crate) kv_heads: usize,
    /// The width between the two products of the feed-forward part.
    pub(crate) hidden: usize,
    pub(crate) rope_base: f32,
    pub(crate) epsilon: f32,
}

impl Shape {
    /// The model in the box.
    pub(crate) const BOX: Self = Self {
        vocabulary: 4096,
        context: 1024,
        width: 128,
        layers: 11,
        heads: 4,
        kv_heads: 2,
        hidden: 384,
        rope_base: 10_000.0,
        epsilon: 1e-5,
    };

    /// Numbers of one head.
    pub(crate) fn head(&self) -> usize {
        self.width / self.heads
    }

    /// Numbers of the keys, and of the values, of one position.
    pub(crate) fn kv_width(&self) -> usize {
        self.kv_heads * self.head()
    }

    /// Queries, keys and values of one position.
    pub(crate) fn qkv_width(&self) -> usize {
        self.width + 2 * self.kv_width()
    }
}

/// One tensor of the file.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    /// Rows and columns; a vector has one row.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) range: Range<usize>,
}

/// The parameters of one block. What is read by the same product lies together.
#[derive(Debug)]
pub(super) struct BlockLayout {
    pub(super) attention_norm: Range<usize>,
    pub(super) qkv: Range<usize>,
    pub(super) attention_output: Range<usize>,
    pub(super) feed_forward_norm: Range<usize>,
    pub(super) gate_up: Range<usize>,
    pub(super) down: Range<usize>,
}

/// Where each tensor lies in the one list of all parameters.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) tensors: Vec<Tensor>,
    pub(super) embedding: Range<usize>,
    pub(super) output_norm: Range<usize>,
    pub(super) blocks: Vec<BlockLayout>,
}

impl Layout {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut tensors = Vec::new();
        let mut end = 0;
        let mut add = |name: String, rows: usize, columns: usize| {
            let range = end..end + rows * columns;
            end = range.end;
            tensors.push(Tensor { name, rows, columns, range: range.clone() });
            range
        };
        let embedding = add("token_embd.weight".into(), shape.vocabulary, shape.width);
        let blocks = (0..shape.layers)
            .map(|i| {
                let mut part = |name: &str, rows, columns| {
                    add(format!("blk.{i}.{name}.weight"), rows, columns)
                };
                let attention_norm = part("attn_norm", 1, shape.width);
                let q = part("attn_q", shape.width, shape.width);
                part("attn_k", shape.kv_width(), shape.width);
                let v = part("attn_v", shape.kv_width(), shape.width);
                let attention_output = part("attn_output", shape.width, shape.width);
                let feed_forward_norm = part("ffn_norm", 1, shape.width);
                let gate = part("ffn_gate", shape.hidden, shape.width);
                let up = part("ffn_up", shape.hidden, shape.width);
                let down = part("ffn_down", shape.width, shape.hidden);
                BlockLayout {
                    attention_norm,
                    qkv: q.start..v.end,
                    attention_output,
                    feed_forward_norm,
                    gate_up: gate.start..up.end,
                    down,
                }
            })
            .collect();
        let output_norm = add("output_norm.weight".into(), 1, shape.width);
        Self { tensors, embedding, output_norm, blocks }
    }

    /// How many parameters there are.
    pub(crate) fn count(&self) -> usize {
        self.output_norm.end
    }
}
