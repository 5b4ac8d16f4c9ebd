//! The rules that many others share.

use std::borrow::Cow;
use std::sync::OnceLock;

use grammask_gbnf::{Expr, Member, Members, Repetition};

use super::number::Exponents;
use super::ordered::KEYS_MAY_REPEAT;
use super::syntax::Lettering;
use super::{Body, Emitter, choice, measured, sequence};
use crate::error::SchemaError;
use crate::language::LanguageId;
use crate::normal::{Constraint, NumberSet, StringSet};
use crate::options::{Options, Strings};

/// A shared rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Terminal {
    Value,
    Object,
    Array,
    String,
    Number,
    Integer,
    /// Positive numbers that are printed with a negative exponent,
    TinyNumber,
    /// and with a positive one.
    HugeNumber,
    Boolean,
    /// An undeclared key.
    Key,
    /// One code point of a free string.
    Character,
    /// One code point with an escape only where JSON requires one.
    RawCharacter,
    Whitespace,
}

/// What the names of rules begin with where values have one spelling.
pub(super) const SINGLE: &str = "unique-";

impl Terminal {
    const ALL: [Self; 13] = [
        Self::Value,
        Self::Object,
        Self::Array,
        Self::String,
        Self::Number,
        Self::Integer,
        Self::TinyNumber,
        Self::HugeNumber,
        Self::Boolean,
        Self::Key,
        Self::Character,
        Self::RawCharacter,
        Self::Whitespace,
    ];

    /// Whether there is another rule where each value has one spelling.
    fn varies(self) -> bool {
        matches!(self, Self::Value | Self::Object | Self::Array | Self::String | Self::Number)
    }

    /// The name of the rule, where values have several spellings.
    const fn plain_name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::TinyNumber => "tiny-number",
            Self::HugeNumber => "huge-number",
            Self::Boolean => "boolean",
            Self::Key => "key",
            Self::Character => "char",
            Self::RawCharacter => "raw-char",
            Self::Whitespace => "ws",
        }
    }

    /// The name of the rule, where values have one spelling or several.
    pub(super) fn name(self, single: bool) -> Cow<'static, str> {
        let name = self.plain_name();
        if single && self.varies() { format!("{SINGLE}{name}").into() } else { name.into() }
    }

    /// Whether a shared rule has this name.
    pub(super) fn has_name(name: &str) -> bool {
        let of_single = name.strip_prefix(SINGLE);
        Self::ALL.into_iter().any(|terminal| {
            let known = terminal.plain_name();
            name == known || terminal.varies() && of_single == Some(known)
        })
    }
}

