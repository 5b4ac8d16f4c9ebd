//! Tensors of a file: where they lie, whether they are as they should be, and their reading.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Tensor};
use grammask_sampler::gguf::Header;

use crate::digest::Digest;
use crate::matrix::Matrix;
use crate::{LoadError, Progress};

/// So many bytes are read between two notices of progress.
const PIECE: usize = 1 << 24;

/// So many bytes of each tensor count for the fingerprint.
const SAMPLE: usize = 64;

/// A tensor that lies within the file.
struct Place {
    kind: GgmlDType,
    /// The last one is that of neighbours in memory, as candle has it; gguf has it the other way
    /// around.
    shape: Vec<usize>,
    /// From the start of the file on.
    offset: u64,
    bytes: usize,
    is_used: bool,
}

/// The tensors of a file, each of which is asked for by its name and shape.
pub(crate) struct Weights<'a, F> {
    file: F,
    device: &'a Device,
    places: HashMap<&'a str, Place>,
    progress: &'a mut dyn FnMut(Progress),
    done: u64,
    total: u64,
    digest: Digest,
}

impl<'a, F: Read + Seek> Weights<'a, F> {
    /// Looks all descriptions through; nothing is read yet.
    pub(crate) fn new(
        header: &'a Header,
        file: F,
        device: &'a Device,
        progress: &'a mut dyn FnMut(Progress),
        digest: Digest,
    ) -> Result<Self, LoadError> {
        let available = header.file_len().saturating_sub(header.data_offset());
        let mut places = HashMap::new();
        let mut total = 0_u64;
        for tensor in header.tensors() {
            let name = tensor.name.as_str();
            let wrong = |message: String| LoadError::tensor(name, message);
            let kind = kind(tensor.kind).ok_or_else(|| {
                wrong(format!("its type is number {} of ggml, which is not read", tensor.kind))
            })?;
            let count = tensor.dimensions.iter().try_fold(1_u64, |count, &dimension| {
                count.checked_mul(dimension).filter(|_| dimension > 0)
            });
            let block = kind.block_size() as u64;
            let row = tensor.dimensions.first().copied().unwrap_or(1);
            if !row.is_multiple_of(block) {
                let message = format!("its rows of {row} are not whole blocks of {block} {kind:?}");
                return Err(wrong(message));
            }
            let bytes =
                count.and_then(|count| (count / block).checked_mul(kind.type_size() as u64));
            let end = bytes.and_then(|bytes| tensor.offset.checked_add(bytes));
            let (Some(bytes), Some(_)) = (bytes, end.filter(|&end| end <= available)) else {
                let message = format!(
                    "{:?} {kind:?} at {} are not within the {available} bytes of tensors that the \
                     file has",
                    tensor.dimensions, tensor.offset
                );
                return Err(wrong(message));
            };
            if !tensor.offset.is_multiple_of(header.alignment()) {
                let message =
                    format!("begins at {}, no multiple of {}", tensor.offset, header.alignment());
                return Err(wrong(message));
            }
            // Each is below the length of the file, and their number is, too.
            total = total.saturating_add(bytes);
            if total > available {
                return Err(wrong("overlaps with others".to_owned()));
            }
            let place = Place {
                kind,
                shape: tensor.dimensions.iter().rev().map(|&size| size as usize).collect(),
                offset: header.data_offset() + tensor.offset,
                bytes: bytes as usize,
                is_used: false,
            };
            if places.insert(name, place).is_some() {
                return Err(wrong("is there twice".to_owned()));
            }
        }
        Ok(Self { file, device, places, progress, done: 0, total, digest })
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The type of a tensor.
    pub(crate) fn kind(&self, name: &str) -> Option<GgmlDType> {
        self.places.get(name).map(|place| place.kind)
    }

    /// Reads a tensor if it has this shape.
    fn bytes(&mut self, name: &str, shape: &[usize]) -> Result<(GgmlDType, Vec<u8>), LoadError> {
        let missing = || LoadError::tensor(name, "is missing");
        let place = self.places.get_mut(name).ok_or_else(missing)?;
        if place.shape != shape {
            let message = format!(
                "has the dimensions {:?}, and should have {:?}",
                place.shape.iter().rev().collect::<Vec<_>>(),
                shape.iter().rev().collect::<Vec<_>>()
            );
            return Err(LoadError::tensor(name, message));
        }
        place.is_used = true;
        self.file.seek(SeekFrom::Start(place.offset))?;
        let mut bytes = vec![0; place.bytes];
        for piece in bytes.chunks_mut(PIECE) {
            self.file.read_exact(piece)?;
            self.done += piece.len() as u64;
            (self.progress)(Progress { done: self.done, total: self.total });
        }
        self.digest.add(&bytes[..SAMPLE.min(bytes.len())]);
        Ok((place.kind, bytes))
    }

    /// Numbers, whatever their type in the file.
    fn numbers(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, LoadError> {
        let (kind, bytes) = self.bytes(name, shape)?;
        let storage = QStorage::from_data(Cow::Owned(bytes), self.device, kind)?;
        Ok(QTensor::new(storage, shape)?.dequantize(self.device)?)
    }

    /// A list of numbers.
    pub(crate) fn vector(&mut self, name: &str, len: usize) -> Result<Tensor, LoadError> {
        self.numbers(name, &[len])
    }

    /// Numbers in rows.
    pub(crate) fn table(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Tensor, LoadError> {
        self.numbers(name, &[rows, columns])
    }

    /// A matrix from `columns` to `rows` numbers, quantised as the file has it.
    pub(crate) fn matrix(
        &mut self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Matrix, LoadError> {
        self.joined(&[(name, rows)], columns)
    }

    /// Matrices of the same type, one below the other.
    pub(crate) fn joined(
        &mut self,
        parts: &[(&str, usize)],
        columns: usize,
    ) -> Result<Matrix, LoadError> {
        let mut joined = Vec::new();
        let mut rows = 0;
        let mut kind = GgmlDType::F32;
        for &(name, part) in parts {
            let (its_kind, bytes) = self.bytes(name, &[part, columns])?;
            joined = if joined.is_empty() { bytes } else { [joined, bytes].concat() };
            kind = its_kind;
            rows += part;
        }
        Ok(Matrix::new(kind, joined, rows, columns, self.device)?)
    }

    /// As many matrices as there are experts.
    pub(crate) fn experts(
        &mut self,
        name: &str,
        count: usize,
        rows: usize,
        columns: usize,
    ) -> Result<Vec<Matrix>, LoadError> {
        let (kind, bytes) = self.bytes(name, &[count, rows, columns])?;
        let matrix =
            |bytes: &[u8]| Ok(Matrix::new(kind, bytes.to_vec(), rows, columns, self.device)?);
        bytes.chunks_exact(bytes.len() / count).map(matrix).collect()
    }

    /// The fingerprint of what was read, if nothing is left: a tensor without a part in the model
    /// means that it is built in another way than it is run.
    pub(crate) fn finish(self) -> Result<u64, LoadError> {
        let unused = self.places.iter().filter(|(_, place)| !place.is_used);
        if let Some((name, _)) = unused.min_by_key(|(_, place)| place.offset) {
            return Err(LoadError::tensor(*name, "has no part in this architecture as it is run"));
        }
        Ok(self.digest.value())
    }
}

/// The types that candle knows, by their numbers in `enum ggml_type`.
fn kind(number: u32) -> Option<GgmlDType> {
    Some(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        9 => GgmlDType::Q8_1,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        15 => GgmlDType::Q8K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}
