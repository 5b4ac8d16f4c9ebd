//! What layers keep of the positions of a text.

use candle_core::{DType, Device, Result, Tensor};

use crate::config::{Config, LayerConfig};
use crate::rope::Rope;

/// No buffer has room for fewer positions.
const SMALLEST: usize = 256;

/// What all layers keep of the positions of a text: keys and values, or the inputs of convolutions.
/// Grows by doubling. It does not know how many positions are in use.
#[derive(Debug)]
pub(crate) struct Cache {
    pub(crate) layers: Vec<LayerCache>,
}

/// What a layer keeps.
#[derive(Debug)]
pub(crate) enum LayerCache {
    Attention { keys: Buffer, values: Buffer, window: Option<usize> },
    Convolution { inputs: Buffer },
}

/// Numbers of positions: `groups` times `width` for each, in 32 bits.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// `(groups, capacity, width)`.
    numbers: Option<Tensor>,
    groups: usize,
    width: usize,
    device: Device,
}

impl Buffer {
    fn new(groups: usize, width: usize, device: &Device) -> Self {
        Self { numbers: None, groups, width, device: device.clone() }
    }

    /// `(groups, width)`.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.groups, self.width)
    }

    fn capacity(&self) -> usize {
        self.numbers.as_ref().map_or(0, |numbers| numbers.dims()[1])
    }

    /// Puts `(groups, count, width)` numbers at the positions from `start` on, and makes room for
    /// them.
    pub(crate) fn write(&mut self, start: usize, numbers: &Tensor) -> Result<()> {
        let end = start + numbers.dim(1)?;
        if end > self.capacity() {
            let capacity = end.next_power_of_two().max(SMALLEST);
            let shape = (self.groups, capacity, self.width);
            let grown = Tensor::zeros(shape, DType::F32, &self.device)?;
            if start > 0 {
                grown.slice_set(&self.read(0, start)?.contiguous()?, 1, 0)?;
            }
            self.numbers = Some(grown);
        }
        match &self.numbers {
            Some(room) => room.slice_set(&numbers.contiguous()?, 1, start),
            None => Ok(()),
        }
    }

    /// `(groups, count, width)` numbers of the positions from `start` on. A view: what is written
    /// there later shows.
    pub(crate) fn read(&self, start: usize, count: usize) -> Result<Tensor> {
        match &self.numbers {
            Some(numbers) => numbers.narrow(1, start, count),
            None => Tensor::zeros((self.groups, 0, self.width), DType::F32, &self.device),
        }
    }

    /// Drops `count` positions from `start` on; what follows moves up, as `change` makes it.
    fn remove(
        &mut self,
        start: usize,
        count: usize,
        len: usize,
        change: impl Fn(Tensor) -> Result<Tensor>,
    ) -> Result<()> {
        let rest = self.read(start + count, len - start - count)?;
        // A copy: what is read and what is written overlap.
        let rest = change(rest.copy()?.contiguous()?)?;
        self.write(start, &rest)
    }
}

impl Cache {
    pub(crate) fn new(config: &Config, device: &Device) -> Self {
        let layer = |layer: &LayerConfig| match *layer {
            LayerConfig::Attention { kv_heads, window } => LayerCache::Attention {
                keys: Buffer::new(kv_heads, config.head_width, device),
                values: Buffer::new(kv_heads, config.head_width, device),
                window,
            },
            LayerConfig::Convolution => {
                LayerCache::Convolution { inputs: Buffer::new(1, config.width, device) }
            }
        };
        Self { layers: config.layers.iter().map(layer).collect() }
    }

    /// All buffers, in the order of the layers.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = &Buffer> {
        self.layers
            .iter()
            .flat_map(|layer| match layer {
                LayerCache::Attention { keys, values, .. } => [Some(keys), Some(values)],
                LayerCache::Convolution { inputs } => [Some(inputs), None],
            })
            .flatten()
    }

    /// All buffers, in the order of the layers, to be filled.
    pub(crate) fn buffers_mut(&mut self) -> impl Iterator<Item = &mut Buffer> {
        self.layers
            .iter_mut()
            .flat_map(|layer| match layer {
                LayerCache::Attention { keys, values, .. } => [Some(keys), Some(values)],
                LayerCache::Convolution { inputs } => [Some(inputs), None],
            })
            .flatten()
    }

    /// Drops `count` positions from `start` on. What follows, up to the position `len`, moves up:
    /// its keys are turned back to their new positions, as llama.cpp's `build_rope_shift` does.
    pub(crate) fn remove(
        &mut self,
        start: usize,
        count: usize,
        len: usize,
        rope: &Rope,
        is_long: bool,
    ) -> Result<()> {
        let moved = len - start - count;
        if moved == 0 {
            return Ok(());
        }
        for layer in &mut self.layers {
            match layer {
                LayerCache::Attention { keys, values, window } => {
                    let device = &keys.device.clone();
                    let rotation = rope.back(count, moved, is_long, device)?;
                    let rotation = rotation.of(*window);
                    keys.remove(start, count, len, |keys| rope.apply(&keys, rotation))?;
                    values.remove(start, count, len, Ok)?;
                }
                LayerCache::Convolution { inputs } => inputs.remove(start, count, len, Ok)?,
            }
        }
        Ok(())
    }
}
