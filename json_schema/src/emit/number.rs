//! Numbers of an interval, spelled as JSON.
//!
//! A canonical spelling is what Python's `json.dumps` or JavaScript's `JSON.stringify` may print:
//! an integer part; a fraction that is `0` or does not end in 0; or a normalised mantissa with an
//! exponent from 16 up or from -5 down, within what a 64-bit float can be. So two numbers compare
//! digit by digit from the left, and a bound splits the language in a tree whose size is linear
//! in the number of digits.

use grammask_gbnf::Expr;

use super::terminal::Terminal;
use super::{Emitter, choice, sequence};
use crate::decimal::{Decimal, predecessor, successor};
use crate::error::SchemaError;
use crate::normal::{Bound, Fraction, NumberSet};
use crate::options::{DigitBounds, Numbers, Options};

/// A bound on a magnitude: digits and whether the bound itself is out.
type Edge<'a> = Option<(&'a [u8], bool)>;

/// The least and the greatest magnitude that an exponent is printed for. Where nothing else bounds
/// a number, the greatest comes alone behind those below [`GREAT_FLOAT`]: to compare with each of
/// its digits would take more than all the rest of what a number may be.
const LEAST_FLOAT: &str = "5e-324";
const GREAT_FLOAT: &str = "1.79e308";
const GREATEST_FLOAT: &str = "1.7976931348623157e308";

/// From this exponent up (Python's `repr`) and from the negative one down an exponent is printed.
const FIRST_EXPONENT: i64 = 16;
const FIRST_NEGATIVE_EXPONENT: i64 = 5;

impl Emitter<'_, '_, '_> {
    /// What matches a number of the set.
    pub(super) fn number(&mut self, name: &str, set: &NumberSet) -> Result<Vec<Expr>, SchemaError> {
        if set.multiples.is_empty() && set.indivisible.is_empty() {
            return Ok(self.plain_number(set));
        }
        Ok(vec![self.multiples(name, set)?])
    }

    /// What matches a number of an interval. Where bounds leave out none of those with an exponent, these are a rule of
    /// their own.
    fn plain_number(&mut self, set: &NumberSet) -> Vec<Expr> {
        let mut shared = Vec::new();
        let cases = self.speller(set.fraction).set(set, Some(&mut shared));
        for terminal in shared {
            self.terminal(terminal);
        }
        cases
    }

    /// The same without a reference to another rule.
    pub(super) fn whole_number(&self, set: &NumberSet) -> Expr {
        choice(self.speller(set.fraction).set(set, None))
    }

    /// What matches a positive number that is printed with such an exponent.
    pub(super) fn with_exponent(&self, exponents: Exponents) -> Expr {
        let (low, high) = exponents.bounds();
        choice(self.speller(Fraction::Any).floats(&low, &high))
    }

    fn speller(&self, fraction: Fraction) -> Speller {
        let numbers = if self.single { Numbers::Canonical } else { self.options.numbers };
        Speller { digits: digit_bounds(self.options), numbers, fraction, single: self.single }
    }
}

/// Which floats are printed with an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exponents {
    /// Those with four zeros or more behind the point,
    Negative,
    /// and those with more than sixteen digits before it.
    Positive,
}

impl Exponents {
    const ALL: [Self; 2] = [Self::Negative, Self::Positive];

    /// Between which bounds all of them lie.
    fn bounds(self) -> (Bound, Bound) {
        let power = |exponent: i64| decimal(&format!("1e{exponent}"));
        match self {
            Self::Negative => {
                (closed(decimal(LEAST_FLOAT)), open(power(1 - FIRST_NEGATIVE_EXPONENT)))
            }
            Self::Positive => (closed(power(FIRST_EXPONENT)), closed(decimal(GREATEST_FLOAT))),
        }
    }

    fn terminal(self) -> Terminal {
        match self {
            Self::Negative => Terminal::TinyNumber,
            Self::Positive => Terminal::HugeNumber,
        }
    }
}

/// The bounds on digits in force.
pub(super) fn digit_bounds(options: &Options) -> DigitBounds {
    let digits = options.digits;
    DigitBounds {
        integer: digits.integer.clamp(1, 200),
        fraction: digits.fraction.clamp(1, 200),
        exponent: digits.exponent.min(4),
    }
}

/// How numbers are written.
struct Speller {
    digits: DigitBounds,
    numbers: Numbers,
    fraction: Fraction,
    /// Whether each number has one spelling: no fraction 0, no exponent.
    single: bool,
}

