//! Files that are no models are errors that name the place, within bounded memory.

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use grammask_models::{Architecture, Evaluation, EvaluationOptions, LoadError};
use proptest::prelude::*;

use crate::text;
use crate::tiny::{self, ALL, Tiny};

/// Reads a file within bounded memory, and uses it if it is a model.
fn read(file: &[u8]) -> Result<(), LoadError> {
    let mut result = Ok(());
    let used = allocation_counter::measure(|| {
        result = tiny::read(file).map(|model| {
            let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
            let _ = evaluation.logits(&text(3, 0));
        });
    });
    let bound = (1 << 22) + 8 * file.len() as u64;
    assert!(used.bytes_max < bound, "{} bytes for {} of it", used.bytes_max, file.len());
    result
}

fn message(tiny: &Tiny) -> String {
    read(&tiny.file(GgmlDType::F32)).expect_err("it is no model").to_string()
}

fn small(architecture: Architecture) -> Tiny {
    Tiny { width: 32, feed_forward: 32, ..Tiny::new(architecture).with_layers(2) }
}

#[test]
fn files_that_break_off_are_errors() {
    for architecture in ALL {
        let file = small(architecture).finish(13).file(GgmlDType::Q8_0);
        read(&file).expect("it is a model");
        // Behind the last tensor there may be padding.
        for len in (0..file.len() - 64).step_by(97) {
            let error = read(&file[..len]).expect_err("it breaks off").to_string();
            assert!(error.contains(": "), "{len}: {error}");
        }
    }
}

#[test]
fn each_tensor_has_to_be_there_with_its_shape() {
    for architecture in ALL {
        let tiny = small(architecture).finish(14);
        for name in tiny.tensors.keys() {
            let mut without = tiny.clone();
            without.tensors.remove(name);
            // Without its own matrix the output has that of the embeddings.
            let is_optional = name == "output.weight"
                || architecture == Architecture::Glm4 && name.ends_with("bias");
            match read(&without.file(GgmlDType::F32)) {
                Ok(()) => assert!(is_optional, "{name}"),
                Err(error) => {
                    let name = name.replace("token_embd_norm", "output_norm");
                    // A joined matrix may be three.
                    let name = name.replace("attn_qkv", "attn_q");
                    assert_eq!(error.to_string(), format!("tensor {name:?}: is missing"));
                }
            }
            let mut longer = tiny.clone();
            let (numbers, shape) = longer.tensors.get_mut(name).expect("it is there");
            shape[0] += 1;
            numbers.resize(shape.iter().product(), 0.0);
            let message = message(&longer);
            assert!(
                message.starts_with(&format!("tensor {name:?}: has the dimensions [")),
                "{message}"
            );
        }
        let mut more = tiny.clone();
        more.tensors.insert("blk.0.ffn_up.scale".to_owned(), (vec![1.0], vec![1]));
        let expected = "has no part in this architecture as it is run";
        assert_eq!(message(&more), format!("tensor \"blk.0.ffn_up.scale\": {expected}"));
    }
}

#[test]
fn hyperparameters_are_looked_at() {
    let rows: [(&str, Value, &str); 22] = [
        ("llama.block_count", Value::U32(0), "0 is not from 1 to 16777216"),
        ("llama.block_count", Value::U32(5_000), "5000 is more than 4096"),
        ("llama.block_count", Value::U32(3), "tensor \"blk.2.attn_norm.weight\": is missing"),
        ("llama.embedding_length", Value::U32(u32::MAX), "4294967295 is not from 1"),
        ("llama.embedding_length", Value::U32(64), "should have [64, 80]"),
        (
            "llama.embedding_length",
            Value::String("1".to_owned()),
            "is a text, and should be an integer",
        ),
        ("llama.feed_forward_length", Value::U64(1 << 40), "is not from 1"),
        ("llama.attention.head_count", Value::U32(0), "is not from 1"),
        ("llama.attention.head_count", Value::I32(-4), "-4 is negative"),
        ("llama.attention.head_count_kv", Value::U32(3), "3 does not divide the 4 heads"),
        ("llama.attention.head_count_kv", Value::U32(0), "0 does not divide the 4 heads"),
        (
            "llama.attention.head_count_kv",
            Value::Array(vec![Value::U32(2)]),
            "1 entries for 2 layers",
        ),
        ("llama.attention.value_length", Value::U32(8), "8 is not the length of keys, 16"),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(f32::NAN), "NaN is not finite"),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(-1.0), "missing or negative"),
        ("llama.context_length", Value::U32(0), "is missing or 0"),
        ("llama.rope.dimension_count", Value::U32(18), "18 is not an even number up to 16"),
        ("llama.rope.dimension_count", Value::U32(7), "7 is not an even number"),
        ("llama.rope.freq_base", Value::F32(0.0), "0 is not above 0"),
        ("llama.rope.scaling.type", Value::String("yarn".to_owned()), "\"yarn\" is not run"),
        ("llama.expert_count", Value::U32(4), "llama.expert_used_count: is missing"),
        ("general.architecture", Value::String("mamba".to_owned()), "there are llama, qwen2, "),
    ];
    for (key, value, expected) in rows {
        let mut tiny = small(Architecture::Llama).finish(15);
        tiny.metadata.insert(key.to_owned(), value);
        let message = message(&tiny);
        let is_named =
            message.contains(key) || message.contains("tensor") || expected.contains("used");
        assert!(message.contains(expected) && is_named, "{key}: {message}");
    }
    for key in ["llama.context_length", "llama.embedding_length", "general.architecture"] {
        let mut tiny = small(Architecture::Llama).finish(15);
        tiny.metadata.remove(key);
        let message = message(&tiny);
        assert!(message.starts_with(&format!("GGUF: {key}: is missing")), "{message}");
    }
}

