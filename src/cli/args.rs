//! The arguments as they are typed.

// Doc comments are help texts here.
#![allow(clippy::doc_markdown)]

mod model;
mod sampling;

use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};

pub(super) use model::ModelArgs;
pub(super) use sampling::{ModeArgs, SamplingArgs};

/// Makes a language model write only what a grammar allows.
#[derive(Debug, Parser)]
#[command(name = "grammask", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 valid or done; 1 the input is invalid (mistakes in a grammar \
or schema, a text that does not match, output that was cut); 2 could not run (usage, file, limit)."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) common: Common,
}

#[derive(Debug, Arguments)]
pub(super) struct Common {
    /// How results and diagnostics are written
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: Format,
    /// Colours (auto: on a terminal, unless NO_COLOR is set)
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(super) color: Color,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    #[default]
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Report every mistake in grammars
    Check(CheckArgs),
    /// Say whether a text matches a grammar, and where it stops
    Match(MatchArgs),
    /// Translate a JSON Schema into GBNF, with a report of what is enforced
    Convert(ConvertArgs),
    /// Show which tokens may come next
    Mask(MaskArgs),
    /// Write a text that a grammar or schema allows
    Generate(Box<GenerateArgs>),
    /// Explain a chain of samplers: what each makes of the logits
    Chain(ChainArgs),
}

#[derive(Debug, Arguments)]
pub(super) struct CheckArgs {
    /// Grammars; `-` is standard input
    #[arg(required = true, value_name = "GRAMMAR")]
    pub(super) grammars: Vec<String>,
    /// What counts as GBNF
    #[arg(long, value_enum, default_value_t, value_name = "DIALECT")]
    pub(super) dialect: DialectArg,
    /// Warnings count as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// The start rule
    #[arg(long, default_value = "root", value_name = "RULE")]
    pub(super) root: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DialectArg {
    /// llama.cpp's notation with extensions, see docs/gbnf.md
    #[default]
    Grammask,
    /// Exactly what llama.cpp accepts
    #[value(name = "llama.cpp")]
    LlamaCpp,
}

#[derive(Debug, Arguments)]
pub(super) struct MatchArgs {
    /// The grammar; `-` is standard input
    pub(super) grammar: String,
    /// The text, a file; `-` is standard input; a line end at its end counts
    #[arg(required_unless_present = "text")]
    pub(super) input: Option<String>,
    /// The text itself
    #[arg(long, conflicts_with = "input", allow_hyphen_values = true)]
    pub(super) text: Option<String>,
    /// The start rule
    #[arg(long, default_value = "root", value_name = "RULE")]
    pub(super) root: String,
    /// The vocabulary, for grammars that refer to tokens: a name, a file, or the folder of a model
    #[arg(long, value_name = "NAME|PATH")]
    pub(super) vocab: Option<String>,
}

#[derive(Debug, Arguments)]
pub(super) struct ConvertArgs {
    /// The schema; `-` is standard input
    pub(super) schema: String,
    /// Use the extensions of GBNF: members in any order, see docs/gbnf.md
    #[arg(long)]
    pub(super) extended: bool,
    /// Where the report goes; `-` is standard output [default: standard error]
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<String>,
    /// Refuse a schema that is not in a subset, and list each breach
    #[arg(long, value_enum, value_name = "SUBSET")]
    pub(super) lint: Option<LintArg>,
    #[command(flatten)]
    pub(super) options: SchemaArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LintArg {
    /// What OpenAI accepts with `strict: true`
    OpenaiStrict,
}

#[derive(Debug, Arguments)]
pub(super) struct MaskArgs {
    #[command(flatten)]
    pub(super) source: SourceArgs,
    /// o200k_base, cl100k_base, r50k_base, or a file or the folder of a model, see docs/models.md
    #[arg(long, value_name = "NAME|PATH")]
    pub(super) vocab: String,
    /// What has been written so far
    #[arg(long, default_value = "", value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) prefix: String,
    /// How many tokens to list, the lowest ids first: they are the frequent ones
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(super) top: usize,
}

#[derive(Debug, Arguments)]
pub(super) struct GenerateArgs {
    /// How many tokens to write at most; -1: no bound
    #[arg(
        short = 'n',
        long,
        visible_alias = "n-predict",
        default_value_t = 400,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(-1..)
    )]
    pub(super) max_tokens: i64,
    /// Cut the text after so many tokens, in place of writing one that is complete within them
    #[arg(long)]
    pub(super) cut: bool,
    /// Print to stderr, for each token, how many candidates each sampler leaves
    #[arg(long)]
    pub(super) trace: bool,
    #[command(flatten)]
    pub(super) source: SourceArgs,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) agent: AgentArgs,
    #[command(flatten)]
    pub(super) mode: ModeArgs,
    #[command(flatten)]
    pub(super) sampling: SamplingArgs,
}

