//! Why a schema has no translation.

use std::fmt;

/// Why a schema has no translation: what, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    kind: SchemaErrorKind,
    pointer: String,
}

/// The kinds of [`SchemaError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The value of a keyword is not what JSON Schema allows there.
    Invalid {
        /// What it should be.
        expected: String,
    },
    /// A reference leads nowhere.
    UnresolvedReference {
        /// The reference as written.
        reference: String,
        /// The URI of the document that is not known; none if it is known, but has no such place.
        document: Option<String>,
    },
    /// A reference leads to a URI or an anchor that two different schemas give themselves.
    AmbiguousReference {
        /// The reference as written.
        reference: String,
    },
    /// The metaschema that `$schema` names requires a vocabulary that is not known.
    UnknownVocabulary {
        /// The URI of the vocabulary.
        uri: String,
    },
    /// References lead back to the same place without anything in between.
    ReferenceLoop,
    /// Keywords that assert something and cannot be enforced; at least one.
    Unsupported(Vec<Unsupported>),
    /// A limit was reached.
    Limit {
        /// The name of the limit, a field of [`Limits`](crate::Limits) or what is counted.
        name: &'static str,
        /// Its value.
        limit: u64,
    },
}

/// One keyword that cannot be enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The JSON Pointer of the keyword.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Why not.
    pub reason: String,
}

impl SchemaError {
    pub(crate) fn new(kind: SchemaErrorKind, pointer: impl Into<String>) -> Self {
        Self { kind, pointer: pointer.into() }
    }

    pub(crate) fn invalid(pointer: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(SchemaErrorKind::Invalid { expected: expected.into() }, pointer)
    }

    pub(crate) fn limit(pointer: impl Into<String>, name: &'static str, limit: usize) -> Self {
        Self::new(SchemaErrorKind::Limit { name, limit: limit as u64 }, pointer)
    }

    /// What went wrong.
    pub fn kind(&self) -> &SchemaErrorKind {
        &self.kind
    }

    /// The JSON Pointer of the place; of the first one if there are several. In another document
    /// than the schema itself its URI and `#` come before.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What refuses the schema in a word or two, to be counted over many: the keywords that cannot be
    /// enforced, each once and sorted, or what else went wrong.
    ///
    /// ```
    /// use grammask_json_schema::{Options, translate};
    /// use serde_json::json;
    /// let error = translate(&json!({"$ref": "#/$defs/none"}), &Options::default()).unwrap_err();
    /// assert_eq!(error.reasons(), ["unresolved reference"]);
    /// ```
    pub fn reasons(&self) -> Vec<String> {
        let reason = match &self.kind {
            SchemaErrorKind::Unsupported(all) => {
                let mut keywords: Vec<_> = all.iter().map(|one| one.keyword.clone()).collect();
                keywords.sort();
                keywords.dedup();
                return keywords;
            }
            SchemaErrorKind::Invalid { expected } => format!("no {expected}"),
            SchemaErrorKind::UnresolvedReference { .. } => "unresolved reference".to_owned(),
            SchemaErrorKind::AmbiguousReference { .. } => "ambiguous reference".to_owned(),
            SchemaErrorKind::UnknownVocabulary { uri } => format!("unknown vocabulary {uri}"),
            SchemaErrorKind::ReferenceLoop => "reference loop".to_owned(),
            SchemaErrorKind::Limit { name, limit } => format!("more than {limit} {name}"),
        };
        vec![reason]
    }

    /// What the reader of the message can do.
    pub fn help(&self) -> Option<&'static str> {
        match &self.kind {
            SchemaErrorKind::Invalid { .. } => None,
            SchemaErrorKind::UnresolvedReference { document: Some(_), .. } => {
                Some("give the document as a resource; nothing is fetched")
            }
            SchemaErrorKind::UnresolvedReference { document: None, .. } => {
                Some("a fragment counts from the nearest identifier around the reference")
            }
            SchemaErrorKind::AmbiguousReference { .. } => Some("rename one of the two"),
            SchemaErrorKind::UnknownVocabulary { .. } => {
                Some("with `false` in `$vocabulary` it is not required")
            }
            SchemaErrorKind::ReferenceLoop => {
                Some("put a property, an item or a type between the references")
            }
            SchemaErrorKind::Unsupported(_) => {
                Some("the lenient option drops what cannot be enforced and names it in the report")
            }
            SchemaErrorKind::Limit { .. } => Some("limits can be raised in the options"),
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Place(&self.pointer);
        match &self.kind {
            SchemaErrorKind::Invalid { expected } => write!(f, "{expected} expected at {place}"),
            SchemaErrorKind::UnresolvedReference { reference, document } => {
                write!(f, "the reference {reference:?} at {place} leads nowhere")?;
                match document {
                    Some(uri) => write!(f, ": the document {uri} is not known"),
                    None => Ok(()),
                }
            }
            SchemaErrorKind::AmbiguousReference { reference } => {
                write!(f, "the reference {reference:?} at {place} leads to two different schemas")
            }
            SchemaErrorKind::UnknownVocabulary { uri } => {
                write!(f, "the metaschema at {place} requires the unknown vocabulary {uri}")
            }
            SchemaErrorKind::ReferenceLoop => {
                write!(f, "the reference at {place} leads back to itself")
            }
            SchemaErrorKind::Unsupported(keywords) => {
                f.write_str("cannot be enforced: ")?;
                for (index, one) in keywords.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "`{}` at {} ({})", one.keyword, Place(&one.pointer), one.reason)?;
                }
                Ok(())
            }
            SchemaErrorKind::Limit { name, limit } => {
                write!(f, "more than {limit} {name} at {place}")
            }
        }
    }
}

impl std::error::Error for SchemaError {}

/// A JSON Pointer in a sentence: the empty one is the root.
struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "the root" } else { self.0 })
    }
}
