//! Formats: the texts of each are one rule, which is made once for all grammars.

use std::sync::{Arc, OnceLock};

use grammask_gbnf::{Expr, ExprKind};

use super::syntax::Lettering;
use super::{Emitter, size};
use crate::error::SchemaError;
use crate::format::Format;
use crate::language::LanguageId;
use crate::options::Notation;

/// A rule of more nodes is made for each grammar, in parts.
const MOST_NODES: usize = 4_096;

/// The body of a rule, with its size.
type Body = (Arc<Expr>, usize);

impl Emitter<'_, '_, '_> {
    /// A reference to the rule of a format, if a language is its texts and they stand in one rule: not in
    /// plain GBNF, in which they are the states of an automaton.
    pub(super) fn format(&mut self, language: LanguageId) -> Result<Option<Expr>, SchemaError> {
        static BODIES: [OnceLock<Option<Body>>; Format::ALL.len()] =
            [const { OnceLock::new() }; Format::ALL.len()];
        if self.options.notation == Notation::Plain || self.lettering() != Lettering::Json {
            return Ok(None);
        }
        let Some(format) = self.normaliser.reader.terms.format_of(language) else {
            return Ok(None);
        };
        if let Some(rule) = self.formats.get(&format) {
            return Ok(Some(Expr::reference(rule.clone())));
        }
        let known = &BODIES[format as usize];
        let body = if let Some(body) = known.get() {
            body
        } else {
            let body = self.format_body(format, language)?;
            known.get_or_init(|| body)
        };
        let Some((body, size)) = body else { return Ok(None) };
        let rule = self.fresh(format.name());
        self.rule_of_size(rule.clone(), Arc::clone(body), *size)?;
        self.formats.insert(format, rule.clone());
        Ok(Some(Expr::reference(rule)))
    }

    fn format_body(
        &mut self,
        format: Format,
        language: LanguageId,
    ) -> Result<Option<Body>, SchemaError> {
        let Some(texts) = self.in_one_rule(format.name(), language, MOST_NODES)? else {
            return Ok(None);
        };
        let body = match texts.kind {
            ExprKind::All(_) => texts,
            _ => Expr::all([texts], []),
        };
        let size = size(&body);
        Ok(Some((Arc::new(body), size)))
    }
}
