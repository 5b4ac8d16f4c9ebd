//! The head of a file as a whole.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use super::reader::Reader;
use super::{Array, GgufError, MAGIC, Value};

/// Where tensors begin if the file does not say: at multiples of this many bytes.
const ALIGNMENT: u64 = 32;

/// The key under which it may say so.
const ALIGNMENT_KEY: &str = "general.alignment";

/// The most dimensions that a tensor of ggml has.
const MOST_DIMENSIONS: u32 = 4;

/// The head of a GGUF file: metadata, and the descriptions of the tensors.
///
/// ```
/// use std::io::Cursor;
/// use grammask_sampler::gguf::{Header, Value};
///
/// let mut file = b"GGUF".to_vec();
/// file.extend(3_u32.to_le_bytes());
/// file.extend([0_u64, 1].map(u64::to_le_bytes).concat()); // no tensor, one value
/// file.extend(7_u64.to_le_bytes());
/// file.extend(b"a.count");
/// file.extend([4_u32, 12].map(u32::to_le_bytes).concat()); // the type, the value
/// let header = Header::read(Cursor::new(file))?;
/// assert_eq!(header.value("a.count"), Some(&Value::U32(12)));
/// assert_eq!(header.integer("a.count")?, Some(12));
/// let error = header.text("a.count").unwrap_err();
/// assert_eq!(error.to_string(), "GGUF: a.count: is an integer, and should be a text");
/// # Ok::<(), grammask_sampler::gguf::GgufError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    version: u32,
    metadata: BTreeMap<String, Value>,
    tensors: Vec<TensorDescription>,
    alignment: u64,
    data_offset: u64,
    file_len: u64,
}

/// What a file says of one of its tensors. Nothing of it is checked against the file but that it is
/// written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorDescription {
    /// Its name.
    pub name: String,
    /// Its dimensions, at most 4; the first one is that of neighbours in memory, as ggml has it.
    pub dimensions: Vec<u64>,
    /// The number of its type, as in ggml's `enum ggml_type`.
    pub kind: u32,
    /// Where it begins, in bytes from the [`data_offset`](Header::data_offset) on.
    pub offset: u64,
}

impl Header {
    /// Reads the head of a file, up to where the tensors begin.
    ///
    /// No length is believed beyond that of the file; a text that is a value has at most 1 MiB, any
    /// other 64 KiB.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] with the key or the tensor, [`GgufError::Unreadable`].
    pub fn read(file: impl Read + Seek) -> Result<Self, GgufError> {
        let mut reader = Reader::new(file)?;
        if &reader.array::<4>("magic")? != MAGIC {
            return Err(GgufError::field("magic", "is not \"GGUF\""));
        }
        let version = match reader.u32("version")? {
            version @ (2 | 3) => version,
            version if (2..4).contains(&version.swap_bytes()) => {
                let message = "the file is big-endian, which is not supported";
                return Err(GgufError::field("version", message));
            }
            version => {
                return Err(GgufError::field("version", format!("{version} is neither 2 nor 3")));
            }
        };
        let tensor_count = reader.u64("tensor count")?;
        let value_count = reader.u64("metadata count")?;
        let mut metadata = BTreeMap::new();
        for at in 0..value_count {
            let key = reader.item(&format!("key {at} of {value_count}"))?;
            let value = Value::read(&mut reader, &key)?;
            if metadata.contains_key(&key) {
                return Err(GgufError::field(key, "is there twice"));
            }
            metadata.insert(key, value);
        }
        let tensors = tensors(&mut reader, tensor_count)?;
        let mut header = Self {
            version,
            metadata,
            tensors,
            alignment: ALIGNMENT,
            data_offset: 0,
            file_len: reader.len(),
        };
        if let Some(alignment) = header.integer(ALIGNMENT_KEY)? {
            if !alignment.is_power_of_two() {
                let message = format!("{alignment} is not a power of two");
                return Err(GgufError::field(ALIGNMENT_KEY, message));
            }
            header.alignment = alignment;
        }
        let data_offset = reader.position().checked_next_multiple_of(header.alignment);
        header.data_offset = data_offset.ok_or_else(|| {
            GgufError::field(ALIGNMENT_KEY, format!("{} is too much", header.alignment))
        })?;
        Ok(header)
    }

