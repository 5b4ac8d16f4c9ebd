use std::collections::BTreeMap;
use std::io::{Read, Seek};

use serde_json::json;

use super::*;
use crate::corpus;

const SMALL: Shape = Shape {
    vocabulary: 640,
    context: 64,
    width: 64,
    layers: 2,
    heads: 2,
    kv_heads: 1,
    hidden: 96,
    rope_base: 10_000.0,
    epsilon: 1e-5,
};

/// Parameters that differ from each other.
fn parameters(network: &Network) -> Vec<f32> {
    (0..network.layout.count()).map(|i| ((i * 7919 % 2003) as f32 / 1001.0 - 1.0) * 0.2).collect()
}

/// The parameters of a file, in the order of the layout.
fn read(file: &mut (impl Read + Seek), network: &Network) -> (gguf_file::Content, Vec<f32>) {
    let content = gguf_file::Content::read(file).unwrap();
    let mut all = Vec::new();
    for tensor in &network.layout.tensors {
        let dense = content
            .tensor(file, &tensor.name, &Device::Cpu)
            .unwrap()
            .dequantize(&Device::Cpu)
            .unwrap();
        assert_eq!(dense.elem_count(), tensor.rows * tensor.columns, "{}", tensor.name);
        all.extend(dense.flatten_all().unwrap().to_vec1::<f32>().unwrap());
    }
    (content, all)
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let network = Network::new(SMALL);
    let tokenizer = Tokenizer::train_on(1, SMALL.vocabulary, 300).unwrap();
    let parameters = parameters(&network);
    let path = std::env::temp_dir().join(format!("grammask-box-{}.gguf", std::process::id()));
    write(&path, &network, &parameters, &tokenizer).unwrap();
    let (content, values) = read(&mut File::open(&path).unwrap(), &network);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(values, quantised(&network, &parameters).unwrap());
    assert_eq!(content.tensor_infos.len(), network.layout.tensors.len());
    for (value, parameter) in values.iter().zip(&parameters) {
        // Half a step of a block whose largest number is 0.2, and what the step itself lost as a half float.
        assert!((value - parameter).abs() < 0.2 / 127.0 * 0.55, "{value} and {parameter}");
    }
    let Value::Array(tokens) = &content.metadata["tokenizer.ggml.tokens"] else {
        panic!("a list of tokens")
    };
    let Value::Array(types) = &content.metadata["tokenizer.ggml.token_type"] else {
        panic!("a list of types")
    };
    assert_eq!((tokens.len(), types.len()), (SMALL.vocabulary, SMALL.vocabulary));
    let end = content.metadata["tokenizer.ggml.eos_token_id"].to_u32().unwrap() as usize;
    assert_eq!(tokens[end].to_string().unwrap(), crate::tokenizer::END_OF_TEXT);
    assert_eq!(types[end].to_i32().unwrap(), 3);
}

/// The chat template writes conversations as the model has read them.
#[test]
fn the_chat_template_writes_what_was_trained() {
    let mut environment = minijinja::Environment::new();
    // As Hugging Face's templates have it: the spacing of Python.
    environment.add_filter("tojson", |value: minijinja::Value| {
        minijinja::Value::from_safe_string(corpus::python(&serde_json::to_value(value).unwrap()))
    });
    environment.add_template("chat", CHAT_TEMPLATE).unwrap();
    let template = environment.get_template("chat").unwrap();
    let render = |context: serde_json::Value| template.render(value_of(&context)).unwrap();
    let mut kinds = BTreeMap::new();
    for number in 0..3000 {
        let corpus::Document { kind, text } = corpus::document(8, number);
        let Some(messages) = conversation(&text) else { continue };
        *kinds.entry(format!("{kind:?}")).or_insert(0) += 1;
        let (tools, messages) = messages;
        let rendered = render(json!({"tools": tools, "messages": messages}));
        assert_eq!(rendered, text);
        // What comes before an answer is the prompt for it.
        let (before, _) = text.rsplit_once("<|im_start|>assistant\n").unwrap();
        let asked = &messages[..messages.len() - 1];
        let context = json!({"tools": tools, "messages": asked, "add_generation_prompt": true});
        assert_eq!(render(context), format!("{before}<|im_start|>assistant\n"));
    }
    assert!(kinds.values().all(|&count| count > 50) && kinds.len() == 2, "{kinds:?}");
}

/// A value of a template. As `serde_json` serialises numbers, they may be objects: that goes by a feature that
/// other tests of the workspace ask for.
fn value_of(json: &serde_json::Value) -> minijinja::Value {
    match json {
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().into(),
        },
        serde_json::Value::Array(items) => items.iter().map(value_of).collect(),
        serde_json::Value::Object(members) => {
            let pairs = members.iter().map(|(name, member)| (name.as_str(), value_of(member)));
            minijinja::Value::from_pairs(pairs)
        }
        serde_json::Value::String(text) => text.as_str().into(),
        serde_json::Value::Bool(is) => (*is).into(),
        serde_json::Value::Null => ().into(),
    }
}

/// Tools and messages of a text, as requests have them.
fn conversation(text: &str) -> Option<(serde_json::Value, Vec<serde_json::Value>)> {
    let mut tools = json!(null);
    let mut messages = Vec::new();
    for part in text.split_terminator("<|im_end|>\n") {
        let (role, content) = part.strip_prefix("<|im_start|>")?.split_once('\n')?;
        if let Some((_, listed)) = content.split_once("<tools>\n").filter(|_| role == "system") {
            let (listed, _) = listed.split_once("\n</tools>")?;
            tools = listed
                .lines()
                .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                .collect();
        } else if let Some(result) = content.strip_prefix("<tool_response>\n") {
            messages.push(
                json!({"role": "tool", "content": result.strip_suffix("\n</tool_response>")?}),
            );
        } else if let Some((before, call)) = content.split_once("<tool_call>\n") {
            let call: serde_json::Value =
                serde_json::from_str(call.strip_suffix("\n</tool_call>")?).unwrap();
            let before = before.strip_suffix('\n').unwrap_or(before);
            messages.push(
                json!({"role": "assistant", "content": before, "tool_calls": [{"function": call}]}),
            );
        } else {
            messages.push(json!({"role": role, "content": content}));
        }
    }
    Some((tools, messages))
}
