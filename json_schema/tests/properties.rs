//! Random schemas and texts against arithmetic and against the jsonschema crate.

use grammask_gbnf::{Automaton, Matcher};
use grammask_json_schema::{DigitBounds, Numbers, Options, SchemaErrorKind, translate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn accepts(automaton: &Automaton, text: &str) -> bool {
    let mut matcher = Matcher::new(automaton);
    !automaton.is_empty() && matcher.advance(text.as_bytes()).is_ok() && matcher.is_complete()
}

/// Thousandths as a decimal, without trailing zeros.
fn decimal(thousandths: i64) -> String {
    let sign = if thousandths < 0 { "-" } else { "" };
    let (whole, rest) = (thousandths.abs() / 1000, thousandths.abs() % 1000);
    let text = format!("{sign}{whole}.{rest:03}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn bound() -> impl Strategy<Value = Option<(i64, bool)>> {
    let value = prop_oneof![-50_i64..50, -2_000_i64..2_000, -3_000_000_i64..3_000_000];
    proptest::option::of((value, any::<bool>()))
}

/// Thousandths that numbers are to be multiples of.
fn step() -> impl Strategy<Value = i64> {
    prop_oneof![
        proptest::sample::select(vec![1, 5, 10, 20, 125, 250, 500, 1_000, 25_000, 300_000]),
        1_i64..20,
        (1_i64..40).prop_map(|step| step * 1_000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn bounds_are_arithmetic(
        low in bound(),
        high in bound(),
        integer in any::<bool>(),
        step in proptest::option::weighted(0.2, (step(), any::<bool>())),
        numbers in prop_oneof![Just(Numbers::Canonical), Just(Numbers::Any)],
        samples in proptest::collection::vec(-3_000_000_i64..3_000_000, 20),
    ) {
        let mut schema = json!({"type": if integer { "integer" } else { "number" }});
        for (bound, keyword, exclusive) in
            [(low, "minimum", "exclusiveMinimum"), (high, "maximum", "exclusiveMaximum")]
        {
            if let Some((value, strict)) = bound {
                let keyword = if strict { exclusive } else { keyword };
                schema[keyword] = serde_json::from_str(&decimal(value)).unwrap();
            }
        }
        if let Some((step, multiple)) = step {
            let keyword: Value = serde_json::from_str(&decimal(step)).unwrap();
            let keyword = json!({"multipleOf": keyword});
            schema["allOf"] = if multiple { json!([keyword]) } else { json!([{"not": keyword}]) };
        }
        let mut options = Options { numbers, ..Options::default() };
        if step.is_some() {
            options.digits = DigitBounds { integer: 8, fraction: 8, exponent: 3 };
        }
        let translation = translate(&schema, &options).unwrap();
        let automaton = Automaton::compile(&translation.grammar, "root").unwrap();
        let multiples = step.iter().flat_map(|&(step, _)| [step, -step, 3 * step, 7 * step + 1]);
        let within = step.iter().flat_map(|&(step, _)| {
            low.iter().chain(&high).flat_map(move |&(value, _)| {
                [-1, 0, 1].map(|times| value - value % step + times * step)
            })
        });
        let multiples = multiples.chain(within);
        let near = low.iter().chain(&high).flat_map(|&(value, _)| {
            [-1000, -999, -10, -1, 0, 1, 10, 999, 1000].map(|step| value + step)
        });
        for value in samples.iter().copied().chain(near).chain(multiples).chain([0, 1000, -1000]) {
            let inside = low.is_none_or(|(low, strict)| value > low || !strict && value == low)
                && high.is_none_or(|(high, strict)| value < high || !strict && value == high)
                && (!integer || value % 1000 == 0)
                && step.is_none_or(|(step, multiple)| (value % step == 0) == multiple);
            let plain = decimal(value);
            prop_assert_eq!(accepts(&automaton, &plain), inside, "{} in {}", plain, schema);
            if value % 1000 == 0 {
                let inside = inside && (!integer || numbers == Numbers::Any);
                let point = format!("{plain}.0");
                prop_assert_eq!(accepts(&automaton, &point), inside, "{} in {}", point, schema);
            } else {
                let padded = format!("{plain}0");
                let inside = inside && numbers == Numbers::Any;
                prop_assert_eq!(accepts(&automaton, &padded), inside, "{} in {}", padded, schema);
            }
            // The same digits much smaller or larger, against floats.
            for text in [format!("{value}e-40"), format!("{value}e30")] {
                let float: f64 = text.parse().unwrap();
                let text = format!("{float:e}");
                let inside = low.is_none_or(|(low, strict)| {
                    let low: f64 = decimal(low).parse().unwrap();
                    float > low || !strict && float >= low
                }) && high.is_none_or(|(high, strict)| {
                    let high: f64 = decimal(high).parse().unwrap();
                    float < high || !strict && float <= high
                });
                if value != 0 && !integer && step.is_none() {
                    prop_assert_eq!(accepts(&automaton, &text), inside, "{} in {}", text, schema);
                }
            }
        }
    }

    #[test]
    fn bounds_of_floats_with_exponents_are_arithmetic(
        low in proptest::option::of((float(), any::<bool>())),
        high in proptest::option::of((float(), any::<bool>())),
        samples in proptest::collection::vec(float(), 10),
    ) {
        let mut schema = json!({"type": "number"});
        for (bound, keyword, exclusive) in
            [(low, "minimum", "exclusiveMinimum"), (high, "maximum", "exclusiveMaximum")]
        {
            if let Some((value, strict)) = bound {
                schema[if strict { exclusive } else { keyword }] = json!(value);
            }
        }
        let translation = translate(&schema, &Options::default()).unwrap();
        let automaton = Automaton::compile(&translation.grammar, "root").unwrap();
        let near = low.iter().chain(&high).flat_map(|&(value, _)| {
            [value.next_down(), value, value.next_up(), -value]
        });
        let edges = [5e-324, 9.999e-5, 1e16, 1.789e308, f64::MAX];
        for value in samples.iter().copied().chain(near).chain(edges) {
            // Others have no exponent; of the greatest ones only the last is written where nothing bounds them.
            let others = [0.0..5e-324, 1e-4..1e16, 1.79e308..f64::MAX];
            if others.iter().any(|others| others.contains(&value.abs())) {
                continue;
            }
            let inside = low.is_none_or(|(low, strict)| value > low || !strict && value >= low)
                && high.is_none_or(|(high, strict)| value < high || !strict && value <= high);
            let text = format!("{value:e}");
            prop_assert_eq!(accepts(&automaton, &text), inside, "{} in {}", text, schema);
        }
    }

    #[test]
    fn verdicts_are_those_of_the_judge(
        schema in schema(),
        instances in proptest::collection::vec(instance(), 30),
    ) {
        let translation = match translate(&schema, &Options::default()) {
            Ok(translation) => translation,
            Err(error) => {
                let refused = matches!(error.kind(), SchemaErrorKind::Unsupported(_));
                prop_assert!(refused, "{}: {}", schema, error);
                return Ok(());
            }
        };
        let automaton = Automaton::compile(&translation.grammar, "root").unwrap();
        let judge = jsonschema::validator_for(&schema).unwrap();
        for instance in &instances {
            let valid = judge.is_valid(instance);
            let text = instance.to_string();
            prop_assert_eq!(accepts(&automaton, &text), valid, "{} in {}", text, schema);
        }
    }
}

/// Floats of all sizes, many of them near those from which on an exponent is printed.
fn float() -> impl Strategy<Value = f64> {
    let exponent = prop_oneof![-323_i32..308, -7_i32..-2, 14_i32..18];
    (any::<bool>(), 1_u32..100, exponent).prop_map(|(negative, digits, exponent)| {
        let value: f64 = format!("{digits}e{}", exponent - 1).parse().expect("a float");
        if negative { -value } else { value }
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3..4).prop_map(Value::from),
        Just(json!(0.5)),
        Just(json!(-1.5)),
        "[ab]{0,3}".prop_map(Value::from),
    ]
}

/// Patterns that the judge understands as ECMA-262 does.
const PATTERNS: [&str; 12] = [
    "a",
    "^a",
    "b$",
    "^$",
    "^[ab]*$",
    "^.$",
    "a|^b",
    "^(a|bc){1,2}$",
    "^(?!a)",
    "[^a]",
    "(?=.*a)b",
    "\\bc",
];

fn instance() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec(("[abcd]", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn schema() -> impl Strategy<Value = Value> {
    let types = prop_oneof![
        Just(json!("null")),
        Just(json!("boolean")),
        Just(json!("integer")),
        Just(json!("number")),
        Just(json!("string")),
        Just(json!("array")),
        Just(json!("object")),
        Just(json!(["string", "object"])),
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        types.prop_map(|name| json!({"type": name})),
        proptest::collection::vec(scalar(), 1..4).prop_map(|values| json!({"enum": values})),
        instance().prop_map(|value| json!({"const": value})),
        (-2..3).prop_map(|bound| json!({"minimum": bound})),
        (-2..3).prop_map(|bound| json!({"exclusiveMaximum": bound})),
        (0..3, 0..3).prop_map(|(min, more)| json!({"minLength": min, "maxLength": min + more})),
        proptest::sample::select(PATTERNS.to_vec()).prop_map(|text| json!({"pattern": text})),
        proptest::sample::select(vec![0.5, 1.0, 1.5, 2.0])
            .prop_map(|step| json!({"multipleOf": step})),
        proptest::sample::select(PATTERNS.to_vec())
            .prop_map(|text| json!({"propertyNames": {"pattern": text}})),
        (0..2, 0..3).prop_map(|(min, more)| json!({"minItems": min, "maxItems": min + more})),
        (0..2, 0..3)
            .prop_map(|(min, more)| json!({"minProperties": min, "maxProperties": min + more})),
        proptest::collection::vec("[abcd]", 1..3).prop_map(|names| {
            let names: std::collections::BTreeSet<String> = names.into_iter().collect();
            json!({"required": names})
        }),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let some = proptest::collection::vec(inner.clone(), 1..4);
        let object = (
            proptest::collection::vec(("[abcd]", inner.clone()), 0..3),
            proptest::option::of("[abcd]"),
            proptest::option::of(inner.clone()),
        )
            .prop_map(|(properties, required, additional)| {
                let properties: serde_json::Map<String, Value> = properties.into_iter().collect();
                let mut schema = json!({"type": "object", "properties": properties});
                if let Some(name) = required {
                    schema["required"] = json!([name]);
                }
                if let Some(additional) = additional {
                    schema["additionalProperties"] = additional;
                }
                schema
            });
        prop_oneof![
            4 => object,
            2 => (some.clone(), proptest::option::of(inner.clone())).prop_map(|(prefix, items)| {
                let mut schema = json!({"type": "array", "prefixItems": prefix});
                if let Some(items) = items {
                    schema["items"] = items;
                }
                schema
            }),
            2 => inner.clone().prop_map(|items| json!({"items": items})),
            2 => patterned(inner.clone()),
            2 => (inner.clone(), proptest::option::of(0..3), proptest::option::of(0..3)).prop_map(
                |(contains, min, max)| {
                    let mut schema = json!({"contains": contains});
                    if let Some(min) = min {
                        schema["minContains"] = json!(min);
                    }
                    if let Some(max) = max {
                        schema["maxContains"] = json!(max);
                    }
                    schema
                }
            ),
            2 => (inner.clone(), inner.clone(), proptest::sample::select(vec!["anyOf", "allOf", "oneOf"]), any::<bool>())
                .prop_map(|(a, b, keyword, items)| {
                    let mut schema = json!({keyword: [a, b]});
                    let rest = if items { "unevaluatedItems" } else { "unevaluatedProperties" };
                    schema[rest] = json!(false);
                    schema
                }),
            1 => (inner.clone(), inner.clone()).prop_map(|(mut whole, rest)| {
                if let Value::Object(keywords) = &mut whole {
                    keywords.insert("unevaluatedProperties".to_owned(), rest);
                }
                whole
            }),
            2 => some.clone().prop_map(|parts| json!({"anyOf": parts})),
            2 => some.clone().prop_map(|parts| json!({"allOf": parts})),
            2 => some.prop_map(|parts| json!({"oneOf": parts})),
            2 => inner.clone().prop_map(|part| json!({"not": part})),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
            1 => ("[ab]", "[cd]").prop_map(|(a, b)| json!({"dependentRequired": {a: [b]}})),
            1 => ("[ab]", inner).prop_map(|(a, b)| json!({"dependentSchemas": {a: b}})),
        ]
    })
}

/// Objects with patterns of keys.
fn patterned(
    inner: impl Strategy<Value = Value> + Clone + 'static,
) -> impl Strategy<Value = Value> {
    let patterns = proptest::sample::select(vec!["a", "^[ab]", "b|c", "^.$", "[^a]", "", "^d$"]);
    (
        proptest::collection::vec((patterns, inner.clone()), 1..3),
        proptest::collection::vec(("[abcd]", inner.clone()), 0..2),
        proptest::option::of(inner),
    )
        .prop_map(|(patterns, properties, additional)| {
            let patterns: serde_json::Map<String, Value> =
                patterns.into_iter().map(|(text, value)| (text.to_owned(), value)).collect();
            let properties: serde_json::Map<String, Value> = properties.into_iter().collect();
            let mut schema = json!({"patternProperties": patterns, "properties": properties});
            if let Some(additional) = additional {
                schema["additionalProperties"] = additional;
            }
            schema
        })
}
