//! Random grammars, texts and vocabularies, as strategies of proptest.
//!
//! Grammars are over few characters, so that alternatives collide: `a b c`, `é ж` (two bytes, the
//! same first one in `é` and the class `[à-ÿ]`), `漢` (three), `😀` (four) and digits, which are counted. The start rule is
//! always `root`. All trees have the canonical shape of [`ExprKind`].

mod texts;

use std::collections::BTreeSet;

use grammask_gbnf::{
    All, Automaton, CharClass, CompileErrorKind, Expr, ExprKind, Grammar, Member, Members,
    Repetition, TokenName, TokenReference, Unique,
};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{select, subsequence};
use proptest::strategy::{BoxedStrategy, Union, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

pub use texts::{ALPHABET, changes, mutate, steps, texts, vocabularies, walk};

/// Grammars of up to six rules: left-recursive in every way, nullable, ambiguous, cyclic, with
/// nested and overlapping counters, with conjunctions, with rules that cannot finish or are not
/// reached, with members and with lists of unique items.
pub fn grammars() -> BoxedStrategy<Grammar> {
    prop_oneof![6 => plain_grammars(), 2 => members_grammars(), 1 => unique_grammars()].boxed()
}

/// [`grammars`] without members and lists.
pub fn plain_grammars() -> BoxedStrategy<Grammar> {
    rules(vec(plain_body(), 1..=6))
}

/// Grammars whose rules refer to each other at the end of their bodies, now and then elsewhere
/// too: regular languages that are written with recursion.
pub fn linear_grammars() -> BoxedStrategy<Grammar> {
    let body = prop_oneof![15 => linear_body(), 1 => plain_body()];
    rules(vec(body, 1..=6))
}

/// Grammars of so many parts that may be empty that there are many configurations at each byte.
pub fn grammars_of_many_parts() -> BoxedStrategy<Grammar> {
    // Parts that have the same terminal are one configuration: each has a character of its own.
    let item = || {
        let ranges = (select(vec!['b', 'c', 'd']), proptest::char::range('\u{4e00}', '\u{9fff}'));
        ranges.prop_map(|(last, own)| Expr::class(vec![('a', last), (own, own)]))
    };
    let optional = prop_oneof![
        3 => (item(), 1..4_u32).prop_map(|(item, max)| item.repeat(0, Some(max))),
        1 => item().prop_map(|item| item.repeat(0, None)),
        1 => (item(), terminal())
            .prop_map(|(item, end)| sequence([item.repeat(0, Some(3)), end]).optional()),
        1 => Just(rule(1).optional()),
    ];
    // What nests keeps them from being one terminal.
    let nested = terminal().prop_map(|end| sequence([literal("="), rule(0).optional(), end]));
    let root =
        vec(optional, 40..=60).prop_map(|parts| Expr::sequence(parts.into_iter().chain([rule(1)])));
    rules((root, nested).prop_map(|(root, nested)| vec![root, nested]))
}

/// Grammars whose start rule has members; the values may be members again.
pub fn members_grammars() -> BoxedStrategy<Grammar> {
    let root = prop_oneof![
        3 => members(small()),
        1 => (small(), members(small()), small()).prop_map(|(a, b, c)| sequence([a, b, c])),
        1 => members(members(small())),
        1 => (members(small()), members(small())).prop_map(|(a, b)| choice([a, b])),
        1 => members(small()).prop_map(|item| item.repeat(0, Some(3))),
    ];
    let others = vec(prop_oneof![2 => plain_body(), 1 => members(small())], 0..=3);
    rules((root, others).prop_map(|(root, mut others)| {
        others.insert(0, root);
        others
    }))
}

/// Grammars whose start rule has a list of unique items; the items may be lists again.
pub fn unique_grammars() -> BoxedStrategy<Grammar> {
    let root = prop_oneof![
        3 => unique(item()),
        1 => (small(), unique(item()), small()).prop_map(|(a, b, c)| sequence([a, b, c])),
        3 => unique(nested_item()),
        1 => (unique(item()), unique(item())).prop_map(|(a, b)| choice([a, b])),
        1 => unique(item()).prop_map(|item| item.repeat(0, Some(2))),
    ];
    let others = vec(prop_oneof![1 => plain_body(), 2 => unique(nested_item())], 0..=2);
    let grammars = rules((root, others).prop_map(|(root, mut others)| {
        others.insert(0, root);
        others
    }));
    grammars.prop_filter("nobody knows how many items there are", is_decided).boxed()
}

/// Whether it is known of all lists whether there are enough items.
fn is_decided(grammar: &Grammar) -> bool {
    match Automaton::compile(grammar, "root") {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), CompileErrorKind::ItemsTooLarge { .. }),
    }
}

