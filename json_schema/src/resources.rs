//! Documents that references may lead into.

use std::collections::HashMap;
use std::fmt;

use serde_json::Value;
use thiserror::Error;

use crate::uri::{ResourceUri, split_fragment};

/// Documents that references may lead into, by URI.
///
/// A document is given beforehand, or by a function when a reference first asks for it. Nothing is
/// ever fetched from a network or read from a file. The metaschemas of all drafts are known
/// without being given, and so is what the schema brings with it: a subschema with an `$id` of its
/// own.
///
/// A document without `$schema` is read in the draft of the schema that refers to it.
///
/// # Example
///
/// ```
/// use grammask_json_schema::{Options, Resources, translate_with};
/// use serde_json::json;
///
/// let schema = json!({"$id": "https://example.com/order", "items": {"$ref": "item#/$defs/name"}});
/// let mut resources = Resources::new();
/// let item = json!({"$defs": {"name": {"type": "string"}}});
/// resources.insert("https://example.com/item", item)?;
/// assert!(translate_with(&schema, &Options::default(), &resources).is_ok());
///
/// let retrieved = Resources::new().retriever(|uri| {
///     (uri == "https://example.com/item").then(|| json!({"$defs": {"name": true}}))
/// });
/// assert!(translate_with(&schema, &Options::default(), &retrieved).is_ok());
/// # Ok::<(), grammask_json_schema::InvalidUri>(())
/// ```
#[derive(Default)]
pub struct Resources<'f> {
    documents: HashMap<ResourceUri, Value>,
    retrieve: Option<Box<Retrieve<'f>>>,
}

type Retrieve<'f> = dyn Fn(&str) -> Option<Value> + Send + Sync + 'f;

/// A text that is no URI.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no URI")]
pub struct InvalidUri(pub String);

impl<'f> Resources<'f> {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a document, in place of an earlier one with the same URI. A relative URI is what the
    /// same reference in a schema without `$id` leads to; a fragment does not count.
    ///
    /// # Errors
    ///
    /// [`InvalidUri`].
    pub fn insert(&mut self, uri: &str, document: Value) -> Result<(), InvalidUri> {
        let (absolute, _) = split_fragment(uri);
        let absolute = ResourceUri::default_base().join(absolute);
        self.documents.insert(absolute.ok_or_else(|| InvalidUri(uri.to_owned()))?, document);
        Ok(())
    }

    /// Asks `retrieve` for the documents that are not given. It is called with an absolute URI
    /// without fragment, at most once for each in a translation.
    #[must_use]
    pub fn retriever(self, retrieve: impl Fn(&str) -> Option<Value> + Send + Sync + 'f) -> Self {
        Self { retrieve: Some(Box::new(retrieve)), ..self }
    }

    pub(crate) fn get(&self, uri: &ResourceUri) -> Option<&Value> {
        self.documents.get(uri)
    }

    pub(crate) fn retrieve(&self, uri: &ResourceUri) -> Option<Value> {
        self.retrieve.as_ref()?(uri.as_str())
    }
}

impl fmt::Debug for Resources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut uris: Vec<&str> = self.documents.keys().map(ResourceUri::as_str).collect();
        uris.sort_unstable();
        f.debug_struct("Resources")
            .field("documents", &uris)
            .field("retrieve", &self.retrieve.is_some())
            .finish()
    }
}
