//! How texts are cut into words before byte pairs are merged, by the name in `tokenizer.ggml.pre`.
//!
//! The names and what they mean are those of llama.cpp (`llama_vocab::impl::load`, `llm_tokenizer_bpe`).
//! Where it replaces an expression of a `tokenizer.json` by one that its own engine can run, as for
//! `gpt-4o` and `tekken`, the original one is used: it is what models were trained with.

use std::ops::Range;

use fancy_regex::Regex;

use super::EncodeError;

/// Cuts texts into words.
#[derive(Debug)]
pub(super) struct PreTokenizer {
    /// Each cuts what the one before has left, at the ends of its matches.
    cuts: Vec<Regex>,
    keeps_whole_words: bool,
}

/// What a name stands for.
pub(super) struct Scheme {
    names: &'static [&'static str],
    cuts: &'static [&'static str],
    /// A word that is a token is not split, whatever the merges say.
    keeps_whole_words: bool,
    /// Whether texts begin with BOS where the file does not say.
    pub(super) adds_bos: bool,
}

impl Scheme {
    const fn new(names: &'static [&'static str], cuts: &'static [&'static str]) -> Self {
        Self { names, cuts, keeps_whole_words: false, adds_bos: false }
    }

    const fn whole_words(self) -> Self {
        Self { keeps_whole_words: true, ..self }
    }

    const fn with_bos(self) -> Self {
        Self { adds_bos: true, ..self }
    }

    #[cfg(test)]
    pub(super) fn cuts(&self) -> &'static [&'static str] {
        self.cuts
    }

    #[cfg(test)]
    pub(super) fn keeps_whole_words(&self) -> bool {
        self.keeps_whole_words
    }

    /// The scheme with a name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        SCHEMES.iter().find(|scheme| scheme.names.contains(&name))
    }
}

impl PreTokenizer {
    /// # Errors
    ///
    /// An expression that is none, which would be a mistake in the table below.
    pub(super) fn new(scheme: &Scheme) -> Result<Self, fancy_regex::Error> {
        let cuts = scheme.cuts.iter().map(|cut| Regex::new(cut)).collect::<Result<_, _>>()?;
        Ok(Self { cuts, keeps_whole_words: scheme.keeps_whole_words })
    }

    pub(super) fn keeps_whole_words(&self) -> bool {
        self.keeps_whole_words
    }

    /// The words of a text, one after the other, without gaps.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Split`].
    pub(super) fn split(&self, text: &str) -> Result<Vec<Range<usize>>, EncodeError> {
        let whole = 0..text.len();
        let mut words = vec![whole];
        for cut in &self.cuts {
            let mut finer = Vec::with_capacity(words.len());
            for Range { start, end } in words {
                let mut rest = start;
                for found in cut.find_iter(&text[start..end]) {
                    let found = found.map_err(|error| EncodeError::Split(error.to_string()))?;
                    let (from, to) = (start + found.start(), start + found.end());
                    finer.extend([rest..from, from..to]);
                    rest = to;
                }
                finer.push(rest..end);
            }
            finer.retain(|word| !word.is_empty());
            words = finer;
        }
        Ok(words)
    }
}

/// English contractions in any case.
macro_rules! contractions {
    () => {
        r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
    };
}

/// Words, numbers, marks and blanks since GPT-4: numbers are what differs, and words in some.
macro_rules! since_gpt_4 {
    ($words:expr, $numbers:expr) => {
        concat!($words, "|", $numbers, r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    };
}

/// Letters with one character before them that is no line end.
macro_rules! words {
    () => {
        concat!(contractions!(), r"|[^\r\n\p{L}\p{N}]?\p{L}+")
    };
}

/// Words in which capital letters come first, each with what may follow it.
macro_rules! cased {
    ($contractions:expr, $numbers:expr, $ends:expr) => {
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            $contractions,
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            $contractions,
            "|",
            $numbers,
            r"| ?[^\s\p{L}\p{N}]+",
            $ends,
            r"|\s*[\r\n]+|\s+(?!\S)|\s+"
        )
    };
}

/// Words as GPT-2 has them.
const GPT_2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";

