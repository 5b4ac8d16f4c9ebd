//! References and drafts as the jsonschema crate has them: the rows of `fixtures/schema_cases`
//! whose texts are documents.

use std::collections::BTreeMap;

use grammask_json_schema::{Draft, Options};
use jsonschema::{Draft as JudgedAs, Retrieve, Uri};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Row {
    name: String,
    schema: Value,
    #[serde(default)]
    options: Value,
    #[serde(default)]
    resources: BTreeMap<String, Value>,
    accept: Vec<String>,
    reject: Vec<String>,
}

struct Resources(BTreeMap<String, Value>);

impl Retrieve for Resources {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let relative = uri.as_str().trim_start_matches("json-schema:///");
        self.0.get(relative).cloned().ok_or_else(|| format!("no {uri}").into())
    }
}

/// Schemas that the judge does not read: it looks for fewer names of documents, knows the
/// metaschemas only of the draft at hand, and checks against metaschemas that are not its own as if
/// they were those of 2020-12.
const NOT_READ: [&str; 12] = [
    "draft 6, names of places",
    "hyper-schema of draft 7",
    "no validation vocabulary",
    "a metaschema of draft 7",
    "a metaschema under another one",
    "a document with an identifier of its own",
    "a document in a document",
    "a piece of a metaschema",
    "the metaschema of draft 4",
    "the metaschema of draft 6",
    "the metaschema of draft 7",
    "the metaschema of 2019-09",
];

#[test]
fn verdicts_are_those_of_the_judge() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/schema_cases");
    let mut failures = Vec::new();
    for file in ["drafts.json", "references.json"] {
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        for row in serde_json::from_str::<Vec<Row>>(&text).unwrap() {
            check(&row, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check(row: &Row, failures: &mut Vec<String>) {
    let mut judge = jsonschema::options().with_retriever(Resources(row.resources.clone()));
    if row.options.get("draft").is_some() {
        let options: Options = serde_json::from_value(row.options.clone()).unwrap();
        judge = judge.with_draft(match options.draft {
            Draft::Draft4 => JudgedAs::Draft4,
            Draft::Draft6 => JudgedAs::Draft6,
            Draft::Draft7 => JudgedAs::Draft7,
            Draft::Draft201909 => JudgedAs::Draft201909,
            Draft::Draft202012 => JudgedAs::Draft202012,
        });
    }
    let judge = match judge.build(&row.schema) {
        Ok(judge) => judge,
        Err(_) if NOT_READ.contains(&row.name.as_str()) => return,
        Err(error) => {
            failures.push(format!("{}: {error}", row.name));
            return;
        }
    };
    if NOT_READ.contains(&row.name.as_str()) {
        failures.push(format!("{}: the judge reads it", row.name));
    }
    for (texts, valid) in [(&row.accept, true), (&row.reject, false)] {
        for text in texts {
            if judge.is_valid(&serde_json::from_str(text).unwrap()) != valid {
                failures.push(format!("{}: {text} is not {valid}", row.name));
            }
        }
    }
}