/// A vocabulary of another size than the embeddings.
#[test]
fn the_vocabulary_has_to_fit() {
    let mut tiny = small(Architecture::Llama).finish(16);
    let tokens = ["a", "b", "<|endoftext|>"].map(|text| Value::String(text.to_owned()));
    tiny.metadata.insert("tokenizer.ggml.tokens".to_owned(), Value::Array(tokens.to_vec()));
    let kinds = [1, 1, 3].map(Value::I32);
    tiny.metadata.insert("tokenizer.ggml.token_type".to_owned(), Value::Array(kinds.to_vec()));
    tiny.metadata.insert("tokenizer.ggml.eos_token_id".to_owned(), Value::U32(2));
    let expected = "has the dimensions [32, 80], and should have [32, 3]";
    assert_eq!(message(&tiny), format!("tensor \"token_embd.weight\": {expected}"));
}

/// Where the description of a tensor is in a file, behind its name.
fn description(file: &[u8], name: &str) -> usize {
    let place = file.windows(name.len()).position(|part| part == name.as_bytes());
    place.expect("it is there") + name.len()
}

#[test]
fn descriptions_of_tensors_are_not_believed() {
    let file = small(Architecture::Llama).finish(17).file(GgmlDType::F32);
    let place = description(&file, "output_norm.weight");
    // Dimensions, the first of them, type, offset.
    for (at, claim, expected) in [
        (place, 9_u64, "has 9 dimensions, more than 4"),
        (place + 4, 0, "are not within"),
        (place + 4, 1 << 30, "are not within"),
        (place + 4, 1 << 62, "are not within"),
        (place + 16, 1 << 20, "are not within"),
        (place + 16, u64::MAX - 31, "are not within"),
        (place + 16, 1, "begins at 1, no multiple of 32"),
    ] {
        let mut file = file.clone();
        if at == place {
            file[at] = claim as u8;
        } else {
            file[at..at + 8].copy_from_slice(&claim.to_le_bytes());
        }
        let error = read(&file).expect_err("it is too much").to_string();
        assert!(error.contains("output_norm.weight") && error.contains(expected), "{error}");
    }
    for (kind, expected) in
        [(99_u32, "number 99 of ggml"), (12, "rows of 32 are not whole blocks of 256")]
    {
        let mut file = file.clone();
        file[place + 12..place + 16].copy_from_slice(&kind.to_le_bytes());
        let error = read(&file).expect_err("it is not known").to_string();
        assert!(error.contains("output_norm.weight") && error.contains(expected), "{error}");
    }
    // Half of the file again, within it.
    let mut file = file;
    let half = file.len() as u64 / 8;
    file[place + 4..place + 12].copy_from_slice(&half.to_le_bytes());
    file[place + 16..place + 24].fill(0);
    let error = read(&file).expect_err("they overlap").to_string();
    assert!(error.contains("overlaps with others"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Changes in the head, and in the weights.
    #[test]
    fn no_bytes_do_harm(
        which in 0..ALL.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..4),
    ) {
        let mut file = small(ALL[which]).finish(18).file(GgmlDType::Q8_0);
        let head = description(&file, "tokenizer.ggml.token_type");
        for (at, byte, is_anywhere) in changes {
            // Keys and descriptions are more likely to matter than numbers.
            let at = if is_anywhere { at.index(file.len()) } else { at.index(head) };
            file[at] = byte;
        }
        let _ = read(&file);
    }
}
