//! Rotary position embeddings.

use std::io::{Read, Seek};

use candle_core::{D, Device, Result, Tensor};

use crate::LoadError;
use crate::config::Config;
use crate::small;
use crate::weights::Weights;

// Llama 3 has factors for all contexts, Phi 3 for short and for long ones.
const ALL: &str = "rope_freqs.weight";
const SHORT: &str = "rope_factors_short.weight";
const LONG: &str = "rope_factors_long.weight";

/// Turns pairs of numbers of a head by an angle that is the position times the frequency of the pair
/// (Su et al., "`RoFormer`", 2021).
#[derive(Clone, Debug)]
pub(crate) struct Rope {
    /// One for each pair.
    frequencies: Vec<f32>,
    /// Those of layers with a window.
    window_frequencies: Vec<f32>,
    /// Those for contexts beyond a length, if they are others.
    long: Option<(usize, Vec<f32>)>,
    /// What rotated numbers are multiplied with.
    magnitude: f32,
    interleaved: bool,
    head_width: usize,
}

/// The angles of some positions, as cosines and sines: a row for each position.
#[derive(Clone, Debug)]
pub(crate) struct Rotation {
    cos: Tensor,
    sin: Tensor,
}

/// The angles of some positions for each kind of layer.
#[derive(Clone, Debug)]
pub(crate) struct Rotations {
    all: Rotation,
    window: Rotation,
}

impl Rotations {
    /// The angles for a layer.
    pub(crate) fn of(&self, window: Option<usize>) -> &Rotation {
        if window.is_some() { &self.window } else { &self.all }
    }
}

impl Rope {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let rope = &config.rope;
        let pairs = rope.dimensions / 2;
        // In 32 bits, as models are trained.
        let frequency = |base: f64| {
            let base = base as f32;
            (0..pairs)
                .map(move |pair| 1.0 / base.powf(2.0 * pair as f32 / rope.dimensions as f32))
                .collect::<Vec<f32>>()
        };
        let plain: Vec<f32> =
            frequency(rope.base).iter().map(|&plain| plain / rope.factor as f32).collect();
        let mut long = None;
        let frequencies = if weights.has(ALL) {
            divided(&plain, ALL, weights)?
        } else if weights.has(SHORT) || weights.has(LONG) {
            let original = rope.original_context.ok_or_else(|| {
                let name = config.architecture.name();
                let key = format!("{name}.rope.scaling.original_context_length");
                LoadError::key(key, "is missing, and there are factors for long contexts")
            })?;
            long = Some((original, divided(&plain, LONG, weights)?));
            divided(&plain, SHORT, weights)?
        } else {
            plain
        };
        Ok(Self {
            frequencies,
            window_frequencies: frequency(rope.window_base),
            long,
            magnitude: rope.magnitude as f32,
            interleaved: config.architecture.traits().interleaved,
            head_width: config.head_width,
        })
    }

    /// Whether the frequencies for long contexts count in a context of so many tokens.
    pub(crate) fn is_long(&self, context_length: usize) -> bool {
        self.long.as_ref().is_some_and(|(original, _)| context_length > *original)
    }

    /// The angles of `count` positions from `start` on.
    pub(crate) fn forth(
        &self,
        start: usize,
        count: usize,
        is_long: bool,
        device: &Device,
    ) -> Result<Rotations> {
        let positions = || (start..start + count).map(|position| position as f32);
        self.rotations(positions, self.magnitude, is_long, device)
    }

    /// The angles that turn `count` positions back by `distance`.
    pub(crate) fn back(
        &self,
        distance: usize,
        count: usize,
        is_long: bool,
        device: &Device,
    ) -> Result<Rotations> {
        // What was multiplied once is not multiplied again.
        self.rotations(|| std::iter::repeat_n(-(distance as f32), count), 1.0, is_long, device)
    }

    fn rotations<I: Iterator<Item = f32>>(
        &self,
        positions: impl Fn() -> I,
        magnitude: f32,
        is_long: bool,
        device: &Device,
    ) -> Result<Rotations> {
        let frequencies = match &self.long {
            Some((_, long)) if is_long => long,
            _ => &self.frequencies,
        };
        let all = self.rotation(frequencies, positions(), magnitude, device)?;
        let window = if self.window_frequencies == *frequencies {
            all.clone()
        } else {
            self.rotation(&self.window_frequencies, positions(), magnitude, device)?
        };
        Ok(Rotations { all, window })
    }

    fn rotation(
        &self,
        frequencies: &[f32],
        positions: impl Iterator<Item = f32>,
        magnitude: f32,
        device: &Device,
    ) -> Result<Rotation> {
        // Neighbours beyond those that are rotated are turned by nothing.
        let pairs = if self.interleaved { self.head_width / 2 } else { frequencies.len() };
        let (mut cos, mut sin) = (Vec::new(), Vec::new());
        for position in positions {
            for frequency in frequencies {
                let angle = position * frequency;
                cos.push(angle.cos() * magnitude);
                sin.push(angle.sin() * magnitude);
            }
            cos.resize(cos.len() + pairs - frequencies.len(), 1.0);
            sin.resize(cos.len(), 0.0);
        }
        let shape = (cos.len() / pairs, pairs);
        Ok(Rotation {
            cos: Tensor::from_vec(cos, shape, device)?,
            sin: Tensor::from_vec(sin, shape, device)?,
        })
    }

    /// Rotates `(heads, positions, head width)`.
    pub(crate) fn apply(&self, heads: &Tensor, rotation: &Rotation) -> Result<Tensor> {
        let Rotation { cos, sin } = rotation;
        let heads = heads.unsqueeze(0)?;
        let rotated = cos.dim(1)? * 2;
        let turned = if self.interleaved || rotated == self.head_width {
            small::rotate(&heads, cos, sin, self.interleaved)?
        } else {
            let first = heads.narrow(D::Minus1, 0, rotated)?.contiguous()?;
            let first = small::rotate(&first, cos, sin, false)?;
            let rest = heads.narrow(D::Minus1, rotated, self.head_width - rotated)?;
            Tensor::cat(&[&first, &rest], D::Minus1)?.contiguous()?
        };
        turned.squeeze(0)
    }
}

/// Frequencies divided by the factors of a tensor.
fn divided<F: Read + Seek>(
    plain: &[f32],
    name: &str,
    weights: &mut Weights<'_, F>,
) -> std::result::Result<Vec<f32>, LoadError> {
    let factors = weights.vector(name, plain.len())?.to_vec1::<f32>()?;
    if factors.iter().any(|&factor| !factor.is_finite() || factor <= 0.0) {
        return Err(LoadError::tensor(name, "has a factor that is not above 0"));
    }
    Ok(plain.iter().zip(factors).map(|(plain, factor)| plain / factor).collect())
}
