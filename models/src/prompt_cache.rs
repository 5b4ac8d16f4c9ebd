//! The file of a text that has been evaluated.
//!
//! Letters and a version; the fingerprint of the model file; whether the context was long; how many
//! tokens stay at the beginning and how many behind them were dropped; the tokens; for each buffer of
//! each layer its numbers; a sum of all that. Numbers are little-endian.

use std::io::{BufReader, BufWriter, Read, Write};

use candle_core::Tensor;
use grammask_sampler::TokenId;

use crate::digest::Summed;
use crate::{Evaluation, PromptCacheError};

/// How a file begins; the last byte is the version.
const MAGIC: [u8; 16] = *b"grammask cache \x01";

/// So many bytes are read before it is known that there are more.
const PIECE: usize = 1 << 16;

pub(crate) fn save(evaluation: &Evaluation, writer: impl Write) -> Result<(), PromptCacheError> {
    let mut file = Summed::new(BufWriter::new(writer));
    file.write_all(&MAGIC)?;
    let cached = evaluation.text.len() - evaluation.dropped;
    let numbers = [
        evaluation.model.fingerprint(),
        evaluation.is_long.into(),
        evaluation.kept as u64,
        evaluation.dropped as u64,
        evaluation.text.len() as u64,
    ];
    file.write_all(&numbers.map(u64::to_le_bytes).concat())?;
    for token in &evaluation.text {
        file.write_all(&token.0.to_le_bytes())?;
    }
    for buffer in evaluation.cache.buffers() {
        for number in buffer.read(0, cached)?.flatten_all()?.to_vec1::<f32>()? {
            file.write_all(&number.to_le_bytes())?;
        }
    }
    let sum = file.digest.value();
    file.write_all(&sum.to_le_bytes())?;
    Ok(file.flush()?)
}

pub(crate) fn restore(
    mut evaluation: Evaluation,
    reader: impl Read,
) -> Result<Evaluation, PromptCacheError> {
    let mut file = Summed::new(BufReader::with_capacity(PIECE, reader));
    let format = |message: &str| PromptCacheError::Format { message: message.to_owned() };
    let mut magic = [0; MAGIC.len()];
    if file.read_exact(&mut magic).is_err() || magic[..15] != MAGIC[..15] {
        return Err(format("it begins with other letters"));
    }
    if magic != MAGIC {
        return Err(format(&format!("version {} is not {}", magic[15], MAGIC[15])));
    }
    if number(&mut file, "fingerprint")? != evaluation.model.fingerprint() {
        return Err(PromptCacheError::OtherModel);
    }
    let is_long = number(&mut file, "length of context")?;
    if is_long != u64::from(evaluation.is_long) {
        let message =
            "the model tells long contexts from short ones, and the file has the other kind";
        return Err(wrong("length of context", message));
    }
    let keep = number(&mut file, "tokens kept")?;
    let dropped = number(&mut file, "tokens dropped")?;
    let len = number(&mut file, "number of tokens")?;
    let Some(cached) = len.checked_sub(dropped) else {
        return Err(wrong("tokens dropped", format!("{dropped} are more than the {len} tokens")));
    };
    if cached > evaluation.limit as u64 {
        return Err(PromptCacheError::TooLong { len: cached as usize, limit: evaluation.limit });
    }
    if dropped > 0 {
        if keep > cached {
            let message = format!("{keep} are more than the {cached} tokens in the cache");
            return Err(wrong("tokens kept", message));
        }
        evaluation.kept = keep as usize;
    }
    let cached = cached as usize;
    let text = array(&mut file, len, "tokens", u32::from_le_bytes)?;
    let count = evaluation.model.vocabulary().len();
    if let Some(token) = text.iter().find(|&&token| token as usize >= count) {
        return Err(wrong("tokens", format!("the model has no token {token}")));
    }
    evaluation.text = text.into_iter().map(TokenId).collect();
    evaluation.dropped = dropped as usize;
    let device = evaluation.model.device().clone();
    for buffer in evaluation.cache.buffers_mut() {
        let (groups, width) = buffer.shape();
        let count = (groups * width) as u64 * cached as u64;
        let numbers = array(&mut file, count, "numbers of a layer", f32::from_le_bytes)?;
        if cached > 0 {
            buffer.write(0, &Tensor::from_vec(numbers, (groups, cached, width), &device)?)?;
        }
    }
    let sum = file.digest.value();
    if number(&mut file, "sum")? != sum {
        return Err(wrong("sum", "does not agree with the rest: the file was changed"));
    }
    if file.read(&mut [0])? > 0 {
        return Err(wrong("end", "something follows"));
    }
    Ok(evaluation)
}

fn wrong(field: &'static str, message: impl Into<String>) -> PromptCacheError {
    PromptCacheError::Field { field, message: message.into() }
}

fn breaks_off(field: &'static str, error: &std::io::Error) -> PromptCacheError {
    wrong(field, format!("cannot be read: {error}"))
}

fn number(file: &mut impl Read, field: &'static str) -> Result<u64, PromptCacheError> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes).map_err(|error| breaks_off(field, &error))?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads `count` numbers of 4 bytes. Room is made only for what has been read.
fn array<T>(
    file: &mut impl Read,
    count: u64,
    field: &'static str,
    number: impl Fn([u8; 4]) -> T,
) -> Result<Vec<T>, PromptCacheError> {
    let mut numbers = Vec::new();
    let mut left = count;
    let mut piece = vec![0; PIECE];
    while left > 0 {
        let taken = left.min(PIECE as u64 / 4);
        let bytes = &mut piece[..taken as usize * 4];
        file.read_exact(bytes).map_err(|error| breaks_off(field, &error))?;
        let (words, _) = bytes.as_chunks::<4>();
        numbers.extend(words.iter().map(|&word| number(word)));
        left -= taken;
    }
    Ok(numbers)
}
