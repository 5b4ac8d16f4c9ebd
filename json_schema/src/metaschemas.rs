//! The metaschemas of the drafts and of their vocabularies, by URI: see `metaschemas/README.md`.

use std::sync::LazyLock;

use serde_json::Value;

macro_rules! documents {
    ($($uri:literal => $file:literal,)*) => {
        [$((
            $uri,
            LazyLock::new(|| {
                let text = include_str!(concat!("metaschemas/", $file));
                serde_json::from_str(text).expect("a bundled document is JSON")
            }),
        )),*]
    };
}

static DOCUMENTS: [(&str, LazyLock<Value>); 19] = documents! {
    "http://json-schema.org/draft-04/schema" => "draft4.json",
    "http://json-schema.org/draft-06/schema" => "draft6.json",
    "http://json-schema.org/draft-07/schema" => "draft7.json",
    "https://json-schema.org/draft/2019-09/schema" => "draft2019-09/schema.json",
    "https://json-schema.org/draft/2019-09/meta/core" => "draft2019-09/core.json",
    "https://json-schema.org/draft/2019-09/meta/applicator" => "draft2019-09/applicator.json",
    "https://json-schema.org/draft/2019-09/meta/validation" => "draft2019-09/validation.json",
    "https://json-schema.org/draft/2019-09/meta/meta-data" => "draft2019-09/meta-data.json",
    "https://json-schema.org/draft/2019-09/meta/format" => "draft2019-09/format.json",
    "https://json-schema.org/draft/2019-09/meta/content" => "draft2019-09/content.json",
    "https://json-schema.org/draft/2020-12/schema" => "draft2020-12/schema.json",
    "https://json-schema.org/draft/2020-12/meta/core" => "draft2020-12/core.json",
    "https://json-schema.org/draft/2020-12/meta/applicator" => "draft2020-12/applicator.json",
    "https://json-schema.org/draft/2020-12/meta/unevaluated" => "draft2020-12/unevaluated.json",
    "https://json-schema.org/draft/2020-12/meta/validation" => "draft2020-12/validation.json",
    "https://json-schema.org/draft/2020-12/meta/meta-data" => "draft2020-12/meta-data.json",
    "https://json-schema.org/draft/2020-12/meta/format-annotation" => "draft2020-12/format-annotation.json",
    "https://json-schema.org/draft/2020-12/meta/format-assertion" => "draft2020-12/format-assertion.json",
    "https://json-schema.org/draft/2020-12/meta/content" => "draft2020-12/content.json",
};

/// The document with this URI.
pub(crate) fn bundled(uri: &str) -> Option<&'static Value> {
    DOCUMENTS.iter().find(|(known, _)| *known == uri).map(|(_, document)| &**document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_uri() {
        for (uri, document) in &DOCUMENTS {
            let id = document.get("$id").or(document.get("id")).and_then(Value::as_str).unwrap();
            assert_eq!(id.trim_end_matches('#'), *uri);
            assert_eq!(bundled(uri), Some(&**document));
        }
        assert_eq!(bundled("http://json-schema.org/draft-03/schema"), None);
    }
}