/// Grammars with every kind of node and unusual names, texts and numbers: for what reads and
/// prints trees. Most have no sensible language.
pub fn trees() -> BoxedStrategy<Grammar> {
    let name = || "[A-Za-z0-9_-]{1,6}";
    let names = vec(name(), 1..=5).prop_map(|names| names.into_iter().collect::<BTreeSet<_>>());
    (names, vec(any_expr(), 5))
        .prop_map(|(names, bodies)| {
            let mut names: Vec<String> = names.into_iter().filter(|name| name != "root").collect();
            names.insert(0, "root".to_owned());
            let mut grammar = Grammar::default();
            for (rule, body) in names.iter().zip(bodies) {
                grammar.add(rule, resolve(body, &|index| names[index % names.len()].clone()));
            }
            grammar
        })
        .boxed()
}

/// The value of a strategy for a seed: always the same.
pub fn sample<S: Strategy>(strategy: &S, seed: u64) -> S::Value {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    strategy.new_tree(&mut runner).expect("strategies here refuse nothing").current()
}

// Rules do not know how many they are while they are drawn: they refer to each other as `@k`, the
// k-th rule after their own. `rules` puts the names in.

/// The name of the rule `offset` places after the one it is used in.
fn rule(offset: usize) -> Expr {
    Expr::reference(format!("@{offset}"))
}

/// Names the rules `root`, `r1`, `r2`, ...
fn rules(bodies: impl Strategy<Value = Vec<Expr>> + 'static) -> BoxedStrategy<Grammar> {
    bodies
        .prop_map(|bodies| {
            let count = bodies.len();
            let name =
                |index: usize| if index == 0 { "root".to_owned() } else { format!("r{index}") };
            let mut grammar = Grammar::default();
            for (index, body) in bodies.into_iter().enumerate() {
                grammar.add(name(index), resolve(body, &|offset| name((index + offset) % count)));
            }
            grammar
        })
        .boxed()
}

/// Replaces `@k` by `name(k)`.
fn resolve(expr: Expr, name: &impl Fn(usize) -> String) -> Expr {
    let all = |items: Vec<Expr>| items.into_iter().map(|item| resolve(item, name)).collect();
    Expr::new(match expr.kind {
        ExprKind::Reference(reference) => ExprKind::Reference(match reference.strip_prefix('@') {
            Some(offset) => name(offset.parse().expect("`@` and a number")).into(),
            None => reference,
        }),
        ExprKind::Sequence(items) => ExprKind::Sequence(all(items)),
        ExprKind::Choice(items) => ExprKind::Choice(all(items)),
        ExprKind::Repeat { item, min, max } => {
            ExprKind::Repeat { item: Box::new(resolve(*item, name)), min, max }
        }
        ExprKind::Members(members) => {
            let Members { members, separator, min, max } = *members;
            let members = members
                .into_iter()
                .map(|member| Member {
                    key: resolve(member.key, name),
                    repetition: member.repetition,
                    value: resolve(member.value, name),
                })
                .collect();
            let separator = resolve(separator, name);
            ExprKind::Members(Box::new(Members { members, separator, min, max }))
        }
        ExprKind::Unique(list) => {
            let Unique { first, rest, separator, min, max } = *list;
            ExprKind::Unique(Box::new(Unique {
                first: all(first),
                rest: rest.map(|rest| resolve(rest, name)),
                separator: resolve(separator, name),
                min,
                max,
            }))
        }
        ExprKind::All(found) => {
            ExprKind::All(Box::new(All { all: all(found.all), none: all(found.none) }))
        }
        kind => kind,
    })
}

fn sequence<const N: usize>(items: [Expr; N]) -> Expr {
    Expr::sequence(items)
}

fn choice<const N: usize>(items: [Expr; N]) -> Expr {
    Expr::choice(items)
}

fn literal(text: &str) -> Expr {
    Expr::literal(text.to_owned())
}

