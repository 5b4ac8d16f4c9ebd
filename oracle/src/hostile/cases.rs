//! The hostile grammars and what must come of them.

use std::fmt::Write;

use grammask_gbnf::Code;

use super::{Answer, Expected, Hostile, Text};

fn complete(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Complete }
}

fn alive(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Alive }
}

fn refused(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Refused }
}

fn limited(text: impl Into<String>) -> Text {
    Text { text: text.into(), answer: Answer::Limited }
}

fn works(name: &'static str, grammar: fn() -> String, texts: fn() -> Vec<Text>) -> Hostile {
    Hostile { name, grammar, expected: Expected::Works(texts) }
}

fn wrong(name: &'static str, grammar: fn() -> String, code: Code) -> Hostile {
    Hostile { name, grammar, expected: Expected::Refused(code) }
}

/// One rule per number.
fn rules(numbers: std::ops::Range<usize>, rule: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in numbers {
        text.push_str(&rule(number));
        text.push('\n');
    }
    text
}

/// A chain of 24 rules, each of which leads to the next in the given way.
fn two_ways(start: &str, step: impl Fn(usize) -> String, end: &str) -> String {
    format!("root ::= {start}\n{}a24 ::= {end}\n", rules(0..24, step))
}

/// All cases.
pub fn all() -> Vec<Hostile> {
    let mut list = known();
    list.extend(many_rules());
    list.extend(many_ways());
    list.extend(counters());
    list.extend(left_recursion());
    list.extend(loops());
    list.extend(conjunctions());
    list.extend(large());
    list
}

/// Conjunctions of which the states are many.
fn conjunctions() -> Vec<Hostile> {
    vec![
        works(
            "a-conjunction-of-sets-of-states",
            || "root ::= @all( [ab]* \"a\" [ab]{40}; [ab]{0,100}; !\"a\"* )".into(),
            || {
                let texts = ["a".repeat(60), "b".repeat(59) + "a" + &"a".repeat(40)];
                let [first, second] = texts;
                vec![alive(first), complete(second), refused("ab".repeat(51))]
            },
        ),
        works(
            "a-conjunction-with-a-long-way-to-its-end",
            || "root ::= @all( [a-z]{20000}; ([a-y]* \"z\")*; .{19000,} )".into(),
            || {
                vec![
                    complete("az".repeat(10_000)),
                    alive("a".repeat(19_999)),
                    refused("a".repeat(20_000)),
                ]
            },
        ),
        wrong(
            "a-conjunction-of-loops-that-meet-late",
            || {
                let counts = [7, 11, 13, 17, 19, 23].map(|count| format!("(\"a\"{{{count}}})+"));
                format!("root ::= @all( {} )", counts.join("; "))
            },
            Code::Limit,
        ),
        works(
            "a-conjunction-of-a-thousand-words",
            || {
                let words: Vec<_> =
                    (0..1_000).map(|n| format!("!([a-z]* \"w{n:03}\" .*)")).collect();
                format!("root ::= @all( [a-z0-9]{{1,1000}}; {} )", words.join("; "))
            },
            || vec![complete("w12x".repeat(100)), complete("w12"), refused("w123")],
        ),
    ]
}

