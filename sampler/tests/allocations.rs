//! No sampler allocates for a token, once it has seen some.

use grammask_sampler::{
    AdaptiveSettings, Candidates, ChainSettings, DrySettings, MirostatVersion, PenaltySettings,
    SamplerKind, TokenId, Vocabulary, XtcSettings,
};

/// How often a chain asks for memory in the second half of many steps.
fn asked(settings: &ChainSettings, vocabulary: &Vocabulary) -> u64 {
    let mut chain = settings.chain(vocabulary).expect("the settings are in their ranges");
    let mut candidates = Candidates::default();
    let ids = 0..u16::try_from(vocabulary.len()).expect("it is small");
    let mut logits: Vec<f32> = ids.map(|id| f32::from(id % 977) / 90.0).collect();
    let mut run = |steps: std::ops::Range<u32>| {
        for step in steps {
            logits.rotate_right(7);
            candidates.set_logits(&logits);
            chain.apply(&mut candidates);
            let drawn = candidates.selected_candidate().map_or(TokenId(0), |one| one.id);
            // The text repeats itself now and then.
            chain.accept(if step % 3 == 0 { TokenId(step % 5) } else { drawn });
        }
    };
    // What has been accepted is kept, in a list whose room doubles now and then: not between these.
    run(0..600);
    allocation_counter::measure(|| run(600..900)).count_total
}

#[test]
fn nothing_is_allocated_per_token() {
    let mut builder = Vocabulary::builder();
    (0..5_000_u32).for_each(|n| _ = builder.push(format!("{n} ")));
    builder.push_eog("</s>");
    let vocabulary = builder.build().expect("the tokens are distinct");
    let all = ChainSettings {
        samplers: Vec::new(),
        logit_bias: vec![(TokenId(3), 1.0)],
        penalties: PenaltySettings { repeat: 1.1, frequency: 0.1, ..PenaltySettings::default() },
        dry: DrySettings { multiplier: 0.8, ..DrySettings::default() },
        top_n_sigma: 2.0,
        top_k: 900,
        typical: 0.9,
        top_a: 0.01,
        epsilon_cutoff: 1e-5,
        eta_cutoff: 1e-5,
        xtc: XtcSettings { probability: 0.5, threshold: 0.01 },
        temperature_range: 0.3,
        adaptive: AdaptiveSettings { target: 0.3, ..AdaptiveSettings::default() },
        ..ChainSettings::default()
    };
    for kind in SamplerKind::ALL {
        let settings = ChainSettings { samplers: vec![kind], ..all.clone() };
        assert_eq!(asked(&settings, &vocabulary), 0, "{kind}");
    }
    for mirostat in [MirostatVersion::One, MirostatVersion::Two] {
        let settings = ChainSettings { mirostat, ..all.clone() };
        assert_eq!(asked(&settings, &vocabulary), 0, "{mirostat:?}");
    }
}
