//! What cannot be said in rows of text: split characters, bytes that are not UTF-8, tokens,
//! undefined and repeated names; and that samples repeat.

use grammask_gbnf::{Expr, ExprKind, Grammar, TokenName, TokenReference};
use grammask_oracle::{Reference, enumerate, generate};

fn root(body: Expr) -> Grammar {
    let mut grammar = Grammar::default();
    grammar.add("root", body);
    grammar
}

fn next(reference: &Reference, text: &[u8]) -> Vec<u8> {
    reference.read(text).map(|chart| chart.next_bytes()).unwrap_or_default()
}

#[test]
fn a_split_character_is_alive_if_a_completion_fits() {
    let any = Reference::new(&root(Expr::new(ExprKind::Any)), "root");
    for alive in [&b"\xC2"[..], b"\xDF", b"\xE0\xA0", b"\xED\x9F", b"\xF0\x90", b"\xF4\x8F\xBF"] {
        assert!(any.alive(alive) && !any.matches(alive), "{alive:X?}");
    }
    let dead: [&[u8]; 10] = [
        b"\x80",
        b"\xC0",
        b"\xC1",
        b"\xC2\x20",
        b"\xE0\x9F",
        b"\xED\xA0",
        b"\xF0\x8F",
        b"\xF4\x90",
        b"\xF5",
        b"\xFF",
    ];
    for dead in dead {
        assert!(!any.alive(dead), "{dead:X?}");
    }
    let class = Reference::new(&root(Expr::class([('é', 'ê'), ('漢', '漢')])), "root");
    assert_eq!(next(&class, b""), [0xC3, 0xE6]);
    assert_eq!(next(&class, b"\xC3"), [0xA9, 0xAA]);
    assert_eq!(next(&class, b"\xE6\xBC"), [0xA2]);
}

#[test]
fn tokens_and_undefined_names_match_no_text() {
    let token = TokenReference { negated: true, token: TokenName::Id(7) };
    for body in [Expr::new(ExprKind::Token(token)), Expr::reference("none")] {
        assert!(Reference::new(&root(body.clone()), "root").is_empty());
        let either =
            root(Expr::choice([Expr::sequence([Expr::literal("a"), body]), Expr::empty()]));
        let either = Reference::new(&either, "root");
        assert!(either.matches(b"") && !either.alive(b"a"));
    }
    assert!(Reference::new(&root(Expr::empty()), "other").is_empty());
    assert!(!Reference::new(&Grammar::default(), "root").alive(b""));
}

#[test]
fn the_last_of_two_rules_counts() {
    let mut grammar = root(Expr::literal("a"));
    grammar.add("root", Expr::literal("b"));
    let reference = Reference::new(&grammar, "root");
    assert!(reference.matches(b"b") && !reference.alive(b"a"));
}

#[test]
fn bounds_the_wrong_way_round_match_nothing() {
    assert!(Reference::new(&root(Expr::empty().repeat(2, Some(1))), "root").is_empty());
}

#[test]
fn every_count_is_counted() {
    for min in 0..9 {
        for max in min..12 {
            let grammar = root(Expr::literal("a").repeat(min, Some(max)));
            let texts = enumerate::texts(&Reference::new(&grammar, "root"), b"a", 20, usize::MAX);
            let expected: Vec<_> = (min..=max).map(|count| vec![b'a'; count as usize]).collect();
            assert_eq!(texts, expected);
        }
    }
    let big = Reference::new(&root(Expr::literal("a").repeat(30, Some(u32::MAX))), "root");
    assert!(!big.matches(&[b'a'; 29]) && big.matches(&[b'a'; 30]) && big.matches(&[b'a'; 31]));
}

#[test]
fn enumeration_is_in_order_and_stops() {
    let grammar = root(Expr::class([('a', 'b')]).repeat(0, None));
    let reference = Reference::new(&grammar, "root");
    let texts = enumerate::texts(&reference, b"ab", 9, 5);
    assert_eq!(texts, [&b""[..], b"a", b"b", b"aa", b"ab"]);
}

#[test]
fn a_seed_gives_the_same_sample() {
    for seed in 0..20 {
        let first = generate::sample(&generate::grammars(), seed);
        assert_eq!(first, generate::sample(&generate::grammars(), seed));
        let tokens = generate::sample(&generate::vocabularies(), seed);
        assert_eq!(tokens, generate::sample(&generate::vocabularies(), seed));
        assert!(tokens.iter().all(|token| !token.is_empty()));
    }
    let differing =
        (0..20).map(|seed| generate::sample(&generate::grammars(), seed)).collect::<Vec<_>>();
    assert!(differing.windows(2).any(|pair| pair[0] != pair[1]));
}