/// What llama.cpp hangs on or crashes from.
fn known() -> Vec<Hostile> {
    vec![
        wrong("reversed-count", || "root ::= \"a\"{5,2}".into(), Code::ReversedCount),
        wrong("reversed-count-by-one", || "root ::= [0-9]{16,15}".into(), Code::ReversedCount),
        wrong(
            "reversed-count-of-a-group",
            || "root ::= (\"a\" | root \"b\"){4294967295,0}".into(),
            Code::ReversedCount,
        ),
        works(
            "left-recursion-behind-a-star",
            || "root ::= (\"a\"*) root \"x\" | \"y\"".into(),
            || {
                let many = "a".repeat(5_000);
                vec![
                    complete(format!("{many}y{}", "x".repeat(5_000))),
                    complete(format!("y{}", "x".repeat(10_000))),
                    alive(many.clone()),
                    refused(format!("{many}x")),
                ]
            },
        ),
        works(
            "left-recursion-behind-blanks",
            || "root ::= ws root \"y\" | \"x\"\nws ::= [ ]*".into(),
            || vec![complete(format!("{}x{}", " ".repeat(5_000), "y".repeat(5_000)))],
        ),
        works(
            "left-recursion-behind-nullable-rules",
            || "root ::= a root \"x\" | \"y\"\na ::= b\nb ::= \"\" | \"c\" | a".into(),
            || {
                // Any number of levels may have read a "c": the stacks are quadratically many.
                let text = format!("{}y{}", "c".repeat(500), "x".repeat(500));
                vec![complete(text), refused("cx")]
            },
        ),
        works(
            "star-of-star",
            || "root ::= \"a\"* * | (\"b\"*)* | ((\"c\"?)+)* \"d\"".into(),
            || {
                let long = |c: &str| c.repeat(10_000);
                vec![complete(long("a")), complete(long("b")), complete(long("c") + "d")]
            },
        ),
        works(
            "two-ways-unreachable",
            || {
                let chain = rules(0..24, |n| format!("a{n} ::= a{0} | a{0}", n + 1));
                format!("root ::= \"x\"\n{chain}a24 ::= \"y\"\n")
            },
            || vec![complete("x"), refused("y")],
        ),
        works(
            "two-ways",
            || two_ways("a0", |n| format!("a{n} ::= a{0} | a{0}", n + 1), "\"x\""),
            || vec![complete("x"), refused("xx")],
        ),
        works(
            "two-ways-with-other-tails",
            || two_ways("a0", |n| format!("a{n} ::= a{0} \"x\" | a{0} \"y\"", n + 1), "\"z\""),
            || vec![complete(format!("z{}", "xy".repeat(12))), alive("zx"), refused("zz")],
        ),
        works(
            "two-ways-of-1000-with-other-tails",
            || {
                let chain = rules(0..1000, |n| format!("a{n} ::= a{0} \"x\" | a{0} \"y\"", n + 1));
                format!("root ::= a0\n{chain}a1000 ::= \"z\"\n")
            },
            || vec![complete(format!("z{}", "xy".repeat(500))), alive("zx")],
        ),
        wrong(
            "60000-parentheses",
            || format!("root ::= {}\"a\"{}", "(".repeat(60_000), ")".repeat(60_000)),
            Code::Limit,
        ),
        works(
            "1000-parentheses",
            || format!("root ::= {}\"a\"{}", "(\"b\"? ".repeat(1_000), ")*".repeat(1_000)),
            || vec![complete("ab".repeat(1_000) + "a"), complete("a".repeat(5_000))],
        ),
        wrong("60000-open-parentheses", || format!("root ::= {}", "(".repeat(60_000)), Code::Limit),
        wrong("erased-start", || "a ::= \"x\" root{0}".into(), Code::UndefinedRule),
        wrong("overwritten-start", || "a ::= root\na ::= \"x\"".into(), Code::UndefinedRule),
        wrong("only-itself", || "root ::= root".into(), Code::MatchesNothing),
        wrong("endless", || "root ::= \"a\" x\nx ::= \"b\" x".into(), Code::MatchesNothing),
    ]
}

