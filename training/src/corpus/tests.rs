use serde_json::Value;

use super::facts::Facts;
use super::*;

/// Enough for every field of every topic to be made.
const DOCUMENTS: u64 = 3000;

fn documents(kinds: &'static [Kind]) -> impl Iterator<Item = String> {
    (0..DOCUMENTS)
        .map(|number| document(3, number))
        .filter(|document| kinds.contains(&document.kind))
        .map(|document| document.text)
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// How a value is spelled in a sentence.
fn spoken(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn the_shares_add_up() {
    assert_eq!(Kind::SHARES.iter().map(|(_, share)| share).sum::<u32>(), 100);
    for (kind, share) in Kind::SHARES {
        let count =
            (0..DOCUMENTS).filter(|&number| document(3, number).kind == kind).count() as f64;
        let expected = f64::from(share) / 100.0 * DOCUMENTS as f64;
        assert!(
            (count - expected).abs() < 5.0 * expected.sqrt(),
            "{kind:?}: {count} and {expected}"
        );
    }
}

#[test]
fn a_document_goes_by_seed_and_number() {
    for number in 0..100 {
        assert_eq!(document(1, number), document(1, number));
    }
    assert!((0..100).filter(|&number| document(1, number) == document(2, number)).count() < 5);
    assert!((0..100).filter(|&number| document(1, number) == document(1, number + 1)).count() < 5);
}

#[test]
fn bare_documents_are_json() {
    for text in documents(&[Kind::Object, Kind::Mixture, Kind::Structure]) {
        parse(&text);
    }
}

#[test]
fn every_field_of_every_topic_can_be_made() {
    for topic in TOPICS {
        assert!(!topic.names.is_empty());
        for (place, field) in topic.fields.iter().enumerate() {
            assert!(!field.names.is_empty(), "field {place} of {} has no name", topic.names[0]);
            assert!(field.phrase.is_empty() || field.phrase.contains("{}"), "{}", field.phrase);
            for number in 0..50 {
                let draw = &mut Draw::new(4, number);
                let facts = Facts::draw(draw);
                (field.make)(draw, &facts);
            }
        }
    }
}

#[test]
fn what_a_sentence_says_is_in_the_document() {
    for topic in TOPICS {
        for number in 0..50 {
            let (said, value) = topic.told(&mut Draw::new(5, number));
            for (key, value) in value.as_object().unwrap() {
                assert!(said.contains(&spoken(value)), "{key}: {value} is not in: {said}");
            }
        }
    }
}

#[test]
fn a_prompt_ends_with_its_document() {
    for text in documents(&[Kind::Prompt]) {
        let start = text
            .match_indices('\n')
            .map(|(place, _)| place + 1)
            .find(|&place| serde_json::from_str::<Value>(&text[place..]).is_ok());
        assert!(start.is_some(), "{text}");
    }
}

#[test]
fn the_end_of_a_repetition_is_known_from_its_start() {
    let mut json = 0;
    for text in documents(&[Kind::Repeat]) {
        let (first, rest) = text.split_once('\n').unwrap();
        if first.starts_with("Write as") {
            json += 1;
            let values = |value: Value| match value {
                Value::Array(items) => items,
                Value::Object(members) => members.values().cloned().collect(),
                other => panic!("{other} in {text}"),
            };
            for value in values(parse(rest)) {
                assert!(first.contains(&spoken(&value)), "{text}");
            }
        } else if let Some(line) = first.strip_prefix("Repeat: ") {
            assert_eq!(rest, line);
        } else {
            let parts: Vec<&str> = text.split("\n\n").collect();
            assert_eq!((parts.len(), parts[0], parts[1]), (3, parts[1], parts[2]), "{text}");
        }
    }
    assert!(json > 50, "{json}");
}

#[test]
fn keys_that_are_asked_for_are_there() {
    let mut found = 0;
    for number in 0..500 {
        let prompt = prompts::prompt(&mut Draw::new(6, number));
        let Some((_, keys)) = prompt.request.split_once(" Keys: ") else { continue };
        found += 1;
        let expected: Vec<&str> = keys.split(", ").collect();
        assert_eq!(prompt.value.as_object().unwrap().keys().collect::<Vec<_>>(), expected);
        assert_eq!(parse(&prompt.json()), prompt.value);
    }
    assert!(found > 5, "{found}");
}

#[test]
fn messages_are_closed() {
    for text in documents(&[Kind::Chat, Kind::Tools]).filter(|text| text.contains("<|im_start|>")) {
        for message in text.split_terminator("<|im_end|>\n") {
            let body = message.strip_prefix("<|im_start|>").unwrap_or_else(|| panic!("{text}"));
            let (role, content) = body.split_once('\n').unwrap();
            assert!(["system", "user", "assistant"].contains(&role), "{role}");
            assert!(!content.contains("<|im_"), "{text}");
            assert_eq!(
                content.matches("<think>").count(),
                content.matches("</think>").count(),
                "{text}"
            );
        }
    }
}

#[test]
fn calls_are_of_tools_that_are_offered() {
    let mut calls = 0;
    for text in documents(&[Kind::Tools]) {
        let Some((system, conversation)) = text.split_once("<|im_end|>\n") else {
            assert!(parse(&text)["arguments"].is_object(), "{text}");
            continue;
        };
        let listed = system.split_once("<tools>\n").unwrap().1.split_once("\n</tools>").unwrap().0;
        let tools: Vec<Value> = listed.lines().map(parse).collect();
        for call in conversation.split("<tool_call>\n").skip(1) {
            calls += 1;
            let call = parse(call.split_once("\n</tool_call>").unwrap().0);
            let tool = tools.iter().find(|tool| tool["function"]["name"] == call["name"]).unwrap();
            let parameters = &tool["function"]["parameters"];
            let arguments = call["arguments"].as_object().unwrap();
            for required in parameters["required"].as_array().unwrap() {
                assert!(arguments.contains_key(required.as_str().unwrap()), "{call}");
            }
            for (name, value) in arguments {
                let kind = match value {
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    Value::Array(_) => "array",
                    Value::Number(_) => parameters["properties"][name]["type"].as_str().unwrap(),
                    other => panic!("{other} in {call}"),
                };
                assert_eq!(parameters["properties"][name]["type"], kind, "{call}");
            }
        }
    }
    assert!(calls > 50, "{calls}");
}

#[test]
fn keys_are_spelled_in_one_case() {
    let value = serde_json::json!({"first name": [{"zip code": "a b"}], "apiVersion": 1, "x": 2});
    let spell = |case: Case| Spacing::Compact.write(&case.apply(value.clone()));
    assert_eq!(spell(Case::Snake), r#"{"first_name":[{"zip_code":"a b"}],"apiVersion":1,"x":2}"#);
    assert_eq!(spell(Case::Camel), r#"{"firstName":[{"zipCode":"a b"}],"apiVersion":1,"x":2}"#);
    assert_eq!(spell(Case::Pascal), r#"{"FirstName":[{"ZipCode":"a b"}],"apiVersion":1,"X":2}"#);
    assert_eq!(spell(Case::Kebab), r#"{"first-name":[{"zip-code":"a b"}],"apiVersion":1,"x":2}"#);
    assert_eq!(spell(Case::Spaced), r#"{"first name":[{"zip code":"a b"}],"apiVersion":1,"x":2}"#);
}

#[test]
fn python_spacing_has_one_space_after_commas_and_colons() {
    let value = serde_json::json!({"a": [1, {}, []], "b": {"c": "d, e: f"}});
    assert_eq!(Spacing::Python.write(&value), r#"{"a": [1, {}, []], "b": {"c": "d, e: f"}}"#);
}
