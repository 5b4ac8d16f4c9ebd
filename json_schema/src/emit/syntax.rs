//! Objects and strings in a syntax that is not JSON.

use grammask_gbnf::{Expr, ExprKind};

use super::string::{QUOTE, quoted};
use super::terminal::Terminal;
use super::{Emitter, Manner, Normals, choice, sequence};
use crate::error::{SchemaError, SchemaErrorKind, Unsupported};
use crate::language::{CharSet, LanguageId, TooLarge};
use crate::normal::{Constraint, KeyId, MAX_STATES, Normal, ObjectShape, StringSet, TermId};
use crate::normalise::PATTERNS;
use crate::syntax::{ElementValue, Elements, Syntax};

/// How the characters of a string are written, and what stands around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lettering {
    /// With escapes, in quotes.
    Json,
    /// Raw, up to what follows.
    Text,
    /// Raw, in the quotes of a dict.
    Quoted,
    /// Raw, as a key.
    Key,
}

/// The literals that are no strings where they may be values, in the order of [`Manner::Text`].
const LITERALS: [&str; 3] = ["null", "false", "true"];

/// How the values of elements are written.
#[derive(Default)]
pub(super) struct ElementValues {
    pub(super) declared: Vec<(KeyId, ElementValue)>,
    /// That of all other keys; `None`: there are none.
    pub(super) others: Option<ElementValue>,
}

/// Which types the values of a key have.
#[derive(Clone, Copy, Default)]
struct Types {
    strings: bool,
    literals: [bool; 3],
    more: bool,
}

impl Types {
    fn add(&mut self, normal: &Normal) {
        self.strings |= !normal.strings.is_empty();
        let [f, t] = normal.booleans;
        for (mine, theirs) in self.literals.iter_mut().zip([normal.null, f, t]) {
            *mine |= theirs;
        }
        let Normal { numbers, arrays, objects, .. } = normal;
        self.more |= !(numbers.is_empty() && arrays.is_empty() && objects.is_empty());
    }

    fn value(self) -> ElementValue {
        let Self { strings, literals: [null, f, t], more } = self;
        match strings {
            true if !more && self.literals == [false; 3] => ElementValue::Text,
            true if !more => ElementValue::TextOr { null, booleans: [f, t] },
            or_string => ElementValue::Json { or_string },
        }
    }
}