/// A hundred thousand rules.
fn many_rules() -> Vec<Hostile> {
    const MANY: usize = 100_000;
    /// Where the states themselves are that many.
    const FEWER: usize = 10_000;
    vec![
        works(
            "rules-that-are-the-next",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= r{}", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"a\"\n")
            },
            || vec![complete("a"), refused("b")],
        ),
        works(
            "rules-in-a-row",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= \"a\" r{}", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"b\"\n")
            },
            || vec![complete("a".repeat(MANY) + "b"), alive("a".repeat(MANY))],
        ),
        works(
            "rules-in-each-other",
            || {
                let chain = rules(0..MANY, |n| format!("r{n} ::= \"(\" r{} \")\"", n + 1));
                format!("root ::= r0\n{chain}r{MANY} ::= \"a\"\n")
            },
            || vec![complete("(".repeat(MANY) + "a" + &")".repeat(MANY)), alive("((")],
        ),
        works(
            "wide-choice-of-rules",
            || {
                let names: Vec<_> = (0..MANY).map(|n| format!("r{n}")).collect();
                let all = rules(0..MANY, |n| format!("r{n} ::= \"name{n}\" [0-9a-f]"));
                format!("root ::= {}\n{all}", names.join(" | "))
            },
            || vec![complete("name99999f"), complete("name7a"), refused("namf")],
        ),
        works(
            "unreachable-rules",
            || format!("root ::= \"a\"\n{}", rules(0..MANY, |n| format!("r{n} ::= r{n} | \"x\""))),
            || vec![complete("a")],
        ),
        works(
            "rules-that-lead-everywhere",
            || {
                let all = rules(0..MANY, |n| {
                    let (x, y) = ((n * 7 + 1) % MANY, (n * 13 + 5) % MANY);
                    format!("r{n} ::= \"a\" r{x} | \"b\" r{y} \"c\" | \"\"")
                });
                format!("root ::= r0\n{all}")
            },
            || {
                let text = "ab".repeat(5_000) + &"c".repeat(5_000);
                vec![complete(text), complete(""), refused("c")]
            },
        ),
        works(
            "circle-of-1000-rules",
            || {
                let all = rules(0..1_000, |n| format!("r{n} ::= r{} | \"x{n}\"", (n + 1) % 1_000));
                format!("root ::= r0\n{all}")
            },
            || vec![complete("x999"), complete("x0"), refused("y")],
        ),
        works(
            "circle-of-10000-rules-with-tails",
            || {
                let all =
                    rules(0..FEWER, |n| format!("r{n} ::= r{} \"t\" | \"x{n}\"", (n + 1) % FEWER));
                format!("root ::= r0\n{all}")
            },
            || vec![complete("x3ttt"), alive("x3tt"), alive("x0t"), refused("y")],
        ),
        works(
            "10000-rules-that-begin-with-the-next",
            || {
                let all =
                    rules(0..FEWER, |n| format!("r{n} ::= r{} \"-\" | [a-z] r{n} | \"x\"", n + 1));
                format!("root ::= r0\n{all}r{FEWER} ::= \"end\"\n")
            },
            || vec![complete("aaax"), complete("x-"), alive("a")],
        ),
    ]
}

