//! A chain from settings, as users of llama.cpp write them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{
    AdaptiveP, AdaptiveSettings, Chain, Dist, Dry, DryBreakers, DrySettings, DynamicTemperature,
    EpsilonCutoff, EtaCutoff, Infill, LogitBias, MinP, Mirostat, MirostatSettings, MirostatV2,
    ParameterError, Penalties, PenaltySettings, Temperature, TokenId, TopA, TopK, TopNSigma, TopP,
    Typical, Vocabulary, Xtc, XtcSettings,
};

/// A sampler that settings put into a chain by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerKind {
    /// [`Penalties`].
    Penalties,
    /// [`Dry`].
    Dry,
    /// [`TopNSigma`].
    TopNSigma,
    /// [`TopK`].
    TopK,
    /// [`Typical`].
    Typical,
    /// [`TopP`].
    TopP,
    /// [`MinP`].
    MinP,
    /// [`Xtc`].
    Xtc,
    /// [`DynamicTemperature`].
    Temperature,
    /// [`Infill`].
    Infill,
    /// [`TopA`].
    TopA,
    /// [`EpsilonCutoff`].
    EpsilonCutoff,
    /// [`EtaCutoff`].
    EtaCutoff,
    /// [`AdaptiveP`]: it selects in place of [`Dist`] at the end, wherever it stands.
    AdaptiveP,
}

impl SamplerKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Penalties,
        Self::Dry,
        Self::TopNSigma,
        Self::TopK,
        Self::Typical,
        Self::TopP,
        Self::MinP,
        Self::Xtc,
        Self::Temperature,
        Self::Infill,
        Self::TopA,
        Self::EpsilonCutoff,
        Self::EtaCutoff,
        Self::AdaptiveP,
    ];

    /// The samplers of a chain, in order, unless others are asked for: `edskypmxt`.
    pub const DEFAULT: [Self; 9] = [
        Self::Penalties,
        Self::Dry,
        Self::TopNSigma,
        Self::TopK,
        Self::Typical,
        Self::TopP,
        Self::MinP,
        Self::Xtc,
        Self::Temperature,
    ];

    /// Its name in a list of samplers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Penalties => "penalties",
            Self::Dry => "dry",
            Self::TopNSigma => "top_n_sigma",
            Self::TopK => "top_k",
            Self::Typical => "typ_p",
            Self::TopP => "top_p",
            Self::MinP => "min_p",
            Self::Xtc => "xtc",
            Self::Temperature => "temperature",
            Self::Infill => "infill",
            Self::TopA => "top_a",
            Self::EpsilonCutoff => "epsilon_cutoff",
            Self::EtaCutoff => "eta_cutoff",
            Self::AdaptiveP => "adaptive_p",
        }
    }

    /// Its letter in a sequence of samplers, if it has one.
    pub fn letter(self) -> Option<char> {
        Some(match self {
            Self::Penalties => 'e',
            Self::Dry => 'd',
            Self::TopNSigma => 's',
            Self::TopK => 'k',
            Self::Typical => 'y',
            Self::TopP => 'p',
            Self::MinP => 'm',
            Self::Xtc => 'x',
            Self::Temperature => 't',
            Self::Infill => 'i',
            Self::AdaptiveP => 'a',
            Self::TopA | Self::EpsilonCutoff | Self::EtaCutoff => return None,
        })
    }

    /// The samplers of a list of names with `;` between them.
    ///
    /// # Errors
    ///
    /// [`SettingsError::UnknownName`]. (llama.cpp leaves out what it does not know.)
    ///
    /// ```
    /// use grammask_sampler::SamplerKind;
    ///
    /// let samplers = SamplerKind::list("top-k;Nucleus;temp")?;
    /// assert_eq!(samplers, [SamplerKind::TopK, SamplerKind::TopP, SamplerKind::Temperature]);
    /// # Ok::<(), grammask_sampler::SettingsError>(())
    /// ```
    pub fn list(names: &str) -> Result<Vec<Self>, SettingsError> {
        names.split(';').filter(|name| !name.trim().is_empty()).map(str::parse).collect()
    }

    /// The samplers of a sequence of letters.
    ///
    /// # Errors
    ///
    /// [`SettingsError::UnknownLetter`].
    ///
    /// ```
    /// use grammask_sampler::SamplerKind;
    ///
    /// assert_eq!(SamplerKind::sequence("kt")?, [SamplerKind::TopK, SamplerKind::Temperature]);
    /// # Ok::<(), grammask_sampler::SettingsError>(())
    /// ```
    pub fn sequence(letters: &str) -> Result<Vec<Self>, SettingsError> {
        let of = |letter| Self::ALL.into_iter().find(|kind| kind.letter() == Some(letter));
        letters.chars().map(|c| of(c).ok_or(SettingsError::UnknownLetter(c))).collect()
    }
}

