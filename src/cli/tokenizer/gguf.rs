//! The tokenizer that the metadata of a GGUF file describes.

use grammask::sampler::gguf::{Array, GgufError, Header, Value};
use grammask::sampler::{TokenId, Vocabulary};

use super::byte_pairs::BytePairs;
use super::pre_tokenizer::{PreTokenizer, Scheme};
use super::sentence_piece::{Score, SentencePiece};
use super::special_tokens::{Fragment, Special, SpecialTokens};
use super::unigram::Unigram;
use super::{EncodeError, Ends};

const MODEL: &str = "tokenizer.ggml.model";
const PRE: &str = "tokenizer.ggml.pre";
const TOKENS: &str = "tokenizer.ggml.tokens";
const MERGES: &str = "tokenizer.ggml.merges";
const SCORES: &str = "tokenizer.ggml.scores";
const TOKEN_TYPE: &str = "tokenizer.ggml.token_type";
const ADD_SPACE_PREFIX: &str = "tokenizer.ggml.add_space_prefix";

/// What stands in a list of token types.
const UNKNOWN: i128 = 2;
const CONTROL: i128 = 3;
const USER_DEFINED: i128 = 4;

/// Makes tokens of texts as llama.cpp does (`llama_vocab::impl::tokenize`).
#[derive(Debug)]
pub(crate) struct GgufTokenizer {
    model: Model,
    specials: SpecialTokens,
    /// A blank comes before text that nothing but a special token is before.
    adds_space_prefix: bool,
    ends: Ends,
    /// What its user should know.
    pub(crate) note: Option<String>,
}

#[derive(Debug)]
enum Model {
    BytePairs(BytePairs),
    SentencePiece(SentencePiece),
    Unigram(Box<Unigram>),
}

impl GgufTokenizer {
    /// `vocabulary` is that of the same file.
    ///
    /// # Errors
    ///
    /// [`GgufError`] with the key.
    pub(crate) fn new(header: &Header, vocabulary: &Vocabulary) -> Result<Self, GgufError> {
        let texts = header.texts(TOKENS)?.ok_or_else(|| missing(TOKENS))?;
        let ids = || texts.iter().cloned().zip((0..).map(TokenId));
        let name = header.text(MODEL)?.ok_or_else(|| missing(MODEL))?;
        let mut note = None;
        let mut adds_bos = false;
        let (model, default_ends) = match name {
            "gpt2" => {
                let scheme = scheme(header.text(PRE)?, &mut note)?;
                adds_bos = scheme.adds_bos;
                let pre_tokenizer = PreTokenizer::new(scheme)
                    .map_err(|error| GgufError::field(PRE, error.to_string()))?;
                let merges = header.texts(MERGES)?.ok_or_else(|| missing(MERGES))?;
                let ids = ids().collect();
                (Model::BytePairs(BytePairs::new(pre_tokenizer, ids, merges)), [None; 2])
            }
            "llama" => {
                adds_bos = true;
                let scores = scores(header, texts.len())?;
                let pieces =
                    ids().zip(scores).map(|((text, id), score)| (text, (id, Score::new(score))));
                (Model::SentencePiece(SentencePiece::new(pieces.collect())), [Some(1), Some(2)])
            }
            "t5" => {
                let model = Unigram::new(header, texts, &scores(header, texts.len())?)?;
                (Model::Unigram(Box::new(model)), [None, Some(1)])
            }
            other => {
                let known = "gpt2 (BPE), llama (SPM) and t5 (UGM)";
                let message = format!("{other:?} cannot split prompts; there are {known}");
                return Err(GgufError::field(MODEL, message));
            }
        };
        let adds_eos = name == "t5";
        let [bos, eos] = [("bos", adds_bos), ("eos", adds_eos)];
        let ends = Ends {
            bos: end(header, vocabulary, bos, default_ends[0])?,
            eos: end(header, vocabulary, eos, default_ends[1])?,
        };
        let is_space_prefixed = !matches!(model, Model::BytePairs(_));
        let adds_space_prefix = header.flag(ADD_SPACE_PREFIX)?.unwrap_or(is_space_prefixed);
        let specials = specials(header, vocabulary, texts)?;
        Ok(Self { model, specials, adds_space_prefix, ends, note })
    }

