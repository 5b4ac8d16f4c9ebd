//! How far a sampler looks: what lets `Mode::Exact` do without a mask, and a chain without most candidates.

/// Which candidates make a difference to what a sampler leaves.
///
/// What it leaves are the candidates with their logits and their order, and which one is selected.
/// The promise of each variant is what [`Chain`](crate::Chain) and
/// [`Mode::Exact`](crate::Mode::Exact) rely on; a sampler that
/// cannot give it says [`Reach::All`].
///
/// ```
/// use grammask_sampler::{Greedy, MinP, Reach, Sampler, Temperature, TopK};
///
/// assert_eq!(Temperature::new(0.5)?.reach(), Reach::Each);
/// assert_eq!(TopK::new(40).reach(), Reach::Best(40));
/// assert_eq!(TopK::new(0).reach(), Reach::Off);
/// assert_eq!(MinP::new(1.0, 0)?.reach(), Reach::Within(0.0));
/// assert_eq!(Greedy.reach(), Reach::First);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reach {
    /// Switched off by its settings: leaves the candidates as they are, and draws no random number.
    Off,
    /// Changes the logit of each candidate by itself, whatever the others are. All stay in their
    /// order, none is selected and no random number is drawn.
    Each,
    /// Leaves the best so many, at least one, as [`Candidates::partial_sort`](crate::Candidates::partial_sort)
    /// does. The order of candidates with equal logits may depend on the others.
    Best(usize),
    /// Leaves, in their order, those whose logit is at least the greatest plus this, which is 0 or
    /// less, in single precision. Without the others it would leave the same, if any is above -inf.
    Within(f32),
    /// Leaves, sorted, the best whose probabilities among all candidates together reach this, which is between 0
    /// and 1, the one that reaches it included. Goes by the logits, and leaves those as they are.
    Mass(f32),
    /// Selects the first of those with the greatest logit, if that is above -inf, and leaves all.
    First,
    /// All of them may matter.
    All,
}
