//! Objects, in any order and in the order of the schema.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use grammask_gbnf::{Expr, ExprKind, Member, Members, Repetition};

use super::terminal::Terminal;
use super::{Emitter, sequence};
use crate::error::SchemaError;
use crate::normal::{Normal, ObjectShape, TermId};
use crate::options::Order;

/// A declared key that can be there.
struct Declared {
    key: Arc<str>,
    value: TermId,
    required: bool,
}

impl Emitter<'_, '_, '_> {
    /// An object of this shape, which is pruned.
    pub(super) fn object(
        &mut self,
        name: &str,
        shape: &ObjectShape,
        normals: &HashMap<TermId, Rc<Normal>>,
    ) -> Result<Expr, SchemaError> {
        let mut declared = Vec::new();
        let mut never = Vec::new();
        for (key, &value) in shape.properties.iter() {
            let required = shape.required.contains(key);
            if self.possible.contains(&value) {
                declared.push(Declared { key: key.clone(), value, required });
            } else {
                never.push(key.clone());
            }
        }
        for (key, ()) in shape.required.iter() {
            if !shape.properties.contains(key) {
                let value = shape.additional;
                declared.push(Declared { key: key.clone(), value, required: true });
            }
        }
        // Bounds that hold anyway are no bounds.
        let required = declared.iter().filter(|one| one.required).count() as u64;
        let open = shape.additional != TermId::NOTHING;
        let min = if shape.min <= required { 0 } else { shape.min };
        let max = shape.max.filter(|&max| open || max < declared.len() as u64);
        let members = if self.order() == Order::Any {
            self.unordered(&declared, &never, (open, shape.additional), (min, max), normals)?
        } else {
            if self.order() == Order::RequiredFirst {
                declared.sort_by_key(|one| !one.required);
            }
            self.ordered(name, &declared, &never, (open, shape.additional), (min, max), normals)?
        };
        let gap = self.gap();
        Ok(sequence([Expr::literal("{"), gap, members, Expr::literal("}")]))
    }

    /// What follows a key.
    fn member_value(&mut self, value: TermId, normals: &HashMap<TermId, Rc<Normal>>) -> Expr {
        let value = self.value(value, normals);
        let colon = self.separator(":");
        let gap = self.gap();
        sequence([gap.clone(), colon, value, gap])
    }

    fn unordered(
        &mut self,
        declared: &[Declared],
        never: &[Arc<str>],
        (open, additional): (bool, TermId),
        (min, max): (u64, Option<u64>),
        normals: &HashMap<TermId, Rc<Normal>>,
    ) -> Result<Expr, SchemaError> {
        let mut members = Vec::with_capacity(declared.len() + 1);
        for one in declared {
            let repetition = if one.required { Repetition::Required } else { Repetition::Optional };
            let value = self.member_value(one.value, normals);
            members.push(Member { key: Self::key_literal(&one.key), repetition, value });
        }
        if open {
            members.extend(never.iter().map(forbidden));
            let value = self.member_value(additional, normals);
            let key = self.terminal(Terminal::Key);
            members.push(Member { key, repetition: Repetition::MANY, value });
        }
        self.members(members, min, max)
    }

    fn members(
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
        let separator = self.separator(",");
        Ok(Expr::new(ExprKind::Members(Box::new(Members { members, separator, min, max }))))
    }

    /// The members in their order: rules `first` for the text before the first member, `rest`
    /// for the text after one, so that the size is linear.
    fn ordered(
        &mut self,
        name: &str,
        declared: &[Declared],
        never: &[Arc<str>],
        (open, additional): (bool, TermId),
        (min, max): (u64, Option<u64>),
        normals: &HashMap<TermId, Rc<Normal>>,
    ) -> Result<Expr, SchemaError> {
        let comma = self.separator(",");
        let mut chain = Chain { steps: Vec::with_capacity(declared.len()), comma };
        for one in declared {
            let key = Self::key_literal(&one.key);
            let value = self.member_value(one.value, normals);
            chain.steps.push((sequence([key, value]), one.required));
        }
        let others = if open {
            let value = self.member_value(additional, normals);
            let keys: Vec<&Arc<str>> = declared.iter().map(|one| &one.key).chain(never).collect();
            Some(self.others(name, &keys, value)?)
        } else {
            None
        };
        if min > 0 || max.is_some() {
            return self.counted_chain(name, &chain, others.as_ref(), min, max);
        }
        // After a member: everything that may follow.
        let mut rest = match &others {
            Some(Others::Members(members)) => {
                let members = self.members(members.clone(), 1, None)?;
                sequence([chain.comma.clone(), members]).optional()
            }
            Some(Others::Plain(member)) => {
                sequence([chain.comma.clone(), member.clone()]).repeat(0, None)
            }
            None => Expr::empty(),
        };
        // Before any member: what may come first.
        let mut first = match &others {
            Some(Others::Members(members)) => Some(self.members(members.clone(), 1, None)?),
            Some(Others::Plain(member)) => Some(sequence([
                member.clone(),
                sequence([chain.comma.clone(), member.clone()]).repeat(0, None),
            ])),
            None => None,
        };
        let mut may_be_empty = true;
        let lead = chain.steps.iter().position(|(_, required)| *required);
        for (index, (member, required)) in chain.steps.iter().enumerate().rev() {
            let step = sequence([chain.comma.clone(), member.clone()]);
            let leads = lead.is_none_or(|lead| index <= lead);
            if leads {
                if !matches!(rest.kind, ExprKind::Reference(_)) && super::size(&rest) > 4 {
                    let rule = self.fresh(&format!("{name}-after-{}", index + 1));
                    self.rule(rule.clone(), rest)?;
                    rest = Expr::reference(rule);
                }
                let here = sequence([member.clone(), rest.clone()]);
                first = Some(match first {
                    Some(later) if !required => {
                        let later = self.shortened(name, index + 1, later)?;
                        super::choice([here, later])
                    }
                    _ => here,
                });
                may_be_empty &= !required;
            }
            let step = if *required { step } else { step.optional() };
            rest = sequence([step, rest]);
        }
        Ok(match first {
            None => Expr::empty(),
            Some(first) if may_be_empty => first.optional(),
            Some(first) => first,
        })
    }

    /// A rule of its own for a long expression.
    fn shortened(&mut self, name: &str, index: usize, expr: Expr) -> Result<Expr, SchemaError> {
        if super::size(&expr) <= 12 {
            return Ok(expr);
        }
        let rule = self.fresh(&format!("{name}-from-{index}"));
        self.rule(rule.clone(), expr)?;
        Ok(Expr::reference(rule))
    }

    /// The same with the number of members bounded: a rule for each place and number so far.
    fn counted_chain(
        &mut self,
        name: &str,
        chain: &Chain,
        others: Option<&Others>,
        min: u64,
        max: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        let steps = chain.steps.len();
        let limit = self.options.limits.grammar;
        // Beyond this the exact number does not matter any more.
        let cap = max.unwrap_or(min).min(steps as u64) as usize;
        if cap.saturating_mul(steps) > limit {
            return Err(SchemaError::limit("", "nodes of the grammar", limit));
        }
        // `None`: no way to finish.
        let mut row: Vec<Option<Expr>> = Vec::with_capacity(cap + 1);
        for count in 0..=cap {
            row.push(self.ending(chain, others, count as u64, min, max)?);
        }
        for (index, (member, required)) in chain.steps.iter().enumerate().rev() {
            let mut above = Vec::with_capacity(cap + 1);
            for count in 0..=cap.min(index) {
                let full = max.is_some_and(|max| count as u64 >= max);
                let next = if max.is_none() { (count + 1).min(cap) } else { count + 1 };
                let taken = match row.get(next) {
                    Some(Some(rest)) if !full => {
                        let comma = if count == 0 { Expr::empty() } else { chain.comma.clone() };
                        Some(sequence([comma, member.clone(), rest.clone()]))
                    }
                    _ => None,
                };
                let skipped = if *required { None } else { row[count].clone() };
                let cases: Vec<Expr> = taken.into_iter().chain(skipped).collect();
                above.push(if cases.is_empty() {
                    None
                } else {
                    let rule = self.fresh(&format!("{name}-{index}-{count}"));
                    self.rule(rule.clone(), super::choice(cases))?;
                    Some(Expr::reference(rule))
                });
            }
            row = above;
        }
        Ok(row.swap_remove(0).unwrap_or_else(Expr::nothing))
    }

    /// What may follow the declared members when there were `count` of them (or more, if there
    /// is no greatest number).
    fn ending(
        &mut self,
        chain: &Chain,
        others: Option<&Others>,
        count: u64,
        min: u64,
        max: Option<u64>,
    ) -> Result<Option<Expr>, SchemaError> {
        let least = min.saturating_sub(count);
        let most = max.map(|max| max.saturating_sub(count));
        let Some(others) = others.filter(|_| most != Some(0)) else {
            return Ok((least == 0).then(Expr::empty));
        };
        let one_or_more = match others {
            Others::Members(members) => self.members(members.clone(), least.max(1), most)?,
            Others::Plain(member) => {
                let more = sequence([chain.comma.clone(), member.clone()]);
                let most = most.map(|most| most - 1);
                let more = self.counted(more, least.saturating_sub(1), most)?;
                sequence([member.clone(), more])
            }
        };
        let comma = if count == 0 { Expr::empty() } else { chain.comma.clone() };
        let some = sequence([comma, one_or_more]);
        Ok(Some(if least == 0 { some.optional() } else { some }))
    }

    /// The undeclared members.
    fn others(
        &mut self,
        name: &str,
        declared: &[&Arc<str>],
        value: Expr,
    ) -> Result<Others, SchemaError> {
        if !self.plain() {
            let mut members: Vec<Member> = declared.iter().copied().map(forbidden).collect();
            let key = self.terminal(Terminal::Key);
            members.push(Member { key, repetition: Repetition::MANY, value });
            return Ok(Others::Members(members));
        }
        self.note("undeclared keys may repeat: plain GBNF cannot exclude that");
        let key = if declared.is_empty() {
            self.terminal(Terminal::Key)
        } else {
            let rule = self.fresh(&format!("{name}-other-key"));
            let rest = self.strings_except(&rule, declared, 0, None)?;
            self.rule(rule.clone(), sequence([Expr::literal("\""), rest]))?;
            Expr::reference(rule)
        };
        Ok(Others::Plain(sequence([key, value])))
    }

    fn bounds(&mut self, min: u64, max: Option<u64>) -> Result<(u32, Option<u32>), SchemaError> {
        match self.counted(Expr::empty(), min, max)?.kind {
            ExprKind::Repeat { min, max, .. } => Ok((min, max)),
            _ => Ok((min as u32, max.map(|max| max as u32))),
        }
    }
}

/// The declared members in their order, each with whether it is required.
struct Chain {
    steps: Vec<(Expr, bool)>,
    comma: Expr,
}

/// Undeclared members.
enum Others {
    /// Entries of unordered members.
    Members(Vec<Member>),
    /// One member.
    Plain(Expr),
}

fn forbidden(key: &Arc<str>) -> Member {
    let key = Emitter::key_literal(key);
    Member { key, repetition: Repetition::Never, value: Expr::empty() }
}