/// Magnitudes from `low` on, up to `high`.
#[derive(PartialEq)]
struct Range {
    low: Bound,
    high: Option<Bound>,
}

impl Speller {
    /// The numbers of an interval. Rules that stand for numbers with an exponent are noted, if there may be some.
    fn set(&self, set: &NumberSet, mut shared: Option<&mut Vec<Terminal>>) -> Vec<Expr> {
        let zero = Decimal::zero();
        let has_zero = set.low.as_ref().is_none_or(|low| below(low, &zero))
            && set.high.as_ref().is_none_or(|high| above(high, &zero));
        let positive = set.high.as_ref().is_none_or(|high| high.value > zero);
        let negative = set.low.as_ref().is_none_or(|low| low.value < zero);
        let positive = positive.then(|| {
            let low = set.low.clone().filter(|low| low.value >= zero);
            Range { low: low.unwrap_or_else(|| open(zero.clone())), high: set.high.clone() }
        });
        let negative = negative.then(|| {
            let turned = |bound: &Bound| Bound { value: bound.value.magnitude(), ..bound.clone() };
            let low = set.high.as_ref().filter(|high| high.value <= zero).map(turned);
            Range {
                low: low.unwrap_or_else(|| open(zero.clone())),
                high: set.low.as_ref().map(turned),
            }
        });
        let mut cases = Vec::new();
        if has_zero {
            cases.extend(self.zero());
        }
        let both_signs = positive == negative;
        let mut signed = |range: Option<Range>, sign: Option<Expr>| {
            let magnitudes = range.map(|range| self.magnitudes(&range, shared.as_deref_mut()));
            let magnitudes = magnitudes.unwrap_or_default();
            match sign {
                _ if magnitudes.is_empty() => {}
                Some(sign) => cases.push(sequence([sign, choice(magnitudes)])),
                None => cases.extend(magnitudes),
            }
        };
        if both_signs {
            signed(positive, Some(Expr::literal("-").optional()));
        } else {
            signed(positive, None);
            signed(negative, Some(Expr::literal("-")));
        }
        cases
    }

    /// The spellings of zero, with its signs.
    fn zero(&self) -> Option<Expr> {
        match (self.numbers, self.fraction) {
            (_, Fraction::With) => None,
            (Numbers::Canonical, Fraction::Without) => Some(Expr::literal("0")),
            _ if self.single => Some(Expr::literal("0")),
            // A float may be a negative zero, an integer may not.
            (Numbers::Canonical, Fraction::Any) => Some(Expr::choice([
                Expr::literal("0"),
                sequence([Expr::literal("-").optional(), Expr::literal("0.0")]),
            ])),
            (Numbers::Any, _) => {
                let zeros = Expr::literal("0").repeat(1, Some(self.digits.fraction));
                let fraction = sequence([Expr::literal("."), zeros]).optional();
                let mut parts = vec![Expr::literal("-").optional(), Expr::literal("0"), fraction];
                parts.extend(self.any_exponent().map(Expr::optional));
                Some(sequence(parts))
            }
        }
    }

    /// All positive magnitudes of the range, without a sign.
    fn magnitudes(&self, range: &Range, shared: Option<&mut Vec<Terminal>>) -> Vec<Expr> {
        let mut cases = self.plain(range);
        match (self.numbers, self.fraction) {
            (Numbers::Canonical, Fraction::Without) => {}
            _ if self.single => {}
            (Numbers::Any, Fraction::Any) if range.low.value.is_zero() && range.high.is_none() => {
                let mantissas = choice(cases.clone());
                cases.extend(self.any_exponent().map(|exponent| sequence([mantissas, exponent])));
            }
            _ => cases.extend(self.scientific(range, shared)),
        }
        cases
    }

