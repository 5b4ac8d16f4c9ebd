//! Objects: what their members can be, and members in any order.

use grammask_gbnf::{Expr, ExprKind, Member, Members, Repetition};

use super::terminal::Terminal;
use super::{Emitter, Manner, Normals, sequence};
use crate::error::SchemaError;
use crate::language::LanguageId;
use crate::normal::{KeyId, ObjectShape, TermId, Witness};
use crate::options::Order;
use crate::syntax::Syntax;

/// A declared key that can be there.
pub(super) struct Declared {
    pub(super) key: KeyId,
    pub(super) value: TermId,
    pub(super) required: bool,
}

/// Keys that are not declared.
pub(super) struct Free {
    pub(super) keys: LanguageId,
    pub(super) value: TermId,
    /// Whether there must be one, apart from all other members.
    pub(super) witness: bool,
}

/// The members that an object can have.
pub(super) struct Allowed {
    pub(super) declared: Vec<Declared>,
    /// Declared keys that cannot be there.
    pub(super) never: Vec<KeyId>,
    pub(super) free: Vec<Free>,
}

impl Emitter<'_, '_, '_> {
    /// An object of this shape, with so many members.
    pub(super) fn object(
        &mut self,
        name: &str,
        shape: &ObjectShape,
        (min, max): (u64, Option<u64>),
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let Some(mut allowed) = self.allowed(shape) else { return Ok(Expr::nothing()) };
        // Bounds that hold anyway are no bounds.
        let required = allowed.declared.iter().filter(|one| one.required).count() as u64;
        let min = if min <= required { 0 } else { min };
        let open = !allowed.free.is_empty();
        let max = max.filter(|&max| open || max < allowed.declared.len() as u64);
        let members = if self.order() == Order::Any {
            self.unordered(name, &allowed, (min, max), normals)?
        } else {
            if self.order() == Order::RequiredFirst {
                allowed.declared.sort_by_key(|one| !one.required);
            }
            self.ordered(name, &allowed, (min, max), normals)?
        };
        if let Manner::Arguments = self.manner
            && let Syntax::Elements(_) = self.syntax
        {
            return Ok(members);
        }
        let gap = self.gap();
        Ok(sequence([Expr::literal("{"), gap, members, Expr::literal("}")]))
    }

    /// What the members can be; `None` if one that must be there cannot.
    fn allowed(&mut self, shape: &ObjectShape) -> Option<Allowed> {
        let mut allowed = Allowed { declared: Vec::new(), never: Vec::new(), free: Vec::new() };
        for (key, &value) in shape.properties.iter() {
            let required = shape.required.contains(key);
            if self.is_possible(value) {
                allowed.declared.push(Declared { key, value, required });
            } else {
                allowed.never.push(key);
            }
        }
        for (key, ()) in shape.required.iter() {
            if !shape.properties.contains(key) {
                let value = shape.value(key, &mut self.normaliser.reader.terms);
                allowed.declared.push(Declared { key, value, required: true });
            }
        }
        for key in self.keys_of_alternatives(shape) {
            let value = shape.value(key, &mut self.normaliser.reader.terms);
            if self.is_possible(value) {
                allowed.declared.push(Declared { key, value, required: false });
            } else {
                allowed.never.push(key);
            }
        }
        for region in shape.others.iter().filter(|one| self.is_possible(one.value)) {
            let (keys, value) = (region.keys, region.value);
            allowed.free.push(Free { keys, value, witness: false });
        }
        for &Witness { keys, value } in &shape.witnesses {
            if !self.is_possible(value) {
                return None;
            }
            allowed.free.push(Free { keys, value, witness: true });
        }
        Some(allowed)
    }

    /// What follows a key, if it is a declared one with the key.
    pub(super) fn member_value(
        &mut self,
        key: Option<KeyId>,
        value: TermId,
        normals: &Normals,
    ) -> Expr {
        if let Some(element) = self.element_value(key, value, normals) {
            return element;
        }
        let value = self.value(value, normals);
        let [colon, after] = self.separator_parts(":");
        let gap = self.gap();
        sequence([gap.clone(), colon, after, value, gap])
    }

    /// An undeclared key.
    pub(super) fn free_key(&mut self, name: &str, keys: LanguageId) -> Result<Expr, SchemaError> {
        if let Some(key) = self.raw_key(name, keys)? {
            return Ok(key);
        }
        if keys == LanguageId::EVERYTHING {
            return Ok(self.terminal(Terminal::Key));
        }
        self.matching(name, keys, 0, None)
    }

    fn unordered(
        &mut self,
        name: &str,
        allowed: &Allowed,
        (min, max): (u64, Option<u64>),
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let mut members = Vec::with_capacity(allowed.declared.len() + 1);
        for one in &allowed.declared {
            let repetition = if one.required { Repetition::Required } else { Repetition::Optional };
            let value = self.member_value(Some(one.key), one.value, normals);
            members.push(Member { key: self.key(one.key)?, repetition, value });
        }
        if !allowed.free.is_empty() {
            members.extend(self.forbidden(allowed.never.iter().copied()));
            self.free_members(name, &allowed.free, &mut members, normals)?;
        }
        self.members(members, min, max)
    }

    /// The undeclared keys as members.
    pub(super) fn free_members(
        &mut self,
        name: &str,
        free: &[Free],
        members: &mut Vec<Member>,
        normals: &Normals,
    ) -> Result<(), SchemaError> {
        for one in free {
            let value = self.member_value(None, one.value, normals);
            let key = self.free_key(&format!("{name}-key"), one.keys)?;
            let repetition = if one.witness {
                Repetition::Many { min: 1, max: Some(1) }
            } else {
                Repetition::MANY
            };
            members.push(Member { key, repetition, value });
        }
        Ok(())
    }

    /// Keys that cannot be there; those that cannot be written need not be named.
    pub(super) fn forbidden(&mut self, keys: impl IntoIterator<Item = KeyId>) -> Vec<Member> {
        let keys: Vec<_> = keys.into_iter().filter_map(|key| self.key(key).ok()).collect();
        let never = Repetition::Never;
        let member = |key| Member { key, repetition: never, value: Expr::empty() };
        keys.into_iter().map(member).collect()
    }

    pub(super) fn members(
        &mut self,
        members: Vec<Member>,
        min: u64,
        max: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        let possible = members.iter().any(|member| member.repetition != Repetition::Never);
        if !possible || max == Some(0) {
            return Ok(Expr::empty());
        }
        let (min, max) = self.bounds(min, max)?;
        let Some(before) = self.before_key() else {
            let separator = self.separator(",");
            let members = Members { members, separator, min, max };
            return Ok(Expr::new(ExprKind::Members(Box::new(members))));
        };
        // Once before each member: before the first one, and between two.
        let needs_one = min > 0 || members.iter().any(|member| member.repetition.min() > 0);
        let members = Members { members, separator: before.clone(), min: min.max(1), max };
        let all = sequence([before, Expr::new(ExprKind::Members(Box::new(members)))]);
        Ok(if needs_one { all } else { all.optional() })
    }

    pub(super) fn bounds(
        &mut self,
        min: u64,
        max: Option<u64>,
    ) -> Result<(u32, Option<u32>), SchemaError> {
        match self.counted(Expr::empty(), min, max)?.kind {
            ExprKind::Repeat { min, max, .. } => Ok((min, max)),
            _ => Ok((min as u32, max.map(|max| max as u32))),
        }
    }
}