/// Few rules, many ways.
fn many_ways() -> Vec<Hostile> {
    vec![
        works(
            "same-beginnings",
            || "root ::= s\ns ::= \"a\" s \"b\" | \"a\" s \"c\" | \"\"".into(),
            || {
                let (open, close) = ("a".repeat(5_000), "bc".repeat(2_500));
                vec![
                    complete(format!("{open}{close}")),
                    alive(format!("{open}{}", &close[1..])),
                    refused(format!("{open}{close}b")),
                    refused(format!("{open}ba")),
                ]
            },
        ),
        works(
            "ten-same-beginnings",
            || {
                let ways: Vec<_> = ('0'..='9').map(|c| format!("\"a\" s \"{c}\" s")).collect();
                format!("root ::= s\ns ::= {} | \"\"", ways.join(" | "))
            },
            || vec![complete("a".repeat(5_000) + &"0123456789".repeat(500))],
        ),
        works(
            "two-ways-ahead",
            || two_ways("a0", |n| format!("a{n} ::= \"x\" a{0} | \"y\" a{0}", n + 1), "\"z\""),
            || vec![complete("xy".repeat(12) + "z"), refused("z")],
        ),
        works(
            "two-ways-same-text",
            || two_ways("a0", |n| format!("a{n} ::= \"x\" a{0} | \"x\"? a{0}", n + 1), "\"z\""),
            || vec![complete("z"), complete("x".repeat(24) + "z"), refused("x".repeat(25))],
        ),
        works(
            "doubling",
            || two_ways("a0", |n| format!("a{n} ::= a{0} a{0}", n + 1), "\"x\""),
            || vec![alive("x".repeat(10_000)), refused("y")],
        ),
        works(
            "doubling-of-what-may-be-empty",
            || two_ways("a0", |n| format!("a{n} ::= a{0} a{0}", n + 1), "\"x\"?"),
            || vec![complete("x".repeat(10_000)), complete("")],
        ),
        works(
            "doubling-with-tails",
            || two_ways("a0", |n| format!("a{n} ::= a{0}? a{0} \"x\"?", n + 1), "\"y\"?"),
            || vec![complete("xy".repeat(5_000)), complete("y".repeat(10_000))],
        ),
        works(
            "counted-parts-that-may-be-empty",
            || {
                let part = |number: u32| {
                    let own = char::from_u32(0x4e00 + number).unwrap_or_default();
                    format!("[a-z{own}]{{0,9}} ")
                };
                format!("root ::= {}\".\"", (0..400).map(part).collect::<String>())
            },
            || {
                let longest = "a".repeat(400 * 9);
                vec![
                    complete("abc一丁七."),
                    complete(format!("{longest}.")),
                    refused(format!("{longest}a")),
                    refused("丁一"),
                ]
            },
        ),
        works(
            "ended-parts-that-may-be-left-out",
            || {
                let part = |number| format!("([a-z]+ \"{number}\")? ");
                format!("root ::= {}\".\"", (0..1_000).map(part).collect::<String>())
            },
            || vec![complete("a1bc22d333."), alive("a1bc22d3"), refused("a2b1."), refused("a1000")],
        ),
        works(
            "palindromes",
            || "root ::= \"a\" root \"a\" | \"b\" root \"b\" | \"a\" | \"b\" | \"\"".into(),
            || vec![complete("ab".repeat(250) + "a"), complete("a".repeat(2_000))],
        ),
        works(
            "dangling-else",
            || "root ::= \"if \" root (\"else \" root)? | \"x \"".into(),
            || vec![complete("if ".repeat(2_500) + "x " + &"else x ".repeat(1_000))],
        ),
        works(
            "deep-values",
            || "root ::= v\nv ::= \"[\" (v (\",\" v)*)? \"]\" | [0-9]+".into(),
            || {
                let deep = "[".repeat(100_000);
                vec![
                    complete(deep.clone() + &"]".repeat(100_000)),
                    alive(deep.clone() + "1"),
                    refused(deep + "}"),
                ]
            },
        ),
    ]
}