    /// Without an exponent.
    fn plain(&self, range: &Range) -> Vec<Expr> {
        let most = self.digits.integer as usize;
        let nines = vec![9; most];
        if range.low.value.exponent() > i64::from(self.digits.integer) {
            return Vec::new();
        }
        let high = range
            .high
            .as_ref()
            .filter(|high| high.value.exponent() <= i64::from(self.digits.integer));
        let low_integer = range.low.value.integer_part();
        let places = self.digits.fraction as usize + 1;
        let low_fraction = range.low.value.fraction_part(places);
        let low_edge = (&low_fraction[..], !range.low.inclusive);
        let high_fraction = high.map(|high| high.value.fraction_part(places)).unwrap_or_default();
        let high_edge = high.map(|high| (&high_fraction[..], !high.inclusive));
        let high_integer = high.map_or_else(|| nines.clone(), |high| high.value.integer_part());
        if less(&high_integer, &low_integer) {
            return Vec::new();
        }
        if low_integer == high_integer && high.is_some() {
            return self.with_tail(Expr::literal(text(&low_integer)), Some(low_edge), high_edge);
        }
        let mut cases = Vec::new();
        // Between two integers every fraction will do; if it also does with the outer ones, they
        // join the range.
        let whole = |edge: Edge<'_>| lower(edge).is_none();
        let mut from = low_integer.clone();
        if !whole(Some(low_edge)) {
            let lead = Expr::literal(text(&low_integer));
            cases.extend(self.with_tail(lead, Some(low_edge), None));
            from = successor(low_integer);
        }
        let mut to = Some(high_integer.clone());
        if high_edge.is_some() {
            to = predecessor(high_integer.clone());
        }
        if from.len() <= most
            && let Some(to) = to
            && !less(&to, &from)
        {
            cases.extend(self.with_tail(integers(&from, &to), None, None));
        }
        if high_edge.is_some() {
            cases.extend(self.with_tail(Expr::literal(text(&high_integer)), None, high_edge));
        }
        cases
    }

    /// An integer part and the fractions from `low` to `high`.
    fn with_tail(&self, lead: Expr, low: Edge<'_>, high: Edge<'_>) -> Vec<Expr> {
        let most = self.digits.fraction as usize;
        let any_zeros = Expr::literal("0").repeat(1, Some(self.digits.fraction));
        let canonical = self.numbers == Numbers::Canonical;
        let tail = Tail::between(low, high, most, canonical);
        let point = Expr::literal(".");
        let zeros = if canonical { Expr::literal("0") } else { any_zeros };
        let empty = tail.empty && self.fraction != Fraction::With;
        let rest = tail.rest.filter(|_| self.fraction != Fraction::Without);
        let fraction = match (empty, rest) {
            (true, None) if canonical && self.fraction == Fraction::Without => Expr::empty(),
            (true, rest) if self.single => {
                rest.map_or_else(Expr::empty, |rest| sequence([point, rest]).optional())
            }
            (true, rest) => {
                sequence([point, choice(std::iter::once(zeros).chain(rest))]).optional()
            }
            (false, Some(rest)) => sequence([point, rest]),
            (false, None) => return Vec::new(),
        };
        vec![sequence([lead, fraction])]
    }

    /// With a normalised mantissa and an exponent, as floats are printed.
    fn scientific(&self, range: &Range, mut shared: Option<&mut Vec<Terminal>>) -> Vec<Expr> {
        if self.digits.exponent == 0 {
            return Vec::new();
        }
        if self.numbers == Numbers::Any {
            let low = Some(&range.low).filter(|low| !low.value.is_zero());
            return self.powers(low, range.high.as_ref());
        }
        let mut cases = Vec::new();
        for exponents in Exponents::ALL {
            if !self.has(exponents) {
                continue;
            }
            let (least, most) = exponents.bounds();
            let low = Some(&range.low).filter(|low| !below(low, &least.value));
            let high = range.high.as_ref().filter(|high| !above(high, &most.value));
            match &mut shared {
                Some(shared) if low.is_none() && high.is_none() => {
                    shared.push(exponents.terminal());
                    cases.push(Expr::reference(exponents.terminal().name(false)));
                }
                _ => cases.extend(self.floats(low.unwrap_or(&least), high.unwrap_or(&most))),
            }
        }
        cases
    }

    /// Whether numbers have such exponents.
    fn has(&self, exponents: Exponents) -> bool {
        let (fraction, least) = match exponents {
            Exponents::Negative => (Fraction::Without, FIRST_NEGATIVE_EXPONENT),
            Exponents::Positive => (Fraction::With, FIRST_EXPONENT),
        };
        self.fraction != fraction && least <= self.greatest_exponent()
    }

    fn greatest_exponent(&self) -> i64 {
        10_i64.pow(self.digits.exponent) - 1
    }

    /// Canonical floats from `low` to `high` that are printed with an exponent.
    fn floats(&self, low: &Bound, high: &Bound) -> Vec<Expr> {
        let greatest = closed(decimal(GREATEST_FLOAT));
        if *high != greatest {
            return self.powers(Some(low), Some(high));
        }
        let mut cases = self.powers(Some(low), Some(&open(decimal(GREAT_FLOAT))));
        if below(low, &greatest.value) {
            cases.extend(self.powers(Some(&greatest), Some(&greatest)));
        }
        cases
    }