/// Words of `DeepSeek` V3, with marks and symbols apart.
const DEEPSEEK_3: &str = concat!(
    r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// Letters of scripts that have capitals. Those that are the same as others in a normal form are written
/// by their numbers, so that no editor makes others of them.
const DEEPSEEK_LETTERS: &str = concat!(
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕ",
    r"Ἐ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1F7D}ᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-\x{1FD3}ῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳ",
    r"Ꙁ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+"
);

static SCHEMES: &[Scheme] = &[
    Scheme::new(&["default"], &[r"[\p{P}\$\+<=>\^~\|]+", GPT_2, r"\p{N}+", "[0-9][0-9][0-9]"]),
    Scheme::new(
        &["llama-bpe", "llama3", "llama-v3", "lfm2", "falcon3", "falcon-h1", "pixtral", "midm-2.0"],
        &[since_gpt_4!(words!(), r"\p{N}{1,3}")],
    )
    .whole_words()
    .with_bos(),
    Scheme::new(
        &["glm4", "chatglm-bpe", "dbrx", "smaug-bpe"],
        &[since_gpt_4!(words!(), r"\p{N}{1,3}")],
    ),
    Scheme::new(
        &[
            "qwen2",
            "deepseek-r1-qwen",
            "megrez",
            "stablelm2",
            "hunyuan",
            "solar-open",
            "grok-2",
            "kormo",
            "f2llmv2",
        ],
        &[since_gpt_4!(words!(), r"\p{N}")],
    ),
    Scheme::new(
        &["qwen35"],
        &[concat!(
            contractions!(),
            r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
            r"|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    Scheme::new(&["minicpm5"], &[r"\p{N}{1,3}", since_gpt_4!(words!(), r"\p{N}+")]).whole_words(),
    Scheme::new(
        &["gpt-4o", "llama4", "kanana2", "minimax-m2", "talkie"],
        &[cased!(concat!(contractions!(), "?"), r"\p{N}{1,3}", r"[\r\n/]*")],
    ),
    Scheme::new(&["tekken"], &[cased!("", r"\p{N}", r"[\r\n/]*")]).whole_words().with_bos(),
    Scheme::new(
        &[
            "gpt-2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "exaone4",
            "gigachat",
            "mellum",
            "a.x-4.0",
        ],
        &[GPT_2],
    ),
    Scheme::new(
        &[
            "smollm",
            "starcoder",
            "refact",
            "command-r",
            "codeshell",
            "exaone",
            "minerva-7b",
            "mellum2",
        ],
        &[r"\p{N}", GPT_2],
    ),
    Scheme::new(&["falcon"], &[r"[\p{P}\$\+<=>\^~\|`]+", GPT_2, "[0-9][0-9][0-9]"]),
    Scheme::new(
        &["deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"],
        &[r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", DEEPSEEK_3],
    ),
    Scheme::new(
        &["deepseek-llm"],
        &[
            r"[\r\n]",
            DEEPSEEK_LETTERS,
            r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
            r"\s+$",
            "[一-龥ࠀ-一가-퟿]+",
            r"\p{N}+",
        ],
    ),
    Scheme::new(
        &["deepseek-coder"],
        &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}"],
    ),
    Scheme::new(
        &["bailingmoe", "bailingmoe2", "llada-moe"],
        &[concat!(
            r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
            r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
        )],
    ),
    Scheme::new(
        &["seed-coder"],
        &[concat!(words!(), r"|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+")],
    ),
    Scheme::new(&["poro-chat", "bloom", "gpt3-finnish"], &[r" ?[^(\s|.,!?…。，、।۔،)]+"]),
    Scheme::new(&["viking"], &[r" ?[^(\s|.,!?…。，、।۔،)]+", r"\p{N}"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words<'t>(name: &str, text: &'t str) -> Vec<&'t str> {
        let scheme = Scheme::named(name).expect("it is known");
        let pre_tokenizer = PreTokenizer::new(scheme).expect("its expressions are right");
        let words = pre_tokenizer.split(text).expect("it can be split");
        words.into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn names_are_of_one_scheme_each() {
        let mut names: Vec<&str> =
            SCHEMES.iter().flat_map(|scheme| scheme.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn schemes_cut_where_they_say() {
        let text = "It'S 12345,\n  CamelCase É";
        let cases: &[(&str, &[&str])] = &[
            ("llama-bpe", &["It", "'S", " ", "123", "45", ",\n", " ", " CamelCase", " É"]),
            ("qwen2", &["It", "'S", " ", "1", "2", "3", "4", "5", ",\n", " ", " CamelCase", " É"]),
            ("gpt-2", &["It", "'", "S", " 12345", ",", "\n ", " CamelCase", " É"]),
            (
                "smollm",
                &["It", "'", "S", " ", "1", "2", "3", "4", "5", ",", "\n ", " CamelCase", " É"],
            ),
            ("gpt-4o", &["It'S", " ", "123", "45", ",\n", " ", " Camel", "Case", " É"]),
            (
                "tekken",
                &["It", "'S", " ", "1", "2", "3", "4", "5", ",\n", " ", " Camel", "Case", " É"],
            ),
            ("deepseek-v3", &["It", "'S", " ", "123", "45", ",\n", " ", " CamelCase", " É"]),
            ("default", &["It", "'", "S", " ", "123", "45", ",", "\n ", " CamelCase", " É"]),
        ];
        for (name, expected) in cases {
            assert_eq!(words(name, text), *expected, "{name}");
        }
        assert_eq!(words("qwen35", "कि१"), ["कि", "१"]);
        assert_eq!(words("qwen2", "कि१"), ["क", "ि", "१"]);
    }

    /// Every scheme leaves the text as it is, however long a run of one kind of character.
    #[test]
    fn long_runs_are_cut() {
        for scheme in SCHEMES {
            for run in [" ", "\n", "a", "É", "1", "'", " \n", "一", "\u{301}"] {
                let text = run.repeat(200_000);
                assert_eq!(words(scheme.names[0], &text).concat(), text, "{}", scheme.names[0]);
            }
        }
    }
}
