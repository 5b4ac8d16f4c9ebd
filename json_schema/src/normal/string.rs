//! Sets of strings, over decoded code points.

use super::{Constraint, Terms, Trouble, least};
use crate::language::{Approximation, LanguageId, Languages, TooLarge};

/// A set of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StringSet {
    /// These, in order of appearance; at least one.
    Values(Vec<String>),
    /// Those of a length in this range of code points, but for some.
    Lengths {
        min: u64,
        /// `None`: no bound.
        max: Option<u64>,
        /// Excluded ones of a length in the range, sorted.
        except: Vec<String>,
    },
    /// Those of a language that have a length in this range; at least one, perhaps of those that
    /// cannot be told.
    Matching { texts: Approximation, min: u64, max: Option<u64> },
}

impl StringSet {
    /// All strings of at least `min` and at most `max` code points.
    pub(crate) fn lengths(min: u64, max: Option<u64>) -> Self {
        Self::Lengths { min, max, except: Vec::new() }
    }

    /// The texts of a language.
    pub(crate) fn texts(texts: Approximation) -> Self {
        Self::Matching { texts, min: 0, max: None }
    }

    /// The texts of at least `min` and at most `max` code points; `None` if there are none. If a
    /// language is too large, that is noted in the terms.
    fn matching(
        texts: Approximation,
        min: u64,
        max: Option<u64>,
        terms: &mut Terms,
    ) -> Option<Self> {
        if texts.lower == LanguageId::EVERYTHING {
            return Some(Self::lengths(min, max));
        }
        let is_everything = texts.lower == texts.upper && {
            let found = terms.languages.is_everything(texts.upper);
            terms.or_too_large(found, false)
        };
        if is_everything {
            return Some(Self::lengths(min, max));
        }
        terms.has_texts(texts.upper, min, max).then_some(Self::Matching { texts, min, max })
    }

    /// All strings of a union; `None` if no language says exactly which these are.
    pub(crate) fn any_of(union: &[Self], terms: &mut Terms) -> Option<LanguageId> {
        let mut all = LanguageId::NOTHING;
        for set in union {
            let texts = set.language(&mut terms.languages).and_then(|(texts, min, max)| {
                let bound = |bound: u64| u32::try_from(bound).map_err(|_| TooLarge);
                let lengths = terms.languages.lengths(bound(min)?, max.map(bound).transpose()?)?;
                texts.and(lengths.into(), &mut terms.languages)
            });
            let Approximation { lower, upper } =
                terms.or_too_large(texts, LanguageId::EVERYTHING.into());
            if lower != upper {
                return None;
            }
            all = terms.either_key(all, lower);
        }
        Some(all)
    }

    /// Whether a string is known to be in it.
    pub(crate) fn is_written(&self, terms: &mut Terms) -> bool {
        match self {
            Self::Values(_) | Self::Lengths { .. } => true,
            Self::Matching { texts, min, max } => {
                texts.lower == texts.upper || terms.has_texts(texts.lower, *min, *max)
            }
        }
    }

    /// Whether this string is in it; `None` if that cannot be told.
    fn contains(&self, text: &str, languages: &mut Languages) -> Result<Option<bool>, TooLarge> {
        Ok(match self {
            Self::Values(values) => Some(values.iter().any(|value| value == text)),
            Self::Lengths { min, max, except } => Some(
                has_length(text, *min, *max)
                    && except.binary_search_by(|value| value.as_str().cmp(text)).is_err(),
            ),
            Self::Matching { texts, min, max } => {
                if !has_length(text, *min, *max) || !languages.contains(texts.upper, text)? {
                    Some(false)
                } else if languages.contains(texts.lower, text)? {
                    Some(true)
                } else {
                    None
                }
            }
        })
    }

    /// Those of these values that are in it; `None` if none is.
    fn among(&self, values: &[String], terms: &mut Terms) -> Result<Option<Self>, TooLarge> {
        let languages = &mut terms.languages;
        let (mut known, mut possible) = (Vec::new(), Vec::new());
        for value in values {
            let contained = self.contains(value, languages)?;
            if contained != Some(false) {
                possible.push(value.clone());
            }
            if contained == Some(true) {
                known.push(value.clone());
            }
        }
        if known.len() < possible.len() {
            let lower = alternatives(languages, &known)?;
            let upper = alternatives(languages, &possible)?;
            return Ok(Some(Self::texts(Approximation { lower, upper })));
        }
        Ok((!known.is_empty()).then_some(Self::Values(known)))
    }

    /// As a language with a range of lengths.
    fn language(
        &self,
        languages: &mut Languages,
    ) -> Result<(Approximation, u64, Option<u64>), TooLarge> {
        Ok(match self {
            Self::Values(values) => (alternatives(languages, values)?.into(), 0, None),
            Self::Lengths { min, max, except } => {
                let except = alternatives(languages, except)?;
                (languages.not(except)?.into(), *min, *max)
            }
            Self::Matching { texts, min, max } => (*texts, *min, *max),
        })
    }
}