impl Emitter<'_, '_, '_> {
    /// The texts around elements, while the object that has them is written.
    fn elements(&self) -> Option<&Elements> {
        match &self.syntax {
            Syntax::Elements(elements) if self.manner == Manner::Arguments => Some(elements),
            _ => None,
        }
    }

    /// The syntax of what is being written.
    fn syntax(&self) -> &Syntax {
        match self.syntax {
            Syntax::Elements(_) if self.manner != Manner::Arguments => &Syntax::Json,
            _ => &self.syntax,
        }
    }

    /// Whether a separator is part of what stands around it, or there is none.
    pub(super) fn is_implied(&self, separator: &str) -> bool {
        match self.syntax() {
            Syntax::Json => false,
            Syntax::Elements(_) => true,
            // Part of the key.
            Syntax::Dict(_) => separator == ":",
        }
    }

    pub(super) fn lettering(&self) -> Lettering {
        match (self.manner, &self.syntax) {
            _ if self.in_key => Lettering::Key,
            (Manner::Text { .. }, _) => Lettering::Text,
            (_, Syntax::Dict(_)) => Lettering::Quoted,
            _ => Lettering::Json,
        }
    }

    /// A string of these characters, or a key.
    pub(super) fn quoted(&self, text: Expr) -> Expr {
        match (self.lettering(), &self.syntax) {
            (Lettering::Key, syntax) => {
                let (open, close) = syntax.around_keys();
                let literal = |text: &str| Expr::literal(text.to_owned());
                let open = if open.is_empty() { Expr::empty() } else { literal(open) };
                sequence([open, text, literal(close)])
            }
            (Lettering::Quoted, Syntax::Dict(quote)) => {
                sequence([quote.expr(), text, quote.expr()])
            }
            (Lettering::Text, _) => text,
            _ => sequence([Expr::literal(QUOTE), text, Expr::literal(QUOTE)]),
        }
    }

    /// One code point of a string whose characters are constrained.
    pub(super) fn character(&mut self) -> Expr {
        match self.lettering() {
            Lettering::Json => self.terminal(Terminal::RawCharacter),
            _ => Expr::new(ExprKind::Any),
        }
    }

    /// The objects of the root.
    pub(super) fn arguments(
        &mut self,
        name: &str,
        normal: &Normal,
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        if self.elements().is_some() {
            self.values = self.element_values(normal, normals);
        }
        let mut cases = Vec::new();
        for shape in &normal.objects {
            let is_nothing = |child: TermId| !self.possible.contains(self.targets.of(child));
            let bounds = shape.bounds(&mut self.normaliser.reader.terms, is_nothing);
            if let Some(bounds) = bounds {
                cases.push(self.object(name, shape, bounds, normals)?);
            }
        }
        self.has_arguments = !cases.is_empty();
        Ok(choice(cases))
    }

    /// What the values of elements are, whichever alternative of the root they are in: who reads them
    /// does not know that.
    fn element_values(&mut self, normal: &Normal, normals: &Normals) -> ElementValues {
        let mut keys: Vec<KeyId> = Vec::new();
        for shape in &normal.objects {
            let required = shape.required.iter().map(|(key, ())| key);
            for key in shape.properties.iter().map(|(key, _)| key).chain(required) {
                // Few alternatives have many keys.
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        let mut types = |of: &mut dyn FnMut(&ObjectShape, &mut Self) -> Vec<TermId>| {
            let mut found = None;
            for shape in &normal.objects {
                for term in of(shape, self) {
                    let term = self.targets.of(term);
                    if self.possible.contains(term) {
                        found.get_or_insert(Types::default()).add(&normals[term]);
                    }
                }
            }
            found.map(Types::value)
        };
        let others = types(&mut |shape, _| {
            let witnesses = shape.witnesses.iter().map(|witness| witness.value);
            shape.others.iter().map(|region| region.value).chain(witnesses).collect()
        });
        let declared = keys.into_iter().filter_map(|key| {
            let value = types(&mut |shape, emitter| {
                vec![shape.value(key, &mut emitter.normaliser.reader.terms)]
            });
            Some((key, value?))
        });
        ElementValues { declared: declared.collect(), others }
    }

    /// Keys that are declared in another alternative: they are no other keys in this one.
    pub(super) fn keys_of_alternatives(&self, shape: &ObjectShape) -> Vec<KeyId> {
        let keys = self.values.declared.iter().map(|&(key, _)| key);
        let is_known = |key: KeyId| shape.properties.contains(key) || shape.required.contains(key);
        match self.elements() {
            Some(_) => keys.filter(|&key| !is_known(key)).collect(),
            None => Vec::new(),
        }
    }

    /// What stands before a key and is no part of it.
    pub(super) fn before_key(&self) -> Option<Expr> {
        let elements = self.elements().filter(|elements| elements.open_has_tokens())?;
        Some(elements.expr(&elements.open))
    }

    /// The text of a declared key.
    pub(super) fn key(&mut self, key: KeyId) -> Result<Expr, SchemaError> {
        let key = &**self.normaliser.reader.terms.keys.text(key);
        if *self.syntax() == Syntax::Json {
            return Ok(Expr::literal(quoted(key)));
        }
        let forbidden = self.syntax.forbidden_in_keys();
        if key.is_empty() || key.contains(&forbidden[..]) {
            let reason = if key.is_empty() {
                "the format has no empty keys".to_owned()
            } else {
                format!("the format cannot carry the key {key:?}")
            };
            return Err(self.not_carried("properties", reason));
        }
        Ok(Expr::literal(self.syntax.key(key)))
    }

    /// An undeclared key of the language, raw; `None`: in JSON.
    pub(super) fn raw_key(
        &mut self,
        name: &str,
        keys: LanguageId,
    ) -> Result<Option<Expr>, SchemaError> {
        if *self.syntax() == Syntax::Json {
            return Ok(None);
        }
        let forbidden = self.syntax.forbidden_in_keys().into_iter().map(|c| (c, c));
        let languages = &mut self.normaliser.reader.terms.languages;
        let possible = languages
            .class(CharSet::from_ranges(forbidden).complement())
            .and_then(|class| languages.repeat(class, 1, None));
        let language = possible.and_then(|possible| match keys {
            LanguageId::EVERYTHING => Ok(possible),
            keys => languages.and([keys, possible]),
        });
        let language = language.map_err(|TooLarge| self.too_large())?;
        self.in_key = true;
        let key = self.matching(name, language, 0, None);
        self.in_key = false;
        key.map(Some)
    }

    /// A value of an element and what stands around it; `None`: it is in no element.
    pub(super) fn element_value(
        &mut self,
        key: Option<KeyId>,
        term: TermId,
        normals: &Normals,
    ) -> Option<Expr> {
        let elements = self.elements()?.clone();
        let Elements { before_text, before_json, close, .. } = &elements;
        let known = |key: KeyId| self.values.declared.iter().find(|(known, _)| *known == key);
        let written = match key {
            Some(key) => known(key).map(|(_, value)| *value),
            None => self.values.others,
        };
        let mut types = Types::default();
        types.add(&normals[self.targets.of(term)]);
        let [text_mark, json, close] =
            [before_text, before_json, close].map(|text| elements.expr(text));
        let is_told = before_text != before_json;
        let mut cases = Vec::new();
        let except = match written {
            _ if is_told => Some([false; 3]),
            Some(ElementValue::Text) => Some([false; 3]),
            Some(ElementValue::TextOr { null, booleans: [f, t] }) => Some([null, f, t]),
            _ => None,
        };
        if let Some(except) = except {
            if types.strings {
                let text = self.value_in(term, normals, Manner::Text { except });
                cases.push(sequence([text_mark, text]));
            }
            if types.more || types.literals != [false; 3] {
                let other = self.value_in(term, normals, Manner::Others);
                cases.push(sequence([json.clone(), other]));
            }
        } else {
            cases.push(sequence([json, self.value(term, normals)]));
        }
        Some(sequence([choice(cases), close]))
    }

    /// What matches a string of the set, raw.
    pub(super) fn raw_string(
        &mut self,
        name: &str,
        set: &StringSet,
    ) -> Result<Vec<Expr>, SchemaError> {
        let carried = self.carried(set).map_err(|TooLarge| self.too_large())?;
        let (min, max) = match &carried {
            Some(StringSet::Matching { texts, min, max }) => {
                return Ok(vec![self.matching(name, texts.lower, *min, *max)?]);
            }
            Some(StringSet::Values(values)) if values.len() == set.size() - 1 => {
                let values = values.iter().map(|value| Expr::literal(value.clone()));
                return Ok(vec![self.quoted(choice(values))]);
            }
            Some(StringSet::Lengths { min, max, .. }) => (*min, *max),
            Some(StringSet::Values(_)) | None => {
                let reason = "the format cannot carry the mark that ends a string inside of one, \
                              nor null, true or false as a string where these may stand";
                return Err(self.not_carried("enum", reason.to_owned()));
            }
        };
        let texts = self.counted(Expr::new(ExprKind::Any), min, max)?;
        Ok(vec![self.quoted(texts)])
    }

    /// The strings that the syntax can carry; without exceptions beside lengths.
    fn carried(&mut self, set: &StringSet) -> Result<Option<StringSet>, TooLarge> {
        let stop = match (self.manner, &self.syntax) {
            (Manner::Text { .. }, Syntax::Elements(elements)) => Some(elements.stop.as_str()),
            (_, Syntax::Dict(quote)) => quote.stop(),
            _ => None,
        };
        let terms = &mut self.normaliser.reader.terms;
        let languages = &mut terms.languages;
        let mut refused = Vec::new();
        if let Some(stop) = stop {
            let stop = languages.text(stop)?;
            refused.push(languages.sequence([
                LanguageId::EVERYTHING,
                stop,
                LanguageId::EVERYTHING,
            ])?);
        }
        if let Manner::Text { except } = self.manner {
            for (literal, is_value) in LITERALS.iter().zip(except) {
                if is_value {
                    refused.push(languages.text(literal)?);
                }
            }
        }
        let plain = matches!(set, StringSet::Lengths { except, .. } if except.is_empty());
        if refused.is_empty() && (plain || matches!(set, StringSet::Values(_))) {
            return Ok(Some(set.clone()));
        }
        let refused = languages.alt(refused)?;
        let others = languages.not(refused)?;
        Ok(set.and(&StringSet::texts(others.into()), terms))
    }

    fn too_large(&self) -> SchemaError {
        self.limit(&PATTERNS, "states of a pattern", MAX_STATES)
    }

    /// The syntax cannot carry what is being written.
    fn not_carried(&self, keyword: &str, reason: String) -> SchemaError {
        let pointer = self.normaliser.place(self.current);
        let one = Unsupported { pointer: pointer.clone(), keyword: keyword.to_owned(), reason };
        SchemaError::new(SchemaErrorKind::Unsupported(vec![one]), pointer)
    }
}
