//! `--html FILE`: one page that shows every step and computes anew when a parameter is moved.

use grammask::sampler::TokenId;
use serde_json::{Value, json};

use super::report::decimal;
use super::start::Start;
use crate::cli::vocabulary;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// What computes, then what shows.
const SCRIPTS: [&str; 7] = [
    include_str!("random.js"),
    include_str!("sort.js"),
    include_str!("candidates.js"),
    include_str!("samplers.js"),
    include_str!("trace.js"),
    include_str!("explanations.js"),
    include_str!("page.js"),
];

/// What the page starts from, as `trace.js` takes it.
pub(super) fn setup(
    settings: Value,
    start: &Start,
    allowed: Option<&[TokenId]>,
    history: &[TokenId],
    top: usize,
) -> Value {
    let ids = |tokens: &[TokenId]| tokens.iter().map(|token| token.0).collect::<Vec<_>>();
    let token = |token: TokenId| vocabulary::to_json(start.engine.vocabulary(), token);
    let logits = start.logits.iter();
    json!({
        "settings": settings,
        "tokens": logits.clone().map(|&(id, _)| token(id)).collect::<Vec<_>>(),
        "logits": logits.map(|&(_, logit)| decimal(logit)).collect::<Vec<_>>(),
        "allowed": allowed.map(ids),
        "history": ids(history),
        "top": top,
    })
}

/// The page, complete in itself.
pub(super) fn html(setup: &Value) -> String {
    // A `<` could end the element that holds it.
    let setup = setup.to_string().replace('<', "\\u003c");
    let script = SCRIPTS.concat();
    let parts =
        [("<!-- style -->", STYLE), ("<!-- setup -->", &setup), ("<!-- script -->", &script)];
    let mut page = String::new();
    let mut rest = TEMPLATE;
    for (mark, part) in parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        page += before;
        page += part;
        rest = behind;
    }
    page + rest
}
