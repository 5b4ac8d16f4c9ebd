//! `AdamW` (Loshchilov and Hutter, 2019), and how large its steps are.

use crate::network::Layout;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.95;
const EPSILON: f32 = 1e-8;
/// Pulls matrices towards zero; weights of norms are left alone.
const DECAY: f32 = 0.1;
/// Gradients longer than this are shortened to it.
const CLIP: f32 = 1.0;

/// Running means of the gradient and of its square, for each parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Optimizer {
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
}

impl Optimizer {
    pub(crate) fn new(count: usize) -> Self {
        Self { mean: vec![0.0; count], square: vec![0.0; count] }
    }

    /// Takes step number `step`, the first being 1.
    pub(crate) fn step(
        &mut self,
        layout: &Layout,
        parameters: &mut [f32],
        gradient: &[f32],
        step: usize,
        rate: f32,
    ) {
        let length =
            gradient.iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>().sqrt() as f32;
        let scale = if length > CLIP { CLIP / length } else { 1.0 };
        let (unbias1, unbias2) = (1.0 - BETA1.powi(step as i32), 1.0 - BETA2.powi(step as i32));
        for tensor in &layout.tensors {
            let decay = if tensor.rows > 1 { rate * DECAY } else { 0.0 };
            let range = tensor.range.clone();
            let state = self.mean[range.clone()].iter_mut().zip(&mut self.square[range.clone()]);
            for ((p, g), (m, v)) in
                parameters[range.clone()].iter_mut().zip(&gradient[range]).zip(state)
            {
                let g = g * scale;
                *m = BETA1 * *m + (1.0 - BETA1) * g;
                *v = BETA2 * *v + (1.0 - BETA2) * g * g;
                let step = *m / unbias1 / ((*v / unbias2).sqrt() + EPSILON);
                *p -= rate * step + decay * *p;
            }
        }
    }
}

/// The size of steps over a training of `steps`: up in a line, flat, and down to nothing over the last part, so that
/// the length of a training may be chosen while it runs (Hägele et al., 2024).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    pub(crate) steps: usize,
    pub(crate) highest: f32,
}

impl Schedule {
    const WARM_UP: usize = 60;
    /// The part of the steps in which they become smaller.
    const COOL_DOWN: f32 = 0.4;

    /// The size of step number `step`, the first being 1.
    pub(crate) fn rate(self, step: usize) -> f32 {
        let up = step as f32 / Self::WARM_UP as f32;
        let down = (self.steps + 1 - step) as f32 / (self.steps as f32 * Self::COOL_DOWN);
        self.highest * up.min(down).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Shape;

    #[test]
    fn steps_grow_stay_and_shrink() {
        let schedule = Schedule { steps: 1000, highest: 2.0 };
        let rates: Vec<f32> = (1..=1000).map(|step| schedule.rate(step)).collect();
        assert!(rates[..60].is_sorted());
        assert!(rates[59..600].iter().all(|rate| (rate - 2.0).abs() < 1e-6));
        assert!(rates[600..].is_sorted_by(|a, b| a > b) && rates[999] > 0.0 && rates[999] < 0.01);
    }

    /// Adam alone, on numbers worked out by hand: the first step goes by the rate, whatever the size of the gradient.
    #[test]
    fn the_first_step_goes_by_the_rate() {
        let layout = Layout::new(&Shape {
            vocabulary: 2,
            layers: 0,
            width: 2,
            heads: 1,
            kv_heads: 1,
            ..Shape::BOX
        });
        let mut parameters = vec![0.5, 0.5, 0.5, 0.5, 1.0, 1.0];
        let gradient = [0.1, -0.2, 0.0, 0.3, 0.0, -0.1];
        Optimizer::new(6).step(&layout, &mut parameters, &gradient, 1, 0.01);
        // Matrices also lose a thousandth.
        let expected = [0.4895, 0.5095, 0.4995, 0.4895, 1.0, 1.01];
        for (parameter, expected) in parameters.iter().zip(expected) {
            assert!((parameter - expected).abs() < 1e-5, "{parameters:?}");
        }
    }
}
