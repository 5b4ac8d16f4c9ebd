//! The alphabet of byte-level BPE: a printable character for each byte.
//!
//! Bytes that print in Latin-1 are written as the character with their number; all others, in their
//! order, as the characters from U+0100 on (GPT-2's `bytes_to_unicode`).

/// The byte that a character stands for.
fn byte_of(c: char) -> Option<u8> {
    let number = u32::from(c);
    let byte = match number {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => number,
        0x100..=0x120 => number - 0x100,
        0x121..=0x142 => number - 0x121 + 0x7f,
        0x143 => 0xad,
        _ => return None,
    };
    Some(byte as u8)
}

/// What a piece spells; nothing if some character of it stands for no byte.
pub(super) fn decode(piece: &str) -> Option<Vec<u8>> {
    piece.chars().map(byte_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_one_character() {
        let mut bytes: Vec<u8> = ('\0'..'\u{200}').filter_map(byte_of).collect();
        bytes.sort_unstable();
        assert!(bytes.into_iter().eq(0..=255));
        assert_eq!(decode("Ġa\u{10a}"), Some(b" a\n".to_vec()));
        assert_eq!(decode("a b"), None);
    }
}
