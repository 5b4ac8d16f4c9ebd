//! Which model writes, what it goes on with, and how it is run: the flags are llama.cpp's.

use clap::Args as Arguments;

/// The model and its prompt.
#[derive(Debug, Arguments)]
#[command(next_help_heading = "Model and prompt (flags of llama.cpp)")]
pub(crate) struct ModelArgs {
    /// A GGUF file, or `random`: noise around the frequencies of the tokens of --vocab, which knows the
    /// words of the grammar and no language [default: the model in the box; with --vocab `random`]
    #[arg(short, long, value_name = "PATH|random")]
    pub(crate) model: Option<String>,
    /// What the tokens are: o200k_base, cl100k_base, r50k_base, or a file or the folder of a model, see
    /// docs/models.md [default: what the file of the model says]
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) vocab: Option<String>,
    /// What the model goes on with; `-` is standard input
    #[arg(short, long, value_name = "TEXT", group = "prompted", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// A file with the prompt; a line end at its end is left out
    #[arg(short, long, value_name = "FILE", group = "prompted")]
    pub(crate) file: Option<String>,
    /// The prompt is a message of a user, written as the chat template of the model says
    #[arg(long, requires = "prompted")]
    pub(crate) chat: bool,
    /// What the model is told before the message of the user
    #[arg(long, value_name = "TEXT", requires = "chat", allow_hyphen_values = true)]
    pub(crate) system: Option<String>,
    /// How many tokens prompt and answer may have together; 0: as many as the model was made for
    /// [default: the same, but at most 4096]
    #[arg(short, long, value_name = "N")]
    pub(crate) ctx_size: Option<u32>,
    /// When the context is full, drop half of it, but not its first N tokens; -1: not the prompt
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(-1..)
    )]
    pub(crate) keep: Option<i64>,
    /// A file that keeps what the model has computed of the prompt, for the next time
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt_cache: Option<String>,
    /// How many threads compute [default: one for each core]; what is small is computed by one
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}
