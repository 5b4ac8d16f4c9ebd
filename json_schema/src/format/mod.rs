//! The `format` keyword: its values as languages.
//!
//! A format is the set of texts that its RFC defines. Where that set is not regular, or its
//! automaton would be huge, there are two languages, one on each side of it, and the report says
//! what lies between them. Plain GBNF, which has no conjunctions, asks for small automata.

mod address;
mod date_time;
mod host;
mod idn;
mod mail;
mod pointer;
mod regex;
mod resource;

use std::sync::OnceLock;

use crate::language::{Approximation, LanguageId, Languages, PatternError, Snapshot};
use crate::options::Notation;

/// A format that the drafts define.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Date,
    Time,
    DateTime,
    Duration,
    Email,
    IdnEmail,
    Hostname,
    IdnHostname,
    Ipv4,
    Ipv6,
    Uri,
    UriReference,
    Iri,
    IriReference,
    UriTemplate,
    Uuid,
    JsonPointer,
    RelativeJsonPointer,
    Regex,
}

type Result<T> = std::result::Result<T, PatternError>;

impl Format {
    /// All, by name, in the order of the type.
    pub(crate) const ALL: [(&'static str, Self); 19] = [
        ("date", Self::Date),
        ("time", Self::Time),
        ("date-time", Self::DateTime),
        ("duration", Self::Duration),
        ("email", Self::Email),
        ("idn-email", Self::IdnEmail),
        ("hostname", Self::Hostname),
        ("idn-hostname", Self::IdnHostname),
        ("ipv4", Self::Ipv4),
        ("ipv6", Self::Ipv6),
        ("uri", Self::Uri),
        ("uri-reference", Self::UriReference),
        ("iri", Self::Iri),
        ("iri-reference", Self::IriReference),
        ("uri-template", Self::UriTemplate),
        ("uuid", Self::Uuid),
        ("json-pointer", Self::JsonPointer),
        ("relative-json-pointer", Self::RelativeJsonPointer),
        ("regex", Self::Regex),
    ];

    /// The format of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|&(known, _)| known == name).map(|(_, format)| format)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The texts of the format. They are made once for all stores.
    pub(crate) fn language(
        self,
        languages: &mut Languages,
        notation: Notation,
    ) -> Result<Approximation> {
        static KNOWN: [[OnceLock<Snapshot<2>>; 2]; Format::ALL.len()] =
            [const { [const { OnceLock::new() }; 2] }; Format::ALL.len()];
        let known = &KNOWN[self as usize][notation as usize];
        let texts = if let Some(texts) = known.get() {
            texts
        } else {
            let mut store = Languages::default();
            let Approximation { lower, upper } = self.make(&mut store, notation)?;
            known.get_or_init(|| store.snapshot([lower, upper]))
        };
        let [lower, upper] = languages.restore(texts)?;
        Ok(Approximation { lower, upper })
    }

    fn make(self, languages: &mut Languages, notation: Notation) -> Result<Approximation> {
        let pattern = match self {
            Self::Time => return date_time::time(languages, notation),
            Self::DateTime => return date_time::date_time(languages, notation),
            Self::Email => return mail::email(languages, notation),
            Self::IdnEmail => return mail::idn_email(languages),
            Self::Hostname => return host::hostname(languages, notation),
            Self::IdnHostname => return idn::hostname(languages),
            Self::Regex => {
                let lower = whole(languages, &regex::pattern())?;
                return Ok(Approximation { lower, upper: LanguageId::EVERYTHING });
            }
            Self::Date => date_time::DATE.to_owned(),
            Self::Duration => date_time::duration(),
            Self::Ipv4 => address::ipv4(),
            Self::Ipv6 => address::ipv6(),
            Self::Uri => resource::URI.absolute(),
            Self::UriReference => resource::URI.reference(),
            Self::Iri => resource::IRI.absolute(),
            Self::IriReference => resource::IRI.reference(),
            Self::UriTemplate => resource::template(),
            Self::Uuid => r"[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}".to_owned(),
            Self::JsonPointer => pointer::absolute(),
            Self::RelativeJsonPointer => pointer::relative(),
        };
        Ok(whole(languages, &pattern)?.into())
    }

    /// What a reader of the report has to know, if a text of the format may not be written.
    pub(crate) fn note(self, notation: Notation) -> Option<&'static str> {
        match (self, notation) {
            (Self::Time | Self::DateTime, Notation::Plain) => Some(date_time::PLAIN_NOTE),
            (Self::Email, Notation::Plain) => Some(mail::PLAIN_NOTE),
            (Self::Hostname, Notation::Plain) => Some(host::PLAIN_NOTE),
            (Self::Email, _) => Some(mail::NOTE),
            (Self::IdnEmail | Self::IdnHostname, _) => Some(idn::NOTE),
            (Self::Hostname, _) => Some(host::NOTE),
            (Self::Regex, _) => Some(regex::NOTE),
            _ => None,
        }
    }
}

/// The texts that match a pattern as a whole.
fn whole(languages: &mut Languages, pattern: &str) -> Result<LanguageId> {
    languages.pattern(&format!("^(?:{pattern})$"))
}
#[cfg(test)]
mod tests;
