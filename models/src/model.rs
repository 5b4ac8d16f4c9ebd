//! A model that has been read.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use candle_core::Device;
use grammask_sampler::Vocabulary;
use grammask_sampler::gguf::Header;

use crate::config::Config;
use crate::decoder::Decoder;
use crate::digest::Digest;
use crate::weights::Weights;
use crate::{Architecture, LoadError};

/// How much of the tensors of a file has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done.
    pub done: u64,
    /// All bytes.
    pub total: u64,
}

/// A model that has been read: weights, hyperparameters, vocabulary. Cheap to clone.
///
/// Weights stay quantised as they are in the file; those of types that are not quantised become
/// numbers of 32 bits.
///
/// ```no_run
/// use grammask_models::{Device, Evaluation, EvaluationOptions, Model};
///
/// let model = Model::open("model.gguf".as_ref(), &Device::Cpu, |progress| {
///     eprintln!("{} of {} bytes", progress.done, progress.total);
/// })?;
/// let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
/// let prompt = model.vocabulary().encode("Once upon a time")?;
/// let logits = evaluation.logits(&prompt)?;
/// assert_eq!(logits.len(), model.vocabulary().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    header: Header,
    config: Config,
    vocabulary: Vocabulary,
    decoder: Decoder,
    device: Device,
    fingerprint: u64,
}

impl Model {
    /// Reads a GGUF file. `progress` is called after each piece of it.
    ///
    /// # Errors
    ///
    /// [`LoadError::File`] with the path and one of the others.
    ///
    /// ```
    /// use grammask_models::{Device, Model};
    ///
    /// let error = Model::open("/no/such/file".as_ref(), &Device::Cpu, |_| {}).unwrap_err();
    /// assert!(error.to_string().starts_with("/no/such/file: cannot read it: "));
    /// ```
    pub fn open(
        path: &Path,
        device: &Device,
        progress: impl FnMut(Progress),
    ) -> Result<Self, LoadError> {
        let read = || Self::read(File::open(path)?, device, progress);
        read().map_err(|error| error.in_file(path))
    }

    /// Reads a GGUF file from wherever it is: bytes in memory through a
    /// [`Cursor`](std::io::Cursor).
    ///
    /// # Errors
    ///
    /// What is wrong with the head, the vocabulary, a hyperparameter or a tensor: see [`LoadError`].
    ///
    /// ```
    /// use std::io::Cursor;
    /// use grammask_models::{Device, Model};
    ///
    /// let error = Model::read(Cursor::new(b"GGML"), &Device::Cpu, |_| {}).unwrap_err();
    /// assert_eq!(error.to_string(), "GGUF: magic: is not \"GGUF\"");
    /// ```
    pub fn read(
        mut file: impl Read + Seek,
        device: &Device,
        mut progress: impl FnMut(Progress),
    ) -> Result<Self, LoadError> {
        file.seek(SeekFrom::Start(0))?;
        let header = Header::read(&mut file)?;
        let config = Config::read(&header)?;
        let vocabulary = Vocabulary::from_gguf_header(&header)?;
        let digest = digest(&header, &mut file)?;
        let mut weights = Weights::new(&header, file, device, &mut progress, digest)?;
        let decoder = Decoder::read(&config, vocabulary.len(), &mut weights)?;
        let fingerprint = weights.finish()?;
        let device = device.clone();
        let inner = Inner { header, config, vocabulary, decoder, device, fingerprint };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the tokens spell.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.vocabulary
    }

    /// What the file says in front of its tensors: its name, the template of conversations, merges.
    pub fn header(&self) -> &Header {
        &self.inner.header
    }

    /// How many tokens the model was made for.
    pub fn context_length(&self) -> usize {
        self.inner.config.context_length
    }

    /// How it is built.
    pub fn architecture(&self) -> Architecture {
        self.inner.config.architecture
    }

    pub(crate) fn config(&self) -> &Config {
        &self.inner.config
    }

    pub(crate) fn decoder(&self) -> &Decoder {
        &self.inner.decoder
    }

    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Tells this file from others: a sum of its length, its head, and how each tensor begins.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.inner.fingerprint
    }
}

/// The sum of the length of a file and its head.
fn digest(header: &Header, file: &mut (impl Read + Seek)) -> Result<Digest, LoadError> {
    let mut digest = Digest::new();
    digest.add(&header.file_len().to_le_bytes());
    file.seek(SeekFrom::Start(0))?;
    let mut head = BufReader::new(file.take(header.data_offset()));
    let mut piece = [0; 1 << 13];
    loop {
        match head.read(&mut piece)? {
            0 => return Ok(digest),
            count => digest.add(&piece[..count]),
        }
    }
}
