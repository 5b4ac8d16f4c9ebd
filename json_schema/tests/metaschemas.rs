//! Schemas that are none: what the metaschemas refuse is refused, and nothing else.

use std::collections::BTreeMap;

use grammask_json_schema::{Options, SchemaErrorKind, translate};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const METASCHEMAS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Keywords that a metaschema knows. Without references, which may lead nowhere, and identifiers,
/// which the metaschemas take for text.
const KEYWORDS: &str = "
    $comment $anchor $dynamicAnchor $recursiveAnchor $vocabulary $defs definitions allOf
    anyOf oneOf not if then else properties patternProperties additionalProperties
    additionalItems propertyNames contains items prefixItems dependentSchemas dependencies
    unevaluatedItems unevaluatedProperties type const enum multipleOf minimum maximum
    exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems minProperties
    maxProperties minContains maxContains pattern uniqueItems required dependentRequired
    title description default examples readOnly writeOnly deprecated format contentEncoding
    contentMediaType contentSchema unknown
";

fn keyword() -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(KEYWORDS.split_whitespace().collect::<Vec<_>>())
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![json!(0), json!(-1), json!(1.0), json!(0.5), json!(1e3)]),
        prop::sample::select(vec!["", "a", "b:c", "_d", "1", "string", "integer", "a b", "#"])
            .prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["a"])),
        Just(json!(["a", "a"])),
        Just(json!(["string", "null"])),
        Just(json!([1, 1])),
        Just(json!({"a": ["b", "b"]})),
        Just(json!({"a": ["b"], "c": [1]})),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 12, 2, |inner| {
        let object = prop::collection::vec((keyword(), inner.clone()), 1..3).prop_map(|members| {
            let map: Map<String, Value> =
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            Value::Object(map)
        });
        prop_oneof![
            4 => object.clone(),
            1 => object.clone().prop_map(|schema| json!({"a": schema})),
            1 => object.prop_map(|schema| json!([schema])),
            1 => inner,
        ]
    })
}

/// Whether the schema is refused because it is none.
fn is_invalid(schema: &Value) -> bool {
    match translate(schema, &Options::default()) {
        Err(error) => matches!(error.kind(), SchemaErrorKind::Invalid { .. }),
        Ok(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn schemas_are_those_of_the_metaschemas(
        metaschema in prop::sample::select(METASCHEMAS.to_vec()),
        keywords in prop::collection::vec(
            (keyword(), schema()),
            1..3,
        ),
    ) {
        let keywords: BTreeMap<&str, Value> = keywords.into_iter().collect();
        let mut schema = json!({"$schema": metaschema});
        for (keyword, value) in keywords {
            schema[keyword] = value;
        }
        // The judge's copy of draft 4 lets `enum` be empty and repeat itself.
        if metaschema == METASCHEMAS[0] && schema.to_string().contains("\"enum\"") {
            return Ok(());
        }
        prop_assert_eq!(is_invalid(&schema), !jsonschema::meta::is_valid(&schema), "{}", schema);
    }
}
