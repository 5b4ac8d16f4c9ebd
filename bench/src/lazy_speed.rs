//! `lazy`: what lazy grammars take, in free text and behind their triggers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use grammask_gbnf::parse;
use grammask_sampler::{Constraint, Engine, LazyGrammar, TokenId, TokenMask, Trigger};
use serde_json::{Value, json};

use crate::{output, vocabularies};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// A built-in vocabulary or a file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    /// How much free text is read, in KB
    #[arg(long, default_value_t = 1024)]
    kilobytes: usize,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

const GRAMMAR: &str = r#"
root ::= "<tool>" object "</tool>"
object ::= "{" ws (pair ("," ws pair)*)? "}" ws
pair ::= string ":" ws value ws
value ::= string | [0-9]+ | object
string ::= "\"" [^"\\]* "\""
ws ::= [ \n]*
"#;
const FREE: &str = "Mary had a little lamb < its fleece, a tool was 3 {white} as snow.\n";
const CALL: &str = r#"<tool>{"name": "weather", "arguments": {"city": "Wien", "days": 3}}</tool>"#;

/// Each kind of triggers reads the same text.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(vocabularies::load(&options.vocab)?);
    let kinds: [(&str, Vec<Trigger>, bool); 5] = [
        ("word", vec![Trigger::word("<tool>")], false),
        ("word, re-armed", vec![Trigger::word("<tool>")], true),
        ("whole word", vec![Trigger::whole_word("<tool>")], true),
        ("pattern", vec![Trigger::pattern(r"^[\s\S]*?(<tool>)[\s\S]*$")], false),
        (
            "four patterns",
            ["<tool>", r"<function=(\w+)>", r"\[TOOL_CALLS\]", r"^\s*(\{)"]
                .map(Trigger::pattern)
                .into(),
            true,
        ),
    ];
    let mut reports = Vec::new();
    for (name, triggers, rearm) in kinds {
        let report = measure(&engine, triggers, rearm, options.kilobytes)?;
        println!("{name}: {report}");
        reports.push(json!({"triggers": name, "us": report}));
    }
    let in_force =
        json!({"command": "lazy", "vocab": options.vocab, "kilobytes": options.kilobytes});
    if let Value::Object(report) = json!({"kinds": reports}) {
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(true)
}

/// Microseconds.
fn measure(
    engine: &Arc<Engine>,
    triggers: Vec<Trigger>,
    rearm: bool,
    kilobytes: usize,
) -> Result<Value> {
    let target = Constraint::new(engine, &parse(GRAMMAR)?, "root")?;
    let begun = Instant::now();
    let lazy = triggers
        .into_iter()
        .fold(LazyGrammar::new(), |lazy, trigger| lazy.trigger(trigger, target.clone()));
    let lazy = if rearm { lazy.rearm() } else { lazy };
    let mut constraint = lazy.build(engine)?;
    let build = micros(begun);
    let mut mask = TokenMask::new(engine.vocabulary().len());
    let begun = Instant::now();
    constraint.fill_mask(&mut mask);
    let first = micros(begun);

    let free = engine.vocabulary().encode(&FREE.repeat(kilobytes * 1024 / FREE.len()))?;
    let begun = Instant::now();
    for &token in &free {
        constraint.accept(token)?;
    }
    let accepts = micros(begun) / free.len() as f64;
    let (_, masks) = read(&mut constraint, &free[..1000], &mut mask)?;
    let far = median(masks);

    let call = engine.vocabulary().encode(CALL)?;
    let (accepts_in_call, anew) = read(&mut constraint, &call, &mut mask)?;
    let worst = anew.iter().copied().fold(0.0, f64::max);
    let mut known = None;
    if rearm {
        constraint.accept(free[0])?;
        let (_, masks) = read(&mut constraint, &call, &mut mask)?;
        known = Some(median(masks));
    }
    Ok(json!({
        "build": build,
        "first_mask": first,
        "accept_free": accepts,
        "mask_free": far,
        "accept_call": median(accepts_in_call),
        "mask_call_new": median(anew),
        "mask_call_new_worst": worst,
        "mask_call_known": known,
    }))
}

/// Reads tokens after a mask each: what accepting and masks take.
fn read(
    constraint: &mut Constraint,
    tokens: &[TokenId],
    mask: &mut TokenMask,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut accepts, mut masks) = (Vec::new(), Vec::new());
    for &token in tokens {
        let begun = Instant::now();
        constraint.fill_mask(mask);
        masks.push(micros(begun));
        let begun = Instant::now();
        constraint.accept(token).with_context(|| format!("token {token}"))?;
        accepts.push(micros(begun));
    }
    Ok((accepts, masks))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn micros(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64 / 1000.0
}
