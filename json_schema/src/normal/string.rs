//! Sets of strings, over decoded code points.

use super::{Constraint, Terms, Trouble};

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
}

impl StringSet {
    /// All strings of at least `min` and at most `max` code points.
    pub(crate) fn lengths(min: u64, max: Option<u64>) -> Self {
        Self::Lengths { min, max, except: Vec::new() }
    }

    /// Whether this string is in it.
    pub(crate) fn contains(&self, text: &str) -> bool {
        match self {
            Self::Values(values) => values.iter().any(|value| value == text),
            Self::Lengths { min, max, except } => {
                let length = text.chars().count() as u64;
                length >= *min
                    && max.is_none_or(|max| length <= max)
                    && except.binary_search_by(|value| value.as_str().cmp(text)).is_err()
            }
        }
    }
}

impl Constraint for StringSet {
    fn any() -> Self {
        Self::lengths(0, None)
    }

    fn and(&self, other: &Self, _: &mut Terms) -> Option<Self> {
        match (self, other) {
            (Self::Values(values), Self::Values(others)) if others.len() > 8 => {
                let others: std::collections::HashSet<&String> = others.iter().collect();
                filtered(values, |value| others.contains(&value.to_owned()))
            }
            (Self::Values(values), filter) | (filter, Self::Values(values)) => {
                filtered(values, |value| filter.contains(value))
            }
            (
                Self::Lengths { min, max, except },
                Self::Lengths { min: min2, max: max2, except: except2 },
            ) => {
                let min = *min.max(min2);
                let max = match (max, max2) {
                    (Some(a), Some(b)) => Some(*a.min(b)),
                    (a, b) => a.or(*b),
                };
                if max.is_some_and(|max| max < min) {
                    return None;
                }
                let whole = Self::lengths(min, max);
                let mut both: Vec<String> = except
                    .iter()
                    .chain(except2)
                    .filter(|text| whole.contains(text))
                    .cloned()
                    .collect();
                both.sort();
                both.dedup();
                if max == Some(0) && !both.is_empty() {
                    return None;
                }
                Some(Self::Lengths { min, max, except: both })
            }
        }
    }

    fn outside(&self, _: &Self, _: &mut Terms) -> Result<Vec<Self>, Trouble> {
        Ok(match self {
            Self::Values(values) => {
                let mut except = values.clone();
                except.sort();
                except.dedup();
                vec![Self::Lengths { min: 0, max: None, except }]
            }
            Self::Lengths { min, max, except } => {
                let mut outside = Vec::new();
                if *min > 0 {
                    outside.push(Self::lengths(0, Some(min - 1)));
                }
                if let Some(max) = max {
                    outside.push(Self::lengths(max.saturating_add(1), None));
                }
                if !except.is_empty() {
                    outside.push(Self::Values(except.clone()));
                }
                outside
            }
        })
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Values(values)) if values.len() <= 8 => {
                values.iter().all(|value| self.contains(value))
            }
            (
                Self::Lengths { min, max, except },
                Self::Lengths { min: min2, max: max2, except: except2 },
            ) => {
                min <= min2
                    && max.is_none_or(|max| max2.is_some_and(|max2| max2 <= max))
                    && (except.is_empty() || except == except2)
            }
            _ => self == other,
        }
    }
}

fn filtered(values: &[String], keep: impl Fn(&str) -> bool) -> Option<StringSet> {
    let kept: Vec<String> = values.iter().filter(|value| keep(value)).cloned().collect();
    (!kept.is_empty()).then_some(StringSet::Values(kept))
}
