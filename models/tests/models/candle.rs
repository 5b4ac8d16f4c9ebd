//! The same models as candle-transformers runs them.

use std::io::Cursor;

use candle_core::quantized::gguf_file::Content;
use candle_core::{DType, Device, Result, Tensor};
use candle_transformers::models as them;
use grammask_models::Architecture;
use grammask_sampler::TokenId;

/// Tokens and a position to logits.
type Forward = dyn FnMut(&Tensor, usize) -> Result<Tensor>;

pub(crate) struct Reference(Box<Forward>);

impl Reference {
    /// `None` for what candle does not run on a processor (experts) or runs otherwise than llama.cpp
    /// (Gemma 3: its gate is `SiLU`, not GELU; windows have one position too many).
    pub(crate) fn new(architecture: Architecture, file: &[u8]) -> Option<Self> {
        let mut reader = Cursor::new(file);
        let file = Content::read(&mut reader).expect("candle reads it");
        let (reader, device) = (&mut reader, &Device::Cpu);
        macro_rules! forward {
            ($model:expr) => {{
                let mut model = $model.expect("candle runs it");
                Box::new(move |tokens: &Tensor, start| model.forward(tokens, start))
            }};
        }
        Some(Self(match architecture {
            Architecture::Llama => {
                forward!(them::quantized_llama::ModelWeights::from_gguf(file, reader, device))
            }
            Architecture::Qwen2 => {
                forward!(them::quantized_qwen2::ModelWeights::from_gguf(file, reader, device))
            }
            Architecture::Qwen3 => {
                forward!(them::quantized_qwen3::ModelWeights::from_gguf(file, reader, device))
            }
            Architecture::Phi3 => {
                forward!(them::quantized_phi3::ModelWeights::from_gguf(false, file, reader, device))
            }
            Architecture::Glm4 => forward!(them::quantized_glm4::ModelWeights::from_gguf(
                file,
                reader,
                device,
                DType::F32
            )),
            Architecture::Lfm2 => {
                forward!(them::quantized_lfm2::ModelWeights::from_gguf(file, reader, device))
            }
            _ => return None,
        }))
    }

    pub(crate) fn logits(&mut self, tokens: &[TokenId], start: usize) -> Vec<f32> {
        let ids: Vec<u32> = tokens.iter().map(|token| token.0).collect();
        let tokens = Tensor::new(ids, &Device::Cpu).and_then(|ids| ids.unsqueeze(0));
        let logits = tokens.and_then(|tokens| (self.0)(&tokens, start)).expect("candle runs it");
        logits.flatten_all().and_then(|logits| logits.to_vec1()).expect("numbers")
    }
}