/// One character or a few.
fn terminal() -> BoxedStrategy<Expr> {
    let literals = ["a", "b", "c", "a", "b", "aa", "ab", "abc", "é", "ж", "漢", "😀", "a漢", ""];
    let classes = [
        vec![('a', 'b')],
        vec![('a', 'c')],
        vec![('b', 'b'), ('é', 'é')],
        vec![('à', 'ÿ')],
        vec![('c', 'ж')],
        vec![('é', '漢')],
        vec![('a', '😀')],
        vec![('漢', '漢'), ('😀', '😀')],
    ];
    prop_oneof![
        8 => select(literals.to_vec()).prop_map(literal),
        3 => select(classes.to_vec()).prop_map(Expr::class),
        2 => select(classes.to_vec()).prop_map(Expr::class_except),
        1 => Just(Expr::new(ExprKind::Any)),
    ]
    .boxed()
}

/// A terminal or a rule, possibly repeated, possibly empty.
fn small() -> BoxedStrategy<Expr> {
    prop_oneof![
        6 => terminal(),
        2 => (0_usize..6).prop_map(rule),
        1 => Just(Expr::empty()),
        1 => terminal().prop_map(Expr::optional),
        1 => (0_usize..6).prop_map(|offset| rule(offset).optional()),
        1 => (terminal(), bounds(3)).prop_map(|(item, (min, max))| item.repeat(min, max)),
        1 => digits(),
        1 => conjunction(),
    ]
    .boxed()
}

/// A counted number of digits, mostly more than a token has in a row, and perhaps one more of another kind.
fn digits() -> BoxedStrategy<Expr> {
    let digits = || select(vec![vec![('0', '9')], vec![('0', '0')], vec![('7', '9')]]);
    let counted = (digits(), 0..=2_u32, 2..=9_u32)
        .prop_map(|(digits, min, max)| Expr::class(digits).repeat(min, Some(max)));
    (counted, digits().prop_map(Expr::class), 0..3)
        .prop_map(|(counted, other, shape)| match shape {
            0 => counted,
            1 => sequence([other, counted]),
            _ => sequence([counted, other]),
        })
        .boxed()
}

/// What one or two regular expressions match and up to two others do not.
fn conjunction() -> BoxedStrategy<Expr> {
    let regular = terminal().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 2..=3).prop_map(Expr::sequence),
            2 => vec(inner.clone(), 2..=3).prop_map(Expr::choice),
            3 => (inner, bounds(3)).prop_map(|(item, (min, max))| item.repeat(min, max)),
        ]
    });
    let letters = || Expr::class([('a', 'c')]);
    let shape = prop_oneof![
        3 => regular.clone(),
        1 => Just(letters().repeat(0, None)),
        1 => bounds(3).prop_map(move |(min, max)| letters().repeat(min, max)),
        1 => bounds(3).prop_map(|(min, max)| Expr::new(ExprKind::Any).repeat(min, max)),
        1 => digits(),
        // A bound that is out of a token's reach.
        1 => (4..=12_u32).prop_map(|max| Expr::class([('a', 'e')]).repeat(0, Some(max))),
    ];
    (vec(shape, 1..=3), vec(regular, 0..=2))
        .prop_map(|(all, none)| Expr::new(ExprKind::All(Box::new(All { all, none }))))
        .boxed()
}

/// Bounds of a repetition: at most `most` and up to three more, or none.
fn bounds(most: u32) -> BoxedStrategy<(u32, Option<u32>)> {
    prop_oneof![
        3 => (0..=most, 0_u32..=3).prop_map(|(min, more)| (min, Some(min + more))),
        1 => (0..=most.min(2)).prop_map(|min| (min, None)),
    ]
    .boxed()
}

/// A free expression around `leaf`.
fn nested(leaf: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 0..=3).prop_map(Expr::sequence),
            3 => vec(inner.clone(), 2..=3).prop_map(Expr::choice),
            2 => (inner, bounds(3)).prop_map(|(item, (min, max))| item.repeat(min, max)),
        ]
    })
    .boxed()
}

