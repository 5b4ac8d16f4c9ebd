//! Members in the order of the schema, undeclared ones last.

use std::collections::HashMap;
use std::sync::Arc;

use grammask_gbnf::{Expr, Member};

use super::object::{Allowed, Free};
use super::syntax::Lettering;
use super::terminal::Terminal;
use super::{Emitter, Normals, choice, sequence};
use crate::error::SchemaError;
use crate::language::LanguageId;
use crate::normal::KeyId;

/// The declared members in their order, each with whether it is required.
struct Chain {
    steps: Vec<(Expr, bool)>,
    comma: Expr,
}

/// Undeclared members.
enum Others {
    /// Entries of unordered members, and how many there must be.
    Members { members: Vec<Member>, witnesses: u64 },
    /// One member, and those of which there must be one each.
    Plain { member: Option<Expr>, witnesses: Vec<Expr> },
}

/// Of so many witnesses every set is a state in plain notation.
const MOST_WITNESSES: usize = 8;

/// What plain GBNF does not say of undeclared members.
pub(super) const KEYS_MAY_REPEAT: &str =
    "undeclared keys may repeat: plain GBNF cannot exclude that";

impl Emitter<'_, '_, '_> {
    /// The members in their order. What begins at a place is a rule, which follows a comma as well as the
    /// brace: the size is linear, and behind a comma there is one way to go on, however many members may
    /// come.
    pub(super) fn ordered(
        &mut self,
        name: &str,
        allowed: &Allowed,
        (min, max): (u64, Option<u64>),
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let comma = self.separator(",");
        let mut chain = Chain { steps: Vec::with_capacity(allowed.declared.len()), comma };
        for one in &allowed.declared {
            let key = self.key(one.key)?;
            let value = self.member_value(Some(one.key), one.value, normals);
            let before = self.before_key().unwrap_or_else(Expr::empty);
            chain.steps.push((sequence([before, key, value]), one.required));
        }
        let others = match allowed.free[..] {
            [] => None,
            _ => Some(self.others(name, allowed, normals)?),
        };
        if min > 0 || max.is_some() {
            return self.counted_chain(name, &chain, others.as_ref(), min, max);
        }
        // What begins with the member at a place or a later one, and whether none has to come there.
        let mut from = match &others {
            Some(others) => Some(self.some_others(name, others, &chain.comma, 1, None)?),
            None => None,
        };
        let mut may_be_none = others.as_ref().is_none_or(|others| others.witnesses() == 0);
        for (index, (member, required)) in chain.steps.iter().enumerate().rev() {
            // Where the member may be left out, what comes later stands here twice.
            let (later, instead) = match from {
                Some(later) if !required => {
                    let later = self.shortened(name, index + 1, later)?;
                    (Some(later.clone()), Some(later))
                }
                later => (later, None),
            };
            let more = later.map(|later| {
                let more = sequence([chain.comma.clone(), later]);
                if may_be_none { more.optional() } else { more }
            });
            let here = sequence([member.clone()].into_iter().chain(more));
            from = Some(choice([here].into_iter().chain(instead)));
            may_be_none &= !required;
        }
        Ok(match from {
            None => Expr::empty(),
            Some(from) if may_be_none => from.optional(),
            Some(from) => from,
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
            let keywords = ["minProperties", "maxProperties"];
            return Err(self.limit(&keywords, "nodes of the grammar", limit));
        }
        // `None`: no way to finish.
        let mut row: Vec<Option<Expr>> = Vec::with_capacity(cap + 1);
        for count in 0..=cap {
            row.push(self.ending(name, chain, others, count as u64, min, max)?);
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
                    self.rule(rule.clone(), choice(cases))?;
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
        name: &str,
        chain: &Chain,
        others: Option<&Others>,
        count: u64,
        min: u64,
        max: Option<u64>,
    ) -> Result<Option<Expr>, SchemaError> {
        let least = min.saturating_sub(count);
        let most = max.map(|max| max.saturating_sub(count));
        let witnesses = others.map_or(0, Others::witnesses);
        if most.is_some_and(|most| most < witnesses.max(least)) {
            return Ok(None);
        }
        let Some(others) = others.filter(|_| most != Some(0)) else {
            return Ok((least == 0).then(Expr::empty));
        };
        let some = self.some_others(name, others, &chain.comma, least.max(1), most)?;
        let comma = if count == 0 { Expr::empty() } else { chain.comma.clone() };
        let some = sequence([comma, some]);
        Ok(Some(if least == 0 && witnesses == 0 { some.optional() } else { some }))
    }

    /// At least `least` and at most `most` undeclared members; at least one.
    fn some_others(
        &mut self,
        name: &str,
        others: &Others,
        comma: &Expr,
        least: u64,
        most: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        match others {
            Others::Members { members, .. } => self.members(members.clone(), least, most),
            Others::Plain { member: Some(member), witnesses } if witnesses.is_empty() => {
                let more = sequence([comma.clone(), member.clone()]);
                let more = self.counted(more, least - 1, most.map(|most| most - 1))?;
                Ok(sequence([member.clone(), more]))
            }
            Others::Plain { member, witnesses } => {
                self.witnessed(name, (member.as_ref(), witnesses), comma, least, most)
            }
        }
    }

    /// Members among which there is each witness: a rule for each set of witnesses and number of
    /// members so far.
    fn witnessed(
        &mut self,
        name: &str,
        (member, witnesses): (Option<&Expr>, &[Expr]),
        comma: &Expr,
        least: u64,
        most: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        if witnesses.len() > MOST_WITNESSES {
            return Err(self.limit(&[], "members that must be there", MOST_WITNESSES));
        }
        let all = (1_usize << witnesses.len()) - 1;
        let cap = most.unwrap_or(least).max(1);
        let mut rules: HashMap<(usize, u64), String> = HashMap::new();
        let start = self.fresh(&format!("{name}-others"));
        rules.insert((0, 0), start.clone());
        let mut pending = vec![(0, 0)];
        while let Some((seen, count)) = pending.pop() {
            let mut cases = Vec::new();
            if seen == all && count >= least {
                cases.push(Expr::empty());
            }
            if most.is_none_or(|most| count < most) {
                let some = witnesses.iter().enumerate().filter(|&(at, _)| seen >> at & 1 == 0);
                let next = member.map(|member| (seen, member)).into_iter();
                for (seen, member) in next.chain(some.map(|(at, one)| (seen | 1 << at, one))) {
                    let to = (seen, (count + 1).min(cap));
                    let rule = if let Some(rule) = rules.get(&to) {
                        rule.clone()
                    } else {
                        let rule = self.fresh(&format!("{name}-others"));
                        rules.insert(to, rule.clone());
                        pending.push(to);
                        rule
                    };
                    let comma = if count == 0 { Expr::empty() } else { comma.clone() };
                    cases.push(sequence([comma, member.clone(), Expr::reference(rule)]));
                }
            }
            self.rule(rules[&(seen, count)].clone(), choice(cases))?;
        }
        Ok(Expr::reference(start))
    }

    /// The undeclared members.
    fn others(
        &mut self,
        name: &str,
        allowed: &Allowed,
        normals: &Normals,
    ) -> Result<Others, SchemaError> {
        let declared =
            allowed.declared.iter().map(|one| one.key).chain(allowed.never.iter().copied());
        if !self.plain() {
            let mut members = self.forbidden(declared);
            self.free_members(name, &allowed.free, &mut members, normals)?;
            let witnesses = allowed.free.iter().filter(|free| free.witness).count() as u64;
            return Ok(Others::Members { members, witnesses });
        }
        self.note(KEYS_MAY_REPEAT);
        let declared: Vec<KeyId> = declared.collect();
        let (mut cases, mut witnesses) = (Vec::new(), Vec::new());
        for &Free { keys, value, witness } in &allowed.free {
            let value = self.member_value(None, value, normals);
            let key = self.plain_key(name, keys, &declared)?;
            let before = self.before_key().unwrap_or_else(Expr::empty);
            let member = sequence([before, key, value]);
            if witness { witnesses.push(member) } else { cases.push(member) }
        }
        let member = (!cases.is_empty()).then(|| choice(cases));
        Ok(Others::Plain { member, witnesses })
    }

    /// A key of the language that is none of some others.
    fn plain_key(
        &mut self,
        name: &str,
        keys: LanguageId,
        declared: &[KeyId],
    ) -> Result<Expr, SchemaError> {
        if keys != LanguageId::EVERYTHING || self.lettering() != Lettering::Json {
            let keys = self.normaliser.reader.terms.keys_without(keys, declared);
            return self.free_key(&format!("{name}-key"), keys);
        }
        if declared.is_empty() {
            return Ok(self.terminal(Terminal::Key));
        }
        let rule = self.fresh(&format!("{name}-other-key"));
        let texts = &self.normaliser.reader.terms.keys;
        let declared: Vec<Arc<str>> = declared.iter().map(|&key| texts.text(key).clone()).collect();
        let declared: Vec<&str> = declared.iter().map(|key| &**key).collect();
        let rest = self.strings_except(&rule, &declared, 0, None)?;
        self.rule(rule.clone(), sequence([Expr::literal("\""), rest]))?;
        Ok(Expr::reference(rule))
    }
}

impl Others {
    /// How many there must be.
    fn witnesses(&self) -> u64 {
        match self {
            Self::Members { witnesses, .. } => *witnesses,
            Self::Plain { witnesses, .. } => witnesses.len() as u64,
        }
    }
}
