//! What the keys of members must be, and whether there are enough of them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::lower::{Kind, Lowered, LoweredMembers};
use crate::automaton::terms::{PLENTY, TermId, Terms};
use crate::automaton::{CompileError, CompileErrorKind};
use crate::grammar::Repetition;

/// Whether the members ask for a number of keys.
pub(crate) fn asks_for_keys(members: &LoweredMembers) -> bool {
    let counted = |repetition: Repetition| repetition.is_many() && repetition.min() > 0;
    members.min > 0 || members.members.iter().any(|member| counted(member.repetition))
}

/// The keys of the members that have literals, if all are what they must be.
pub(crate) fn check_keys(
    members: &LoweredMembers,
    lowered: &Lowered,
    terms: &Terms,
    rule_terms: &mut FxHashMap<u32, TermId>,
) -> Result<FxHashSet<TermId>, CompileError> {
    let mut literals = FxHashSet::default();
    for member in &members.members {
        let bad =
            |reason| Err(CompileError::at(CompileErrorKind::MemberKey(reason), member.key_span));
        if !lowered.extents[member.key as usize].regular {
            return bad("is not a regular expression");
        }
        let key = lowered.key_term(member, terms, rule_terms);
        if terms.nullable(key) {
            return bad("may be empty");
        }
        if member.repetition.is_many() {
            continue;
        }
        let is_text = matches!(lowered.kinds[member.key as usize], Kind::Text(_));
        if !(is_text || terms.is_literal(key)) {
            return bad("is not a literal, but the member is not one of many");
        }
        if !literals.insert(key) {
            return bad("occurs twice");
        }
    }
    Ok(literals)
}

/// Whether no choice of different keys gives as many members as there must be. Where every choice
/// that is made in a text is to leave enough of them, that must not depend on which entry takes a
/// key that several match: a matching problem, which is refused.
pub(crate) fn too_few_keys(
    members: &LoweredMembers,
    literals: &FxHashSet<TermId>,
    lowered: &Lowered,
    terms: &Terms,
    rule_terms: &mut FxHashMap<u32, TermId>,
) -> Result<bool, CompileError> {
    let least = u64::from(members.min);
    // Members of declared keys; of entries with infinitely many keys; of entries with finitely
    // many keys and a bound on their members.
    let (mut once, mut endless, mut bounded) = (0_u64, 0_u64, 0_u64);
    // The keys of entries with finitely many keys that may take all of them.
    let mut unbounded = Vec::new();
    for member in &members.members {
        if !lowered.member_possible(member) {
            continue;
        }
        let Repetition::Many { min, max } = member.repetition else {
            once += 1;
            continue;
        };
        if max.is_none() && min == 0 && once >= least {
            continue;
        }
        let key = lowered.key_term(member, terms, rule_terms);
        let keys = terms.count(key).filter(|&keys| keys < PLENTY);
        match (keys, max) {
            (None, max) => endless += u64::from(max.unwrap_or(u32::MAX)),
            (Some(_), _) if min > 0 => {
                let kind = CompileErrorKind::MemberCount(
                    "asks for members of an entry that has only finitely many keys",
                );
                return Err(CompileError::at(kind, member.key_span));
            }
            (Some(keys), Some(max)) if u64::from(max) < keys => bounded += u64::from(max),
            (Some(_), _) => unbounded.push(key),
        }
    }
    // A text that several of them match is one key all the same.
    let unbounded = terms.alt(unbounded);
    let declared =
        literals.iter().filter(|&&literal| terms.is_match(literal, unbounded)).count() as u64;
    let unbounded = terms.count(unbounded).map_or(u64::MAX, |count| count - declared);
    // However the members are chosen, as long as there are fewer there is a further one.
    if once + endless.max(unbounded) >= least {
        return Ok(false);
    }
    let greatest = (once + endless + bounded).saturating_add(unbounded);
    if greatest < least {
        return Ok(true);
    }
    let kind = CompileErrorKind::MemberCount(
        "makes the least number of members depend on how finitely many keys are shared out",
    );
    let span = members.members.first().map_or_else(Default::default, |member| member.key_span);
    Err(CompileError::at(kind, span))
}

#[cfg(test)]
mod tests {
    use crate::automaton::{Automaton, CompileErrorKind};
    use crate::parse;

    fn error(members: &str) -> Option<CompileErrorKind> {
        let grammar = parse(&format!("root ::= \"x\" | {members}")).expect("it is a grammar");
        Automaton::compile(&grammar, "root").err().map(|error| error.kind().clone())
    }

    #[test]
    fn counts_that_need_a_matching_are_refused() {
        let refused = [
            "@members(\",\")( [a-z] *=>{1,} )",
            "@members(\",\")( [a-z]{1,3} *=>{1,2} ; [A-Z]+ *=> )",
            "@members(\",\"){2,}( [a-c] *=>{0,1} ; [b-d] *=>{0,1} )",
            "@members(\",\"){2,}( [a-c] *=>{0,1} ; [b-z]+ *=>{0,1} )",
            "@members(\",\"){2,}( \"a\" *=> ; [a-z]+ *=>{0,1} )",
        ];
        for members in refused {
            let error = error(members);
            assert!(matches!(error, Some(CompileErrorKind::MemberCount(_))), "{members}");
        }
        let taken = [
            "@members(\",\")( [a-z]+ *=>{1,} )",
            "@members(\",\")( [a-z] *=>{0,5} )",
            "@members(\",\"){1,}( [a-c] *=>{0,1} ; [b-z]+ *=>{0,1} )",
            "@members(\",\"){2,}( [a-c] *=>{0,3} ; [b-d] *=>{0,3} )",
            "@members(\",\"){2,}( [a-c] *=>{0,1} ; [b-z]+ *=> )",
            "@members(\",\"){3,}( [a-c] *=>{0,1} ; [b-d] *=>{0,1} )",
            // No member of this entry can be written.
            "@members(\",\")( [a-c] *=>{1,} [^\\x00-\\U0010FFFF] )",
        ];
        for members in taken {
            assert_eq!(error(members), None, "{members}");
        }
    }

    #[test]
    fn keys_are_what_they_must_be() {
        for members in
            ["@members(\",\")( [a-z]* *=> )", "@members(\",\")( a *=> )\na ::= \"(\" a \")\""]
        {
            assert!(matches!(error(members), Some(CompileErrorKind::MemberKey(_))), "{members}");
        }
    }
}