/// The body of a rule: a free expression, or one of the shapes that went wrong somewhere.
fn plain_body() -> BoxedStrategy<Expr> {
    let shapes: Vec<(u32, BoxedStrategy<Expr>)> = vec![
        (10, nested(small())),
        // Left recursion: direct, indirect, hidden behind what may be empty.
        (2, with3(|x, y, z| choice([sequence([rule(0), x]), sequence([rule(0), y]), z]))),
        (2, with3(|x, y, z| choice([sequence([rule(1), x]), y, z]))),
        (2, with3(|x, y, z| choice([sequence([x.optional(), rule(0), y]), z]))),
        (1, with3(|x, y, z| choice([sequence([x.repeat(0, None), rule(1), y]), z]))),
        (
            1,
            with3(|x, y, z| {
                let before = sequence([x.optional(), y.optional(), z.optional()]);
                choice([sequence([before, rule(0), literal("b")]), literal("c")])
            }),
        ),
        (1, with3(|x, y, z| sequence([rule(0).optional(), choice([x, y, z])]))),
        // Recursion in the centre and at the end.
        (
            1,
            with3(|x, y, z| {
                choice([
                    sequence([literal("a"), rule(0), x]),
                    sequence([literal("a"), rule(0), y]),
                    z,
                ])
            }),
        ),
        (
            1,
            Just(choice([
                sequence([literal("a"), rule(0), literal("b")]),
                sequence([literal("a"), rule(0), literal("c")]),
                Expr::empty(),
            ]))
            .boxed(),
        ),
        (1, with3(|x, y, z| choice([sequence([x, rule(0)]), sequence([y, rule(1)]), z]))),
        // Ambiguous and cyclic.
        (1, with3(|x, y, z| choice([sequence([rule(0), rule(0)]), x, sequence([y, z])]))),
        (1, with3(|x, y, _| choice([rule(0), rule(1), x, y]))),
        (1, with3(|x, _, _| choice([rule(0).repeat(0, None), x]))),
        // Cannot finish, here or in one alternative.
        (1, with3(|x, y, z| choice([sequence([x, rule(0)]), sequence([y, rule(0), z])]))),
        (1, with3(|x, y, z| choice([sequence([x, Expr::nothing()]), sequence([y, z])]))),
        // Counters over each other, which overlap themselves.
        (
            1,
            (bounds(2), bounds(1))
                .prop_map(|(inner, outer)| {
                    let item = choice([literal("a"), literal("aa")]).repeat(inner.0, inner.1);
                    sequence([item, literal("b").optional()]).repeat(outer.0, outer.1)
                })
                .boxed(),
        ),
        (
            1,
            (small(), bounds(3), bounds(4))
                .prop_map(|(item, inner, outer)| {
                    item.optional().repeat(inner.0, inner.1).repeat(outer.0, outer.1)
                })
                .boxed(),
        ),
        (
            1,
            (bounds(3), bounds(3), small())
                .prop_map(|(first, second, after)| {
                    sequence([
                        Expr::class([('a', 'b')]).repeat(first.0, first.1),
                        Expr::class([('b', 'c')]).repeat(second.0, second.1),
                        after,
                    ])
                })
                .boxed(),
        ),
        (
            1,
            (rule_or_small(), bounds(3))
                .prop_map(|(item, (min, max))| sequence([literal("a"), item]).repeat(min, max))
                .boxed(),
        ),
        // A long common start.
        (
            1,
            with3(|x, y, z| {
                choice([
                    sequence([literal("abca"), x]),
                    sequence([literal("abcb"), y]),
                    sequence([literal("abc"), z]),
                    literal("ab"),
                ])
            }),
        ),
    ];
    Union::new_weighted(shapes).boxed()
}

/// A body whose references to rules stand at its end: often several behind the same text, behind
/// loops, or with nothing in front of them.
fn linear_body() -> BoxedStrategy<Expr> {
    let before = prop_oneof![
        4 => terminal(),
        2 => terminal().prop_map(|item| item.repeat(0, None)),
        1 => (terminal(), 3_u32..10, 0_u32..3)
            .prop_map(|(item, min, more)| item.repeat(min, Some(min + more))),
        1 => nested(terminal()),
        1 => Just(Expr::empty()),
    ];
    let tail = prop_oneof![
        4 => (0_usize..6).prop_map(rule),
        1 => (0_usize..6).prop_map(|offset| rule(offset).optional()),
        2 => terminal(),
        1 => Just(Expr::empty()),
    ];
    let end = tail.prop_recursive(2, 8, 3, move |inner| {
        let cases = vec((before.clone(), inner), 1..=3);
        cases.prop_map(|cases| {
            Expr::choice(cases.into_iter().map(|(before, end)| sequence([before, end])))
        })
    });
    (terminal().prop_map(|item| item.repeat(0, None)), end, any::<bool>())
        .prop_map(|(again, end, repeats)| if repeats { sequence([again, end]) } else { end })
        .boxed()
}

