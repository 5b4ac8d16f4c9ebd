//! Files as converters write them.

/// A value of GGUF's metadata.
pub(crate) enum Value<'a> {
    U32(u32),
    Text(&'a str),
    Texts(Vec<&'a str>),
    I32s(Vec<i32>),
    F32s(Vec<f32>),
    Bool(bool),
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn list(bytes: &mut Vec<u8>, kind: u32, len: usize) {
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend((len as u64).to_le_bytes());
}

/// A GGUF file without tensors.
pub(crate) fn gguf(version: u32, entries: &[(&str, Value)]) -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in entries {
        text(&mut bytes, key);
        match value {
            Value::U32(number) => {
                bytes.extend(4_u32.to_le_bytes());
                bytes.extend(number.to_le_bytes());
            }
            Value::Bool(value) => {
                bytes.extend(7_u32.to_le_bytes());
                bytes.push((*value).into());
            }
            Value::Text(value) => {
                bytes.extend(8_u32.to_le_bytes());
                text(&mut bytes, value);
            }
            Value::Texts(values) => {
                list(&mut bytes, 8, values.len());
                for value in values {
                    text(&mut bytes, value);
                }
            }
            Value::I32s(values) => {
                list(&mut bytes, 5, values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Value::F32s(values) => {
                list(&mut bytes, 6, values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
    }
    bytes
}

fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn message(field: u64, content: &[u8]) -> Vec<u8> {
    [number(field << 3 | 2), number(content.len() as u64), content.to_vec()].concat()
}

/// A model of `SentencePiece` with texts and types, and the id of its end.
pub(crate) fn sentence_piece(pieces: &[(&str, u64)], end: u64) -> Vec<u8> {
    let mut file = Vec::new();
    for (text, kind) in pieces {
        let mut piece = message(1, text.as_bytes());
        piece.extend([2 << 3 | 5, 0, 0, 0x80, 0xbf]);
        // A normal piece need not say so.
        if *kind != 1 {
            piece.extend([number(3 << 3), number(*kind)].concat());
        }
        file.extend(message(1, &piece));
    }
    let settings = [message(7, b"corpus"), number(42 << 3), number(end)].concat();
    file.extend(message(2, &settings));
    file
}