/// Free text and what is constrained in it.
#[derive(Debug, Arguments)]
#[command(next_help_heading = "Agents")]
pub(super) struct AgentArgs {
    /// Free text until this comes, then the grammar: a control token, /a regular expression/ or any
    /// other text; several may be given
    #[arg(long, value_name = "TEXT")]
    pub(super) trigger: Vec<String>,
    /// Free text again behind the grammar, and again with a trigger
    #[arg(long, requires = "trigger")]
    pub(super) rearm: bool,
    /// A file with tools as in a request to OpenAI's chat API: calls of them in place of a grammar
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "trigger"])]
    pub(super) tools: Option<String>,
    /// auto, none, required, or the name of a tool
    #[arg(long, default_value = "auto", value_name = "CHOICE", requires = "tools")]
    pub(super) tool_choice: String,
    /// How calls are written: hermes, llama-3, mistral, harmony, json and others; by default as the
    /// chat template of the model says, or json
    #[arg(long, value_name = "NAME", requires = "tools")]
    pub(super) tool_format: Option<String>,
    /// Several calls may be written
    #[arg(long, requires = "tools")]
    pub(super) parallel_tool_calls: bool,
    /// Think first, for N tokens at most; -1: without bound. (The prompt has begun the thinking)
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(-1..)
    )]
    pub(super) reasoning_budget: Option<i64>,
    /// What is written when the budget for thinking is spent, before the end tag
    #[arg(long, default_value = "", value_name = "TEXT", requires = "reasoning_budget")]
    pub(super) reasoning_budget_message: String,
    /// What ends the thinking; with tools their format says it
    #[arg(
        long,
        default_value = "</think>",
        value_name = "TAG",
        requires = "reasoning_budget",
        conflicts_with = "tools"
    )]
    pub(super) reasoning_end: String,
}

#[derive(Debug, Arguments)]
pub(super) struct ChainArgs {
    /// A file with logits, an array or an object of tokens and logits; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "logits_seed"])]
    pub(super) logits: Option<String>,
    /// How many logits to generate: normal, around 0 with a standard deviation of 2.5
    #[arg(long, default_value_t = 100, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) count: u32,
    /// The seed of generated logits
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub(super) logits_seed: u32,
    /// What the tokens are: o200k_base, cl100k_base, r50k_base, or a file
    #[arg(long, value_name = "NAME|PATH")]
    pub(super) vocab: Option<String>,
    /// The tokens that a mask leaves [default: all]
    #[arg(long, value_delimiter = ',', value_name = "IDS")]
    pub(super) allowed: Option<Vec<u32>>,
    /// The tokens that came before, for the samplers that look back
    #[arg(long, value_delimiter = ',', value_name = "IDS")]
    pub(super) history: Vec<u32>,
    /// How many candidates to list, the likeliest first
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub(super) top: usize,
    /// Where a page goes that shows every step, with sliders
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<String>,
    #[command(flatten)]
    pub(super) sampling: SamplingArgs,
}