/// The name, as in a list of samplers.
impl fmt::Display for SamplerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Small or capital letters, with or without `-` and `_`, and what others call it.
impl FromStr for SamplerKind {
    type Err = SettingsError;

    fn from_str(name: &str) -> Result<Self, SettingsError> {
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
            letters.map(|c| c.to_ascii_lowercase()).collect()
        };
        let wanted = plain(name);
        match &*wanted {
            "nucleus" => return Ok(Self::TopP),
            "temp" => return Ok(Self::Temperature),
            "typ" | "typical" | "typicalp" => return Ok(Self::Typical),
            _ => {}
        }
        let known = Self::ALL.into_iter().find(|kind| plain(kind.name()) == wanted);
        known.ok_or_else(|| SettingsError::UnknownName(name.trim().to_owned()))
    }
}

/// Which of mirostat's samplers takes the place of all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirostatVersion {
    /// None.
    #[default]
    Off,
    /// [`Mirostat`].
    One,
    /// [`MirostatV2`].
    Two,
}

/// The settings of a chain. The defaults are those of llama.cpp's command line.
///
/// Source: `common_params_sampling` and `common_sampler_init` of llama.cpp.
///
/// ```
/// use grammask_sampler::{ChainSettings, Vocabulary};
///
/// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?;
/// let settings = ChainSettings { temperature: 0.0, ..ChainSettings::default() };
/// let chain = settings.chain(&vocabulary)?;
/// assert_eq!(
///     chain.to_string(),
///     "logits -> ?penalties -> ?dry -> ?top-n-sigma -> top-k -> ?typical -> top-p -> min-p -> ?xtc \
///      -> temp-ext -> dist"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSettings {
    /// The samplers, in order. Default: [`SamplerKind::DEFAULT`]. One may be there more than once.
    pub samplers: Vec<SamplerKind>,
    /// The seed of all samplers that draw. Default: 1.
    pub seed: u32,
    /// How many candidates top-p, min-p, typical and xtc leave at least. Default: 0.
    pub min_keep: usize,
    /// What is added to the logits of tokens, before everything else. Default: nothing.
    pub logit_bias: Vec<(TokenId, f32)>,
    /// Whether the tokens that end generation are ruled out. Default: no.
    pub ignore_eos: bool,
    /// Penalties for what has come. Default: none.
    pub penalties: PenaltySettings,
    /// Penalties for what would go on with a repeat. Default: none.
    pub dry: DrySettings,
    /// Texts over which repeats do not go. Default: [`DryBreakers::DEFAULT_TEXTS`].
    pub dry_breakers: Vec<String>,
    /// See [`TopNSigma`]. Default: -1, off.
    pub top_n_sigma: f32,
    /// See [`TopK`]. Default: 40.
    pub top_k: i32,
    /// See [`Typical`]. Default: 1, off.
    pub typical: f32,
    /// See [`TopP`]. Default: 0.95.
    pub top_p: f32,
    /// See [`MinP`]. Default: 0.05.
    pub min_p: f32,
    /// See [`TopA`]. Default: 0, off.
    pub top_a: f32,
    /// See [`EpsilonCutoff`]. Default: 0, off.
    pub epsilon_cutoff: f32,
    /// See [`EtaCutoff`]. Default: 0, off.
    pub eta_cutoff: f32,
    /// See [`Xtc`]. Default: off.
    pub xtc: XtcSettings,
    /// See [`DynamicTemperature`]. Default: 0.8.
    pub temperature: f32,
    /// How far the temperature may go from that. Default: 0.
    pub temperature_range: f32,
    /// See [`DynamicTemperature`]. Default: 1.
    pub temperature_exponent: f32,
    /// Whether the chain is bias, temperature and mirostat instead of the samplers. Default: no.
    pub mirostat: MirostatVersion,
    /// The settings of mirostat.
    pub mirostat_settings: MirostatSettings,
    /// See [`AdaptiveP`].
    pub adaptive: AdaptiveSettings,
}

