//! `grammask chain`: what each sampler of a chain makes of the logits.

mod page;
mod report;
mod start;
mod trace;

use std::collections::HashSet;
use std::fs;

use anyhow::{Context, bail};
use grammask::sampler::TokenId;

use self::page::Setup;
use self::start::Start;
use self::trace::Trace;
use super::args::ChainArgs;
use super::output::{Output, print, print_json};
use super::sampling;

pub(super) fn run(args: &ChainArgs, output: Output) -> anyhow::Result<()> {
    let start = Start::load(args)?;
    let vocabulary = start.engine.vocabulary();
    let allowed = args.allowed.as_deref().map(|ids| allowed(ids, &start)).transpose()?;
    let history: Vec<TokenId> = args.history.iter().copied().map(TokenId).collect();
    if let Some(token) = history.iter().find(|&&token| vocabulary.bytes(token).is_none()) {
        bail!("--history {token}: the vocabulary has no token {token}");
    }
    let settings = sampling::settings(&args.sampling)?;
    let mut chain = sampling::chain(&settings, vocabulary)?;
    for &token in &history {
        chain.accept(token);
    }
    let trace = Trace::new(&mut chain, &start.logits, allowed.as_deref());
    if let Some(path) = &args.html {
        let setup = Setup {
            settings: &settings,
            chain: &chain,
            vocabulary,
            trace: &trace,
            allowed: allowed.as_deref(),
            history: &history,
            top: args.top,
        };
        fs::write(path, page::html(&setup)).with_context(|| format!("cannot write {path}"))?;
    }
    if output.is_json() {
        return print_json(&report::to_json(&trace, vocabulary, args.top));
    }
    let styled = output.styled_results;
    Ok(print(&report::to_text(&trace, vocabulary, args.top, &chain.to_string(), styled))?)
}

/// The tokens that a mask leaves.
fn allowed(ids: &[u32], start: &Start) -> anyhow::Result<Vec<TokenId>> {
    let candidates: HashSet<u32> = start.logits.iter().map(|(token, _)| token.0).collect();
    if let Some(id) = ids.iter().find(|id| !candidates.contains(id)) {
        bail!("--allowed {id}: there is no candidate {id}");
    }
    Ok(ids.iter().copied().map(TokenId).collect())
}
