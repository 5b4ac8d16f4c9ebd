use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::*;

fn plain<'a>() -> Conversation<'a> {
    Conversation { user: "hi", ..Conversation::default() }
}

fn error(template: &str) -> String {
    apply(template, &plain(), UNIX_EPOCH).expect_err("it goes wrong").to_string()
}

/// What Jinja2 makes of each template: see `fixtures/chat_templates/README.md`.
#[test]
fn prompts_are_those_of_jinja2() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/chat_templates");
    let cases = fs::read_to_string(folder.join("cases.json")).expect("the cases");
    let cases: Value = serde_json::from_str(&cases).expect("they are JSON");
    let now = UNIX_EPOCH + Duration::from_secs(cases["seconds"].as_u64().expect("a time"));
    let mut templates = 0;
    let mut last = "";
    for case in cases["cases"].as_array().expect("a list") {
        let name = case["template"].as_str().expect("a name");
        if name != last {
            templates += 1;
            last = name;
        }
        let template =
            fs::read_to_string(folder.join(format!("{name}.jinja"))).expect("a template");
        let conversation = Conversation {
            system: case["system"].as_str(),
            user: case["user"].as_str().expect("a message"),
            tools: Some(&cases["tools"]).filter(|_| case["tools"] == true),
            bos: cases["bos"].as_str().expect("a text"),
            eos: cases["eos"].as_str().expect("a text"),
        };
        match (apply(&template, &conversation, now), case["error"].as_str()) {
            (Ok(prompt), None) => assert_eq!(prompt, case["prompt"], "{name}"),
            (Err(TemplateError::Template { message, .. }), Some(expected)) => {
                assert_eq!(message, expected, "{name}");
            }
            (other, expected) => panic!("{name}: {other:?} instead of {expected:?}"),
        }
    }
    assert!(templates >= 8, "{templates} templates");
}

#[test]
fn errors_name_the_line() {
    assert!(error("a\n{{ 'b }}").starts_with("line 2: "), "{}", error("a\n{{ 'b }}"));
    assert!(error("\n\n{{ user.name.first }}").starts_with("line 3: "));
    assert!(error("\n{% frobnicate %}").contains("frobnicate"));
    assert_eq!(error("\n{{ raise_exception('no tools, please') }}"), "line 2: no tools, please");
    assert_eq!(error("{{ undefined | tojson }}"), "line 1: tojson: undefined has no JSON");
}

/// Whatever a template does, it ends, and soon, with a bound on what it takes.
#[test]
fn hostile_templates_end() {
    let templates = [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(64) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(64) %}{% set ns.x = ns.x.replace('b', 'abab') %}{% endfor %}",
        "{% set ns = namespace(x='a,') %}{% for i in range(64) %}{% set ns.x = ns.x.join(ns.x.split(',')) ~ ns.x %}{% endfor %}",
        "{{ 'x' * 99999999999 }}",
        "{{ ('x' * 1000000) | tojson | tojson | tojson | length }}{{ ('%s' % ('y' * 99999999)) }}",
        "{{ '{:>999999999}'.format('x') }}",
        "{{ [1, 2] | tojson(indent=999999999999) }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(90000) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | tojson }}",
        "{% set ns = namespace(x=[]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | tojson }}",
        "{{ (((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))) }}",
    ];
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let blocks = "{% if true %}".repeat(100_000);
    let more = [format!("{{{{ {nested} }}}}"), blocks];
    for template in templates.into_iter().map(str::to_owned).chain(more) {
        if let Ok(prompt) = apply(&template, &plain(), UNIX_EPOCH) {
            assert!(prompt.len() < 64 << 20, "{template}: {} bytes", prompt.len());
        }
    }
    // What is no work that is counted takes a second here, which is too long for who waits no longer.
    let doubled = "{% set ns = namespace(x=[]) %}{% for i in range(22) %}\
        {% set ns.x = [ns.x, ns.x] %}{% endfor %}";
    for use_of in ["{{ ns.x }}", "{{ ns.x ~ 'x' }}", "{{ ns.x | string | length }}"] {
        let template = format!("{doubled}{use_of}");
        let result = apply_within(Duration::from_millis(20), &template, &plain(), UNIX_EPOCH);
        assert!(matches!(result, Err(TemplateError::TooMuch)), "{use_of}");
    }
}

#[test]
fn marks_for_training_are_left_out() {
    assert_eq!(
        without_marks("{%- generation %}x{% endgeneration -%}"),
        "{%- if true %}x{% endif -%}"
    );
    for same in ["", "{% generation", "{% set generation = 1 %}{{ '{%' }}", "a{%%}b", "%}{%"] {
        assert_eq!(without_marks(same), same);
    }
}