/// Repetitions with counts.
fn counters() -> Vec<Hostile> {
    vec![
        works(
            "up-to-a-billion",
            || "root ::= \"a\"{0,1000000000}".into(),
            || vec![complete(""), complete("a".repeat(10_000)), refused("aab")],
        ),
        works(
            "a-billion-at-least",
            || "root ::= \"a\"{1000000000,}".into(),
            || vec![alive("a".repeat(10_000)), refused("b")],
        ),
        works(
            "the-greatest-count",
            || "root ::= ([a-z]{4294967295}){4294967295}".into(),
            || vec![alive("a".repeat(10_000))],
        ),
        works(
            "up-to-ten",
            || "root ::= \"a\"{0,10}".into(),
            || vec![complete("a".repeat(10)), refused("a".repeat(11))],
        ),
        works(
            "up-to-a-million",
            || "root ::= \"a\"{0,1000000}".into(),
            || vec![complete("a".repeat(10))],
        ),
        works(
            "a-million-of-a-rule",
            || "root ::= (v \",\"){0,1000000}\nv ::= \"[\" v \"]\" | \"1\"".into(),
            || vec![complete("1,".repeat(5_000)), complete("[[1]],".repeat(1_000))],
        ),
        works(
            "nested-optional-counts",
            || "root ::= ((\"a\"?){0,1000}){0,1000}".into(),
            || {
                let texts = [0, 1, 1_000, 1_001, 10_000].map(|n| complete("a".repeat(n)));
                texts.into_iter().chain([refused("a".repeat(5_000) + "b")]).collect()
            },
        ),
        works(
            "thrice-nested-optional-counts",
            || "root ::= (((\"a\"?){0,100}){0,100}){0,100}".into(),
            || vec![complete("a".repeat(10_000)), refused("b")],
        ),
        works(
            "overlapping-counts",
            || "root ::= ([ab]{1,500} \"a\"){2,500}".into(),
            || vec![complete("ba".repeat(2_000)), alive("ba"), alive("b".repeat(500))],
        ),
        works(
            "counts-that-begin-anywhere",
            || "root ::= [ab]* \"a\" [ab]{1000}".into(),
            || {
                vec![
                    complete("a".repeat(3_000)),
                    complete("ab".repeat(1_500) + "a"),
                    alive("ab".repeat(1_500)),
                    alive("b".repeat(3_000)),
                ]
            },
        ),
        works(
            "two-counts-that-begin-anywhere",
            || "root ::= [ab]* \"a\" [ab]{50,500} \"b\" [ab]{20,300}".into(),
            || vec![complete("ab".repeat(2_500)), alive("b".repeat(1_000))],
        ),
        works(
            "counted-groups-that-begin-anywhere",
            || "root ::= [ab]* (\"a\" [ab]{0,3}){100,200} \"b\"".into(),
            || vec![complete("ab".repeat(2_000)), alive("a".repeat(2_000))],
        ),
        works(
            "counts-in-recursion",
            || "root ::= \"a\" (root \"b\"){0,1000} | \"c\"{3,100000}".into(),
            || vec![complete("a".repeat(2_000) + &"ccc".repeat(100) + &"b".repeat(2_000))],
        ),
        works(
            "a-literal-2000-times",
            || format!("root ::= \"{}\"{{2000}}", "abcdefghij".repeat(1_000)),
            || vec![alive("abcdefghij".repeat(10_000)), refused("abcdefghija".repeat(10))],
        ),
        works(
            "a-choice-2000-times",
            || {
                let words: Vec<_> = (0..1_000).map(|n| format!("\"w{n}-\"")).collect();
                format!("root ::= ({}){{1,2000}}", words.join(" | "))
            },
            || vec![complete("w1-w12-w123-".repeat(500)), refused("w-")],
        ),
        works(
            "stacked-counts",
            || "root ::= [a-z]{0,1000}{0,1000}{0,1000}{0,1000} \"-\"{3}{5}{7}".into(),
            || vec![complete("z".repeat(10_000) + &"-".repeat(105)), alive("-")],
        ),
    ]
}

