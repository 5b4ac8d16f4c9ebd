//! URIs of schemas: base URIs and references (RFC 3986, section 5; 2020-12 core, section 9.1).

use std::fmt::{self, Write};

use fluent_uri::{Uri, UriRef};

/// Where relative references of a document without a URI of its own lead (RFC 3986, section
/// 5.1.4: the base of last resort is up to the application).
const DEFAULT_BASE: &str = "json-schema:///";

/// Relative identifiers inside each other make a URI longer than the schema has room for, and each
/// subschema its own one; nobody need understand more than this (RFC 9110, section 4.1).
const MAX_BYTES: usize = 8_192;

/// What a text must be to be joined.
pub(crate) const EXPECTED: &str = "a URI reference of at most 8192 bytes";

/// The URI of a schema resource: absolute, normalised, without a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResourceUri(Uri<String>);

impl ResourceUri {
    /// The base of a document without a URI.
    pub(crate) fn default_base() -> Self {
        Self(Uri::parse(DEFAULT_BASE.to_owned()).expect("a URI"))
    }

    /// What a reference without its fragment means with this URI as its base (section 5.2);
    /// `None` if it is no URI reference, if it is too long, or if a relative one has nothing to be relative to, as
    /// beside `urn:isbn:0`.
    pub(crate) fn join(&self, reference: &str) -> Option<Self> {
        if self.as_str().len() + reference.len() > MAX_BYTES {
            return None;
        }
        let encoded = encoded(reference);
        let reference = UriRef::parse(encoded.as_str()).ok()?;
        let target = reference.resolve_against(&self.0).ok()?;
        Some(Self(target.normalize().strip_fragment().to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// As a person wrote it: without the base that nobody gave.
impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.as_str();
        f.write_str(match text.strip_prefix(DEFAULT_BASE) {
            Some(relative) if !relative.is_empty() => relative,
            _ => text,
        })
    }
}

/// The URI of a reference and its fragment; without `#` the fragment is empty.
pub(crate) fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Percent-encodes what may not stand in a URI: spaces, quotes and all that is not ASCII are
/// common in identifiers of real schemas.
fn encoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut encoded = String::with_capacity(text.len());
    for (at, &byte) in bytes.iter().enumerate() {
        let allowed = match byte {
            b'%' => {
                bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
            }
            b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => false,
            _ => byte.is_ascii_graphic(),
        };
        if allowed {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Text without percent-encoding (section 2.1); `None` if what is encoded is not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let hex = tail.get(..2).filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        for (base, reference, target) in [
            ("", "a.json", "json-schema:///a.json"),
            ("", "http://example.com/a", "http://example.com/a"),
            ("http://example.com/a/b", "c", "http://example.com/a/c"),
            ("http://example.com/a/b", "/c", "http://example.com/c"),
            ("http://example.com/a/b", "../../c/./d", "http://example.com/c/d"),
            ("http://example.com/a/b?q", "?r", "http://example.com/a/b?r"),
            ("http://example.com/a", "//other.com/b#c", "http://other.com/b"),
            ("http://example.com/a", "", "http://example.com/a"),
            ("http://example.com", "HTTP://EXAMPLE.com:80/%7ea%2f", "http://example.com/~a%2F"),
            ("", "some schema", "json-schema:///some%20schema"),
            ("", "50%/ü{}", "json-schema:///50%25/%C3%BC%7B%7D"),
            ("urn:uuid:0", "urn:uuid:1", "urn:uuid:1"),
            ("urn:uuid:0", "", "urn:uuid:0"),
            ("tag:example.com,2024:a/b", "tag:c", "tag:c"),
            ("file:///a/b", "../c", "file:///c"),
        ] {
            let base = ResourceUri::default_base().join(base).unwrap();
            assert_eq!(base.join(reference).unwrap().as_str(), target, "{base} {reference}");
        }
        let base = ResourceUri::default_base();
        assert!(base.join("urn:uuid:0").unwrap().join("a").is_none());
        assert!(base.join("http://[").is_none());
        assert!(base.join("1:a").is_none());
        assert!(base.join(&"a/".repeat(4_000)).is_some());
        assert!(base.join(&"a/".repeat(4_100)).is_none());
    }

    #[test]
    fn fragments_are_decoded() {
        assert_eq!(percent_decoded("/%24defs/%C3%BC").as_deref(), Some("/$defs/ü"));
        for text in ["%", "%2", "%zz", "%+1", "%FF"] {
            assert_eq!(percent_decoded(text), None, "{text}");
        }
    }
}
