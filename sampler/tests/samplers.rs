//! What holds of every chain, whatever its samplers, their settings and the logits.

use std::collections::HashSet;

use grammask_sampler::{
    AdaptiveSettings, Candidates, Chain, ChainSettings, DrySettings, MirostatSettings,
    MirostatVersion, PenaltySettings, SamplerKind, Vocabulary, XtcSettings,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The vocabulary of all chains: texts that begin with each other, and two tokens that end generation.
const TOKENS: usize = 60;

fn vocabulary() -> Vocabulary {
    let mut builder = Vocabulary::builder();
    (2..TOKENS).for_each(|n| _ = builder.push(format!("{n:b}")));
    builder.push_eog("</s>");
    builder.push_eog("<end>");
    builder.build().expect("the tokens are distinct")
}

/// Also such as are odd.
fn numbers() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -1.5_f32..1.5,
        2 => select(vec![0.0, 1.0, -1.0, 0.5, 40.0, f32::MIN_POSITIVE, 1e30, -1e30]),
    ]
}

fn settings() -> impl Strategy<Value = ChainSettings> {
    let samplers = vec(select(SamplerKind::ALL.to_vec()), 0..8);
    let mirostat = select(vec![
        MirostatVersion::Off,
        MirostatVersion::Off,
        MirostatVersion::One,
        MirostatVersion::Two,
    ]);
    (samplers, mirostat, vec(numbers(), 24), any::<u32>(), 0_usize..4, -2_i32..70).prop_map(
        |(samplers, mirostat, numbers, seed, min_keep, count)| {
            let mut numbers = numbers.into_iter();
            let mut number = || numbers.next().unwrap_or_default();
            ChainSettings {
                samplers,
                seed,
                min_keep,
                penalties: PenaltySettings {
                    last_n: count,
                    repeat: number().abs().max(f32::MIN_POSITIVE),
                    frequency: number(),
                    presence: number(),
                },
                dry: DrySettings {
                    multiplier: number(),
                    base: number(),
                    allowed_length: count % 4,
                    last_n: count,
                },
                dry_breakers: vec!["01".to_owned()],
                top_n_sigma: number(),
                top_k: count,
                typical: number(),
                top_p: number(),
                min_p: number(),
                top_a: number(),
                epsilon_cutoff: number(),
                eta_cutoff: number(),
                xtc: XtcSettings { probability: number(), threshold: number() },
                temperature: number(),
                temperature_range: number(),
                temperature_exponent: number(),
                mirostat,
                mirostat_settings: MirostatSettings { tau: number(), eta: number() },
                adaptive: AdaptiveSettings { target: number(), decay: number() },
                ..ChainSettings::default()
            }
        },
    )
}

/// Logits of which some may be no numbers.
fn any_logits() -> impl Strategy<Value = Vec<f32>> {
    let odd = select(vec![f32::NEG_INFINITY, f32::INFINITY, f32::NAN, 0.0, f32::MAX, f32::MIN]);
    vec(prop_oneof![6 => -9.0_f32..9.0, 1 => odd], 0..=TOKENS)
}

/// Applies a chain a few times, each draw accepted, and gives what is left each time.
fn run(chain: &mut Chain, logits: &[f32]) -> Vec<Candidates> {
    let once = |_| {
        let mut candidates = Candidates::from_logits(logits);
        chain.apply(&mut candidates);
        if let Some(selected) = candidates.selected_candidate() {
            chain.accept(selected.id);
        }
        candidates
    };
    (0..6).map(once).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// No order of samplers and no logits make a chain panic, and nothing comes out that has not gone
    /// in, but for the end of generation that infill may bring.
    #[test]
    fn what_comes_out_has_gone_in(settings in settings(), logits in any_logits()) {
        let vocabulary = vocabulary();
        // What a sampler cannot work with is an error.
        let Ok(mut chain) = settings.chain(&vocabulary) else { return Ok(()) };
        for candidates in run(&mut chain, &logits) {
            let ids: Vec<_> = candidates.as_slice().iter().map(|c| c.id).collect();
            let distinct: HashSet<_> = ids.iter().collect();
            prop_assert_eq!(distinct.len(), ids.len());
            let may_come =
                |id| vocabulary.is_eog(id) && settings.samplers.contains(&SamplerKind::Infill);
            prop_assert!(ids.iter().all(|&id| id.index() < logits.len() || may_come(id)));
            prop_assert_eq!(candidates.selected().is_some(), !candidates.is_empty());
            prop_assert_eq!(candidates.is_empty(), logits.is_empty());
        }
    }

    /// Behind a sampler that selects, the probabilities are those of what is left.
    #[test]
    fn probabilities_sum_to_one(settings in settings(), logits in vec(-9.0_f32..9.0, 1..=TOKENS)) {
        let Ok(mut chain) = settings.chain(&vocabulary()) else { return Ok(()) };
        for candidates in run(&mut chain, &logits) {
            let slice = candidates.as_slice();
            // An absurd setting may have made a logit infinite.
            if slice.iter().any(|c| c.logit > f32::NEG_INFINITY)
                && slice.iter().all(|c| c.logit < f32::INFINITY && !c.logit.is_nan())
            {
                let sum: f64 = slice.iter().map(|c| f64::from(c.p)).sum();
                prop_assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            }
        }
    }

    /// A chain goes on as its clone does, and from the start after a reset.
    #[test]
    fn clones_and_resets(settings in settings(), logits in vec(-9.0_f32..9.0, 1..=TOKENS)) {
        let Ok(mut chain) = settings.chain(&vocabulary()) else { return Ok(()) };
        let ids = |all: Vec<Candidates>| -> Vec<_> {
            all.iter().map(|c| c.selected_candidate().map(|one| one.id)).collect()
        };
        let first = ids(run(&mut chain, &logits));
        let mut copy = chain.clone();
        prop_assert_eq!(ids(run(&mut copy, &logits)), ids(run(&mut chain, &logits)));
        chain.reset();
        prop_assert_eq!(ids(run(&mut chain, &logits)), first);
    }
}