/// Left recursion of all kinds.
fn left_recursion() -> Vec<Hostile> {
    vec![
        works(
            "direct-left-recursion",
            || {
                "root ::= root \"+\" t | t\nt ::= t \"*\" f | f\nf ::= \"(\" root \")\" | [0-9]+"
                    .into()
            },
            || {
                vec![
                    complete("1+2*".repeat(2_499) + "3"),
                    complete("(".repeat(3_000) + "1" + &")".repeat(3_000) + "*2"),
                    alive("1+"),
                ]
            },
        ),
        works(
            "indirect-left-recursion",
            || "root ::= a \"1\" | \"x\"\na ::= b \"2\" | root\nb ::= root \"3\" | a \"4\"".into(),
            || vec![complete("x".to_owned() + &"1321421".repeat(1_400)), refused("x2")],
        ),
        works(
            "left-and-right-recursion",
            || "root ::= root root | \"a\"".into(),
            || vec![complete("a".repeat(10_000))],
        ),
        works(
            "left-recursion-with-everything-empty",
            || "root ::= root root root | root \"a\"? | \"\"".into(),
            || vec![complete("a".repeat(10_000)), complete(""), refused("b")],
        ),
        works(
            "ambiguous-operators",
            || "root ::= root [-+*/] root | \"(\" root \")\" | [0-9]{1,9}".into(),
            || vec![complete("1+2*".repeat(2_499) + "3")],
        ),
        works(
            "left-recursion-in-a-count",
            || "root ::= root{2,3} \"a\" | \"b\"".into(),
            || vec![complete("bba".to_owned() + &"ba".repeat(2_000)), refused("a")],
        ),
        works(
            "ambiguous-left-recursion-in-a-count",
            || "root ::= (item | [a-z]* | \"b\"){2,5}\nitem ::= root [a-z] | \"\"".into(),
            || vec![complete("a".repeat(16)), limited("a".repeat(1_000))],
        ),
        works(
            "keys-that-end-anywhere",
            || {
                "root ::= @members(())((\"a\" [^=]*) () *=> root; (\"a\" \"b\"?) () *=> \"ac\")"
                    .into()
            },
            || vec![complete("abc".repeat(4)), limited("aaabc".repeat(200))],
        ),
        works(
            "twenty-left-recursive-rules",
            || {
                let rule = |n: usize| {
                    let ways = (0..20).map(|to| format!("a{to} \"{}\"", char::from(b'a' + to)));
                    format!("a{n} ::= {} | \"{n}\"", ways.collect::<Vec<_>>().join(" | "))
                };
                format!("root ::= a0\n{}", rules(0..20, rule))
            },
            || vec![complete("7h".to_owned() + &"ahat".repeat(2_500)), refused("20")],
        ),
        works(
            "left-recursion-of-1000-rules",
            || {
                let rule = |n: usize| format!("r{n} ::= r{} \"t\" | \"x{n}\"", (n + 1) % 1_000);
                format!("root ::= r0\n{}", rules(0..1_000, rule))
            },
            || vec![complete("x0".to_owned() + &"t".repeat(10_000)), alive("x1"), refused("y")],
        ),
        works(
            "hidden-left-recursion-behind-24",
            || {
                let maybe: Vec<_> = (0..24).map(|n| format!("n{n}")).collect();
                let all = rules(0..24, |n| format!("n{n} ::= \"{}\"?", char::from(b'a' + n as u8)));
                format!("root ::= {} root \"!\" | \"y\"\n{all}", maybe.join(" "))
            },
            || vec![complete("acegx".repeat(100) + "y" + &"!".repeat(500)), refused("y?")],
        ),
        works(
            "hidden-left-recursion-behind-stars",
            || {
                let text = "root ::= \"a\"* \"b\"* \"c\"* root \"x\" | root* \"y\" root* | \"z\"";
                text.into()
            },
            || vec![complete("abc".repeat(300) + "z" + &"x".repeat(300)), alive("a")],
        ),
    ]
}

/// Loops in loops.
fn loops() -> Vec<Hostile> {
    vec![
        works(
            "overlapping-loops",
            || "root ::= ([a-z]* [a-z]*)*".into(),
            || vec![complete("a".repeat(10_000)), refused("a1")],
        ),
        works(
            "choice-of-the-same",
            || "root ::= ((\"a\" | \"a\")* | (\"a\" | \"a\" | \"aa\")*)* \"b\"".into(),
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "loops-thirty-deep",
            || format!("root ::= {}\"a\"{} \"b\"", "(".repeat(30), "+)*".repeat(30)),
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "loops-in-rules",
            || {
                let all = rules(0..200, |n| format!("r{n} ::= (r{0} | r{0} r{0})*", n + 1));
                format!("root ::= r0 \"b\"\n{all}r200 ::= \"a\" | \"aa\"\n")
            },
            || vec![complete("a".repeat(10_000) + "b")],
        ),
        works(
            "many-maybes",
            || format!("root ::= {}{}", "\"a\"? ".repeat(500), "\"a\" ".repeat(500)),
            || {
                vec![
                    complete("a".repeat(1_000)),
                    alive("a".repeat(499)),
                    refused("a".repeat(1_001)),
                ]
            },
        ),
        works(
            "exponential-subsets",
            || format!("root ::= ([ab]* \"a\"{}){{1,3}}", " [ab]".repeat(200)),
            || vec![complete("ab".repeat(1_000) + "a"), alive("b".repeat(1_000))],
        ),
        works(
            "words-that-overlap",
            || {
                let words: Vec<_> = (1..=300).map(|n| format!("\"{}b\"", "a".repeat(n))).collect();
                format!("root ::= ({})*", words.join(" | "))
            },
            || vec![complete(("a".repeat(300) + "b").repeat(30)), refused("a".repeat(301))],
        ),
    ]
}

