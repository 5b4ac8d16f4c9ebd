//! Logits are those that candle-transformers and the oracle have. How far they are apart is printed: the
//! table in `docs/models.md`.

#![allow(clippy::print_stdout)]

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use grammask_models::{Architecture, Evaluation, EvaluationOptions};

use crate::candle::Reference;
use crate::oracle::Oracle;
use crate::tiny::{ALL, Tiny};
use crate::{difference, fresh, text};

const LENGTHS: [usize; 5] = [1, 2, 5, 17, 40];

/// How far logits may be apart where one side rounds what goes into products to 8 bits, and the other
/// does not or has summed it up in another order, so that it rounds some of it the other way.
const ROUNDED: f32 = 0.5;

#[test]
fn all_architectures_agree_with_the_oracle() {
    for architecture in ALL {
        for (kind, most) in
            [(GgmlDType::F32, 1e-4), (GgmlDType::F16, 1e-4), (GgmlDType::Q8_0, ROUNDED)]
        {
            let tiny = Tiny::new(architecture).with_layers(6).finish(1);
            let (model, oracle) = (tiny.model(kind), Oracle::new(&tiny, kind));
            assert_eq!(model.architecture(), architecture);
            let mut worst = 0.0_f32;
            for len in LENGTHS {
                let tokens = text(len, len as u64);
                let expected = oracle.logits(&tokens, model.context_length());
                worst = worst.max(difference(&fresh(&model, &tokens), &expected));
            }
            println!("{architecture:?} {kind:?} oracle {worst:e}");
            assert!(worst < most, "{architecture:?} {kind:?}: {worst}");
        }
    }
}

#[test]
fn architectures_agree_with_candle_at_once_and_token_by_token() {
    for architecture in ALL {
        for kind in [GgmlDType::F32, GgmlDType::F16, GgmlDType::Q8_0, GgmlDType::Q4_0] {
            let tiny = Tiny::new(architecture).finish(2);
            let file = tiny.file(kind);
            let model = tiny.model(kind);
            if Reference::new(architecture, &file).is_none() {
                assert!(matches!(architecture, Architecture::Gemma3 | Architecture::Qwen3Moe));
                continue;
            }
            let mut worst = LENGTHS.map(|len| {
                // Anew each time: its Qwen 3 forgets nothing by itself.
                let mut reference = Reference::new(architecture, &file).expect("as before");
                let tokens = text(len + 8, len as u64);
                let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
                let (mut start, mut worst) = (0, 0.0_f32);
                for end in len..=len + 8 {
                    let logits = evaluation.logits(&tokens[..end]).expect("there are logits");
                    let expected = reference.logits(&tokens[start..end], start);
                    worst = worst.max(difference(logits, &expected));
                    start = end;
                }
                worst
            });
            worst.sort_by(f32::total_cmp);
            println!("{architecture:?} {kind:?} candle {worst:?}");
            // Our products with small matrices and our attention of one position sum up in another
            // order. Few texts have a number that is rounded the other way then.
            let is_rounded = matches!(kind, GgmlDType::Q8_0 | GgmlDType::Q4_0);
            let [_, _, median, _, most] = worst;
            assert!(
                median < 1e-4 && most < if is_rounded { ROUNDED } else { 1e-4 },
                "{architecture:?} {kind:?}: {worst:?}"
            );
        }
    }
}

/// Widths of 256, which is what these types have as a block.
#[test]
fn all_types_of_weights_agree_with_candle() {
    use GgmlDType::{BF16, Q2K, Q3K, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K};
    for kind in [BF16, Q4_1, Q5_0, Q5_1, Q2K, Q3K, Q4K, Q5K, Q6K] {
        let tiny = Tiny {
            width: 256,
            head_width: 64,
            rope_dimensions: 64,
            feed_forward: 512,
            ..Tiny::new(Architecture::Llama).with_layers(2)
        };
        let tiny = tiny.finish(3);
        let mut reference = Reference::new(Architecture::Llama, &tiny.file(kind)).expect("llama");
        let tokens = text(9, 3);
        let logits = fresh(&tiny.model(kind), &tokens);
        let worst = difference(&logits, &reference.logits(&tokens, 0));
        println!("{kind:?} candle {worst:e}");
        assert!(worst < 1e-4, "{kind:?}: {worst}");
    }
}

/// What is in some files of an architecture and not in others, and what candle does not know.
#[test]
fn variants_agree_with_the_oracle() {
    let factors = |from: f32| (0..8).map(|at| from + at as f32 / 4.0).collect::<Vec<f32>>();
    let variant = |architecture, change: &dyn Fn(&mut Tiny)| {
        let mut tiny = Tiny::new(architecture);
        change(&mut tiny);
        tiny.finish(4)
    };
    let variants = [
        (
            "factors for all",
            variant(Architecture::Llama, &|tiny| {
                tiny.tensors.insert("rope_freqs.weight".to_owned(), (factors(1.0), vec![8]));
            }),
        ),
        (
            "biases",
            variant(Architecture::Llama, &|tiny| {
                for (name, width) in [("q", 64), ("k", 32), ("v", 32), ("output", 64)] {
                    if name != "output" {
                        let bias = (0..width).map(|at| at as f32 / 50.0).collect();
                        tiny.tensors.insert(format!("blk.1.attn_{name}.bias"), (bias, vec![width]));
                    }
                }
            }),
        ),
        (
            "experts and linear scaling",
            variant(Architecture::Llama, &|tiny| {
                tiny.experts = Some((4, 3));
                tiny.set("rope.scaling.factor", Value::F32(4.0));
            }),
        ),
        (
            "tied, one head of keys",
            variant(Architecture::Llama, &|tiny| {
                tiny.tied = true;
                tiny.kv_heads = 1;
            }),
        ),
        ("not tied", variant(Architecture::Qwen2, &|tiny| tiny.tied = false)),
        (
            "bent logits and linear scaling",
            variant(Architecture::Gemma3, &|tiny| {
                tiny.set("final_logit_softcapping", Value::F32(2.0));
                tiny.set("rope.scaling.factor", Value::F32(8.0));
                tiny.rope_base = 1e6;
                tiny.layers = 6;
            }),
        ),
        (
            "a part of a head is turned",
            variant(Architecture::Phi3, &|tiny| {
                tiny.rope_dimensions = 12;
                tiny.rope_base = 5e4;
            }),
        ),
        (
            "long context",
            variant(Architecture::Phi3, &|tiny| {
                for (name, from) in [("short", 1.0), ("long", 3.0)] {
                    let name = format!("rope_factors_{name}.weight");
                    tiny.tensors.insert(name, (factors(from), vec![8]));
                }
                tiny.set("rope.scaling.original_context_length", Value::U32(32));
                tiny.set("rope.scaling.attn_factor", Value::F32(1.2));
            }),
        ),
    ];
    for (name, tiny) in variants {
        let (model, oracle) = (tiny.model(GgmlDType::F32), Oracle::new(&tiny, GgmlDType::F32));
        for (len, context) in [(3, 32), (30, 32), (30, 33)] {
            let tokens = text(len, 5);
            let options =
                EvaluationOptions { context_length: Some(context), ..EvaluationOptions::default() };
            let mut evaluation = Evaluation::new(&model, options);
            let logits = evaluation.logits(&tokens).expect("there are logits");
            let worst = difference(logits, &oracle.logits(&tokens, context));
            assert!(worst < 1e-4, "{name}, {len} of {context}: {worst}");
        }
    }
}