/// Exactly these texts.
fn alternatives(languages: &mut Languages, texts: &[String]) -> Result<LanguageId, TooLarge> {
    let texts: Result<Vec<_>, _> = texts.iter().map(|text| languages.text(text)).collect();
    languages.alt(texts?)
}

fn has_length(text: &str, min: u64, max: Option<u64>) -> bool {
    let length = text.chars().count() as u64;
    length >= min && max.is_none_or(|max| length <= max)
}

/// Whether the first range of lengths holds the second one.
fn holds(min: u64, max: Option<u64>, min2: u64, max2: Option<u64>) -> bool {
    min <= min2 && max.is_none_or(|max| max2.is_some_and(|max2| max2 <= max))
}

impl Constraint for StringSet {
    fn any() -> Self {
        Self::lengths(0, None)
    }

    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self> {
        match (self, other) {
            (Self::Values(values), Self::Values(others)) if others.len() > 8 => {
                let others: std::collections::HashSet<&String> = others.iter().collect();
                filtered(values, |value| others.contains(&value.to_owned()))
            }
            (Self::Values(values), filter) | (filter, Self::Values(values)) => {
                filter.among(values, terms).unwrap_or_else(|TooLarge| {
                    terms.patterns_too_large = true;
                    Some(Self::Values(values.clone()))
                })
            }
            (
                Self::Lengths { min, max, except },
                Self::Lengths { min: min2, max: max2, except: except2 },
            ) => {
                let min = *min.max(min2);
                let max = least(*max, *max2);
                if max.is_some_and(|max| max < min) {
                    return None;
                }
                let mut both: Vec<String> = except
                    .iter()
                    .chain(except2)
                    .filter(|text| has_length(text, min, max))
                    .cloned()
                    .collect();
                both.sort();
                both.dedup();
                if max == Some(0) && !both.is_empty() {
                    return None;
                }
                Some(Self::Lengths { min, max, except: both })
            }
            (Self::Matching { .. }, _) | (_, Self::Matching { .. }) => {
                let languages = &mut terms.languages;
                let both = self.language(languages).and_then(|(texts, min, max)| {
                    let (texts2, min2, max2) = other.language(languages)?;
                    Ok((texts.and(texts2, languages)?, min.max(min2), least(max, max2)))
                });
                let Ok((texts, min, max)) = both else {
                    terms.patterns_too_large = true;
                    return Some(self.clone());
                };
                Self::matching(texts, min, max, terms)
            }
        }
    }

    fn outside(&self, _: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble> {
        Ok(match self {
            Self::Values(values) => {
                let mut except = values.clone();
                except.sort();
                except.dedup();
                vec![Self::Lengths { min: 0, max: None, except }]
            }
            Self::Matching { texts, min, max } => {
                let mut outside = other_lengths(*min, *max);
                let other = texts.not(&mut terms.languages).map_err(|TooLarge| {
                    Trouble::NoComplement("strings that a large pattern does not match")
                })?;
                outside.extend(Self::matching(other, 0, None, terms));
                outside
            }
            Self::Lengths { min, max, except } => {
                let mut outside = other_lengths(*min, *max);
                if !except.is_empty() {
                    outside.push(Self::Values(except.clone()));
                }
                outside
            }
        })
    }

    fn size(&self) -> usize {
        match self {
            Self::Values(values) | Self::Lengths { except: values, .. } => 1 + values.len(),
            Self::Matching { .. } => 1,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Values(all), Self::Values(values)) if values.len() <= 8 => {
                values.iter().all(|value| all.contains(value))
            }
            (Self::Lengths { min, max, except }, Self::Values(values)) if values.len() <= 8 => {
                values.iter().all(|value| has_length(value, *min, *max) && !except.contains(value))
            }
            (Self::Lengths { min, max, except }, Self::Matching { min: min2, max: max2, .. }) => {
                except.is_empty() && holds(*min, *max, *min2, *max2)
            }
            (
                Self::Lengths { min, max, except },
                Self::Lengths { min: min2, max: max2, except: except2 },
            ) => holds(*min, *max, *min2, *max2) && (except.is_empty() || except == except2),
            _ => self == other,
        }
    }
}

/// The strings whose length is not in the range.
fn other_lengths(min: u64, max: Option<u64>) -> Vec<StringSet> {
    let shorter = min.checked_sub(1).map(|most| StringSet::lengths(0, Some(most)));
    let longer = max.map(|max| StringSet::lengths(max.saturating_add(1), None));
    shorter.into_iter().chain(longer).collect()
}

fn filtered(values: &[String], mut keep: impl FnMut(&str) -> bool) -> Option<StringSet> {
    let kept: Vec<String> = values.iter().filter(|value| keep(value)).cloned().collect();
    (!kept.is_empty()).then_some(StringSet::Values(kept))
}