/// Much of one thing.
fn large() -> Vec<Hostile> {
    vec![
        works(
            "literal-of-10-megabytes",
            || format!("root ::= \"{}\"", "0123456789".repeat(1_000_000)),
            || vec![complete("0123456789".repeat(1_000_000)), refused("01234567890123x")],
        ),
        works(
            "literal-of-10-megabytes-beside-another",
            || {
                let long = "0123456789".repeat(500_000);
                format!("root ::= \"{long}a\" | \"{long}b\"")
            },
            || vec![complete("0123456789".repeat(500_000) + "b"), refused("01234567890123x")],
        ),
        works(
            "wide-class",
            || {
                let mut class = String::new();
                for point in (0x1000..0x1_0000_u32).step_by(2).filter_map(char::from_u32) {
                    let _ = write!(class, "\\u{:04x}", point as u32);
                }
                format!("root ::= [{class}]+ | [^{class}]{{3,2000}}")
            },
            || vec![complete("\u{1000}\u{4000}".repeat(100)), complete("\u{1001}".repeat(100))],
        ),
        works(
            "many-negated-classes",
            || {
                let class = |n: u32| format!("[^\\U{:08x}-\\U{:08x}]", n * 20, n * 20 + 10);
                let classes: Vec<_> = (1..2_000).map(class).collect();
                format!("root ::= ({})*", classes.join(" | "))
            },
            || vec![complete("añ漢😀".repeat(500))],
        ),
        works(
            "100000-strings",
            || {
                let words: Vec<_> = (0..100_000).map(|n| format!("\"\\\"name {n}\\\"\"")).collect();
                format!("root ::= {}", words.join(" | "))
            },
            || vec![complete("\"name 99999\""), complete("\"name 1\""), refused("\"name x")],
        ),
        works(
            "list-of-100000-strings",
            || {
                let words: Vec<_> = (0..100_000).map(|n| format!("\"{n} \"")).collect();
                format!("root ::= ({})*", words.join(" | "))
            },
            || vec![complete("1 22 333 4444 99999 ".repeat(500)), refused("100000 ")],
        ),
        works(
            "5000-members",
            || {
                let members = rules(0..5_000, |n| {
                    let arrow = if n % 2 == 0 { "=>" } else { "?=>" };
                    format!("\"\\\"key{n}\\\":\" {arrow} v;")
                });
                let free = "[\"] [a-z]{1,20} [\"] \":\" *=> v";
                format!(
                    "root ::= \"{{\" @members(\",\")(\n{members}{free}) \"}}\"\nv ::= [0-9]+ | root"
                )
            },
            || {
                let all: Vec<_> = (0..5_000).rev().map(|n| format!("\"key{n}\":{n}")).collect();
                let whole = format!("{{{},\"other\":1", all.join(","));
                vec![
                    complete(format!("{whole}}}")),
                    refused(format!("{whole},\"other\"")),
                    refused("{}"),
                ]
            },
        ),
        works(
            "long-sequence",
            || format!("root ::= {}", "[a-c] x \"-\"? ".repeat(50_000) + "\nx ::= \"x\" | \"y\""),
            || vec![complete("axby".repeat(25_000)), refused("aa")],
        ),
        works(
            "long-comment-and-names",
            || {
                let name = "n".repeat(1_000_000);
                format!(
                    "# {}\nroot ::= {name}{}\n{name} ::= \"a\"",
                    "#(".repeat(1_000_000),
                    " ".repeat(1_000_000)
                )
            },
            || vec![complete("a")],
        ),
    ]
}
