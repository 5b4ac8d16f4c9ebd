//! What the model goes on with: the text of the arguments, as a message of a chat or as it is.

use std::time::SystemTime;

use anyhow::{Context, anyhow, bail};
use grammask::models::Model;
use grammask::sampler::TokenId;
use serde_json::Value;

use super::model::Loaded;
use crate::cli::args::ModelArgs;
use crate::cli::chat::{self, Conversation};
use crate::cli::input::Source;

const TEMPLATE: &str = "tokenizer.chat_template";

/// The chat template of a model, if it has one.
pub(super) fn template(model: &Model) -> anyhow::Result<Option<&str>> {
    Ok(model.header().text(TEMPLATE)?)
}

/// The tokens of the prompt. A model gets at least one.
pub(super) fn tokens(
    args: &ModelArgs,
    loaded: &Loaded,
    tools: Option<&Value>,
) -> anyhow::Result<Vec<TokenId>> {
    let text = text(args)?.unwrap_or_default();
    if let Some(model) = loaded.model.as_ref().filter(|_| args.chat) {
        return in_chat(args, loaded, model, &text, tools);
    }
    let mut tokens = loaded.tokenizer.encode(&text, true)?;
    if tokens.is_empty() && loaded.model.is_some() {
        let ends = loaded.tokenizer.ends();
        let vocabulary = loaded.engine.vocabulary();
        let start = ends.bos.token.or(ends.eos.token);
        let start = start.or_else(|| vocabulary.eog_ids().first().copied());
        tokens.push(start.ok_or_else(|| {
            anyhow!(
                "the model has no token that texts begin or end with, and must begin with something: give \
                it a --prompt"
            )
        })?);
    }
    Ok(tokens)
}

/// The text as it is given; nothing if none is.
fn text(args: &ModelArgs) -> anyhow::Result<Option<String>> {
    let source = match (&args.prompt, &args.file) {
        (Some(text), _) if text != "-" => return Ok(Some(text.clone())),
        (Some(_), _) => Source::read("-")?,
        (None, Some(path)) => Source::read(path)?,
        (None, None) => return Ok(None),
    };
    let mut text = String::from_utf8(source.bytes)
        .map_err(|error| anyhow!("{}: the prompt is no text: {error}", source.name))?;
    // Editors end files so.
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(Some(text))
}

fn in_chat(
    args: &ModelArgs,
    loaded: &Loaded,
    model: &Model,
    user: &str,
    tools: Option<&Value>,
) -> anyhow::Result<Vec<TokenId>> {
    let Some(template) = template(model).context("--chat")? else {
        bail!(
            "--chat: the file of the model has no {TEMPLATE}: write the prompt as the model wants it, and \
            leave --chat out"
        );
    };
    let ends = loaded.tokenizer.ends();
    let spelled = |token: Option<TokenId>| {
        let bytes = token.and_then(|token| model.vocabulary().bytes(token));
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    };
    let (bos, eos) = (spelled(ends.bos.token), spelled(ends.eos.token));
    let conversation =
        Conversation { system: args.system.as_deref(), user, tools, bos: &bos, eos: &eos };
    let prompt = chat::apply(template, &conversation, SystemTime::now()).context(TEMPLATE)?;
    // A template writes what texts begin with itself, if it wants it; some leave it to the tokenizer.
    let mut tokens = loaded.tokenizer.encode(&prompt, false)?;
    ends.put_bos(&mut tokens);
    if tokens.is_empty() {
        bail!("{TEMPLATE}: makes an empty prompt of the message");
    }
    Ok(tokens)
}