fn rule_or_small() -> BoxedStrategy<Expr> {
    prop_oneof![(0_usize..3).prop_map(rule), small()].boxed()
}

/// A shape with three holes.
fn with3(shape: fn(Expr, Expr, Expr) -> Expr) -> BoxedStrategy<Expr> {
    (small(), small(), small()).prop_map(move |(x, y, z)| shape(x, y, z)).boxed()
}

/// Members with values of the given kind. Most keys end with the only `=` in them; where they do
/// not, a key may be the prefix of another.
fn members(value: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let letters = |lo: char, hi: char| Expr::class([(lo, hi)]);
    let keys = |keys: Vec<Expr>| {
        let ends = [literal("="), literal("="), literal("=").optional(), Expr::empty()];
        (select(keys), select(ends.to_vec())).prop_map(|(key, end)| sequence([key, end]))
    };
    let finite = keys(vec![
        letters('a', 'c').repeat(1, Some(2)),
        choice([literal("a"), literal("b")]),
        choice([literal("a"), literal("c"), literal("漢")]),
        Expr::class_except([('=', '=')]),
        sequence([literal("a"), letters('à', 'ж').optional()]),
        letters('a', 'a').repeat(1, Some(3)),
        // Some thousand, and from some places on few.
        letters('a', 'c').repeat(1, Some(6)),
    ]);
    let endless = keys(vec![
        letters('a', 'c').repeat(1, None),
        letters('b', 'c').repeat(2, None),
        sequence([literal("a"), Expr::class_except([('=', '=')]).repeat(0, None)]),
        // Infinitely many, but from some places on few.
        choice([literal("a"), sequence([literal("b"), letters('a', 'c').repeat(0, None)])]),
        sequence([letters('a', 'b').repeat(1, None), literal("c"), letters('a', 'b').optional()]),
        // Short and long.
        sequence([literal("漢漢漢").optional(), letters('a', 'b').repeat(1, None)]),
    ]);
    let many = prop_oneof![
        3 => Just(Repetition::MANY),
        2 => bounds(2).prop_map(|(min, max)| Repetition::Many { min, max }),
    ];
    let declared = ["a=", "b=", "ab=", "aa=", "ж="];
    let repetition = select(vec![
        Repetition::Required,
        Repetition::Optional,
        Repetition::Optional,
        Repetition::Never,
    ]);
    let declared =
        (subsequence(declared.to_vec(), 0..=3).prop_shuffle(), vec((repetition, value.clone()), 3))
            .prop_map(|(keys, others)| {
                keys.into_iter()
                    .zip(others)
                    .map(|(key, (repetition, value))| {
                        let never = repetition == Repetition::Never;
                        let value = if never { Expr::empty() } else { value };
                        Member { key: literal(key), repetition, value }
                    })
                    .collect::<Vec<_>>()
            });
    let key =
        prop_oneof![finite.prop_map(|key| (key, false)), endless.prop_map(|key| (key, true)),];
    let undeclared = vec((key, many, value), 0..=2);
    let separator = prop_oneof![
        4 => Just(literal(",")),
        1 => Just(sequence([literal(","), literal(" ").optional()])),
        1 => Just(choice([literal(","), literal("b")])),
        1 => Just(Expr::empty()),
    ];
    let count = prop_oneof![
        2 => Just((0, None)),
        1 => bounds(3),
    ];
    (declared, undeclared, separator, count, any::<bool>())
        .prop_filter_map(
            "members need a member",
            |(declared, undeclared, separator, count, swap)| {
                let (min, max) = count;
                let undeclared = counted(undeclared, min);
                let members = if swap {
                    [undeclared, declared].concat()
                } else {
                    [declared, undeclared].concat()
                };
                (!members.is_empty()).then(|| {
                    let members = Members { members, separator, min, max };
                    Expr::new(ExprKind::Members(Box::new(members)))
                })
            },
        )
        .boxed()
}

