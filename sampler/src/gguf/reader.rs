//! A file that knows how much of it is left.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::GgufError;

/// No key and no text of a list has more bytes.
const LONGEST_ITEM: u64 = 1 << 16;

/// No other text has more: templates of conversations are the longest, and have some ten thousand.
const LONGEST_TEXT: u64 = 1 << 20;

/// A file that knows how much of it is left: no length is believed beyond that.
pub(super) struct Reader<F> {
    file: BufReader<F>,
    len: u64,
    left: u64,
}

impl<F: Read + Seek> Reader<F> {
    pub(super) fn new(mut file: F) -> Result<Self, GgufError> {
        let start = file.stream_position()?;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(start))?;
        let len = end.saturating_sub(start);
        Ok(Self { file: BufReader::with_capacity(1 << 16, file), len, left: len })
    }

    /// How long the file is, from where reading began.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// How many bytes have been read.
    pub(super) fn position(&self) -> u64 {
        self.len - self.left
    }

    /// Takes note that so many bytes are read.
    fn take(&mut self, len: u64, field: &str) -> Result<(), GgufError> {
        let breaks_off = || {
            let message = format!("needs {len} bytes, and the file has {} more", self.left);
            GgufError::field(field, message)
        };
        self.left = self.left.checked_sub(len).ok_or_else(breaks_off)?;
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self, field: &str) -> Result<[u8; N], GgufError> {
        self.take(N as u64, field)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self, field: &str) -> Result<u32, GgufError> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: &str) -> Result<u64, GgufError> {
        self.array(field).map(u64::from_le_bytes)
    }

    fn text_within(&mut self, longest: u64, field: &str) -> Result<String, GgufError> {
        let len = self.u64(field)?;
        if len > longest && len <= self.left {
            let message = format!("is a text of {len} bytes, more than {longest}");
            return Err(GgufError::field(field, message));
        }
        self.take(len, field)?;
        let mut bytes = vec![0; len as usize];
        self.file.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(|error| GgufError::field(field, error.to_string()))
    }

    /// A text that is a value by itself.
    pub(super) fn text(&mut self, field: &str) -> Result<String, GgufError> {
        self.text_within(LONGEST_TEXT, field)
    }

    /// A text of a list, or a key.
    pub(super) fn item(&mut self, field: &str) -> Result<String, GgufError> {
        self.text_within(LONGEST_ITEM, field)
    }

    /// Compares a number of items, each of which takes at least `size` bytes, with what is left.
    pub(super) fn expect_items(&self, count: u64, size: u64, field: &str) -> Result<(), GgufError> {
        if count > self.left / size {
            let message =
                format!("claims {count} items, and the file has {} bytes more", self.left);
            return Err(GgufError::field(field, message));
        }
        Ok(())
    }

    pub(super) fn texts(&mut self, count: u64, field: &str) -> Result<Vec<String>, GgufError> {
        self.expect_items(count, 8, field)?;
        (0..count).map(|_| self.item(field)).collect()
    }

    pub(super) fn numbers<const N: usize, T>(
        &mut self,
        count: u64,
        field: &str,
        number: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, GgufError> {
        self.expect_items(count, N as u64, field)?;
        (0..count).map(|_| self.array(field).map(&number)).collect()
    }
}
