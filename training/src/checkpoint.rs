//! A training on disk, so that one that was stopped can go on.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::optimizer::Optimizer;

const MAGIC: &[u8; 8] = b"boxtrain";

/// Where a training is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) seed: u64,
    /// Steps taken.
    pub(crate) step: u64,
    /// Tokens read.
    pub(crate) tokens: u64,
    /// The number of the next document.
    pub(crate) next: u64,
    /// Time of training so far.
    pub(crate) seconds: f64,
    pub(crate) parameters: Vec<f32>,
    pub(crate) optimizer: Optimizer,
}

impl Checkpoint {
    /// Writes it beside `path` first, so that a training that is stopped here keeps the one before.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let part = path.with_extension("part");
        let mut out =
            BufWriter::new(File::create(&part).with_context(|| part.display().to_string())?);
        out.write_all(MAGIC)?;
        for number in [
            self.seed,
            self.step,
            self.tokens,
            self.next,
            self.seconds.to_bits(),
            self.parameters.len() as u64,
        ] {
            out.write_all(&number.to_le_bytes())?;
        }
        for list in [&self.parameters, &self.optimizer.mean, &self.optimizer.square] {
            for value in list {
                out.write_all(&value.to_le_bytes())?;
            }
        }
        out.into_inner()?.sync_all()?;
        std::fs::rename(&part, path).with_context(|| path.display().to_string())
    }

    /// Reads a checkpoint of a network with `count` parameters.
    pub(crate) fn load(path: &Path, count: usize) -> Result<Self> {
        let mut file =
            BufReader::new(File::open(path).with_context(|| path.display().to_string())?);
        let mut magic = [0; 8];
        file.read_exact(&mut magic)?;
        ensure!(&magic == MAGIC, "{} is no checkpoint", path.display());
        let mut number = || -> Result<u64> {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        let [seed, step, tokens, next, seconds, length] =
            [number()?, number()?, number()?, number()?, number()?, number()?];
        ensure!(
            length == count as u64,
            "{} has {length} parameters and the network {count}: train anew without --resume",
            path.display()
        );
        let mut list = || -> Result<Vec<f32>> {
            let mut bytes = vec![0; count * 4];
            file.read_exact(&mut bytes)?;
            Ok(bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
        };
        let (parameters, mean, square) = (list()?, list()?, list()?);
        let optimizer = Optimizer { mean, square };
        Ok(Self {
            seed,
            step,
            tokens,
            next,
            seconds: f64::from_bits(seconds),
            parameters,
            optimizer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_comes_back() {
        let path = std::env::temp_dir().join(format!("grammask-checkpoint-{}", std::process::id()));
        let optimizer = Optimizer { mean: vec![0.5, -1.0, 0.0], square: vec![1.0, 2.0, 3.0] };
        let parameters = vec![1.5, f32::MIN_POSITIVE, -3.0];
        let checkpoint = Checkpoint {
            seed: 1,
            step: 2,
            tokens: 3,
            next: 4,
            seconds: 0.25,
            parameters,
            optimizer,
        };
        checkpoint.save(&path).unwrap();
        assert_eq!(Checkpoint::load(&path, 3).unwrap(), checkpoint);
        let error = Checkpoint::load(&path, 4).unwrap_err().to_string();
        assert!(
            error.ends_with("has 3 parameters and the network 4: train anew without --resume"),
            "{error}"
        );
        std::fs::remove_file(&path).unwrap();
    }
}
