//! GBNF text to [`Grammar`].

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::dialect::{Dialect, ParseConfig};
use crate::grammar::{ExprKind, Grammar};
use crate::llama_cpp::Expansion;
use crate::notation::{Notation, Rule};
use crate::similar::most_similar;
use crate::source::{self, Cut, Piece};
use crate::span::Span;
use crate::syntax_error;
use crate::tree::TreeBuilder;

/// For how many undefined names a similar name is looked for.
const MAX_SUGGESTIONS: usize = 10;

/// More of the machine's stack than a level of parentheses takes, however little is optimised.
const STACK_OF_LEVEL: usize = 16 * 1024;

/// How many uses of an undefined name are listed besides the first.
const MAX_OTHER_USES: usize = 5;

/// Parses a grammar in our dialect.
///
/// # Errors
///
/// All mistakes of notation, and names that no rule defines. That no text may match, or that the
/// start rule is missing, is for [`Grammar::check`] to say.
///
/// ```
/// let grammar = grammask_gbnf::parse("root ::= item (\",\" item)*\nitem ::= [0-9]+")?;
/// assert_eq!(grammar.rules.len(), 2);
///
/// let mistakes = grammask_gbnf::parse("root ::= itme\nitem ::= [9-0]").unwrap_err();
/// assert_eq!(
///     mistakes.to_string(),
///     "1:10: error[G003]: undefined rule 'itme'\n2:11: error[G004]: reversed range '9-0'"
/// );
/// # Ok::<(), grammask_gbnf::Diagnostics>(())
/// ```
pub fn parse(text: &str) -> Result<Grammar, Diagnostics> {
    ParseConfig::new().parse(text)
}

/// Parses a grammar in the given dialect; the start rule is `root`.
///
/// # Errors
///
/// As [`parse`]; in [`Dialect::LlamaCpp`] also all that llama.cpp refuses, with a missing `root`.
///
/// ```
/// use grammask_gbnf::{Dialect, parse_with};
///
/// let text = "root ::= [a-z]\n  | root \"_\"";
/// assert!(parse_with(text, Dialect::Grammask).is_ok());
/// assert!(parse_with(text, Dialect::LlamaCpp).is_err());
/// ```
pub fn parse_with(text: &str, dialect: Dialect) -> Result<Grammar, Diagnostics> {
    ParseConfig::new().dialect(dialect).parse(text)
}

/// Parses a grammar that should be UTF-8.
///
/// # Errors
///
/// As [`parse_with`], and if it is not UTF-8 (llama.cpp would read on; we do not).
///
/// ```
/// use grammask_gbnf::{Dialect, parse_bytes};
///
/// let mistakes = parse_bytes(b"root ::= \"a\"\n  \"\xFF\"", Dialect::Grammask).unwrap_err();
/// assert_eq!(mistakes.to_string(), "2:4: error[G002]: not UTF-8: byte 0xFF");
/// ```
pub fn parse_bytes(text: &[u8], dialect: Dialect) -> Result<Grammar, Diagnostics> {
    ParseConfig::new().dialect(dialect).parse_bytes(text)
}

impl Grammar {
    /// Parses a grammar in our dialect; see [`parse`](crate::parse()).
    ///
    /// # Errors
    ///
    /// All mistakes of notation, and names that no rule defines.
    ///
    /// ```
    /// let grammar = grammask_gbnf::Grammar::parse("root ::= \"a\"")?;
    /// assert_eq!(grammar.to_string(), "root ::= \"a\"\n");
    /// # Ok::<(), grammask_gbnf::Diagnostics>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        parse(text)
    }
}

