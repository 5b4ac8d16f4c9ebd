//! Files of tiktoken: on each line the bytes of a token in base64, and its id.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::pieces::{Piece, Pieces};
use super::{ModelConfig, Vocabulary, VocabularyError};

/// The two parts of a line.
fn parts(line: &[u8]) -> Option<(Vec<u8>, u64)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let space = line.iter().position(|&byte| byte == b' ')?;
    let rank = str::from_utf8(&line[space + 1..]).ok()?;
    let bytes = BASE64_STANDARD.decode(&line[..space]).ok()?;
    Some((bytes, rank.parse().ok()?))
}

/// Whether a file begins like one of tiktoken.
pub(super) fn is_one(file: &[u8]) -> bool {
    const LONGEST_LINE: usize = 4_096;
    let line = file[..file.len().min(LONGEST_LINE)].split(|&byte| byte == b'\n').next();
    line.is_some_and(|line| parts(line).is_some())
}

pub(super) fn read(file: &[u8], config: &ModelConfig) -> Result<Vocabulary, VocabularyError> {
    let mut pieces = Pieces::default();
    for (number, line) in (1..).zip(file.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong =
            |message: String| VocabularyError::field("tiktoken", format!("line {number}"), message);
        let (bytes, id) = parts(line)
            .ok_or_else(|| wrong("is not the base64 of a token, a space and its id".to_owned()))?;
        if bytes.is_empty() {
            return Err(wrong(format!("token {id} is empty")));
        }
        // Its text is asked for only to find out whether it ends generation.
        let text = String::from_utf8(bytes.clone()).unwrap_or_default();
        if pieces.put(id, Piece::ordinary(text, bytes)).map_err(wrong)?.is_some() {
            return Err(wrong(format!("the id {id} is that of an earlier line, too")));
        }
    }
    pieces.add(config, |text| text.as_bytes().to_vec())?;
    pieces.build(config)
}