impl Emitter<'_, '_, '_> {
    /// A reference to a shared rule, which is then written.
    pub(super) fn terminal(&mut self, terminal: Terminal) -> Expr {
        let single = self.single && terminal.varies();
        if !self.terminals.contains(&(terminal, single)) {
            self.terminals.push((terminal, single));
        }
        Expr::reference(terminal.name(single))
    }

    /// Writes the shared rules that are used, and those that they use, in a fixed order.
    pub(super) fn write_terminals(&mut self) -> Result<(), SchemaError> {
        let mut bodies = Vec::new();
        // A body may ask for further terminals.
        while let Some(&(terminal, single)) = self.terminals.get(bodies.len()) {
            self.single = single;
            let body = self.shared_body(terminal)?;
            bodies.push(((terminal, single), body));
        }
        bodies.sort_by_key(|&(terminal, _)| terminal);
        for ((terminal, single), body) in bodies {
            self.measured_rule(terminal.name(single).into_owned(), body)?;
        }
        Ok(())
    }

    /// The body of a shared rule, with its size. Those that ask for no other rules are made once for all
    /// grammars, as far as the options say how they are spelled by default.
    fn shared_body(&mut self, terminal: Terminal) -> Result<Body, SchemaError> {
        static BODIES: [OnceLock<Body>; Terminal::ALL.len()] =
            [const { OnceLock::new() }; Terminal::ALL.len()];
        let default = Options::default();
        let is_common = match terminal {
            Terminal::Number | Terminal::Integer | Terminal::TinyNumber | Terminal::HugeNumber => {
                !self.single
                    && self.options.numbers == default.numbers
                    && self.options.digits == default.digits
            }
            Terminal::Boolean | Terminal::Character | Terminal::RawCharacter => true,
            Terminal::Whitespace => self.options.whitespace == default.whitespace,
            Terminal::Value
            | Terminal::Object
            | Terminal::Array
            | Terminal::String
            | Terminal::Key => false,
        };
        let known = is_common.then(|| &BODIES[terminal as usize]);
        if let Some(known) = known.and_then(OnceLock::get) {
            return Ok(known.clone());
        }
        let body = measured(self.terminal_body(terminal)?);
        Ok(known.map_or(body.clone(), |known| known.get_or_init(|| body).clone()))
    }

    fn terminal_body(&mut self, terminal: Terminal) -> Result<Expr, SchemaError> {
        Ok(match terminal {
            Terminal::Value => {
                let parts = [
                    Terminal::Object,
                    Terminal::Array,
                    Terminal::String,
                    Terminal::Number,
                    Terminal::Boolean,
                ];
                let mut cases = parts.map(|part| self.terminal(part)).to_vec();
                cases.push(Expr::literal("null"));
                Expr::choice(cases)
            }
            Terminal::Object => self.any_object(),
            Terminal::Array => self.any_array(),
            Terminal::String if self.lettering() != Lettering::Json => {
                choice(self.raw_string("string", &StringSet::any())?)
            }
            Terminal::String => {
                let char = if self.single || self.options.strings == Strings::Minimal {
                    self.terminal(Terminal::RawCharacter)
                } else {
                    self.terminal(Terminal::Character)
                };
                sequence([Expr::literal("\""), char.repeat(0, None), Expr::literal("\"")])
            }
            Terminal::Number => self.whole_number(&NumberSet::any()),
            Terminal::Integer => self.whole_number(&NumberSet::integers()),
            Terminal::TinyNumber => self.with_exponent(Exponents::Negative),
            Terminal::HugeNumber => self.with_exponent(Exponents::Positive),
            Terminal::Boolean => Expr::choice([Expr::literal("true"), Expr::literal("false")]),
            Terminal::Key if self.lettering() != Lettering::Json => {
                self.free_key("key", LanguageId::EVERYTHING)?
            }
            Terminal::Key => {
                let char = self.terminal(Terminal::RawCharacter);
                sequence([Expr::literal("\""), char.repeat(0, None), Expr::literal("\"")])
            }
            Terminal::Character => super::string::character(),
            Terminal::RawCharacter => super::string::raw_character(),
            Terminal::Whitespace => self.whitespace(),
        })
    }

    fn any_object(&mut self) -> Expr {
        let value = self.terminal(Terminal::Value);
        let key = self.terminal(Terminal::Key);
        let colon = self.separator(":");
        let comma = self.separator(",");
        let gap = self.gap();
        let value = sequence([gap.clone(), colon, value, gap.clone()]);
        let members = if self.plain() {
            self.note(KEYS_MAY_REPEAT);
            let member = sequence([key, value]);
            let more = sequence([comma, member.clone()]).repeat(0, None);
            sequence([member, more]).optional()
        } else {
            let member = Member { key, repetition: Repetition::MANY, value };
            let members = Members { members: vec![member], separator: comma, min: 0, max: None };
            Expr::new(grammask_gbnf::ExprKind::Members(Box::new(members)))
        };
        sequence([Expr::literal("{"), gap, members, Expr::literal("}")])
    }

    fn any_array(&mut self) -> Expr {
        let value = self.terminal(Terminal::Value);
        let comma = self.separator(",");
        let gap = self.gap();
        let item = sequence([value, gap.clone()]);
        let more = sequence([comma, item.clone()]).repeat(0, None);
        let items = sequence([item, more]).optional();
        sequence([Expr::literal("["), gap, items, Expr::literal("]")])
    }
}
