//! JSON Schema to grammar, and a report of what is enforced.
//!
//! The grammar's language is the set of JSON texts of the schema's valid instances, in a spelling
//! that [`Options`] choose and the [`Report`] opens with. A keyword that cannot be enforced
//! exactly is an error, or under [`Strictness::Lenient`] a line of the report; nothing is dropped
//! in silence. This crate knows neither tokens nor models, and never touches the network or a
//! file.
//!
//! # Example
//!
//! ```
//! use grammask_json_schema::{Options, translate};
//! use serde_json::json;
//!
//! let schema = json!({
//!     "type": "object",
//!     "properties": {"name": {"type": "string", "maxLength": 40}, "age": {"type": "integer"}},
//!     "required": ["name"],
//! });
//! let translation = translate(&schema, &Options::default())?;
//! assert!(translation.grammar.rule("root").is_some());
//! assert_eq!(translation.report.refused().count(), 0);
//! # Ok::<(), grammask_json_schema::SchemaError>(())
//! ```
//!
//! # How it works
//!
//! The documents are walked once (`load.rs`): what in them is a schema, what it is called, and
//! whether its keywords are what its metaschema asks for. A place is a subschema in a dynamic
//! scope (`resolve.rs`). A subschema is read into parts (`read/`), the parts are combined into a
//! normal form, for each JSON type a union of constraints (`normal/`, `normalise/`), and rules
//! are written from the normal form alone (`emit/`).

mod bundle;
mod decimal;
mod dialect;
mod emit;
mod error;
mod format;
mod keyword;
mod language;
mod load;
mod member;
mod metaschemas;
mod normal;
mod normalise;
mod openai_strict;
mod options;
mod pointer;
mod read;
mod report;
mod resolve;
mod resources;
mod scope;
mod syntax;
mod table;
mod text;
mod translate;
mod uri;

pub use error::{SchemaError, SchemaErrorKind, Unsupported};
pub use openai_strict::{Breach, BreachKind, openai_strict};
pub use options::{
    DigitBounds, Draft, Formats, Limits, Notation, Numbers, Options, Order, Strictness, Strings,
    UnknownFormats, Whitespace,
};
pub use report::{Entry, Report, Spelling, Status};
pub use resources::{InvalidUri, Resources};
pub use syntax::{ElementValue, Elements, Quote, Syntax};
pub use text::{TextError, parse_schema};
pub use translate::{Arguments, Translation, translate, translate_object, translate_with};
