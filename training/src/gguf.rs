//! The file: quantised weights, the vocabulary and the chat template, as GGUF.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};

use crate::network::{Network, Shape};
use crate::tokenizer::{END_OF_TURN, Tokenizer};

/// The Jinja template of conversations.
pub(crate) const CHAT_TEMPLATE: &str = include_str!("../chat_template.jinja");

/// The tensors of the file, in blocks of 32 numbers of 8 bits; weights of norms stay `f32`.
fn tensors(network: &Network, parameters: &[f32]) -> Result<Vec<(String, QTensor)>> {
    let quantise = |tensor: &crate::network::Tensor| -> Result<_> {
        let values = &parameters[tensor.range.clone()];
        let (shape, dtype) = if tensor.rows == 1 {
            (vec![tensor.columns], GgmlDType::F32)
        } else {
            (vec![tensor.rows, tensor.columns], GgmlDType::Q8_0)
        };
        let dense = Tensor::from_slice(values, shape, &Device::Cpu)?;
        Ok((tensor.name.clone(), QTensor::quantize(&dense, dtype)?))
    };
    network.layout.tensors.iter().map(quantise).collect()
}

/// The parameters as a reader of the file gets them.
pub(crate) fn quantised(network: &Network, parameters: &[f32]) -> Result<Vec<f32>> {
    let mut all = Vec::with_capacity(parameters.len());
    for (_, tensor) in tensors(network, parameters)? {
        all.extend(tensor.dequantize(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>()?);
    }
    Ok(all)
}

fn metadata(shape: &Shape, tokenizer: &Tokenizer) -> Result<Vec<(&'static str, Value)>> {
    let number = |value: usize| Value::U32(value as u32);
    let text = |value: &str| Value::String(value.to_owned());
    let texts = |list: Vec<String>| Value::Array(list.into_iter().map(Value::String).collect());
    let listing = tokenizer.listing()?;
    Ok(vec![
        ("general.architecture", text("llama")),
        ("general.name", text("grammask box")),
        (
            "general.description",
            text("A small model that fills forms; it knows nothing of the world"),
        ),
        ("general.license", text("MIT OR Apache-2.0")),
        ("general.file_type", Value::U32(7)),
        ("general.quantization_version", Value::U32(2)),
        ("general.alignment", Value::U32(32)),
        ("llama.vocab_size", number(shape.vocabulary)),
        ("llama.context_length", number(shape.context)),
        ("llama.embedding_length", number(shape.width)),
        ("llama.block_count", number(shape.layers)),
        ("llama.feed_forward_length", number(shape.hidden)),
        ("llama.attention.head_count", number(shape.heads)),
        ("llama.attention.head_count_kv", number(shape.kv_heads)),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(shape.epsilon)),
        ("llama.rope.freq_base", Value::F32(shape.rope_base)),
        ("llama.rope.dimension_count", number(shape.head())),
        ("tokenizer.ggml.model", text("gpt2")),
        ("tokenizer.ggml.pre", text("qwen2")),
        ("tokenizer.ggml.tokens", texts(listing.tokens)),
        (
            "tokenizer.ggml.token_type",
            Value::Array(listing.types.into_iter().map(Value::I32).collect()),
        ),
        ("tokenizer.ggml.merges", texts(listing.merges)),
        ("tokenizer.ggml.bos_token_id", Value::U32(tokenizer.end_of_text())),
        ("tokenizer.ggml.eos_token_id", Value::U32(tokenizer.end_of_text())),
        ("tokenizer.ggml.eot_token_id", Value::U32(tokenizer.id(END_OF_TURN)?)),
        ("tokenizer.ggml.add_bos_token", Value::Bool(true)),
        ("tokenizer.ggml.add_eos_token", Value::Bool(false)),
        ("tokenizer.chat_template", text(CHAT_TEMPLATE)),
    ])
}

/// Writes the file.
///
/// # Errors
///
/// The file cannot be written.
pub(crate) fn write(
    path: &Path,
    network: &Network,
    parameters: &[f32],
    tokenizer: &Tokenizer,
) -> Result<()> {
    let tensors = tensors(network, parameters)?;
    let tensors: Vec<(&str, &QTensor)> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    let metadata = metadata(&network.shape, tokenizer)?;
    let metadata: Vec<(&str, &Value)> =
        metadata.iter().map(|(name, value)| (*name, value)).collect();
    let mut file = BufWriter::new(File::create(path).with_context(|| path.display().to_string())?);
    gguf_file::write(&mut file, &metadata, &tensors)?;
    file.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests;
