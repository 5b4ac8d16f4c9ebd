//! A vocabulary as a file that every engine reads: its tokens in the order of their ids.

use std::fs;
use std::io;
use std::path::Path;

/// A token of a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// There is no token of this id.
    Gap,
    /// What it spells.
    Ordinary(Vec<u8>),
    /// A token that spells nothing, by its name.
    Control(Vec<u8>),
    /// One that ends generation.
    End(Vec<u8>),
}

/// Writes a vocabulary: for each token its kind in a byte, its length in four, and its bytes.
pub fn write_vocabulary(path: &Path, tokens: &[Token]) -> io::Result<()> {
    let mut file = Vec::new();
    for token in tokens {
        let (kind, bytes) = match token {
            Token::Gap => (0, &[][..]),
            Token::Ordinary(bytes) => (1, &bytes[..]),
            Token::Control(bytes) => (2, &bytes[..]),
            Token::End(bytes) => (3, &bytes[..]),
        };
        file.push(kind);
        file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(bytes);
    }
    fs::write(path, file)
}

/// Reads what [`write_vocabulary`] has written.
pub fn read_vocabulary(path: &Path) -> io::Result<Vec<Token>> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "no vocabulary of the harness");
    let file = fs::read(path)?;
    let mut rest = &file[..];
    let mut tokens = Vec::new();
    while let Some((kind, behind)) = rest.split_first() {
        let (length, behind) = behind.split_first_chunk().ok_or_else(broken)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (bytes, behind) = behind.split_at_checked(length).ok_or_else(broken)?;
        let bytes = bytes.to_vec();
        tokens.push(match kind {
            0 => Token::Gap,
            1 => Token::Ordinary(bytes),
            2 => Token::Control(bytes),
            3 => Token::End(bytes),
            _ => return Err(broken()),
        });
        rest = behind;
    }
    Ok(tokens)
}