impl ParseConfig<'_> {
    /// Parses a grammar.
    ///
    /// # Errors
    ///
    /// See [`parse_with`](crate::parse_with).
    ///
    /// ```
    /// use grammask_gbnf::ParseConfig;
    ///
    /// let known = |text: &str| text == "<think>";
    /// let config = ParseConfig::new().tokens(&known);
    /// assert!(config.parse("root ::= <think>").is_ok());
    /// assert!(config.parse("root ::= <thing>").is_err());
    /// ```
    pub fn parse(&self, text: &str) -> Result<Grammar, Diagnostics> {
        let mut parse = Parse::new(*self, text, false);
        parse.run();
        if !parse.faults.is_empty() && parse.suspicious {
            // A forgotten quote turns the rest of the text inside out: this finds better words.
            parse = Parse::new(*self, text, true);
            parse.run();
        }
        if parse.faults.is_empty() {
            Ok(parse.grammar)
        } else {
            Err(Diagnostics::new(text, parse.faults))
        }
    }

    /// Parses a grammar that should be UTF-8.
    ///
    /// # Errors
    ///
    /// See [`parse_bytes`](crate::parse_bytes).
    ///
    /// ```
    /// assert!(grammask_gbnf::ParseConfig::new().parse_bytes(b"root ::= \"\xC3\xA9\"").is_ok());
    /// ```
    pub fn parse_bytes(&self, text: &[u8]) -> Result<Grammar, Diagnostics> {
        let error = match str::from_utf8(text) {
            Ok(text) => return self.parse(text),
            Err(error) => error,
        };
        let start = error.valid_up_to();
        let end = error.error_len().map_or(text.len(), |length| start + length);
        let (valid, _) = text.split_at(start);
        let fault = match text.get(start) {
            Some(byte) if error.error_len().is_some() => format!("not UTF-8: byte 0x{byte:02X}"),
            _ => "not UTF-8: the last character is cut off".to_owned(),
        };
        let fault = Diagnostic::new(Code::NotUtf8, Span::new(start, end), fault);
        Err(Diagnostics::new(&String::from_utf8_lossy(valid), vec![fault]))
    }
}

/// One run of the parser.
struct Parse<'a> {
    config: ParseConfig<'a>,
    cut: Cut,
    text: &'a str,
    grammar: Grammar,
    /// Names of rules that did not parse: to use them is no mistake of its own.
    broken: FxHashSet<&'a str>,
    faults: Vec<Diagnostic>,
    expansion: Option<Expansion>,
    /// Whether something swallows a line that looks like a rule.
    suspicious: bool,
}

impl<'a> Parse<'a> {
    fn new(config: ParseConfig<'a>, text: &'a str, suspicious: bool) -> Self {
        let cut = Cut { dialect: config.dialect, suspicious };
        let (text, expansion) = match config.dialect {
            Dialect::Grammask => (text, None),
            // To llama.cpp the text is a C string.
            Dialect::LlamaCpp => {
                (text.split('\0').next().unwrap_or(text), Some(Expansion::default()))
            }
        };
        let (grammar, broken) = (Grammar::default(), FxHashSet::default());
        let faults = Vec::new();
        Self { config, cut, text, grammar, broken, faults, expansion, suspicious: false }
    }

    fn run(&mut self) {
        let mut at = match self.config.dialect {
            // A byte order mark is not part of the text.
            Dialect::Grammask if self.text.starts_with('\u{FEFF}') => '\u{FEFF}'.len_utf8(),
            _ => 0,
        };
        while let Some(piece) = source::next_piece(self.text, at, self.cut) {
            self.suspicious |= piece.suspicious;
            at = self.piece(piece);
            if self.faults.len() > Diagnostics::MAX {
                break;
            }
        }
        match self.expansion.take() {
            Some(expansion) if self.faults.is_empty() => {
                expansion.check(self.config.root, &mut self.faults);
                self.drop_overwritten();
            }
            _ => self.check_references(),
        }
    }

    /// Parses one rule, and says where to go on.
    fn piece(&mut self, piece: Piece) -> usize {
        let (start, end) = (piece.start, piece.end);
        let Err(fault) = self.rule(piece) else { return end };
        self.broken.insert(source::leading_name(&self.text[start..]));
        // The fault may have swallowed the rules that follow: a line that looks like one ends it.
        let Some(cut) = source::next_definition(&self.text[..end], start) else {
            self.faults.push(fault);
            return end;
        };
        let shorter = source::next_piece(&self.text[..cut], start, self.cut)
            .and_then(|piece| self.check_syntax(piece).err());
        self.faults.push(shorter.unwrap_or(fault));
        cut
    }

    /// Adds the rule in `piece`. `Err` is a fault of syntax; others are collected.
    fn rule(&mut self, mut piece: Piece) -> Result<(), Diagnostic> {
        if let Some(fault) = piece.fault.take() {
            return Err(fault);
        }
        with_stack(piece.depth, || self.read(&piece))
    }

