//! Formats: the texts of each are one rule, which is made once for all grammars.

use std::sync::OnceLock;

use grammask_gbnf::{Expr, ExprKind};

use super::syntax::Lettering;
use super::{Body, Emitter, measured};
use crate::error::SchemaError;
use crate::format::Format;
use crate::language::LanguageId;
use crate::options::Notation;

impl Emitter<'_, '_, '_> {
    /// A reference to the rule of a format, if a language is its texts, bounds on their lengths leave none
    /// out and they stand in one rule: not in plain GBNF, in which they are the states of an automaton.
    pub(super) fn format(
        &mut self,
        language: LanguageId,
        min: u64,
        max: Option<u64>,
    ) -> Result<Option<Expr>, SchemaError> {
        static BODIES: [OnceLock<Option<Body>>; Format::ALL.len()] =
            [const { OnceLock::new() }; Format::ALL.len()];
        if self.options.notation == Notation::Plain || self.lettering() != Lettering::Json {
            return Ok(None);
        }
        let terms = &self.normaliser.reader.terms;
        let Some(format) = terms.format_of(language) else { return Ok(None) };
        if !terms.languages.keeps_lengths(language, min, max) {
            return Ok(None);
        }
        if let Some(rule) = self.formats.get(&format) {
            return Ok(Some(Expr::reference(rule.clone())));
        }
        let known = &BODIES[format as usize];
        let body = if let Some(body) = known.get() {
            body
        } else {
            let body = self.format_body(language)?;
            known.get_or_init(|| body)
        };
        let Some(body) = body else { return Ok(None) };
        let rule = self.fresh(format.name());
        self.measured_rule(rule.clone(), body.clone())?;
        self.formats.insert(format, rule.clone());
        Ok(Some(Expr::reference(rule)))
    }

    fn format_body(&mut self, language: LanguageId) -> Result<Option<Body>, SchemaError> {
        let texts = self.in_one_rule(language)?.map(|texts| match texts.kind {
            ExprKind::All(_) => texts,
            _ => Expr::all([texts], []),
        });
        Ok(texts.map(measured))
    }
}