impl Default for ChainSettings {
    fn default() -> Self {
        Self {
            samplers: SamplerKind::DEFAULT.to_vec(),
            seed: 1,
            min_keep: 0,
            logit_bias: Vec::new(),
            ignore_eos: false,
            penalties: PenaltySettings::default(),
            dry: DrySettings::default(),
            dry_breakers: DryBreakers::DEFAULT_TEXTS.map(str::to_owned).to_vec(),
            top_n_sigma: -1.0,
            top_k: 40,
            typical: 1.0,
            top_p: 0.95,
            min_p: 0.05,
            top_a: 0.0,
            epsilon_cutoff: 0.0,
            eta_cutoff: 0.0,
            xtc: XtcSettings::default(),
            temperature: 0.8,
            temperature_range: 0.0,
            temperature_exponent: 1.0,
            mirostat: MirostatVersion::Off,
            mirostat_settings: MirostatSettings::default(),
            adaptive: AdaptiveSettings::default(),
        }
    }
}

impl ChainSettings {
    /// The chain, for a vocabulary.
    ///
    /// # Errors
    ///
    /// [`SettingsError::Parameter`] for a setting that a sampler cannot work with,
    /// [`SettingsError::NoSuchToken`] for a bias of a token that the vocabulary does not have.
    pub fn chain(&self, vocabulary: &Vocabulary) -> Result<Chain, SettingsError> {
        let mut chain = Chain::new();
        let biases = self.biases(vocabulary)?;
        if !biases.is_empty() {
            chain.add(LogitBias::new(biases)?);
        }
        let mirostat = self.mirostat_settings;
        match self.mirostat {
            MirostatVersion::Off => {}
            MirostatVersion::One => {
                chain.add(Temperature::new(self.temperature)?);
                chain.add(Mirostat::new(mirostat, vocabulary.len(), self.seed)?);
                return Ok(chain);
            }
            MirostatVersion::Two => {
                chain.add(Temperature::new(self.temperature)?);
                chain.add(MirostatV2::new(mirostat, self.seed)?);
                return Ok(chain);
            }
        }
        for &kind in &self.samplers {
            self.add(kind, vocabulary, &mut chain)?;
        }
        if self.samplers.contains(&SamplerKind::AdaptiveP) {
            chain.add(AdaptiveP::new(self.adaptive, self.seed)?);
        } else {
            chain.add(Dist::new(self.seed));
        }
        Ok(chain)
    }

    fn biases(&self, vocabulary: &Vocabulary) -> Result<Vec<(TokenId, f32)>, SettingsError> {
        let is_known = |&&(token, _): &&(TokenId, f32)| vocabulary.bytes(token).is_some();
        if let Some(&(token, _)) = self.logit_bias.iter().find(|bias| !is_known(bias)) {
            return Err(SettingsError::NoSuchToken { token, len: vocabulary.len() });
        }
        let ended = vocabulary.eog_ids().iter().filter(|_| self.ignore_eos);
        let ended = ended.map(|&token| (token, f32::NEG_INFINITY));
        Ok(self.logit_bias.iter().copied().chain(ended).collect())
    }

