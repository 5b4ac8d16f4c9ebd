//! Drafts from what has followed an n-gram, and from how often it did.

use std::error::Error;

use smallvec::SmallVec;

use super::draft::{Drafter, LONGEST, within};
use super::history::History;
use super::ngram_index::NgramIndex;
use crate::{Constraint, DraftError, TokenId};

/// The settings of [`NgramMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NgramMapSettings {
    /// So many of the last tokens are the key, 1 to 1,024. Default: 12.
    pub n: usize,
    /// So many tokens are a value, and are drafted at most, 1 to 1,024. Default: 48.
    pub m: usize,
    /// So often the key must have come before with a whole value behind it, at least 1. Default: 1.
    pub min_hits: usize,
}

impl Default for NgramMapSettings {
    fn default() -> Self {
        Self { n: 12, m: 48, min_hits: 1 }
    }
}

/// A map from the last `n` tokens (the key) to the `m` that have followed them (values).
///
/// - [`keys`](Self::keys) drafts the value that came last (`ngram-map-k`).
/// - [`four_values`](Self::four_values) counts up to four values of a key, the first ones, and drafts
///   the one that came most often, if it did at least three times as often as all others together,
///   counted or not (`ngram-map-k4v`).
///
/// What comes true decides how much is drafted the next time from the same key and value: as much as
/// came true, at least one token; twice as much, up to `m`, if all did. (In llama.cpp drafts never
/// become longer again.)
///
/// Holds at most one key for each token of the history, some 100 bytes, and of
/// [`four_values`](Self::four_values) another 64 where there are several. Each token is read once or twice, however long the text is. Source:
/// `common_ngram_map_draft` of llama.cpp.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, Drafts, Engine, NgramMap, NgramMapSettings, TokenId, Vocabulary,
/// };
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse("root ::= [abc]+")?, "root")?;
/// let text = [0, 1, 0, 1, 0, 1, 0, 2, 0].map(TokenId);
/// let settings = NgramMapSettings { n: 1, m: 1, min_hits: 1 };
/// let draft = |map: NgramMap| {
///     let mut drafts = Drafts::default();
///     drafts.add(map).observe(&text);
///     drafts.draft(&constraint, 8)
/// };
/// assert_eq!(draft(NgramMap::keys(settings)?)?, [TokenId(2)]);
/// assert_eq!(draft(NgramMap::four_values(settings)?)?, [TokenId(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NgramMap {
    settings: NgramMapSettings,
    kind: Kind,
    index: NgramIndex<Key>,
    /// The key and the value of the last draft.
    last: Option<(u64, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Keys,
    FourValues,
}

#[derive(Clone, Debug, Default)]
struct Key {
    /// How often it has come.
    hits: usize,
    values: SmallVec<[Value; 1]>,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    /// Where it begins.
    place: usize,
    /// How often it has come.
    count: u32,
    /// So much of it is drafted.
    limit: u32,
}

impl NgramMap {
    /// The most values of a key.
    const VALUES: usize = 4;
    /// So many times as often as all others a value must have come.
    const FAVOUR: usize = 3;

    /// Drafts what came last.
    ///
    /// # Errors
    ///
    /// [`DraftError::Parameter`] if a setting is out of its range.
    pub fn keys(settings: NgramMapSettings) -> Result<Self, DraftError> {
        Self::new(settings, Kind::Keys)
    }

    /// Drafts what came most often.
    ///
    /// # Errors
    ///
    /// [`DraftError::Parameter`] if a setting is out of its range.
    pub fn four_values(settings: NgramMapSettings) -> Result<Self, DraftError> {
        Self::new(settings, Kind::FourValues)
    }

    fn new(settings: NgramMapSettings, kind: Kind) -> Result<Self, DraftError> {
        let NgramMapSettings { n, m, min_hits } = settings;
        within(kind.name(), "n", n, (1, LONGEST))?;
        within(kind.name(), "m", m, (1, LONGEST))?;
        within(kind.name(), "min_hits", min_hits, (1, usize::MAX))?;
        Ok(Self { settings, kind, index: NgramIndex::new(n, m), last: None })
    }

    /// Takes in what has come.
    fn update(&mut self, history: &History) {
        let (NgramMapSettings { n, m, .. }, kind) = (self.settings, self.kind);
        self.index.update(history, |keys, hash, place| {
            let key = keys.entry(hash).or_default();
            let same =
                |a: usize, b: usize, len: usize| history.get(a..a + len) == history.get(b..b + len);
            // Other n-grams may have the same hash: the one that came last stays.
            if key.values.first().is_some_and(|value| !same(value.place - n, place - n, n)) {
                *key = Key::default();
            }
            key.hits += 1;
            let known = match kind {
                Kind::Keys => (!key.values.is_empty()).then_some(0),
                Kind::FourValues => key.values.iter().position(|it| same(it.place, place, m)),
            };
            match known {
                Some(at) => {
                    let value = &mut key.values[at];
                    value.count = value.count.saturating_add(1);
                    if kind == Kind::Keys {
                        value.place = place;
                    }
                }
                None if key.values.len() < Self::VALUES => {
                    key.values.push(Value { place, count: 1, limit: m as u32 });
                }
                None => {}
            }
        });
    }

    /// The value that is drafted after a key, by its number.
    fn best(&self, key: &Key) -> Option<usize> {
        if key.hits < self.settings.min_hits {
            return None;
        }
        // Of those that came as often, the one that came first.
        let most = key.values.iter().map(|value| value.count).max()?;
        let best = key.values.iter().position(|value| value.count == most)?;
        let others = key.hits.saturating_sub(most as usize);
        let is_favoured = most as usize >= others.saturating_mul(Self::FAVOUR);
        (self.kind == Kind::Keys || is_favoured).then_some(best)
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Keys => "ngram-map-k",
            Self::FourValues => "ngram-map-k4v",
        }
    }
}

impl Default for NgramMap {
    /// [`keys`](Self::keys) with the default settings.
    fn default() -> Self {
        Self::keys(NgramMapSettings::default()).expect("they are in their ranges")
    }
}

impl Drafter for NgramMap {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn draft(
        &mut self,
        history: &History,
        _: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>> {
        self.update(history);
        self.last = None;
        let found = self.index.key(history).and_then(|(hash, tokens)| {
            let key = self.index.get(hash)?;
            let best = self.best(key)?;
            let Value { place, limit, .. } = key.values[best];
            self.last = Some((hash, best));
            (history.get(place - self.settings.n..place)? == tokens)
                .then(|| history.get(place..place + limit as usize))?
        });
        Ok(found.unwrap_or_default().to_vec())
    }

    fn judge(&mut self, drafted: usize, accepted: usize) {
        let Some((hash, at)) = self.last.take() else { return };
        if let Some(value) = self.index.get_mut(hash).and_then(|key| key.values.get_mut(at)) {
            let limit = if accepted < drafted { accepted } else { 2 * accepted };
            value.limit = limit.clamp(1, self.settings.m) as u32;
        }
    }

    fn reset(&mut self) {
        self.index.clear();
        self.last = None;
    }
}
