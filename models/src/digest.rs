//! Sums that tell files apart and find accidents. They keep no secrets.

use std::io::{Read, Write};

/// FNV-1a in 64 bits: <https://datatracker.ietf.org/doc/html/rfc9923>.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// A reader or writer of which all that goes through is summed up.
pub(crate) struct Summed<F> {
    pub(crate) file: F,
    pub(crate) digest: Digest,
}

impl<F> Summed<F> {
    pub(crate) fn new(file: F) -> Self {
        Self { file, digest: Digest::new() }
    }
}

impl<F: Read> Read for Summed<F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.digest.add(&buffer[..count]);
        Ok(count)
    }
}

impl<F: Write> Write for Summed<F> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.file.write(buffer)?;
        self.digest.add(&buffer[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
