//! Text in many scripts, made up.

/// Letters of which words are made, and what stands between the words of a script.
const SCRIPTS: [(&str, &str); 14] = [
    ("etaoinshrdlcumwfgypbvk", " "),
    ("ETAOINsrhdlu", " "),
    ("éèàçêñöüßłşığ", " "),
    ("оеаинтсрвлкмдпуяыь", " "),
    ("αετονισρκμλπυγ", " "),
    ("اليمنوترسبدع", " "),
    ("יוהלאתרבמש", " "),
    ("कतनरसमपलािीेो", " "),
    ("กานรมอเลวสดทยิี่้", ""),
    ("的一是不了人我在有他这中大来上国", ""),
    ("のにはをたがでとしれさ漢字", ""),
    ("이다에는의를가고하지", " "),
    ("0123456789", ", "),
    ("🙂🚀🌍👩👨❤", " "),
];

/// What stands between clauses.
const MARKS: [&str; 16] = [
    ". ",
    ", ",
    "? ",
    "! ",
    "\n",
    ":\n\n",
    "\t",
    "    ",
    " {\"key\": ",
    "[1, 2]}",
    " don't ",
    " it's ",
    " -> ",
    " () ",
    "<b>",
    "; ",
];

/// Numbers as they come from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Lines of words that come again, some of them often.
pub(crate) fn lines(count: usize) -> Vec<String> {
    let mut numbers = Numbers(42);
    let words: Vec<Vec<String>> = SCRIPTS
        .iter()
        .map(|(letters, _)| {
            let letters: Vec<char> = letters.chars().collect();
            let mut word = || -> String {
                let len = 1 + numbers.below(7);
                (0..len).map(|_| letters[numbers.below(letters.len())]).collect()
            };
            (0..400).map(|_| word()).collect()
        })
        .collect();
    let line = |_| {
        let script = numbers.below(SCRIPTS.len());
        let mut line = String::new();
        for _ in 0..12 {
            let common = 1 + numbers.below(words[script].len());
            line += &words[script][numbers.below(common)];
            line += SCRIPTS[script].1;
            if numbers.below(4) == 0 {
                line += MARKS[numbers.below(MARKS.len())];
            }
        }
        line
    };
    (0..count).map(line).collect()
}
