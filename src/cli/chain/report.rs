//! The steps as JSON, and as a table.

use std::fmt::Write;

use grammask::sampler::Vocabulary;
use serde_json::{Value, json};

use super::trace::{Cell, Step, Trace};
use crate::cli::vocabulary;

/// A number; JSON has no infinities.
fn written(number: f64) -> Value {
    if number.is_finite() { json!(number) } else { json!(number.to_string().to_lowercase()) }
}

/// The number in double precision that prints with as few digits.
pub(super) fn decimal(logit: f32) -> Value {
    written(logit.to_string().parse().unwrap_or_else(|_| f64::from(logit)))
}

/// The likeliest candidates one by one, the others as a sum.
pub(super) fn to_json(trace: &Trace, vocabulary: &Vocabulary, top: usize) -> Value {
    let token = |candidate: usize| vocabulary::to_json(vocabulary, trace.tokens[candidate]);
    let (shown, others) = trace.split(top);
    let steps = trace.steps.iter().map(|step| json!({"name": step.name, "left": step.left()}));
    let candidates = shown.iter().map(|&candidate| {
        let mut object = token(candidate);
        match trace.cut_by(candidate).map(|step| &trace.steps[step].name) {
            Some(name) if name == "mask" => object["masked"] = true.into(),
            Some(name) => object["cut_by"] = name.as_str().into(),
            None => {}
        }
        let cells = trace.steps.iter().map(|step| {
            let cell = step.cell(candidate)?;
            Some(json!({"logit": decimal(cell.logit), "p": written(cell.p)}))
        });
        object["steps"] = cells.collect::<Vec<_>>().into();
        object
    });
    let sums = trace.steps.iter().map(|step| {
        let (left, p) = sum(step, &others);
        json!({"left": left, "p": written(p)})
    });
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "candidates": candidates.collect::<Vec<_>>(),
        "others": {"count": others.len(), "steps": sums.collect::<Vec<_>>()},
        "selected": trace.selected.map(token),
    })
}

/// How many of some candidates are left, and their probability together.
fn sum(step: &Step, candidates: &[usize]) -> (usize, f64) {
    let left = candidates.iter().filter(|&&candidate| step.has(candidate)).count();
    let p = candidates.iter().filter_map(|&candidate| step.cell(candidate)).map(|cell| cell.p);
    // (The sum of nothing is -0.)
    (left, p.sum::<f64>() + 0.0)
}

/// Nothing has a probability where nothing is possible.
fn percent(p: f64) -> String {
    if p.is_nan() { "-".to_owned() } else { format!("{:.2} %", 100.0 * p) }
}

/// How a line is coloured.
#[derive(Clone, Copy, PartialEq)]
enum Paint {
    Plain,
    Quiet,
    Selected,
}

impl Paint {
    /// The line as a terminal shows it.
    fn line(self, text: &str, styled: bool) -> String {
        let text = text.trim_end();
        match self {
            Self::Quiet if styled => format!("\x1b[2m{text}\x1b[0m\n"),
            Self::Selected if styled => format!("\x1b[1;32m{text}\x1b[0m\n"),
            _ => format!("{text}\n"),
        }
    }
}

/// One line a candidate and one column a step. What is switched off has no column.
pub(super) fn to_text(
    trace: &Trace,
    vocabulary: &Vocabulary,
    top: usize,
    chain: &str,
    styled: bool,
) -> String {
    let name = |candidate: usize| {
        let token = trace.tokens[candidate];
        match vocabulary.bytes(token) {
            Some(bytes) if !bytes.is_empty() => format!("{token} {}", vocabulary::piece(bytes)),
            _ => token.to_string(),
        }
    };
    let steps: Vec<usize> =
        (0..trace.steps.len()).filter(|&step| !trace.steps[step].is_off()).collect();
    let header = std::iter::once("  token".to_owned());
    let header: Vec<String> =
        header.chain(steps.iter().map(|&step| trace.steps[step].name.clone())).collect();
    let mut lines = vec![(Paint::Plain, header)];
    let (shown, others) = trace.split(top);
    for &candidate in &shown {
        let cut = trace.cut_by(candidate);
        let mark = if trace.selected == Some(candidate) { ">" } else { " " };
        let mut line = vec![format!("{mark} {}", name(candidate))];
        line.extend(steps.iter().map(|&step| match trace.steps[step].cell(candidate) {
            _ if Some(step) == cut && trace.steps[step].name == "mask" => "masked".to_owned(),
            _ if Some(step) == cut => "cut".to_owned(),
            _ if cut.is_some_and(|cut| step > cut) => String::new(),
            Some(Cell { logit, p }) => format!("{logit:.2} {:>8}", percent(p)),
            None => String::new(),
        }));
        let paint = match (trace.selected == Some(candidate), cut) {
            (true, _) => Paint::Selected,
            (false, Some(_)) => Paint::Quiet,
            (false, None) => Paint::Plain,
        };
        lines.push((paint, line));
    }
    if !others.is_empty() {
        let mut line = vec![format!("  {} others", others.len())];
        line.extend(steps.iter().map(|&step| {
            let (left, p) = sum(&trace.steps[step], &others);
            if left > 0 { format!("{left}: {:>8}", percent(p)) } else { String::new() }
        }));
        lines.push((Paint::Quiet, line));
    }

    let mut text = format!("{chain}\n\n");
    let widths: Vec<usize> = (0..=steps.len())
        .map(|column| lines.iter().map(|(_, line)| line[column].chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    for (paint, line) in &lines {
        let first = format!("{:<width$}", line[0], width = widths[0]);
        let rest = line[1..].iter().zip(&widths[1..]);
        let cells = rest.map(|(cell, &width)| format!("   {cell:>width$}"));
        text += &paint.line(&std::iter::once(first).chain(cells).collect::<String>(), styled);
    }
    // Writing to a string cannot fail.
    let _ = match trace.selected {
        Some(selected) => {
            let last = trace.steps.last().and_then(|step| step.cell(selected));
            let p = percent(last.map_or(f64::NAN, |cell| cell.p));
            writeln!(text, "\nselected: {}, {p}", name(selected))
        }
        None => writeln!(text, "\nnothing is selected"),
    };
    text
}