    /// 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// All values of the metadata by their keys.
    pub fn metadata(&self) -> &BTreeMap<String, Value> {
        &self.metadata
    }

    /// What is said of the tensors, in the order of the file.
    pub fn tensors(&self) -> &[TensorDescription] {
        &self.tensors
    }

    /// Each tensor begins at a multiple of so many bytes: a power of two.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Where the tensors begin, in bytes from the start of the file. May lie behind its end if there
    /// are none.
    pub fn data_offset(&self) -> u64 {
        self.data_offset
    }

    /// How many bytes the file has, the tensors included.
    pub fn file_len(&self) -> u64 {
        self.file_len
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.metadata.get(key)
    }

    /// The text of a key; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type.
    pub fn text(&self, key: &str) -> Result<Option<&str>, GgufError> {
        self.typed(key, "a text", |value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The integer of a key, of whatever type; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type or negative.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, GgufError> {
        let Some(number) = self.typed(key, "an integer", Value::integer)? else {
            return Ok(None);
        };
        let number = u64::try_from(number)
            .map_err(|_| GgufError::field(key, format!("{number} is negative")))?;
        Ok(Some(number))
    }

    /// The number of a key; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type or not finite.
    pub fn number(&self, key: &str) -> Result<Option<f64>, GgufError> {
        let number = self.typed(key, "a number", |value| match *value {
            Value::F32(number) => Some(f64::from(number)),
            Value::F64(number) => Some(number),
            _ => None,
        })?;
        match number {
            Some(number) if !number.is_finite() => {
                Err(GgufError::field(key, format!("{number} is not finite")))
            }
            number => Ok(number),
        }
    }

    /// The truth value of a key; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type.
    pub fn flag(&self, key: &str) -> Result<Option<bool>, GgufError> {
        self.typed(key, "a bool", |value| match *value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        })
    }

    /// The texts of a key; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type.
    pub fn texts(&self, key: &str) -> Result<Option<&[String]>, GgufError> {
        self.typed(key, "an array of texts", |value| match value {
            Value::Array(Array::Text(texts)) => Some(texts.as_slice()),
            _ => None,
        })
    }

    /// The integers of a key, of whatever type; `None` if there is no such key.
    ///
    /// # Errors
    ///
    /// [`GgufError::Field`] if the value is of another type.
    pub fn integers(&self, key: &str) -> Result<Option<Vec<i128>>, GgufError> {
        self.typed(key, "an array of integers", |value| match value {
            Value::Array(array) => array.integers(),
            _ => None,
        })
    }

    fn typed<'h, T>(
        &'h self,
        key: &str,
        expected: &str,
        get: impl Fn(&'h Value) -> Option<T>,
    ) -> Result<Option<T>, GgufError> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let wrong =
            || GgufError::field(key, format!("is {}, and should be {expected}", value.kind()));
        get(value).ok_or_else(wrong).map(Some)
    }
}

fn tensors<F: Read + Seek>(
    reader: &mut Reader<F>,
    count: u64,
) -> Result<Vec<TensorDescription>, GgufError> {
    // The length of the name, the number of dimensions, the type, the offset.
    reader.expect_items(count, 8 + 4 + 4 + 8, "tensor count")?;
    let mut tensors = Vec::new();
    for at in 0..count {
        let name = reader.item(&format!("name of tensor {at} of {count}"))?;
        let field = format!("tensor {name:?}");
        let rank = reader.u32(&field)?;
        if rank > MOST_DIMENSIONS {
            let message = format!("has {rank} dimensions, more than {MOST_DIMENSIONS}");
            return Err(GgufError::field(field, message));
        }
        let dimensions = (0..rank).map(|_| reader.u64(&field)).collect::<Result<Vec<u64>, _>>()?;
        let kind = reader.u32(&field)?;
        let offset = reader.u64(&field)?;
        tensors.push(TensorDescription { name, dimensions, kind, offset });
    }
    Ok(tensors)
}