    /// From `low` to `high`, with an exponent.
    fn powers(&self, low: Option<&Bound>, high: Option<&Bound>) -> Vec<Expr> {
        let top = self.greatest_exponent();
        if let (Some(low), Some(high)) = (low, high)
            && high.value < low.value
        {
            return Vec::new();
        }
        let low_edge = low.map(|low| (low.value.digits(), !low.inclusive));
        let high_edge = high.map(|high| (high.value.digits(), !high.inclusive));
        let first = low.map(|low| low.value.exponent() - 1);
        let last = high.map(|high| high.value.exponent() - 1);
        if let (Some(first), Some(last)) = (first, last)
            && first == last
        {
            return self.power(low_edge, high_edge, (first, last)).into_iter().collect();
        }
        let from = first.map_or(-top, |first| first + 1);
        let to = last.map_or(top, |last| last - 1);
        let lowest = first.and_then(|first| self.power(low_edge, None, (first, first)));
        let middle = self.power(None, None, (from, to));
        let highest = last.and_then(|last| self.power(None, high_edge, (last, last)));
        [lowest, middle, highest].into_iter().flatten().collect()
    }

    /// Mantissas from `low` to `high` with exponents from `first` to `last`.
    fn power(&self, low: Edge<'_>, high: Edge<'_>, (first, last): (i64, i64)) -> Option<Expr> {
        let canonical = self.numbers == Numbers::Canonical;
        let top = self.greatest_exponent();
        let (least, least_negative) =
            if canonical { (FIRST_EXPONENT, FIRST_NEGATIVE_EXPONENT) } else { (0, 1) };
        let mut exponents = Vec::new();
        let (from, to) = (first.max(least), last.min(top));
        // Whether a number with a large exponent is an integer depends on its fraction digits;
        // non-integers are written without a positive exponent.
        if from <= to && self.fraction != Fraction::With {
            let number = self.padded(from, to);
            exponents.push(sequence([Expr::literal("+").optional(), number]));
        }
        let (from, to) = ((-last).max(least_negative), (-first).min(top));
        if from <= to && self.fraction != Fraction::Without {
            exponents.push(sequence([Expr::literal("-"), self.padded(from, to)]));
        }
        if exponents.is_empty() {
            return None;
        }
        let most = if self.fraction == Fraction::Without { 0 } else { self.digits.fraction };
        let mantissa = mantissas(low, high, most as usize, canonical)?;
        let letter =
            if canonical { Expr::literal("e") } else { Expr::class([('E', 'E'), ('e', 'e')]) };
        Some(sequence([mantissa, letter, choice(exponents)]))
    }

    /// The digits of an exponent: Python pads to two of them.
    fn padded(&self, from: i64, to: i64) -> Expr {
        let canonical = self.numbers == Numbers::Canonical;
        let width = if canonical { 2 } else { self.digits.exponent };
        let mut cases = Vec::new();
        let mut lower = 0;
        for length in 1..=self.digits.exponent {
            let upper = 10_i64.pow(length) - 1;
            let (low, high) = (from.max(lower), to.min(upper));
            if low <= high {
                let zeros = width.saturating_sub(length);
                let number = between(low, high);
                cases.push(match zeros {
                    0 => number,
                    _ => sequence([Expr::literal("0").repeat(0, Some(zeros)), number]),
                });
            }
            lower = upper + 1;
        }
        choice(cases)
    }

    /// Any exponent.
    fn any_exponent(&self) -> Option<Expr> {
        (self.digits.exponent > 0).then(|| {
            let letter = Expr::class([('E', 'E'), ('e', 'e')]);
            let sign = Expr::class([('+', '+'), ('-', '-')]).optional();
            let digits = Expr::class([('0', '9')]).repeat(1, Some(self.digits.exponent));
            sequence([letter, sign, digits])
        })
    }
}

/// A number in the syntax of JSON.
fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or_else(Decimal::zero)
}

fn closed(value: Decimal) -> Bound {
    Bound { value, inclusive: true }
}

fn open(value: Decimal) -> Bound {
    Bound { value, inclusive: false }
}

