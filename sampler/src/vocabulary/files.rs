//! From a path, or the bytes of a file, to a vocabulary: what tells the formats apart.
//!
//! The only place of the libraries where files are opened.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ModelConfig, TiktokenName, Vocabulary, VocabularyError};
use super::{hugging_face, list, sentence_piece, tiktoken_file};
use crate::gguf::MAGIC;

/// No file that is read as a whole has more bytes: ten times the largest.
const LARGEST_FILE: u64 = 1 << 28;

/// No configuration has more bytes.
const LARGEST_CONFIG: u64 = 1 << 24;

/// What is looked for in a folder, in this order.
const NAMES: [&str; 5] = [
    "tokenizer.json",
    "tokenizer.model",
    "tiktoken.model",
    "spiece.model",
    "sentencepiece.bpe.model",
];

/// What a folder may have one of, if it has none of these.
const EXTENSIONS: [&str; 3] = ["gguf", "tiktoken", "model"];

/// The keys that tell the two kinds of JSON apart.
#[derive(Deserialize)]
struct Keys<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    tokens: Option<&'a RawValue>,
}

/// The vocabulary of a file with these bytes.
pub(super) fn from_bytes(
    bytes: &[u8],
    config: &ModelConfig,
) -> Result<Vocabulary, VocabularyError> {
    if bytes.starts_with(MAGIC) {
        Vocabulary::from_gguf(Cursor::new(bytes))
    } else if bytes.trim_ascii_start().starts_with(b"{") {
        let wrong = |error: &dyn ToString| VocabularyError::field("JSON", "", error.to_string());
        match serde_json::from_slice(bytes).map_err(|error| wrong(&error))? {
            Keys { model: Some(_), .. } => hugging_face::read(bytes, config),
            Keys { tokens: Some(_), .. } => {
                list::from_json(str::from_utf8(bytes).map_err(|error| wrong(&error))?)
            }
            _ => {
                let message =
                    "it has neither \"model\", as a tokenizer.json, nor \"tokens\", as a list";
                Err(VocabularyError::UnknownFormat { message: message.to_owned() })
            }
        }
    } else if tiktoken_file::is_one(bytes) {
        tiktoken_file::read(bytes, config)
    } else if sentence_piece::is_one(bytes) {
        sentence_piece::read(bytes, config)
    } else {
        let message = "neither GGUF nor tokenizer.json, nor a list of tokens in JSON, nor a file of \
            tiktoken, nor a model of SentencePiece";
        Err(VocabularyError::UnknownFormat { message: message.to_owned() })
    }
}

/// A file, or the one of a folder that has the tokens.
pub(super) fn locate(path: &Path) -> Result<PathBuf, VocabularyError> {
    if path.is_dir() { find(path) } else { Ok(path.to_owned()) }
}

/// The vocabulary of a file or folder.
pub(super) fn from_path(path: &Path) -> Result<Vocabulary, VocabularyError> {
    let path = &*locate(path)?;
    let open = || File::open(path).map_err(|error| unreadable(&error).in_file(path));
    let mut magic = Vec::new();
    let start = open()?.take(MAGIC.len() as u64).read_to_end(&mut magic);
    start.map_err(|error| unreadable(&error).in_file(path))?;
    if magic == MAGIC {
        return Vocabulary::from_gguf(open()?).map_err(|error| error.in_file(path));
    }
    let bytes = read(path, LARGEST_FILE)?;
    let config = config(path)?;
    from_bytes(&bytes, &config).map_err(|error| error.in_file(path))
}

/// What the files beside a tokenizer say, or else its name.
fn config(path: &Path) -> Result<ModelConfig, VocabularyError> {
    let mut config = ModelConfig::default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
    if let Some(path) = beside("tokenizer_config.json") {
        let read = config.read_tokenizer_config(&read(&path, LARGEST_CONFIG)?);
        read.map_err(|error| error.in_file(&path))?;
    }
    if let Some(path) = beside("generation_config.json").or_else(|| beside("config.json")) {
        let read = config.read_generation_config(&read(&path, LARGEST_CONFIG)?);
        read.map_err(|error| error.in_file(&path))?;
    }
    let is_tiktoken = path.extension().is_some_and(|extension| extension == "tiktoken");
    let name = path.file_stem().filter(|_| is_tiktoken).and_then(|name| name.to_str());
    if let Some(Ok(name)) = name.map(str::parse::<TiktokenName>) {
        let known = Vocabulary::tiktoken(name);
        for &token in known.control_ids() {
            let text = known.bytes(token).unwrap_or_default();
            config.add_control(token.0, String::from_utf8_lossy(text));
        }
        config.add_eog(known.eog_ids()[0].0);
    }
    Ok(config)
}

/// The file of a folder that has the tokens.
fn find(folder: &Path) -> Result<PathBuf, VocabularyError> {
    if let Some(path) = NAMES.map(|name| folder.join(name)).into_iter().find(|path| path.is_file())
    {
        return Ok(path);
    }
    let entries = fs::read_dir(folder).map_err(|error| unreadable(&error).in_file(folder))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && path.is_file()
    });
    paths.sort_unstable();
    let message = match paths.as_slice() {
        [path] => return Ok(path.clone()),
        [] => format!(
            "the folder has no {}, and no file with the ending .{}",
            NAMES.join(", "),
            EXTENSIONS.join(", .")
        ),
        [first, second, ..] => {
            format!("say which: there are {} and {}", first.display(), second.display())
        }
    };
    Err(VocabularyError::UnknownFormat { message }.in_file(folder))
}

/// Reads a file as a whole, if it has no more bytes than it may have.
fn read(path: &Path, largest: u64) -> Result<Vec<u8>, VocabularyError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(largest + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&error).in_file(path))?;
    if bytes.len() as u64 > largest {
        let message = format!("it has more than {largest} bytes");
        return Err(VocabularyError::UnknownFormat { message }.in_file(path));
    }
    Ok(bytes)
}

fn unreadable(error: &std::io::Error) -> VocabularyError {
    VocabularyError::Unreadable { message: error.to_string() }
}