    /// What texts begin and end with.
    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    /// The tokens of a text in which special tokens are written as their texts.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<TokenId>, EncodeError> {
        let mut tokens = Vec::new();
        let mut behind_special = true;
        for fragment in self.specials.partition(text) {
            let range = match fragment {
                Fragment::Token(id) => {
                    tokens.push(id);
                    behind_special = true;
                    continue;
                }
                Fragment::Text(range) => range,
            };
            let text = &text[range];
            match &self.model {
                Model::BytePairs(model) => model.encode(text, &mut tokens)?,
                Model::SentencePiece(model) if self.adds_space_prefix && behind_special => {
                    model.encode(&format!(" {text}"), &mut tokens)?;
                }
                Model::SentencePiece(model) => model.encode(text, &mut tokens)?,
                Model::Unigram(model) => model.encode(text, self.adds_space_prefix, &mut tokens)?,
            }
            behind_special = false;
        }
        Ok(tokens)
    }
}

fn missing(key: &str) -> GgufError {
    GgufError::field(key, "is missing")
}

/// How words are cut; a note if the file does not say.
fn scheme(name: Option<&str>, note: &mut Option<String>) -> Result<&'static Scheme, GgufError> {
    let known = name.unwrap_or("default");
    if name.is_none() {
        *note = Some(format!(
            "{PRE} is missing: prompts are split as for \"default\", which is a guess"
        ));
    }
    Scheme::named(known).ok_or_else(|| {
        let message = format!("{known:?} is not known: its way to split texts is not built in");
        GgufError::field(PRE, message)
    })
}

/// The score of each token; 0 where there are none.
fn scores(header: &Header, count: usize) -> Result<Vec<f32>, GgufError> {
    let scores = match header.value(SCORES) {
        None => return Ok(vec![0.0; count]),
        Some(Value::Array(Array::F32(scores))) => scores,
        Some(_) => return Err(GgufError::field(SCORES, "is no list of 32-bit floats")),
    };
    if scores.len() != count {
        let message = format!("has {} entries for {count} tokens", scores.len());
        return Err(GgufError::field(SCORES, message));
    }
    if let Some(at) = scores.iter().position(|score| !score.is_finite()) {
        return Err(GgufError::field(format!("{SCORES}[{at}]"), "is no finite number"));
    }
    Ok(scores.clone())
}

/// A token that texts begin or end with, and whether they do: by its name, and whether they do by default.
fn end(
    header: &Header,
    vocabulary: &Vocabulary,
    (name, by_default): (&str, bool),
    default: Option<u32>,
) -> Result<super::End, GgufError> {
    let key = format!("tokenizer.ggml.{name}_token_id");
    let default = default.map(u64::from).filter(|&id| id < vocabulary.len() as u64);
    let id = match header.integer(&key)? {
        None => default,
        Some(id) if id < vocabulary.len() as u64 => Some(id),
        Some(id) => {
            let message = format!("is {id}, and there are {} tokens", vocabulary.len());
            return Err(GgufError::field(key, message));
        }
    };
    let flag = format!("tokenizer.ggml.add_{name}_token");
    let is_asked_for = header.flag(&flag)?;
    if is_asked_for == Some(true) && id.is_none() {
        return Err(GgufError::field(flag, format!("is true, but {key} is missing")));
    }
    let token = id.map(|id| TokenId(id as u32));
    Ok(super::End { token, is_added: is_asked_for.unwrap_or(by_default) && token.is_some() })
}

/// The tokens that are found by their texts.
fn specials(
    header: &Header,
    vocabulary: &Vocabulary,
    texts: &[String],
) -> Result<SpecialTokens, GgufError> {
    let types = header.integers(TOKEN_TYPE)?;
    // Converters do not write which tokens take the blanks behind them along.
    let name = header.text("general.name")?.unwrap_or_default().to_lowercase();
    let is_phi_3 = name.contains("phi-3") || name.contains("phi3");
    let mut specials = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let id = TokenId(index as u32);
        let kind = types.as_ref().and_then(|types| types.get(index));
        if !matches!(kind, Some(&(UNKNOWN | CONTROL | USER_DEFINED))) && !vocabulary.is_control(id)
        {
            continue;
        }
        let strips_right = is_phi_3 && !matches!(&**text, "<unk>" | "<s>" | "<|endoftext|>");
        specials.push(Special { id, text: text.clone(), strips_right });
    }
    SpecialTokens::new(specials).map_err(|error| GgufError::field(TOKENS, error.to_string()))
}