/// Entries of keys (each with whether they are infinitely many), bounds and values, without the
/// bounds that are refused: a least number of keys that are finitely many, and a greatest one
/// where there are such keys and `min` members in all.
fn counted(entries: Vec<((Expr, bool), Repetition, Expr)>, min: u32) -> Vec<Member> {
    let shared = min > 0 && entries.iter().any(|((_, endless), ..)| !endless);
    entries
        .into_iter()
        .map(|((key, endless), repetition, value)| {
            let min = if endless { repetition.min() } else { 0 };
            let max = repetition.max().filter(|_| !shared);
            Member { key, repetition: Repetition::Many { min, max }, value }
        })
        .collect()
}

/// A list of items of the given kind.
fn unique(item: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let separator = prop_oneof![
        6 => Just(literal(",")),
        1 => Just(sequence([literal(","), literal(" ").optional()])),
        1 => Just(choice([literal(","), literal("b")])),
        1 => Just(Expr::empty()),
    ];
    let rest = prop_oneof![3 => item.clone().prop_map(Some), 1 => Just(None)];
    let count = prop_oneof![1 => Just((0, None)), 2 => bounds(3)];
    let first = prop_oneof![1 => vec(item.clone(), 0..=0), 1 => vec(item, 1..=3)];
    (first, rest, separator, count)
        .prop_map(|(first, rest, separator, (min, max))| {
            Expr::new(ExprKind::Unique(Box::new(Unique { first, rest, separator, min, max })))
        })
        .boxed()
}

/// An item of a list: never empty, often one of few texts.
fn item() -> BoxedStrategy<Expr> {
    let letters = |lo: char, hi: char| Expr::class([(lo, hi)]);
    let quote = || literal("\"");
    let string = |inside: Expr| sequence([quote(), inside, quote()]);
    let blank = || literal(" ").optional();
    let items = [
        literal("a"),
        literal("b"),
        literal("ab"),
        choice([literal("a"), literal("b")]),
        letters('a', 'c'),
        letters('a', 'b').repeat(1, Some(2)),
        letters('a', 'b').repeat(1, None),
        sequence([literal("a"), letters('b', 'c').optional()]),
        sequence([blank(), choice([literal("a"), literal("é")]), blank()]),
        sequence([literal("a"), literal(" ").repeat(0, Some(2)), literal("b")]),
        string(Expr::class([('a', 'b'), (' ', ' ')]).repeat(0, Some(2))),
        string(Expr::class([('a', 'c'), (' ', ' ')]).repeat(0, None)),
        choice([string(literal("a")), string(literal(" a")), literal("a")]),
        Expr::class([('\"', '\"'), ('a', 'a'), ('é', 'é')]),
        braces(sequence([letters('a', 'c'), literal(","), letters('a', 'b')])),
        braces(sequence([letters('a', 'b'), literal(",")]).repeat(0, Some(2))),
        braces(Expr::class([('a', 'b'), (',', ','), (' ', ' ')]).repeat(1, Some(3))),
        Expr::class([('a', 'a'), (',', ','), ('{', '{'), ('}', '}')]).repeat(1, Some(3)),
    ];
    select(items.to_vec()).boxed()
}

fn braces(inside: Expr) -> Expr {
    sequence([literal("{"), inside, literal("}")])
}

/// Members with few keys.
fn few_members() -> Vec<Expr> {
    let member = |key: Expr, repetition, value| Member { key, repetition, value };
    let a = || member(literal("a"), Repetition::Optional, Expr::empty());
    let b = || member(literal("b"), Repetition::Required, literal("a").optional());
    let many = || member(Expr::class([('a', 'b')]), Repetition::MANY, Expr::empty());
    let all = [vec![a()], vec![a(), b()], vec![many()], vec![a(), many()]];
    let members = |members| Members { members, separator: literal(","), min: 0, max: Some(2) };
    all.into_iter().map(|all| Expr::new(ExprKind::Members(Box::new(members(all))))).collect()
}

/// An item of a list, which may hold lists, members and rules in brackets.
fn nested_item() -> BoxedStrategy<Expr> {
    let inside = prop_oneof![
        3 => unique(item()),
        1 => unique(item()).prop_map(|list| choice([list, literal("c")])),
        1 => select(few_members()),
        1 => members(small()),
        2 => (0_usize..4).prop_map(rule),
    ];
    let brackets = (inside, any::<bool>()).prop_map(|(inside, is_array)| {
        if is_array { sequence([literal("["), inside, literal("]")]) } else { braces(inside) }
    });
    prop_oneof![
        1 => item(),
        2 => brackets.clone(),
        1 => (item(), brackets).prop_map(|(a, b)| choice([a, b])),
    ]
    .boxed()
}