/// A grammar or a schema, exactly one.
#[derive(Debug, Arguments)]
#[group(skip)]
pub(super) struct SourceArgs {
    /// A grammar
    #[arg(long, value_name = "TEXT", group = "source")]
    pub(super) grammar: Option<String>,
    /// A file with a grammar; `-` is standard input
    #[arg(long, value_name = "FILE", group = "source")]
    pub(super) grammar_file: Option<String>,
    /// A JSON Schema
    #[arg(short = 'j', long, value_name = "JSON", group = "source")]
    pub(super) json_schema: Option<String>,
    /// A file with a JSON Schema; `-` is standard input
    #[arg(long, value_name = "FILE", group = "source")]
    pub(super) json_schema_file: Option<String>,
    /// The start rule of the grammar
    #[arg(long, default_value = "root", value_name = "RULE")]
    pub(super) root: String,
    #[command(flatten)]
    pub(super) options: SchemaArgs,
}

/// The spelling of the documents of a schema.
#[derive(Debug, Arguments)]
#[command(next_help_heading = "Schema options")]
pub(super) struct SchemaArgs {
    /// The order of properties
    #[arg(long, value_enum, default_value_t, value_name = "ORDER")]
    pub(super) order: OrderArg,
    /// What may stand between two tokens of JSON
    #[arg(long, value_enum, default_value_t, value_name = "SPACE")]
    pub(super) whitespace: WhitespaceArg,
    /// How numbers are spelled
    #[arg(long, value_enum, default_value_t, value_name = "SPELLING")]
    pub(super) numbers: NumbersArg,
    /// Most digits before the point of a number
    #[arg(long, default_value_t = 30, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(super) integer_digits: u32,
    /// Most digits after the point of a number
    #[arg(long, default_value_t = 30, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(super) fraction_digits: u32,
    /// Most digits of an exponent
    #[arg(long, default_value_t = 3, value_name = "N",
        value_parser = clap::value_parser!(u32).range(0..=4))]
    pub(super) exponent_digits: u32,
    /// Which escapes strings may have
    #[arg(long, value_enum, default_value_t, value_name = "ESCAPES")]
    pub(super) strings: StringsArg,
    /// What a known `format` means
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub(super) formats: FormatsArg,
    /// What an unknown `format` means
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub(super) unknown_formats: UnknownFormatsArg,
    /// Drop what cannot be enforced, and name it in the report, instead of refusing the schema
    #[arg(long)]
    pub(super) lenient: bool,
    /// The draft of a schema without `$schema`
    #[arg(long, value_enum, default_value_t, value_name = "DRAFT")]
    pub(super) draft: DraftArg,
    /// A document that references may lead into, with its URI; may be repeated
    #[arg(long = "resource", value_name = "URI=FILE", value_parser = resource)]
    pub(super) resources: Vec<(String, String)>,
}

/// A URI may have `=` in its query; whoever has it in the name of a file can rename the file.
fn resource(text: &str) -> Result<(String, String), &'static str> {
    match text.rsplit_once('=') {
        Some((uri, file)) if !file.is_empty() => Ok((uri.to_owned(), file.to_owned())),
        _ => Err("a URI, `=` and a file are expected"),
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderArg {
    /// Every order; undeclared keys anywhere
    #[default]
    Any,
    /// The order of the schema; undeclared keys last
    Declared,
    /// The required ones first; undeclared keys last
    RequiredFirst,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum WhitespaceArg {
    /// Nothing, a space, or one or two line ends and at most 64 spaces or tabs
    #[default]
    Bounded,
    /// Nothing
    Compact,
    /// One space after `,` and `:`
    Python,
    /// All that JSON allows, without bound
    Any,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum NumbersArg {
    /// As Python's json.dumps and JavaScript's JSON.stringify print them
    #[default]
    Canonical,
    /// Every spelling within the digit bounds
    Any,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum StringsArg {
    /// Every escape in free strings, elsewhere only what JSON requires
    #[default]
    Default,
    /// Every escape
    Any,
    /// Only what JSON requires
    Minimal,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatsArg {
    /// It constrains
    #[default]
    Assert,
    /// It constrains nothing
    Annotation,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum UnknownFormatsArg {
    /// It constrains nothing and is listed in the report
    #[default]
    Annotation,
    /// The schema is refused
    Error,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DraftArg {
    #[default]
    #[value(name = "2020-12")]
    Draft202012,
    #[value(name = "2019-09")]
    Draft201909,
    #[value(name = "7")]
    Draft7,
    #[value(name = "6")]
    Draft6,
    #[value(name = "4")]
    Draft4,
}
