//! Options of a translation on the command line.

use clap::Args;
use grammask::json_schema::{Numbers, Options, Order, Whitespace};
use serde::Serialize;
use serde::de::{DeserializeOwned, IntoDeserializer, value};

/// How documents are spelled.
#[derive(Args, Clone, Debug, Serialize)]
pub struct SchemaOptions {
    /// The order of the properties: any, declared, required-first
    #[arg(long, value_parser = by_name::<Order>, default_value = "any")]
    order: Order,
    /// The spellings of numbers: canonical, any
    #[arg(long, value_parser = by_name::<Numbers>, default_value = "canonical")]
    numbers: Numbers,
    /// What may stand in a gap: bounded, compact, python, any
    #[arg(long, value_parser = by_name::<Whitespace>, default_value = "bounded")]
    whitespace: Whitespace,
}

impl SchemaOptions {
    /// The options of the translator; all others have their defaults.
    pub fn options(&self) -> Options {
        let Self { order, numbers, whitespace } = *self;
        Options { order, numbers, whitespace, ..Options::default() }
    }
}

/// A value by the name that it has in JSON.
///
/// # Errors
///
/// Another name; the message lists those that there are.
pub fn by_name<T: DeserializeOwned>(name: &str) -> Result<T, value::Error> {
    T::deserialize(name.into_deserializer())
}
