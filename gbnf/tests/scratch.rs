use grammask_gbnf::*;
fn m(g: &Grammar) -> Matcher {
    Matcher::new(&Automaton::compile(g, "root").unwrap())
}
fn lit(s: &str) -> Expr {
    Expr::literal(s)
}
fn seq<const N: usize>(x: [Expr; N]) -> Expr {
    Expr::sequence(x)
}
fn alt<const N: usize>(x: [Expr; N]) -> Expr {
    Expr::choice(x)
}
fn r(s: &str) -> Expr {
    Expr::reference(s)
}
fn full(g: &Grammar, t: &str) -> bool {
    let mut m = m(g);
    m.advance(t.as_bytes()).is_ok() && m.is_complete()
}
fn pre(g: &Grammar, t: &str) -> bool {
    let mut m = m(g);
    m.advance(t.as_bytes()).is_ok()
}
#[test]
fn basics() {
    let mut g = Grammar::default();
    g.add(
        "root",
        alt([
            seq([lit("a"), r("root"), lit("b")]),
            seq([lit("a"), r("root"), lit("c")]),
            Expr::empty(),
        ]),
    );
    assert!(full(&g, ""));
    assert!(full(&g, "aabc"));
    assert!(!full(&g, "aab"));
    assert!(pre(&g, "aab"));
    assert!(!pre(&g, "aabcc"));
    let n = 10_000;
    let t = "a".repeat(n) + &"bc".repeat(n / 2);
    assert!(full(&g, &t));
    // left recursion
    let mut g = Grammar::default();
    g.add("root", alt([seq([r("root"), lit("+"), r("t")]), r("t")]));
    g.add("t", alt([seq([r("t"), lit("*"), r("f")]), r("f")]));
    g.add(
        "f",
        alt([seq([lit("("), r("root"), lit(")")]), Expr::class([('0', '9')]).repeat(1, None)]),
    );
    assert!(full(&g, "1+2*(3+45)*6"));
    assert!(!pre(&g, "1+*"));
    assert!(pre(&g, "((1"));
    // hidden
    let mut g = Grammar::default();
    g.add("root", alt([seq([lit("a").repeat(0, None), r("root"), lit("x")]), lit("y")]));
    assert!(full(&g, "aayx"));
    assert!(full(&g, "y"));
    assert!(full(&g, "aayxxx"));
    assert!(!pre(&g, "x"));
    assert!(!pre(&g, "yxa"));
    let mut g = Grammar::default();
    g.add("root", r("root"));
    assert!(Automaton::compile(&g, "root").unwrap().is_empty());
    // counters
    let mut g = Grammar::default();
    g.add("root", alt([lit("a"), lit("aa")]).repeat(2, Some(5)));
    for k in 0..14 {
        assert_eq!(full(&g, &"a".repeat(k)), (2..=10).contains(&k), "{k}");
        assert_eq!(pre(&g, &"a".repeat(k)), k <= 10);
    }
    let mut g = Grammar::default();
    g.add("root", lit("a").optional().repeat(0, Some(1000)).repeat(0, Some(1000)));
    assert!(full(&g, &"a".repeat(3000)));
    let mut g = Grammar::default();
    g.add("root", seq([Expr::class_except([('"', '"')]).repeat(3, Some(1_000_000)), lit("\"")]));
    assert!(full(&g, "abé\""));
    assert!(!full(&g, "ab\""));
}
#[test]
fn members() {
    let mut g = Grammar::default();
    let mem = |k: Expr, repetition, v: Expr| Member { key: k, repetition, value: v };
    g.add(
        "root",
        seq([
            lit("{"),
            Expr::new(ExprKind::Members(Box::new(Members {
                members: vec![
                    mem(lit("a="), Repetition::Required, lit("1")),
                    mem(lit("b="), Repetition::Optional, lit("2")),
                    mem(lit("no="), Repetition::Never, Expr::empty()),
                    mem(
                        seq([Expr::class([('a', 'z')]).repeat(1, None), lit("=")]),
                        Repetition::Many,
                        lit("3"),
                    ),
                ],
                separator: lit(","),
                min: 0,
                max: Some(3),
            }))),
            lit("}"),
        ]),
    );
    assert!(full(&g, "{a=1}"));
    assert!(full(&g, "{b=2,a=1}"));
    assert!(!pre(&g, "{}"));
    assert!(!pre(&g, "{b=2,b="));
    assert!(!pre(&g, "{no="));
    assert!(pre(&g, "{no"));
    assert!(!pre(&g, "{x=3,y=3,z"));
    assert!(pre(&g, "{x=3,y=3,a"));
    assert!(full(&g, "{x=3,a=1,xy=3}"));
    assert!(!pre(&g, "{x=3,x="));
    assert!(pre(&g, "{x=3,x"));
    assert!(!pre(&g, "{x=3,y="));
}