    fn add(
        &self,
        kind: SamplerKind,
        vocabulary: &Vocabulary,
        chain: &mut Chain,
    ) -> Result<(), SettingsError> {
        let min_keep = self.min_keep;
        match kind {
            SamplerKind::Penalties => chain.add(Penalties::new(self.penalties)?),
            SamplerKind::Dry => {
                // Finding the breakers is worth the time only where they matter.
                let breakers = if self.dry.is_off() {
                    DryBreakers::default()
                } else {
                    DryBreakers::from_texts(vocabulary, &self.dry_breakers)
                };
                chain.add(Dry::new(self.dry, breakers)?)
            }
            SamplerKind::TopNSigma => chain.add(TopNSigma::new(self.top_n_sigma)?),
            SamplerKind::TopK => chain.add(TopK::new(self.top_k)),
            SamplerKind::Typical => chain.add(Typical::new(self.typical, min_keep)?),
            SamplerKind::TopP => chain.add(TopP::new(self.top_p, min_keep)?),
            SamplerKind::MinP => chain.add(MinP::new(self.min_p, min_keep)?),
            SamplerKind::Xtc => chain.add(Xtc::new(self.xtc, min_keep, self.seed)?),
            SamplerKind::Temperature => chain.add(DynamicTemperature::new(
                self.temperature,
                self.temperature_range,
                self.temperature_exponent,
            )?),
            SamplerKind::Infill => chain.add(Infill::new(vocabulary)),
            SamplerKind::TopA => chain.add(TopA::new(self.top_a, min_keep)?),
            SamplerKind::EpsilonCutoff => {
                chain.add(EpsilonCutoff::new(self.epsilon_cutoff, min_keep)?)
            }
            SamplerKind::EtaCutoff => chain.add(EtaCutoff::new(self.eta_cutoff, min_keep)?),
            // It comes at the end.
            SamplerKind::AdaptiveP => chain,
        };
        Ok(())
    }
}

/// Settings of which no chain can be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A setting that a sampler cannot work with.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A bias of a token that the vocabulary does not have.
    #[error("a bias for token {token}: the vocabulary has {len} ids, some unused")]
    NoSuchToken {
        /// The token.
        token: TokenId,
        /// Number of ids of the vocabulary.
        len: usize,
    },
    /// A name that no sampler has.
    #[error("no sampler is called '{0}'; there are {names}", names = names())]
    UnknownName(String),
    /// A letter that stands for no sampler.
    #[error("no sampler has the letter '{0}'; there are {letters}", letters = letters())]
    UnknownLetter(char),
}

fn names() -> String {
    SamplerKind::ALL.map(SamplerKind::name).join(", ")
}

fn letters() -> String {
    let known = SamplerKind::ALL.into_iter();
    let known = known.filter_map(|kind| Some(format!("{} ({kind})", kind.letter()?)));
    known.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        Vocabulary::from_json(r#"{"tokens": ["a", "b", "</s>"], "eog": [2]}"#).unwrap()
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in SamplerKind::ALL {
            let spellings = [kind.name().to_owned(), kind.name().replace('_', "-").to_uppercase()];
            for name in spellings {
                assert_eq!(name.parse(), Ok(kind), "{name}");
            }
            if let Some(letter) = kind.letter() {
                assert_eq!(SamplerKind::sequence(&letter.to_string()), Ok(vec![kind]));
            }
        }
        assert_eq!("top".parse::<SamplerKind>(), Err(SettingsError::UnknownName("top".to_owned())));
        assert_eq!(SamplerKind::sequence("kq"), Err(SettingsError::UnknownLetter('q')));
        assert_eq!(SamplerKind::list(""), Ok(Vec::new()));
    }

    #[test]
    fn mirostat_takes_the_place_of_all_others() {
        let settings = ChainSettings {
            logit_bias: vec![(TokenId(1), 1.0)],
            mirostat: MirostatVersion::Two,
            ..ChainSettings::default()
        };
        let chain = settings.chain(&vocabulary()).unwrap();
        assert_eq!(chain.to_string(), "logits -> logit-bias -> temp -> mirostat-v2");
    }

    #[test]
    fn adaptive_p_selects_wherever_it_stands() {
        let samplers = SamplerKind::sequence("akk").unwrap();
        let settings = ChainSettings { samplers, ..ChainSettings::default() };
        let chain = settings.chain(&vocabulary()).unwrap();
        assert_eq!(chain.to_string(), "logits -> top-k -> top-k -> adaptive-p");
    }

    #[test]
    fn the_end_may_be_ruled_out() {
        let settings = ChainSettings { ignore_eos: true, ..ChainSettings::default() };
        let mut chain = settings.chain(&vocabulary()).unwrap();
        let mut candidates = crate::Candidates::from_logits(&[0.0, 1.0, 90.0]);
        assert_ne!(chain.sample(&mut candidates), Some(TokenId(2)));
        let settings =
            ChainSettings { logit_bias: vec![(TokenId(3), 1.0)], ..ChainSettings::default() };
        let error = settings.chain(&vocabulary()).unwrap_err();
        assert_eq!(error, SettingsError::NoSuchToken { token: TokenId(3), len: 3 });
    }
}
