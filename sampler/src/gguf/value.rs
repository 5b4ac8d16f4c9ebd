//! The values of the metadata, typed as the file types them.

use std::io::{Read, Seek};

use super::GgufError;
use super::reader::Reader;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names of the variants are those of the types.
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Text(String),
    Array(Array),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// A list of values that have the same type.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Array {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    Text(Vec<String>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

/// The number by which a file says that a value is an array.
const ARRAY: u32 = 9;

impl Value {
    /// Reads a type and the value behind it.
    pub(super) fn read<F: Read + Seek>(
        reader: &mut Reader<F>,
        field: &str,
    ) -> Result<Self, GgufError> {
        Ok(match reader.u32(field)? {
            0 => Self::U8(reader.array::<1>(field)?[0]),
            1 => Self::I8(i8::from_le_bytes(reader.array(field)?)),
            2 => Self::U16(u16::from_le_bytes(reader.array(field)?)),
            3 => Self::I16(i16::from_le_bytes(reader.array(field)?)),
            4 => Self::U32(reader.u32(field)?),
            5 => Self::I32(i32::from_le_bytes(reader.array(field)?)),
            6 => Self::F32(f32::from_le_bytes(reader.array(field)?)),
            7 => Self::Bool(reader.array::<1>(field)?[0] != 0),
            8 => Self::Text(reader.text(field)?),
            ARRAY => Self::Array(Array::read(reader, field)?),
            10 => Self::U64(reader.u64(field)?),
            11 => Self::I64(i64::from_le_bytes(reader.array(field)?)),
            12 => Self::F64(f64::from_le_bytes(reader.array(field)?)),
            other => return Err(unknown(field, other)),
        })
    }

    /// The integer that it is, of whatever type.
    ///
    /// ```
    /// use grammask_sampler::gguf::Value;
    ///
    /// assert_eq!(Value::U16(7).integer(), Some(7));
    /// assert_eq!(Value::F32(7.0).integer(), None);
    /// ```
    pub fn integer(&self) -> Option<i128> {
        Some(match *self {
            Self::U8(number) => number.into(),
            Self::I8(number) => number.into(),
            Self::U16(number) => number.into(),
            Self::I16(number) => number.into(),
            Self::U32(number) => number.into(),
            Self::I32(number) => number.into(),
            Self::U64(number) => number.into(),
            Self::I64(number) => number.into(),
            _ => return None,
        })
    }

    /// What it is, in words, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::F32(_) | Self::F64(_) => "a number with fraction",
            Self::Bool(_) => "a bool",
            Self::Text(_) => "a text",
            Self::Array(_) => "an array",
            _ => "an integer",
        }
    }
}

impl Array {
    fn read<F: Read + Seek>(reader: &mut Reader<F>, field: &str) -> Result<Self, GgufError> {
        let kind = reader.u32(field)?;
        let count = reader.u64(field)?;
        Ok(match kind {
            0 => Self::U8(reader.numbers(count, field, u8::from_le_bytes)?),
            1 => Self::I8(reader.numbers(count, field, i8::from_le_bytes)?),
            2 => Self::U16(reader.numbers(count, field, u16::from_le_bytes)?),
            3 => Self::I16(reader.numbers(count, field, i16::from_le_bytes)?),
            4 => Self::U32(reader.numbers(count, field, u32::from_le_bytes)?),
            5 => Self::I32(reader.numbers(count, field, i32::from_le_bytes)?),
            6 => Self::F32(reader.numbers(count, field, f32::from_le_bytes)?),
            7 => Self::Bool(reader.numbers(count, field, |[byte]: [u8; 1]| byte != 0)?),
            8 => Self::Text(reader.texts(count, field)?),
            10 => Self::U64(reader.numbers(count, field, u64::from_le_bytes)?),
            11 => Self::I64(reader.numbers(count, field, i64::from_le_bytes)?),
            12 => Self::F64(reader.numbers(count, field, f64::from_le_bytes)?),
            ARRAY => {
                return Err(GgufError::field(field, "is an array of arrays, which is not read"));
            }
            other => return Err(unknown(field, other)),
        })
    }

    /// The number of items.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(items) => items.len(),
            Self::I8(items) => items.len(),
            Self::U16(items) => items.len(),
            Self::I16(items) => items.len(),
            Self::U32(items) => items.len(),
            Self::I32(items) => items.len(),
            Self::F32(items) => items.len(),
            Self::Bool(items) => items.len(),
            Self::Text(items) => items.len(),
            Self::U64(items) => items.len(),
            Self::I64(items) => items.len(),
            Self::F64(items) => items.len(),
        }
    }

    /// The integers that it has, of whatever type.
    ///
    /// ```
    /// use grammask_sampler::gguf::Array;
    ///
    /// assert_eq!(Array::U8(vec![1, 2]).integers(), Some(vec![1, 2]));
    /// assert_eq!(Array::F32(vec![1.0]).integers(), None);
    /// ```
    pub fn integers(&self) -> Option<Vec<i128>> {
        fn wide<T: Copy + Into<i128>>(items: &[T]) -> Vec<i128> {
            items.iter().map(|&item| item.into()).collect()
        }
        Some(match self {
            Self::U8(items) => wide(items),
            Self::I8(items) => wide(items),
            Self::U16(items) => wide(items),
            Self::I16(items) => wide(items),
            Self::U32(items) => wide(items),
            Self::I32(items) => wide(items),
            Self::U64(items) => wide(items),
            Self::I64(items) => wide(items),
            _ => return None,
        })
    }
}

fn unknown(field: &str, kind: u32) -> GgufError {
    GgufError::field(field, format!("the type {kind} is not known"))
}
