//! The tables that an engine keeps for further grammars.

use grammask_gbnf::parse;
use grammask_sampler::{Constraint, Engine, Vocabulary};

#[test]
fn tables_have_a_bound_and_what_was_forgotten_is_found_again() {
    let engine = Engine::new(Vocabulary::from_name("o200k_base").expect("it is built in"));
    // Strings without one character or another have nothing in common but what they are.
    let without = |number: u32| {
        let (one, other) = (number % 90 + 0x21, number / 90 + 0x100);
        let text = format!(r#"root ::= "<" [^<>\U{one:08X}\U{other:08X}]* ">""#);
        let grammar = parse(&text).expect("it is a grammar");
        let mut constraint = Constraint::new(&engine, &grammar, "root").expect("it compiles");
        let start = engine.vocabulary().token_by_text(b"<").expect("every byte is a token");
        constraint.accept(start).expect("it begins so");
        constraint.mask()
    };
    let first = without(0);
    let mut most = 0;
    for number in 1..900 {
        without(number);
        let bytes = engine.table_bytes();
        assert!(bytes <= Engine::MOST_TABLE_BYTES, "{bytes} after {number} grammars");
        most = most.max(bytes);
    }
    // They are full, and the first ones are gone.
    assert!(most > Engine::MOST_TABLE_BYTES / 10 * 3, "{most}");
    let before = engine.nodes_visited();
    assert!(without(0) == first);
    assert!(engine.nodes_visited() - before > 1_000);
}