    fn read(&mut self, piece: &Piece) -> Result<(), Diagnostic> {
        let text = &self.text[piece.start..piece.end];
        let mut pairs = Notation::parse(Rule::definition, text)
            .map_err(|error| self.syntax_fault(piece, error))?;
        let Some(definition) = pairs.next() else { return Ok(()) };
        let before = self.faults.len();
        let mut builder = TreeBuilder::new(self.config, piece.start, &mut self.faults);
        let rule = builder.definition(definition.clone());
        if self.faults.len() == before
            && let Some(expansion) = &mut self.expansion
        {
            expansion.add(definition, piece.start, &mut self.faults);
        }
        self.grammar.rules.push(rule);
        Ok(())
    }

    fn check_syntax(&self, mut piece: Piece) -> Result<(), Diagnostic> {
        if let Some(fault) = piece.fault.take() {
            return Err(fault);
        }
        let text = &self.text[piece.start..piece.end];
        with_stack(piece.depth, || Notation::parse(Rule::definition, text).map(drop))
            .map_err(|error| self.syntax_fault(&piece, error))
    }

    fn syntax_fault(&self, piece: &Piece, error: pest::error::Error<Rule>) -> Diagnostic {
        let offset = match error.location {
            InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
        };
        let expected = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        let piece = &self.text[piece.start..piece.end];
        syntax_error::describe(self.text, piece, offset, &expected, self.config.dialect)
    }

    /// Reports the names that no rule defines, each once.
    fn check_references(&mut self) {
        let mut defined = std::mem::take(&mut self.broken);
        defined.extend(self.grammar.rules.iter().map(|rule| rule.name.as_str()));
        let mut places = FxHashMap::default();
        let mut undefined: Vec<(&str, Vec<Span>)> = Vec::new();
        for rule in &self.grammar.rules {
            for expr in rule.body.descendants() {
                let ExprKind::Reference(name) = &expr.kind else { continue };
                if defined.contains(&**name) {
                    continue;
                }
                let place = *places.entry(&**name).or_insert(undefined.len());
                match undefined.get_mut(place) {
                    Some((_, uses)) => uses.push(expr.span),
                    None => undefined.push((name, vec![expr.span])),
                }
            }
        }
        for (at, (name, uses)) in undefined.into_iter().enumerate() {
            let candidates = self.grammar.rules.iter().map(|rule| rule.name.as_str());
            let similar = (at < MAX_SUGGESTIONS).then(|| most_similar(name, candidates)).flatten();
            self.faults.push(undefined_rule(name, &uses, similar));
        }
    }

    /// llama.cpp forgets a definition that a later one overwrites, with the undefined names in it.
    fn drop_overwritten(&mut self) {
        let mut seen = FxHashSet::default();
        let defined: FxHashSet<String> =
            self.grammar.rules.iter().map(|rule| rule.name.clone()).collect();
        let mut rules = std::mem::take(&mut self.grammar.rules);
        rules.reverse();
        rules.retain(|rule| {
            seen.insert(rule.name.clone())
                || rule.body.descendants().all(|expr| match &expr.kind {
                    ExprKind::Reference(name) => defined.contains(&**name),
                    _ => true,
                })
        });
        rules.reverse();
        self.grammar.rules = rules;
    }
}

/// Runs what recurses as deep as parentheses nest, whatever thread it is on.
fn with_stack<T>(depth: usize, run: impl FnOnce() -> T) -> T {
    let stack = (depth + 8) * STACK_OF_LEVEL;
    stacker::maybe_grow(stack, stack, run)
}

/// `undefined rule 'name'` at its first use.
pub(crate) fn undefined_rule(name: &str, uses: &[Span], similar: Option<&str>) -> Diagnostic {
    let first = uses.first().copied().unwrap_or_default();
    let fault = Diagnostic::new(Code::UndefinedRule, first, format!("undefined rule '{name}'"));
    let fault = match similar {
        Some(similar) => fault.with_help(format!("did you mean '{similar}'?")),
        None => fault,
    };
    uses.iter()
        .skip(1)
        .take(MAX_OTHER_USES)
        .fold(fault, |fault, &place| fault.with_related(place, "also used here"))
}
