//! The masks of many texts at once.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::constraint::Constraint;
use crate::mask::TokenMask;

/// Fills the mask of each constraint, as [`Constraint::fill_mask`] does, on the threads of the
/// current `rayon` pool. What is the same text position of the same constraint, as in the forks of
/// a beam or in the requests that begin with one schema, is computed once. Clones share their
/// tables, and are filled one after the other; constraints that were made apart, side by side.
///
/// # Panics
///
/// If there are not as many masks as constraints, or if a mask is not as long as the vocabulary.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Engine, TokenMask, Vocabulary, fill_masks};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse(r#"root ::= "a" | "b""#)?, "root")?;
/// let mut masks = vec![TokenMask::new(2); 3];
/// fill_masks(&vec![constraint; 3], &mut masks);
/// assert!(masks.iter().all(|mask| mask.count() == 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_masks(constraints: &[Constraint], masks: &mut [TokenMask]) {
    assert_eq!(constraints.len(), masks.len(), "a mask for each constraint");
    // By what they share, then by where they are.
    let mut batches: FxHashMap<_, FxHashMap<_, Situation>> = FxHashMap::default();
    for (index, (constraint, mask)) in constraints.iter().zip(masks).enumerate() {
        let constraint = constraint.deciding();
        let batch = batches.entry(constraint.shared()).or_default();
        let place = match constraint.strict() {
            Some(strict) => Ok(strict.matcher.state()),
            // Two free texts are hardly ever at the same place, and their mask is soon there.
            None => Err(index),
        };
        batch
            .entry((place, constraint.is_ended()))
            .or_insert_with(|| Situation { constraint, masks: Vec::new() })
            .masks
            .push(mask);
    }
    let batches: Vec<_> = batches.into_values().collect();
    batches.into_par_iter().for_each(|batch| batch.into_values().for_each(Situation::fill));
}

/// A constraint, and all masks that are its mask.
struct Situation<'a> {
    constraint: &'a Constraint,
    masks: Vec<&'a mut TokenMask>,
}

impl Situation<'_> {
    fn fill(self) {
        let mut masks = self.masks.into_iter();
        let Some(first) = masks.next() else { return };
        self.constraint.fill_mask(first);
        masks.for_each(|mask| mask.copy_from(first));
    }
}
