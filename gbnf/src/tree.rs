//! From what pest found to the tree.

use pest::iterators::{Pair, Pairs};

use crate::characters;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, ParseConfig};
use crate::grammar::{
    All, Expr, ExprKind, Member, Members, Repetition, Rule as Definition, TokenName,
    TokenReference, Unique,
};
use crate::llama_cpp;
use crate::members;
use crate::notation::Rule;
use crate::source::MAX_DEPTH;
use crate::span::Span;
use crate::unique;

/// Builds the tree of one rule, and collects what is wrong with it.
///
/// Recurses as deep as [`MAX_DEPTH`] lets it. What does not recurse is kept out of line, so that
/// the frames of what does stay small.
pub(crate) struct TreeBuilder<'a> {
    config: ParseConfig<'a>,
    /// Where the text of the rule begins in the whole text.
    base: usize,
    faults: &'a mut Vec<Diagnostic>,
}

impl<'a> TreeBuilder<'a> {
    pub(crate) fn new(
        config: ParseConfig<'a>,
        base: usize,
        faults: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self { config, base, faults }
    }

    /// The rule of a `definition`.
    pub(crate) fn definition(&mut self, pair: Pair<'_, Rule>) -> Definition {
        let mut name = (String::new(), Span::default());
        let mut body = Expr::empty();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = self.name(&part),
                Rule::alternatives => body = self.alternatives(part, 0),
                _ => {}
            }
        }
        Definition { name: name.0, name_span: name.1, body: body.into() }
    }

    #[inline(never)]
    fn name(&mut self, pair: &Pair<'_, Rule>) -> (String, Span) {
        let (name, span) = (pair.as_str(), self.span(pair));
        if self.config.dialect == Dialect::LlamaCpp && name.contains('_') {
            let fault = format!("llama.cpp has no '_' in names: '{name}'");
            let help = format!("write '{}'", name.replace('_', "-"));
            self.faults.push(Diagnostic::new(Code::NotInDialect, span, fault).with_help(help));
        }
        (name.to_owned(), span)
    }

    fn alternatives(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let mut sequences = Vec::new();
        let mut items = Vec::new();
        // An empty sequence stands where the next sign does.
        let sequence = |items, end| one_or(items, Span::new(end, end), ExprKind::Sequence);
        while let Some(part) = parts.next() {
            if part.as_rule() == Rule::bar {
                sequences.push(sequence(std::mem::take(&mut items), self.span(&part).start));
            } else {
                let item = self.item(part, &mut parts, depth);
                items.push(item);
            }
        }
        sequences.push(sequence(items, span.end));
        one_or(sequences, span, ExprKind::Choice)
    }

    /// An atom with its quantifiers, which come next.
    fn item(&mut self, atom: Pair<'_, Rule>, parts: &mut Pairs<'_, Rule>, depth: usize) -> Expr {
        let span = self.span(&atom);
        let quantifiers = count_quantifiers(parts);
        // The first quantifier goes with the parentheses that it most likely follows.
        let depth = depth + quantifiers.saturating_sub(1);
        let quantified = parts.by_ref().take(quantifiers);
        if depth > MAX_DEPTH {
            quantified.for_each(drop);
            self.too_deep(span);
            return Expr::empty();
        }
        let mut expr = self.atom(atom, depth);
        for quantifier in quantified {
            let end = self.span(&quantifier).end;
            let (min, max) = self.times(quantifier);
            let nothing_left = self.config.dialect == Dialect::LlamaCpp && max == Some(0);
            let item = Box::new(expr);
            let kind = if nothing_left {
                // llama.cpp drops the item with the references in it, which may be undefined.
                Expr::empty().kind
            } else {
                ExprKind::Repeat { item, min, max }
            };
            expr = Expr { kind, span: Span::new(span.start, end) };
        }
        expr
    }

    #[inline(never)]
    fn too_deep(&mut self, span: Span) {
        let fault = format!("groups and quantifiers nest deeper than {MAX_DEPTH}");
        self.faults.push(Diagnostic::new(Code::Limit, span, fault));
    }

    fn atom(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        match pair.as_rule() {
            Rule::group => self.group(pair, depth),
            Rule::members => self.members(pair, depth),
            Rule::unique => self.unique(pair, depth),
            Rule::all => self.conjunction(pair, depth),
            _ => self.leaf(pair),
        }
    }

    #[inline(never)]
    fn leaf(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let (text, inside) = (pair.as_str(), span.start + 1);
        let dialect = self.config.dialect;
        let kind = match pair.as_rule() {
            Rule::literal => {
                characters::literal(&text[1..text.len() - 1], inside, dialect, self.faults)
            }
            Rule::class => {
                characters::class(&text[1..text.len() - 1], inside, dialect, self.faults)
            }
            Rule::token => ExprKind::Token(self.token(pair)),
            Rule::reference => ExprKind::Reference(self.name(&pair).0.into()),
            _ => ExprKind::Any,
        };
        Expr { kind, span }
    }

    fn group(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        match pair.into_inner().next() {
            Some(alternatives) => self.alternatives(alternatives, depth + 1),
            None => Expr::empty(),
        }
    }

    #[inline(never)]
    fn token(&mut self, pair: Pair<'_, Rule>) -> TokenReference {
        let span = self.span(&pair);
        let text = pair.as_str().trim_start_matches('!');
        let negated = text.len() < pair.as_str().len();
        let name = pair.into_inner().find(|part| part.as_rule() != Rule::not);
        let token = match name.map(|name| (name.as_rule(), name)) {
            Some((Rule::token_id, id)) => TokenName::Id(id.as_str().parse().unwrap_or_else(|_| {
                let limit = u32::MAX;
                let fault = format!("token id {} exceeds the limit of {limit}", id.as_str());
                self.faults.push(Diagnostic::new(Code::Limit, self.span(&id), fault));
                limit
            })),
            Some((Rule::quoted, quoted)) => {
                self.own_word("<[\"..\"]>", span);
                let (inside, base) = (quoted.as_str(), self.span(&quoted).start + 1);
                let inside = &inside[1..inside.len() - 1];
                let text = characters::literal(inside, base, Dialect::Grammask, self.faults);
                let ExprKind::Literal(text) = text else { unreachable!("it is a literal") };
                self.known_token(&text, span);
                TokenName::Text(text.into_owned())
            }
            _ => {
                self.known_token(text, span);
                TokenName::Text(text.to_owned())
            }
        };
        TokenReference { negated, token }
    }

    fn known_token(&mut self, text: &str, span: Span) {
        if self.config.token_exists.is_some_and(|exists| !exists(text)) {
            let fault = format!("'{text}' is not one token of the vocabulary");
            self.faults.push(
                Diagnostic::new(Code::UnknownToken, span, fault)
                    .with_help("write '<[7]>' for the token with the id 7"),
            );
        }
    }

    /// The bounds of a quantifier.
    #[inline(never)]
    fn times(&mut self, pair: Pair<'_, Rule>) -> (u32, Option<u32>) {
        match pair.as_rule() {
            Rule::plus => (1, None),
            Rule::optional => (0, Some(1)),
            Rule::bounds => self.bounds(pair),
            _ => (0, None),
        }
    }

    fn bounds(&mut self, pair: Pair<'_, Rule>) -> (u32, Option<u32>) {
        let span = self.span(&pair);
        let mut counts = [None; 2];
        let mut commas = 0;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::count => counts[commas] = Some(self.count(&part)),
                Rule::comma => commas = 1,
                _ => {}
            }
        }
        let min = counts[0].unwrap_or(0);
        let max = if commas == 0 { Some(min) } else { counts[1] };
        if let Some(max) = max.filter(|&max| max < min) {
            let fault = format!("reversed count '{{{min},{max}}}'");
            let help = format!("it matches nothing; did you mean '{{{max},{min}}}'?");
            self.faults.push(Diagnostic::new(Code::ReversedCount, span, fault).with_help(help));
        }
        match self.config.dialect {
            Dialect::LlamaCpp => (min, max.filter(|&max| max <= llama_cpp::MAX_REPETITIONS)),
            Dialect::Grammask => (min, max),
        }
    }

    fn count(&mut self, pair: &Pair<'_, Rule>) -> u32 {
        let (text, limit) = (pair.as_str(), u32::MAX);
        let readable = match self.config.dialect {
            // Above the limits of llama.cpp's grammars, but not of its numbers.
            Dialect::LlamaCpp => text.parse::<u64>().is_ok(),
            Dialect::Grammask => text.parse::<u32>().is_ok(),
        };
        if !readable {
            let fault = format!("count {text} exceeds the limit of {limit}");
            self.faults.push(Diagnostic::new(Code::Limit, self.span(pair), fault));
        }
        text.parse().unwrap_or(limit)
    }

    /// Reports a word that llama.cpp does not have.
    fn own_word(&mut self, word: &str, span: Span) {
        if self.config.dialect == Dialect::LlamaCpp {
            let fault = format!("llama.cpp has no '{word}'");
            self.faults.push(Diagnostic::new(Code::NotInDialect, span, fault));
        }
    }

    #[inline(never)]
    fn unique(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        let span = self.span(&pair);
        self.own_word("@unique", span);
        let (first, separator) = (Vec::new(), Expr::empty());
        let mut found = Unique { first, rest: None, separator, min: 0, max: None };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::separator => found.separator = self.group(part, depth),
                Rule::bounds => (found.min, found.max) = self.bounds(part),
                Rule::list_item => {
                    let item = self.group(part, depth);
                    found.first.push(item);
                }
                _ => {}
            }
        }
        if let Some(last) = found.first.pop_if(|last| unique::is_rest(last))
            && let ExprKind::Repeat { item, .. } = last.kind
        {
            found.rest = Some(*item);
        }
        unique::check_items(&found, self.faults);
        Expr { kind: ExprKind::Unique(Box::new(found)), span }
    }

    #[inline(never)]
    fn conjunction(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        let span = self.span(&pair);
        self.own_word("@all", span);
        let mut found = All { all: Vec::new(), none: Vec::new() };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::list_item => found.all.push(self.group(part, depth)),
                Rule::without => {
                    let alternatives = part.into_inner().last();
                    let none = alternatives.map(|part| self.alternatives(part, depth + 1));
                    found.none.extend(none);
                }
                _ => {}
            }
        }
        if found.all.is_empty() {
            let fault = "'@all' says only what may not match";
            let help = "say first of which texts: '@all( [a-z]*; !\"no\" )'";
            self.faults.push(Diagnostic::new(Code::BadConjunction, span, fault).with_help(help));
        }
        Expr { kind: ExprKind::All(Box::new(found)), span }
    }

    #[inline(never)]
    fn members(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Expr {
        let span = self.span(&pair);
        self.own_word("@members", span);
        let mut found =
            Members { members: Vec::new(), separator: Expr::empty(), min: 0, max: None };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::separator => found.separator = self.group(part, depth),
                Rule::bounds => (found.min, found.max) = self.bounds(part),
                Rule::member => {
                    let member = self.member(part, depth);
                    found.members.push(member);
                }
                _ => {}
            }
        }
        members::check_keys(&found, self.faults);
        Expr { kind: ExprKind::Members(Box::new(found)), span }
    }

    fn member(&mut self, pair: Pair<'_, Rule>, depth: usize) -> Member {
        let mut parts = pair.into_inner();
        let key = parts.next().map(|part| self.alternatives(part, depth + 1));
        let repetition = parts.next().map_or(Repetition::Required, |arrow| self.repetition(arrow));
        let value = parts.next().map(|part| self.alternatives(part, depth + 1));
        Member {
            key: key.unwrap_or_else(Expr::empty),
            repetition,
            value: value.unwrap_or_else(Expr::empty),
        }
    }

    #[inline(never)]
    fn repetition(&mut self, arrow: Pair<'_, Rule>) -> Repetition {
        match arrow.as_rule() {
            Rule::maybe => Repetition::Optional,
            Rule::never => Repetition::Never,
            Rule::many => match arrow.into_inner().next() {
                Some(bounds) => {
                    let (min, max) = self.bounds(bounds);
                    Repetition::Many { min, max }
                }
                None => Repetition::MANY,
            },
            _ => Repetition::Required,
        }
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(self.base + span.start(), self.base + span.end())
    }
}

/// How many quantifiers come next.
fn count_quantifiers(parts: &Pairs<'_, Rule>) -> usize {
    let is_quantifier = |part: &Pair<'_, Rule>| {
        matches!(part.as_rule(), Rule::star | Rule::plus | Rule::optional | Rule::bounds)
    };
    if parts.peek().is_some_and(|part| is_quantifier(&part)) {
        parts.clone().take_while(is_quantifier).count()
    } else {
        0
    }
}

/// The only item itself, or all of them as one expression. Its place is from the first to the last
/// one; `span` has blanks around it, but is all there is if there are no items.
fn one_or(mut items: Vec<Expr>, span: Span, kind: impl FnOnce(Vec<Expr>) -> ExprKind) -> Expr {
    let span = match (items.first(), items.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
        _ => span,
    };
    match items.pop() {
        Some(item) if items.is_empty() => item,
        last => {
            items.extend(last);
            Expr { kind: kind(items), span }
        }
    }
}
