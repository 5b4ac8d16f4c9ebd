//! What is read from a position on, whatever program it lies in: most schemas have the same values.

use smallvec::SmallVec;

use crate::automaton::label::Label;
use crate::automaton::members::{Kind, Shape};
use crate::automaton::program::{Op, Position, Program};
use crate::automaton::terms::{Fingerprint, Terms};

/// With more positions nobody finds out: any JSON value has some dozen.
const MOST_POSITIONS: usize = 64;

impl Program {
    /// A hash of all that can be read from a position up to the end of its rule, the same in every
    /// program of one process. Nothing for what is mostly one program's own: objects with declared
    /// keys, lists whose items differ, references to tokens and long texts.
    pub(crate) fn fingerprint(&self, start: Position, terms: &Terms) -> Option<Fingerprint> {
        let mut met = Met(SmallVec::from_slice(&[start]));
        let mut print = Fingerprint::of_position();
        let mut at = 0;
        while let Some(&position) = met.0.get(at) {
            print = self.add_op(print, self.op(position), &mut met, terms)?;
            if met.0.len() > MOST_POSITIONS {
                return None;
            }
            at += 1;
        }
        Some(print)
    }

    fn add_op(
        &self,
        print: Fingerprint,
        op: &Op,
        met: &mut Met,
        terms: &Terms,
    ) -> Option<Fingerprint> {
        Some(match op {
            Op::Return => print.word(0),
            Op::Fork(to) => {
                let print = print.word(1).word(to.len() as u64);
                to.iter().fold(print, |print, &to| print.word(met.number(to)))
            }
            &Op::Take { label: Label::Term(term), next } => {
                print.word(2).part(terms.fingerprint(term)).word(met.number(next))
            }
            &Op::Take { label: Label::Counted { rest, item, min, max }, next } => {
                let parts = [rest, item].map(|term| terms.fingerprint(term));
                let print = parts.into_iter().fold(print.word(3), Fingerprint::part);
                print.word(min.into()).word(max.into()).word(met.number(next))
            }
            &Op::Call { to, next } => print.word(4).word(met.number(to)).word(met.number(next)),
            &Op::Count(index) => {
                let looped = &self.loops[index as usize];
                let print = print.word(5).word(looped.min.into()).word(of_max(looped.max));
                let positions = [looped.body, looped.next, looped.count];
                positions.into_iter().fold(print, |print, at| print.word(met.number(at)))
            }
            &Op::Key(index) => add_shape(print.word(6), &self.shapes[index as usize], met, terms)?,
            &Op::After(index) => {
                add_shape(print.word(7), &self.shapes[index as usize], met, terms)?
            }
            Op::Take { .. } | Op::Token { .. } | Op::Item(_) | Op::ItemEnd(_) => return None,
        })
    }
}

fn add_shape(
    mut print: Fingerprint,
    shape: &Shape,
    met: &mut Met,
    terms: &Terms,
) -> Option<Fingerprint> {
    print = print.word(shape.members.len() as u64);
    for member in &shape.members {
        let Kind::Many(bounds) = member.kind else { return None };
        print = print
            .word(bounds.min.into())
            .word(of_max(bounds.max))
            .part(terms.fingerprint(member.key))
            .word(met.number(member.value))
            .word(member.value_nullable.into());
    }
    let numbers = [shape.min.into(), of_max(shape.max), shape.separator_nullable.into()];
    print = numbers.into_iter().fold(print, Fingerprint::word);
    let positions = [shape.separator, shape.key, shape.after, shape.next];
    Some(positions.into_iter().fold(print, |print, at| print.word(met.number(at))))
}

fn of_max(max: Option<u32>) -> u64 {
    max.map_or(u64::MAX, u64::from)
}

/// The positions that have been met, in this order: mostly few.
struct Met(SmallVec<[Position; MOST_POSITIONS]>);

impl Met {
    fn number(&mut self, position: Position) -> u64 {
        match position {
            Position::RETURN => u64::MAX,
            Position::FAIL => u64::MAX - 1,
            Position::NONE => u64::MAX - 2,
            // Nobody finds out: which one it is need not be looked for.
            _ if self.0.len() > MOST_POSITIONS => u64::MAX - 3,
            _ => {
                let known = self.0.iter().position(|&met| met == position);
                known.unwrap_or_else(|| {
                    self.0.push(position);
                    self.0.len() - 1
                }) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::automaton::Automaton;
    use crate::parse;

    const VALUE: &str = r#"
        value ::= object | list | "\"" [^"]* "\"" | "null"
        object ::= "{" @members(",")( "\"" [a-z]* "\"" *=> ":" value ) "}"
        list ::= "[" (value ("," value)*)? "]"
    "#;

    /// The fingerprints of the values of all members.
    fn of_values(grammar: &str) -> HashSet<Option<Fingerprint>> {
        let grammar = parse(&format!("{grammar}\n{VALUE}")).expect("a grammar");
        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
        let program = &automaton.program;
        let members = program.shapes.iter().flat_map(|shape| &shape.members);
        members.map(|member| program.fingerprint(member.value, automaton.terms())).collect()
    }

    #[test]
    fn values_are_alike_in_different_programs() {
        let members = |before: &str, value: &str| {
            of_values(&format!(
                r#"root ::= {before} "(" @members(";")( [a-z]* "=" *=> {value} ) ")""#
            ))
        };
        let plain = members("", "value");
        assert!(!plain.contains(&None));
        assert_eq!(members(r#""x" [0-9]{3,9} value"#, "value"), plain);
        for other in [r#"value "," value"#, "list", r#""(" value ")""#, r#""[" value "]""#] {
            assert!(!members("", other).is_subset(&plain), "{other}");
        }
    }

    #[test]
    fn what_is_one_programs_own_has_none() {
        let declared = r#"root ::= @members(",")( [a-z]+ *=> x )
            x ::= "(" @members(";")( "b" => "c" x ) ")" | "d""#;
        let long = format!(r#"root ::= @members(",")( [a-z]+ *=> "{}" )"#, "x".repeat(10_000));
        for grammar in [declared, &long] {
            assert!(of_values(grammar).contains(&None), "{grammar}");
        }
    }
}
