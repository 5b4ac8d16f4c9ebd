//! Dialects: a draft, and the vocabularies of it that a metaschema asks for (2020-12 core,
//! sections 8.1.1 and 8.1.2).

use serde_json::{Map, Value};

use crate::keyword::{Keyword, keyword};
use crate::member::member;
use crate::options::Draft;

/// A set of keywords that a metaschema may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    Core,
    Applicator,
    Unevaluated,
    Validation,
    MetaData,
    Format,
    Content,
}

/// What the keywords of a schema resource mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    /// The bit of each vocabulary in force.
    vocabularies: u8,
    /// Whether `format` asserts whatever the options say.
    pub(crate) asserts_formats: bool,
}

impl Dialect {
    /// The draft as its own metaschema has it.
    pub(crate) fn of(draft: Draft) -> Self {
        Self { draft, vocabularies: u8::MAX, asserts_formats: false }
    }

    /// The dialect of a metaschema: `draft` with the vocabularies of its `$vocabulary`, which
    /// until draft 7 does not exist. The error is a vocabulary that is required and not known.
    pub(crate) fn of_metaschema(metaschema: &Value, draft: Draft) -> Result<Self, String> {
        let mut dialect = Self::of(draft);
        let Some(Value::Object(vocabularies)) = metaschema.get("$vocabulary") else {
            return Ok(dialect);
        };
        if draft < Draft::Draft201909 {
            return Ok(dialect);
        }
        dialect.vocabularies = bit(Vocabulary::Core);
        for (uri, required) in vocabularies {
            let required = *required == Value::Bool(true);
            match known_vocabulary(uri) {
                Some((vocabulary, name)) => {
                    dialect.vocabularies |= bit(vocabulary);
                    // Whoever knows the vocabulary must assert, required or not; that of 2019-09
                    // is for both meanings, and the flag says which.
                    dialect.asserts_formats |=
                        name == "format-assertion" || name == "format" && required;
                }
                None if required => return Err(uri.clone()),
                None => {}
            }
        }
        Ok(dialect)
    }

    /// What a keyword is in this dialect; `None` if it is unknown here.
    pub(crate) fn keyword(self, name: &str) -> Option<Keyword> {
        keyword(name, self.draft).filter(|it| self.vocabularies & bit(it.vocabulary) != 0)
    }

    /// Whether the draft has a keyword, but the metaschema has not.
    pub(crate) fn leaves_out(self, name: &str) -> bool {
        self.keyword(name).is_none() && keyword(name, self.draft).is_some()
    }

    /// Whether nothing counts beside a reference (draft 7 core, section 8.3).
    pub(crate) fn reference_stands_alone(self, schema: &Map<String, Value>) -> bool {
        self.draft <= Draft::Draft7 && member(schema, "$ref").is_some()
    }

    /// The identifier that a schema gives itself, which until draft 7 may have a fragment, or be
    /// nothing else.
    pub(crate) fn identifier(self, schema: &Map<String, Value>) -> Option<&str> {
        if self.reference_stands_alone(schema) {
            return None;
        }
        member(schema, self.identifier_keyword())?.as_str()
    }

    pub(crate) fn identifier_keyword(self) -> &'static str {
        if self.draft == Draft::Draft4 { "id" } else { "$id" }
    }
}

fn bit(vocabulary: Vocabulary) -> u8 {
    1 << vocabulary as u8
}

fn known_vocabulary(uri: &str) -> Option<(Vocabulary, &str)> {
    let rest = uri.strip_prefix("https://json-schema.org/draft/")?;
    let name = rest.strip_prefix("2020-12/vocab/").or(rest.strip_prefix("2019-09/vocab/"))?;
    let vocabulary = match name {
        "core" => Vocabulary::Core,
        "applicator" => Vocabulary::Applicator,
        "unevaluated" => Vocabulary::Unevaluated,
        "validation" => Vocabulary::Validation,
        "meta-data" => Vocabulary::MetaData,
        "format" | "format-annotation" | "format-assertion" => Vocabulary::Format,
        "content" => Vocabulary::Content,
        _ => return None,
    };
    Some((vocabulary, name))
}

/// The draft whose metaschema a URI names: with the end of an empty fragment or without, and under
/// both schemes, as they are found; also that of hyper-schemas, which only add keywords.
pub(crate) fn known_draft(uri: &str) -> Option<Draft> {
    let rest = uri.strip_prefix("http://").or(uri.strip_prefix("https://"))?;
    let rest = rest.strip_suffix('#').unwrap_or(rest).strip_prefix("json-schema.org/")?;
    let draft = rest.strip_suffix("/schema").or(rest.strip_suffix("/hyper-schema"))?;
    Some(match draft {
        "draft-04" => Draft::Draft4,
        "draft-06" => Draft::Draft6,
        "draft-07" => Draft::Draft7,
        "draft/2019-09" => Draft::Draft201909,
        "draft/2020-12" => Draft::Draft202012,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn drafts_are_known_by_their_metaschemas() {
        for (uri, draft) in [
            ("http://json-schema.org/draft-04/schema#", Some(Draft::Draft4)),
            ("https://json-schema.org/draft-06/schema", Some(Draft::Draft6)),
            ("http://json-schema.org/draft-07/hyper-schema#", Some(Draft::Draft7)),
            ("https://json-schema.org/draft/2019-09/schema", Some(Draft::Draft201909)),
            ("https://json-schema.org/draft/2020-12/schema#", Some(Draft::Draft202012)),
            ("https://json-schema.org/draft/2020-12/meta/core", None),
            ("http://json-schema.org/draft-03/schema#", None),
            ("http://example.com/draft-07/schema#", None),
            ("2020-12", None),
        ] {
            assert_eq!(known_draft(uri), draft, "{uri}");
        }
    }

    #[test]
    fn vocabularies_are_those_of_the_metaschema() {
        let metaschema = |vocabularies: Value| json!({"$vocabulary": vocabularies});
        let uri = |name: &str| format!("https://json-schema.org/draft/2020-12/vocab/{name}");
        let dialect = |metaschema: &Value| Dialect::of_metaschema(metaschema, Draft::Draft202012);

        let only = dialect(&metaschema(json!({uri("applicator"): true, "x": false}))).unwrap();
        for (name, known) in
            [("$ref", true), ("items", true), ("minimum", false), ("title", false), ("x", false)]
        {
            assert_eq!(only.keyword(name).is_some(), known, "{name}");
        }
        assert_eq!(dialect(&json!({})), Ok(Dialect::of(Draft::Draft202012)));
        assert_eq!(dialect(&metaschema(json!({"x:y": true}))), Err("x:y".to_owned()));
        for (name, required, asserts) in [
            ("format-assertion", true, true),
            ("format-assertion", false, true),
            ("format-annotation", true, false),
            ("format", true, true),
            ("format", false, false),
        ] {
            let dialect = dialect(&metaschema(json!({uri(name): required}))).unwrap();
            assert_eq!(dialect.asserts_formats, asserts, "{name}");
            assert!(dialect.keyword("format").is_some());
        }
    }
}
