//! Arrays.

use std::collections::HashMap;
use std::rc::Rc;

use grammask_gbnf::Expr;

use super::{Emitter, sequence};
use crate::error::SchemaError;
use crate::normal::{ArrayShape, Normal, TermId};

/// How many optional items are nested in one rule.
const MOST_LEVELS: usize = 16;

impl Emitter<'_, '_, '_> {
    /// An array of this shape, which is pruned.
    pub(super) fn array(
        &mut self,
        name: &str,
        shape: &ArrayShape,
        normals: &HashMap<TermId, Rc<Normal>>,
    ) -> Result<Expr, SchemaError> {
        let gap = self.gap();
        let comma = self.separator(",");
        let length = shape.prefix.len();
        let mut rest = Expr::empty();
        if shape.items != TermId::NOTHING {
            let value = self.value(shape.items, normals);
            let item = sequence([value, gap.clone()]);
            let more = sequence([comma.clone(), item.clone()]);
            let (min, max) = (
                shape.min.saturating_sub(length as u64),
                shape.max.map(|max| max.saturating_sub(length as u64)),
            );
            rest = if length > 0 {
                self.counted(more, min, max)?
            } else {
                let more = self.counted(
                    more,
                    min.saturating_sub(1),
                    max.map(|max| max.saturating_sub(1)),
                )?;
                let items = sequence([item, more]);
                if min == 0 { items.optional() } else { items }
            };
        }
        let mut levels = 0;
        for (index, &item) in shape.prefix.iter().enumerate().rev() {
            let value = self.value(item, normals);
            let item = sequence([value, gap.clone(), rest]);
            rest = if index == 0 { item } else { sequence([comma.clone(), item]) };
            if shape.min <= index as u64 {
                rest = rest.optional();
                levels += 1;
                if levels % MOST_LEVELS == 0 {
                    let rule = self.fresh(&format!("{name}-from-{index}"));
                    self.rule(rule.clone(), rest)?;
                    rest = Expr::reference(rule);
                }
            }
        }
        Ok(sequence([Expr::literal("["), gap, rest, Expr::literal("]")]))
    }
}