/// Two texts that are equal as items, or nearly so.
pub fn like_items() -> BoxedStrategy<(String, String)> {
    let leaf = select(vec!["", "a", "b", "12", "\"a\"", "\"}, {\"", "\"a b\""]);
    let leaf = leaf.prop_map(|text| (text.to_owned(), text.to_owned()));
    let all = leaf.prop_recursive(4, 24, 4, |inner| {
        let inner = vec(inner, 0..=4);
        (inner, any::<[bool; 3]>()).prop_map(|(parts, [is_array, reverse, rotate])| {
            let (one, mut other): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            let (open, close) = if is_array { ("[", "]") } else { ("{", "}") };
            if reverse && !is_array {
                other.reverse();
            }
            if rotate && !is_array && !other.is_empty() {
                other.rotate_left(1);
            }
            (
                format!("{open}{}{close}", one.join(",")),
                format!("{open} {} {close}", other.join(", ")),
            )
        })
    });
    let change = (any::<u16>(), select("{}[],a\" ".chars().collect::<Vec<_>>()));
    (all, vec(change, 0..=1))
        .prop_map(|((one, other), changes)| {
            let mut other: Vec<char> = other.chars().collect();
            for (at, character) in changes {
                let at = usize::from(at) % (other.len() + 1);
                match other.get_mut(at) {
                    Some(place) => *place = character,
                    None => other.push(character),
                }
            }
            (one, other.into_iter().collect())
        })
        .boxed()
}

/// Any tree at all, its references still as `@k`.
fn any_expr() -> BoxedStrategy<Expr> {
    let character = || {
        prop_oneof![
            3 => proptest::char::range(' ', '~'),
            1 => select("\n\r\t\0\"\\]-^[/{}\u{7F}\u{85}\u{2028}é漢😀\u{10FFFF}".chars().collect::<Vec<_>>()),
            1 => any::<char>(),
        ]
    };
    let text = vec(character(), 0..=5)
        .prop_map(|text| Expr::literal(text.into_iter().collect::<String>()));
    let range = (character(), character()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let class = (any::<bool>(), vec(range, 1..=3))
        .prop_map(|(negated, ranges)| Expr::new(ExprKind::Class(CharClass { negated, ranges })));
    let token = prop_oneof![
        any::<u32>().prop_map(TokenName::Id),
        "<[a-z|_]{1,6}>".prop_map(TokenName::Text),
    ];
    let token = (any::<bool>(), token)
        .prop_map(|(negated, token)| Expr::new(ExprKind::Token(TokenReference { negated, token })));
    let leaf = prop_oneof![
        3 => text,
        3 => class,
        1 => Just(Expr::new(ExprKind::Any)),
        2 => (0_usize..5).prop_map(rule),
        1 => token,
        1 => Just(Expr::nothing()),
        1 => Just(Expr::empty()),
    ];
    let count = || {
        prop_oneof![
            Just((0, None)),
            Just((1, None)),
            Just((0, Some(1))),
            Just((0, Some(0))),
            (0_u32..5, 0_u32..5).prop_map(|(min, more)| (min, Some(min + more))),
            (0_u32..3000).prop_map(|min| (min, None)),
            any::<(u32, u32)>().prop_map(|(a, b)| (a.min(b), Some(a.max(b)))),
        ]
    };
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            3 => vec(inner.clone(), 0..=4).prop_map(Expr::sequence),
            3 => vec(inner.clone(), 2..=4).prop_map(Expr::choice),
            3 => (inner.clone(), count()).prop_map(|(item, (min, max))| item.repeat(min, max)),
            1 => members(inner.clone()),
            1 => (vec(inner.clone(), 1..=3), vec(inner.clone(), 0..=2))
                .prop_map(|(all, none)| Expr::new(ExprKind::All(Box::new(All { all, none })))),
            1 => unique(inner.prop_filter("that would stand for all further ones", |item| {
                !matches!(item.kind, ExprKind::Repeat { min: 0, max: None, .. })
            }).boxed()),
        ]
    })
    .boxed()
}
