//! A chain that takes tokens back is as if they had never come.

use grammask_sampler::{
    AdaptiveSettings, Candidates, Chain, ChainSettings, DrySettings, MirostatVersion,
    PenaltySettings, SamplerKind, TokenId, Vocabulary,
};
use proptest::prelude::*;

/// Draws from some logits and accepts a token: the drawn one, or another.
fn step(chain: &mut Chain, logits: &[f32], other: Option<u32>) {
    let mut candidates = Candidates::from_logits(logits);
    let drawn = chain.sample(&mut candidates).unwrap_or(TokenId(0));
    chain.accept(other.map_or(drawn, TokenId));
}

/// What the chain makes of some logits, but for the draw.
fn left(chain: &mut Chain, logits: &[f32]) -> Vec<(TokenId, u32)> {
    let mut candidates = Candidates::from_logits(logits);
    chain.apply(&mut candidates);
    candidates.as_slice().iter().map(|one| (one.id, one.logit.to_bits())).collect()
}

fn chains() -> Vec<Chain> {
    let vocabulary =
        Vocabulary::from_json(r#"{"tokens": ["a", "b", "c", "d", "\n", "e"]}"#).unwrap();
    let settings = ChainSettings {
        penalties: PenaltySettings { last_n: 5, repeat: 1.3, frequency: 0.2, presence: 0.1 },
        dry: DrySettings { multiplier: 0.8, last_n: 9, ..DrySettings::default() },
        adaptive: AdaptiveSettings { target: 0.3, ..AdaptiveSettings::default() },
        ..ChainSettings::default()
    };
    let of = |settings: ChainSettings| settings.chain(&vocabulary).unwrap();
    let kind = |kind| of(ChainSettings { samplers: vec![kind], ..settings.clone() });
    let mirostat = |mirostat| of(ChainSettings { mirostat, ..settings.clone() });
    let mut chains: Vec<Chain> = SamplerKind::ALL
        .into_iter()
        // What it leaves is a matter of chance.
        .filter(|&one| one != SamplerKind::Xtc)
        .map(kind)
        .collect();
    chains.extend([MirostatVersion::One, MirostatVersion::Two].map(mirostat));
    chains
}

proptest! {
    #[test]
    fn what_is_taken_back_never_came(
        steps in prop::collection::vec((prop::collection::vec(-3.0_f32..3.0, 6), prop::option::of(0_u32..6)), 1..40),
        back in 0_usize..50,
    ) {
        for mut chain in chains() {
            let kept = steps.len().saturating_sub(back);
            for (logits, other) in &steps[..kept] {
                step(&mut chain, logits, *other);
            }
            let mut before = chain.clone();
            for (logits, other) in &steps[kept..] {
                step(&mut chain, logits, *other);
            }
            chain.rollback(back);
            // Twice, as the state must be right behind it as well.
            for (logits, _) in steps.iter().take(2) {
                prop_assert_eq!(left(&mut chain, logits), left(&mut before, logits), "{}", chain);
                // The two may have drawn different ones: a token that neither can draw.
                chain.accept(TokenId(6));
                before.accept(TokenId(6));
            }
        }
    }
}
