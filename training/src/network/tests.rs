use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;

const SMALL: Shape = Shape {
    vocabulary: 24,
    context: 16,
    width: 16,
    layers: 2,
    heads: 4,
    kv_heads: 2,
    hidden: 24,
    rope_base: 10_000.0,
    epsilon: 1e-5,
};

fn parameters(network: &Network, rng: &mut ChaCha8Rng) -> Vec<f32> {
    (0..network.layout.count()).map(|_| rng.random_range(-0.6..0.6)).collect()
}

fn batch() -> Batch {
    let mut batch = Batch::default();
    batch.push(&[0, 5, 7, 7, 3, 11, 0]);
    batch.push(&[0, 23, 1, 2, 0]);
    batch
}

/// The oracle of the backward pass: differences of the forward pass along random directions, in each tensor.
#[test]
fn gradients_are_the_slopes_of_the_loss() {
    let network = Network::new(SMALL);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let parameters = parameters(&network, &mut rng);
    let batch = batch();
    let mut gradient = vec![0.0; parameters.len()];
    let total = network.backward(&parameters, &batch, 1.0, &mut gradient);
    let loss = |parameters: &[f32]| {
        network.losses(parameters, &batch).iter().map(|&x| f64::from(x)).sum::<f64>()
    };
    assert!((total - loss(&parameters)).abs() < 1e-4, "{total}");
    for tensor in &network.layout.tensors {
        let direction: Vec<f32> =
            tensor.range.clone().map(|_| rng.random_range(-1.0..1.0)).collect();
        let step = 0.2 / direction.len() as f32;
        let moved = |by: f32| {
            let mut moved = parameters.clone();
            for (value, direction) in moved[tensor.range.clone()].iter_mut().zip(&direction) {
                *value += by * direction;
            }
            loss(&moved)
        };
        let slope = (moved(step) - moved(-step)) / f64::from(2.0 * step);
        let expected: f32 =
            gradient[tensor.range.clone()].iter().zip(&direction).map(|(a, b)| a * b).sum();
        let difference = (slope - f64::from(expected)).abs();
        assert!(
            difference < 0.01 * slope.abs().max(1.0),
            "{}: {slope} and {expected}",
            tensor.name
        );
    }
}

#[test]
fn documents_of_a_batch_do_not_see_each_other() {
    let network = Network::new(SMALL);
    let parameters = parameters(&network, &mut ChaCha8Rng::seed_from_u64(2));
    let together = network.losses(&parameters, &batch());
    let mut alone = Batch::default();
    alone.push(&[0, 23, 1, 2, 0]);
    for (a, b) in together[6..].iter().zip(network.losses(&parameters, &alone)) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}

#[test]
fn what_comes_later_changes_nothing_before() {
    let network = Network::new(SMALL);
    let parameters = parameters(&network, &mut ChaCha8Rng::seed_from_u64(3));
    let long = network.logits(&parameters, &[0, 4, 9, 2, 17]);
    let short = network.logits(&parameters, &[0, 4, 9]);
    for (a, b) in short.iter().zip(&long) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}

#[test]
fn the_fast_exponential_is_close() {
    for i in -8700..=8700_i16 {
        let x = f32::from(i) / 100.0;
        let expected = f64::from(x).exp();
        assert!((f64::from(exp(x)) - expected).abs() < 1e-5 * expected, "{x}");
    }
}