/// A lower bound on fractions, unless it is the fraction 0, which bounds nothing.
fn lower(edge: Edge<'_>) -> Edge<'_> {
    edge.filter(|(digits, strict)| !digits.is_empty() || *strict)
}

fn below(low: &Bound, value: &Decimal) -> bool {
    low.value < *value || low.inclusive && low.value == *value
}

fn above(high: &Bound, value: &Decimal) -> bool {
    high.value > *value || high.inclusive && high.value == *value
}

/// Normalised mantissas `d` or `d.ddd`, canonical ones with a last digit that is not 0, from `low` to `high`.
fn mantissas(low: Edge<'_>, high: Edge<'_>, most: usize, canonical: bool) -> Option<Expr> {
    let first = |edge: Edge<'_>| edge.and_then(|(digits, _)| digits.first().copied());
    let (from, to) = (first(low).unwrap_or(1), first(high).unwrap_or(9));
    let mut cases = Vec::new();
    let mut digit = from;
    while digit <= to {
        let low_rest = low.filter(|_| digit == from).map(|(digits, strict)| (&digits[1..], strict));
        let low_rest = lower(low_rest);
        let high_rest = high.filter(|_| digit == to).map(|(digits, strict)| (&digits[1..], strict));
        let mut until = digit;
        if low_rest.is_none() && high_rest.is_none() {
            until = if high.is_some() { to - 1 } else { to };
        }
        let tail = Tail::between(low_rest, high_rest, most, canonical);
        let lead = one_digit(digit, until);
        let mut rest = tail.rest;
        if tail.empty && !canonical && most > 0 {
            let zeros = Expr::literal("0").repeat(1, Some(most as u32));
            rest = Some(choice(std::iter::once(zeros).chain(rest)));
        }
        let rest = rest.map(|rest| sequence([Expr::literal("."), rest]));
        match (tail.empty, rest) {
            (true, None) => cases.push(lead),
            (true, Some(rest)) => cases.push(sequence([lead, rest.optional()])),
            (false, Some(rest)) => cases.push(sequence([lead, rest])),
            (false, None) => {}
        }
        digit = until + 1;
    }
    (!cases.is_empty()).then(|| choice(cases))
}

/// Digit strings after a point, of at most some digits.
struct Tail {
    /// Whether the empty string is one of them: the fraction 0.
    empty: bool,
    /// The others. Canonical ones do not end in 0; otherwise no string of zeros only is here,
    /// since that is the fraction 0 again.
    rest: Option<Expr>,
}

impl Tail {
    fn any(most: usize, canonical: bool) -> Self {
        Self { empty: true, rest: Self::not_zero(most, canonical) }
    }

    fn not_zero(most: usize, canonical: bool) -> Option<Expr> {
        let nonzero = Expr::class([('1', '9')]);
        match most {
            0 => None,
            1 => Some(nonzero),
            _ => {
                let more = Some(most as u32 - 1);
                Some(if canonical {
                    sequence([Expr::class([('0', '9')]).repeat(0, more), nonzero])
                } else {
                    // Position of the first digit that is not 0.
                    let cases = (0..most).map(|zeros| {
                        let left = (most - zeros - 1) as u32;
                        let mut parts = vec![Expr::literal("0".repeat(zeros)), nonzero.clone()];
                        if zeros == 0 {
                            parts.remove(0);
                        }
                        if left > 0 {
                            parts.push(Expr::class([('0', '9')]).repeat(0, Some(left)));
                        }
                        sequence(parts)
                    });
                    choice(cases.collect::<Vec<_>>())
                })
            }
        }
    }

    /// The fractions from `low` to `high`, of at most `most` digits.
    fn between(low: Edge<'_>, high: Edge<'_>, most: usize, canonical: bool) -> Self {
        let low = lower(low);
        if low.is_none() && high.is_none() {
            return Self::any(most, canonical);
        }
        if high.is_none() && low.is_some_and(|(digits, _)| digits.is_empty()) {
            return Self { empty: false, rest: Self::not_zero(most, canonical) };
        }
        let empty =
            low.is_none() && high.is_none_or(|(digits, strict)| !digits.is_empty() || !strict);
        if most == 0 || high.is_some_and(|(digits, _)| digits.is_empty()) {
            return Self { empty, rest: None };
        }
        let head = |digits: &[u8]| digits.first().copied().unwrap_or(0);
        let from = low.map_or(0, |(digits, _)| head(digits));
        let to = high.map_or(9, |(digits, _)| head(digits));
        let mut cases = Vec::new();
        let mut digit = from;
        while digit <= to {
            let next = |(digits, strict): (&'_ [u8], bool)| -> (Vec<u8>, bool) {
                (digits.get(1..).unwrap_or_default().to_vec(), strict)
            };
            let low_rest = low.filter(|_| digit == from).map(next);
            let high_rest = high.filter(|_| digit == to).map(next);
            let free = low_rest.is_none() && high_rest.is_none();
            let mut until = digit;
            if free && digit > 0 {
                until = if high.is_some() { to - 1 } else { to };
            }
            let tail = Self::between(
                low_rest.as_ref().map(|(digits, strict)| (&digits[..], *strict)),
                high_rest.as_ref().map(|(digits, strict)| (&digits[..], *strict)),
                most - 1,
                canonical,
            );
            let lead = one_digit(digit, until);
            // After a 0 the empty rest would end in 0.
            let empty = tail.empty && digit > 0;
            let mut rest = tail.rest;
            if empty && !canonical && most > 1 {
                let zeros = Expr::literal("0").repeat(1, Some(most as u32 - 1));
                rest = Some(choice(std::iter::once(zeros).chain(rest)));
            }
            match (empty, rest) {
                (true, None) => cases.push(lead),
                (true, Some(rest)) => cases.push(sequence([lead, rest.optional()])),
                (false, Some(rest)) => cases.push(sequence([lead, rest])),
                (false, None) => {}
            }
            digit = until + 1;
        }
        Self { empty, rest: (!cases.is_empty()).then(|| choice(cases)) }
    }
}

/// One digit of a range.
fn one_digit(from: u8, to: u8) -> Expr {
    if from == to {
        let at = usize::from(from);
        return Expr::literal(&"0123456789"[at..=at]);
    }
    Expr::class([(char::from(b'0' + from), char::from(b'0' + to))])
}

fn text(digits: &[u8]) -> String {
    digits.iter().map(|digit| char::from(b'0' + digit)).collect()
}

/// Whether one integer in digits is less than another.
fn less(a: &[u8], b: &[u8]) -> bool {
    (a.len(), a) < (b.len(), b)
}

/// Integers from `from` to `to`.
fn between(from: i64, to: i64) -> Expr {
    let digits = |number: i64| number.to_string().bytes().map(|b| b - b'0').collect::<Vec<_>>();
    integers(&digits(from), &digits(to))
}

/// Integers in digits without leading zeros, from `from` to `to`, which is not less.
fn integers(from: &[u8], to: &[u8]) -> Expr {
    if from.len() == to.len() {
        return fixed(from, to);
    }
    let mut cases = Vec::new();
    let least = |length: usize| {
        let mut digits = vec![0; length];
        digits[0] = u8::from(length > 1);
        digits
    };
    let mut shortest = from.len();
    if from != least(from.len()) || from.len() == 1 {
        cases.push(fixed(from, &vec![9; from.len()]));
        shortest += 1;
    }
    let mut longest = to.len();
    if to.iter().any(|&digit| digit != 9) {
        longest -= 1;
    }
    if shortest <= longest {
        let more = Expr::class([('0', '9')]);
        let (min, max) = (shortest as u32 - 1, longest as u32 - 1);
        let more = if (min, max) == (1, 1) { more } else { more.repeat(min, Some(max)) };
        cases.push(sequence([Expr::class([('1', '9')]), more]));
    }
    if longest < to.len() {
        cases.push(fixed(&least(to.len()), to));
    }
    choice(cases)
}

/// Digit strings of one length between two of that length.
fn fixed(from: &[u8], to: &[u8]) -> Expr {
    let any = |count: usize| match count {
        0 => Expr::empty(),
        1 => Expr::class([('0', '9')]),
        _ => Expr::class([('0', '9')]).repeat(count as u32, Some(count as u32)),
    };
    let (Some((&low, low_rest)), Some((&high, high_rest))) = (from.split_first(), to.split_first())
    else {
        return Expr::empty();
    };
    let full_low = low_rest.iter().all(|&digit| digit == 0);
    let full_high = high_rest.iter().all(|&digit| digit == 9);
    if low == high {
        return sequence([one_digit(low, low), fixed(low_rest, high_rest)]);
    }
    let (mut first, mut last) = (low, high);
    let mut cases = Vec::new();
    if !full_low {
        cases.push(sequence([one_digit(low, low), fixed(low_rest, &vec![9; low_rest.len()])]));
        first += 1;
    }
    if !full_high {
        last -= 1;
    }
    if first <= last {
        cases.push(sequence([one_digit(first, last), any(low_rest.len())]));
    }
    if !full_high {
        cases.push(sequence([one_digit(high, high), fixed(&vec![0; high_rest.len()], high_rest)]));
    }
    choice(cases)
}
