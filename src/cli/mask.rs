//! `grammask mask`: which tokens may come next.

use std::fmt::Write;

use grammask::gbnf::Automaton;
use grammask::sampler::{Constraint, TokenId, TokenMask, Vocabulary};
use serde_json::{Value, json};

use super::args::MaskArgs;
use super::failure::Invalid;
use super::input::Source;
use super::output::{Output, print, print_json};
use super::{grammar_source, reading, vocabulary};

pub(super) fn run(args: &MaskArgs, output: Output) -> anyhow::Result<()> {
    let (grammar, root) = grammar_source::load(&args.source, output)?;
    let engine = vocabulary::load(&args.vocab)?;
    let automaton = grammar_source::compile(Automaton::compile(&grammar, root))?;
    let mut constraint = Constraint::with_automaton(&engine, &automaton)
        .map_err(grammar_source::constraint_failure)?;
    if let Some(stop) = reading::prefix(&mut constraint, &automaton, &args.prefix)? {
        stop.say(&Source::argument("prefix", &args.prefix), output);
        return Err(Invalid::Said.into());
    }
    let mask = constraint.mask();
    let vocabulary = engine.vocabulary();
    let found = Found {
        complete: constraint.is_complete(),
        count: mask.count(),
        // A gap is no token.
        of: vocabulary.ordered().len() + vocabulary.control_ids().len(),
        likeliest: likeliest(&mask, vocabulary, args.top),
    };
    if output.is_json() {
        return print_json(&found.to_json(vocabulary));
    }
    Ok(print(&found.to_text(vocabulary))?)
}

struct Found {
    complete: bool,
    count: usize,
    of: usize,
    likeliest: Vec<TokenId>,
}

/// What ends generation, then the lowest ids.
fn likeliest(mask: &TokenMask, vocabulary: &Vocabulary, top: usize) -> Vec<TokenId> {
    let ends = mask.tokens().filter(|&token| vocabulary.is_eog(token));
    let others = mask.tokens().filter(|&token| !vocabulary.is_eog(token));
    ends.chain(others).take(top).collect()
}

impl Found {
    #[allow(clippy::cast_precision_loss)] // A share is for people to look at.
    fn share(&self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }

    fn to_json(&self, vocabulary: &Vocabulary) -> Value {
        let tokens = self.likeliest.iter().map(|&token| {
            let mut object = vocabulary::to_json(vocabulary, token);
            if vocabulary.is_eog(token) {
                object["ends"] = true.into();
            }
            object
        });
        json!({
            "complete": self.complete,
            "allowed": self.count,
            "tokens": self.of,
            "share": self.share(),
            "likeliest": tokens.collect::<Vec<_>>(),
        })
    }

    fn to_text(&self, vocabulary: &Vocabulary) -> String {
        let mut text = String::new();
        let complete = if self.complete { "complete" } else { "not complete" };
        let share = 100.0 * self.share();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "the text is {complete}");
        let _ = writeln!(text, "{} of {} tokens may come next ({share:.3} %)", self.count, self.of);
        for &token in &self.likeliest {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let ends = if vocabulary.is_eog(token) { "  (ends generation)" } else { "" };
            let _ = writeln!(text, "{:>8}  {}{ends}", token.0, vocabulary::piece(bytes));
        }
        text
    }
}
