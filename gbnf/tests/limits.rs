//! Large and deep grammars: they work, or a limit is named.

use grammask_gbnf::{Code, Dialect, Grammar, parse_with};

const DIALECTS: [Dialect; 2] = [Dialect::Grammask, Dialect::LlamaCpp];

/// The only fault of a grammar.
fn fault(text: &str, dialect: Dialect) -> (Code, String) {
    let found = parse_with(text, dialect).expect_err("a fault");
    let diagnostic = found.iter().next().expect("an error has diagnostics");
    (diagnostic.code, diagnostic.message.clone())
}

#[test]
fn a_thousand_parentheses_and_no_more() {
    for dialect in DIALECTS {
        let nested = |depth| format!("root ::= {}\"a\"{}", "(".repeat(depth), ")?".repeat(depth));
        let grammar = parse_with(&nested(1_000), dialect).expect("deep enough");
        assert!(grammar.check("root").is_empty());
        assert_eq!(Grammar::parse(&grammar.to_string()), Ok(grammar));
        for depth in [1_001, 60_000] {
            let (code, message) = fault(&nested(depth), dialect);
            assert_eq!(code, Code::Limit);
            assert_eq!(message, "parentheses nest deeper than 1000");
        }
        let mixed = "(\"b\" | \"x\" (".repeat(500);
        let mixed = format!("root ::= {mixed}\"a\"{}", " \"c\")+ | [d])".repeat(500));
        let grammar = parse_with(&mixed, dialect).expect("deep enough");
        assert_eq!(Grammar::parse(&grammar.to_string()), Ok(grammar));
    }
}

#[test]
fn a_small_stack_is_enough() {
    let text = format!("root ::= {}\"a\"{}", "(\"b\" ".repeat(1_000), ")?".repeat(1_000));
    let parse = move || Grammar::parse(&text).is_ok();
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(parse);
    assert!(thread.expect("a thread").join().expect("no overflow"));
}

#[test]
fn parentheses_count_only_where_they_are_parentheses() {
    let signs = "(".repeat(2_000);
    let text = format!("root ::= \"{signs}\" [{signs}] <{signs}> # {signs}");
    for dialect in DIALECTS {
        assert!(parse_with(&text, dialect).is_ok());
    }
}

#[test]
fn stacked_quantifiers() {
    for dialect in DIALECTS {
        let text = format!("root ::= \"a\"{}", "?".repeat(100_000));
        assert_eq!(fault(&text, dialect).0, Code::Limit);
    }
}

#[test]
fn a_long_literal() {
    let text = format!("root ::= \"{}\\n{}\"", "x".repeat(5_000_000), "é".repeat(2_500_000));
    for dialect in DIALECTS {
        let grammar = parse_with(&text, dialect).expect("any length");
        assert_eq!(grammar.to_string().trim_end(), text);
    }
}

#[test]
fn a_long_chain_of_rules() {
    let rules: Vec<_> = (0..100_000).map(|rule| format!("r{rule} ::= r{}\n", rule + 1)).collect();
    let rules = rules.concat();
    let endless = format!("root ::= r0\n{rules}r100000 ::= \"a\" r100000");
    let text = format!("root ::= r0\n{rules}r100000 ::= \"a\"");
    for dialect in DIALECTS {
        let grammar = parse_with(&text, dialect).expect("any number of rules");
        assert!(grammar.check("root").is_empty());
        let endless = parse_with(&endless, dialect).expect("that is for the check");
        assert_eq!(endless.check("root")[0].code, Code::MatchesNothing);
    }
}

/// llama.cpp follows 2^40 ways here, and for a dozen rules 2^12.
#[test]
fn two_ways_at_each_of_many_rules() {
    let chain = |rules: usize| {
        let two = |rule| format!("a{rule} ::= a{0} | a{0} \"b\"\n", rule + 1);
        let ways: String = (0..rules).map(two).collect();
        format!("root ::= a0\n{ways}a{rules} ::= \"x\"")
    };
    for (rules, dialect) in [(12, Dialect::LlamaCpp), (40, Dialect::Grammask)] {
        let grammar = parse_with(&chain(rules), dialect).expect("two ways");
        assert!(grammar.check("root").is_empty());
    }
    for rules in [20, 40, 1_000] {
        let found = parse_with(&chain(rules), Dialect::LlamaCpp).expect_err("llama.cpp hangs");
        assert_eq!(found.iter().next().map(|fault| fault.code), Some(Code::Hangs));
    }
}

#[test]
fn mistakes_are_counted_when_there_are_too_many() {
    let text = "a ::= \"x\n".repeat(100_000);
    let found = parse_with(&text, Dialect::Grammask).expect_err("no quote is closed");
    assert_eq!(found.len(), 100);
    assert!(found.omitted() > 0);
}

/// The stack of an ordinary thread does for the deepest grammar, also without optimisation.
#[test]
fn on_the_stack_of_a_thread() {
    let text = format!("root ::= {}\"a\"{}", "(\"b\" | ".repeat(1_000), " \"c\")*".repeat(1_000));
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let parse = move || Grammar::parse(&text).map(|grammar| grammar.check("root").len());
    let found = thread.spawn(parse).expect("a thread").join().expect("no panic");
    assert_eq!(found, Ok(0));
}
