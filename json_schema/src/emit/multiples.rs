//! Multiples of a step, and what is none, spelled as JSON: an automaton over the digits that
//! keeps remainders and compares with the bounds from the left. Several steps are a conjunction,
//! but for plain GBNF, for which one automaton keeps all remainders.

use std::cmp::Ordering;

use grammask_gbnf::Expr;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Emitter;
use super::number::digit_bounds;
use crate::decimal::Decimal;
use crate::error::SchemaError;
use crate::language::{CharSet, Dfa, DfaState};
use crate::normal::{Bound, Constraint, Fraction, NumberSet, Step};
use crate::options::{DigitBounds, Notation, Numbers, Options};

/// What numbers without exponents are written with.
const CHARACTERS: [char; 12] = ['-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
/// How many states of digits and remainders are looked at.
const MOST_STATES: usize = 400_000;
/// In search of a number of a set so many are looked at: if there is none among them, the grammar
/// will show it.
const MAX_SEARCH: usize = 20_000;
/// Where each digit of the integer part has more states than this, they are not counted.
const COUNTED_REMAINDERS: u64 = 200;

impl Emitter<'_, '_, '_> {
    /// What matches a number of a set that has steps; without exponents, which is noted.
    pub(super) fn multiples(&mut self, name: &str, set: &NumberSet) -> Result<Expr, SchemaError> {
        if set.fraction != Fraction::Without || self.options.numbers == Numbers::Any {
            self.note("numbers beside `multipleOf` have no exponent");
        }
        let whole = Speller::new(set, self.options, self.single);
        if !whole.counted {
            self.note("numbers beside a large `multipleOf` may have any number of integer digits");
        }
        if self.options.notation == Notation::Plain {
            return self.states_of(name, &whole);
        }
        // Between two bounds there may be few multiples: these are found digit by digit only.
        let bounded = set.low.is_some() && set.high.is_some();
        let (others, own): (Vec<Step>, Vec<Step>) =
            set.multiples.iter().partition(|step| !bounded && step.parts().len() > 1);
        let numbers = NumberSet { multiples: own, indivisible: Vec::new(), ..set.clone() };
        let mut all = vec![
            self.shared_states(&format!("{name}-steps"), &Speller { set: &numbers, ..whole })?,
        ];
        for step in others {
            all.push(self.multiples_of(step)?);
        }
        let none: Result<Vec<_>, _> =
            set.indivisible.iter().map(|&step| self.multiples_of(step)).collect();
        Ok(Expr::all(all, none?))
    }

    /// All multiples of a step, in every spelling without exponent.
    fn multiples_of(&mut self, step: Step) -> Result<Expr, SchemaError> {
        let parts = step.parts();
        if parts.len() > 1 {
            let parts: Result<Vec<_>, _> =
                parts.into_iter().map(|part| self.multiples_of(part)).collect();
            return Ok(Expr::all(parts?, []));
        }
        let set = NumberSet { multiples: vec![step], ..NumberSet::any() };
        let digits = digit_bounds(self.options);
        let speller =
            Speller { set: &set, digits, counted: false, numbers: Numbers::Any, single: false };
        self.shared_states("multiples", &speller)
    }

    /// The numbers of a speller, as a rule that all places share where there are the same.
    fn shared_states(&mut self, label: &str, speller: &Speller<'_>) -> Result<Expr, SchemaError> {
        let spelling = (speller.counted, speller.numbers, speller.single);
        let known = self
            .stepped
            .iter()
            .find(|known| known.spelling == spelling && known.set == *speller.set);
        if let Some(known) = known {
            return Ok(Expr::reference(known.rule.clone()));
        }
        let rule = self.fresh(label);
        let body = self.states_of(&rule, speller)?;
        self.rule(rule.clone(), body)?;
        let set = speller.set.clone();
        self.stepped.push(Stepped { set, spelling, rule: rule.clone() });
        Ok(Expr::reference(rule))
    }

    fn states_of(&mut self, name: &str, speller: &Speller<'_>) -> Result<Expr, SchemaError> {
        let dfa = speller.automaton().ok_or_else(|| {
            self.limit(&["multipleOf"], "states of digits and remainders", MOST_STATES)
        })?;
        self.states(name, &dfa, "")
    }
}

/// The rule of numbers with steps.
pub(super) struct Stepped {
    set: NumberSet,
    /// Whether digits are counted, how numbers are written, and whether each has one spelling.
    spelling: (bool, Numbers, bool),
    rule: String,
}

/// Whether there is a number of the set, as far as a short search finds out.
pub(super) fn has_numbers(set: &NumberSet, options: &Options) -> bool {
    let stepped = !set.multiples.is_empty() || !set.indivisible.is_empty();
    let bounded = set.low.is_some() && set.high.is_some();
    !(stepped && bounded) || Speller::new(set, options, false).has_number()
}

/// How the numbers of a set are written.
struct Speller<'a> {
    set: &'a NumberSet,
    digits: DigitBounds,
    /// Whether the integer part has a greatest number of digits.
    counted: bool,
    numbers: Numbers,
    /// Whether each number has one spelling: no fraction 0.
    single: bool,
}

/// Where in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Start,
    Sign,
    /// The integer part is 0.
    Zero,
    Integer,
    Point,
    Fraction,
}

/// Which digits of a number are not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Digits {
    None,
    /// Some before the point, none behind it.
    Integer,
    /// Some behind the point.
    Fraction,
}

/// What has been read of a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Reading {
    phase: Phase,
    negative: bool,
    /// Digits of the integer part, 0 for the one digit 0, as far as their number matters; none
    /// from the point on.
    integer: u32,
    /// Digits after the point.
    fraction: u32,
    /// Whether the last digit after the point is 0.
    ends_in_zero: bool,
    digits: Digits,
    /// How the magnitude compares with that of the bounds, digit by digit.
    low: Ordering,
    high: Ordering,
    /// For each multiple, then for each of the indivisible.
    remainders: SmallVec<[Remainder; 2]>,
}

/// What is left of the digits so far, divided by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Remainder {
    /// Of the digits before the last `zeros` ones, which are 0, divided by the factor.
    Rest { rest: u64, zeros: u64 },
    /// A digit stands too far to the right.
    Never,
}

/// A bound on the magnitude as digits.
struct Edge {
    integer: Vec<u8>,
    fraction: Vec<u8>,
    inclusive: bool,
}

/// The bounds on the magnitude of positive and of negative numbers, as far as there are any.
struct Signs([Option<[Option<Edge>; 2]>; 2]);

impl Signs {
    /// The bounds on a number that begins so.
    fn of(&self, reading: &Reading) -> Option<&[Option<Edge>; 2]> {
        self.0[usize::from(reading.negative)].as_ref()
    }

    /// Whether there are none.
    fn are_free(&self) -> bool {
        self.0.iter().all(|edges| matches!(edges, Some([None, None])))
    }
}

impl Edge {
    fn new(bound: &Bound, digits: DigitBounds) -> Self {
        // A longer integer part is greater than any number that can be written.
        let most = digits.integer + 1;
        let integer = match bound.value.exponent() {
            exponent if exponent > most.into() => vec![9; most as usize],
            1.. => bound.value.integer_part(),
            _ => Vec::new(),
        };
        let fraction = bound.value.fraction_part(digits.fraction as usize + 1);
        Self { integer, fraction, inclusive: bound.inclusive }
    }

    /// How an integer part compares by its number of digits.
    fn longer(&self, reading: &Reading) -> Ordering {
        (reading.integer as usize).cmp(&self.integer.len())
    }

    /// How a finished number compares.
    fn compare(&self, reading: &Reading, order: Ordering) -> Ordering {
        let longer = match reading.phase {
            // It has been compared at the point.
            Phase::Point | Phase::Fraction => Ordering::Equal,
            _ => self.longer(reading),
        };
        let left = self.fraction.iter().skip(reading.fraction as usize).any(|&digit| digit != 0);
        let rest = if left { Ordering::Less } else { Ordering::Equal };
        longer.then(order).then(rest)
    }

    /// How a number compares so far with one more digit, which stands behind so many others before the point,
    /// or after it.
    fn after(
        &self,
        order: Ordering,
        (integer, fraction): (u32, Option<u32>),
        digit: u8,
    ) -> Ordering {
        let mine = match fraction {
            Some(place) => self.fraction.get(place as usize).copied().unwrap_or(0),
            None => match self.integer.get(integer as usize) {
                Some(&mine) => mine,
                // The number is longer, which decides.
                None => return Ordering::Equal,
            },
        };
        order.then(digit.cmp(&mine))
    }
}

impl<'a> Speller<'a> {
    fn new(set: &'a NumberSet, options: &Options, single: bool) -> Self {
        let numbers = if single { Numbers::Canonical } else { options.numbers };
        let factors = set.multiples.iter().chain(&set.indivisible).map(|step| step.factor);
        let remainders = factors.fold(1, u64::saturating_mul);
        let counted = remainders <= COUNTED_REMAINDERS;
        Self { set, digits: digit_bounds(options), counted, numbers, single }
    }

    /// The least automaton; `None` if it is too large.
    fn automaton(&self) -> Option<Dfa> {
        Dfa::minimal(&self.states()?).ok()
    }

    /// Whether there is a number, the longest ones looked at first.
    fn has_number(&self) -> bool {
        let signs = self.signs();
        let mut seen = FxHashSet::default();
        let mut pending = vec![self.start()];
        while let Some(reading) = pending.pop() {
            if self.accepts(&reading, signs.of(&reading)) || seen.len() > MAX_SEARCH {
                return true;
            }
            let next = CHARACTERS.into_iter().filter_map(|c| self.after(&reading, c, &signs));
            pending.extend(next.filter(|next| seen.insert(next.clone())));
        }
        false
    }

    /// Before anything is read.
    fn start(&self) -> Reading {
        let remainder = Remainder::Rest { rest: 0, zeros: 0 };
        Reading {
            phase: Phase::Start,
            negative: false,
            integer: 0,
            fraction: 0,
            ends_in_zero: false,
            digits: Digits::None,
            low: Ordering::Equal,
            high: Ordering::Equal,
            remainders: SmallVec::from_elem(remainder, self.steps().count()),
        }
    }

    /// The automaton; `None` if it has too many states.
    fn states(&self) -> Option<Vec<DfaState>> {
        let signs = self.signs();
        let start = self.start();
        let mut numbers = FxHashMap::from_iter([(start.clone(), 0_usize)]);
        let mut met = vec![start];
        let mut states = Vec::new();
        // By characters, a bit for each.
        let mut sets: FxHashMap<u16, CharSet> = FxHashMap::default();
        while let Some(reading) = met.get(states.len()).cloned() {
            let mut to: SmallVec<[(usize, u16); CHARACTERS.len()]> = SmallVec::new();
            for (at, c) in CHARACTERS.into_iter().enumerate() {
                let Some(next) = self.after(&reading, c, &signs) else { continue };
                let number = numbers.get(&next).copied().unwrap_or(met.len());
                if number == met.len() {
                    numbers.insert(next.clone(), number);
                    met.push(next);
                }
                match to.iter_mut().find(|(known, _)| *known == number) {
                    Some((_, characters)) => *characters |= 1 << at,
                    None => to.push((number, 1 << at)),
                }
            }
            if met.len() > MOST_STATES {
                return None;
            }
            let mut set_of = |characters: u16| {
                let set = sets.entry(characters).or_insert_with(|| {
                    let bits = (0..CHARACTERS.len()).filter(|at| characters >> at & 1 == 1);
                    CharSet::from_ranges(bits.map(|at| (CHARACTERS[at], CHARACTERS[at])))
                });
                set.clone()
            };
            let transitions =
                to.into_iter().map(|(to, characters)| (set_of(characters), to)).collect();
            let accepting = self.accepts(&reading, signs.of(&reading));
            states.push(DfaState { accepting, transitions });
        }
        Some(states)
    }

    fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.set.multiples.iter().chain(&self.set.indivisible).copied()
    }

    /// The bounds on the magnitude of numbers with this sign; `None` if there are none at all.
    fn edges(&self, negative: bool) -> Option<[Option<Edge>; 2]> {
        let zero = Decimal::zero();
        let (low, high) = (self.set.low.as_ref(), self.set.high.as_ref());
        let edge = |bound: Option<&Bound>| bound.map(|bound| Edge::new(bound, self.digits));
        if negative {
            let none = low.is_some_and(|low| low.value > zero);
            let least = high.filter(|high| high.value <= zero);
            (!none).then(|| [edge(least), edge(low)])
        } else {
            let none = high.is_some_and(|high| high.value < zero);
            let least = low.filter(|low| low.value >= zero);
            (!none).then(|| [edge(least), edge(high)])
        }
    }

    /// The bounds by sign.
    fn signs(&self) -> Signs {
        Signs([self.edges(false), self.edges(true)])
    }

    /// What has been read after one more character, if a number may go on with it.
    fn after(&self, before: &Reading, c: char, signs: &Signs) -> Option<Reading> {
        match c {
            '-' => {
                let now = Reading { phase: Phase::Sign, negative: true, ..before.clone() };
                (before.phase == Phase::Start && signs.of(&now).is_some()).then_some(now)
            }
            '.' => self.after_point(before, signs),
            digit => self.after_digit(before, digit as u8 - b'0', signs),
        }
    }

    fn after_point(&self, before: &Reading, signs: &Signs) -> Option<Reading> {
        let may = self.numbers == Numbers::Any || self.set.fraction != Fraction::Without;
        let ends = matches!(before.phase, Phase::Zero | Phase::Integer);
        if !may || !ends {
            return None;
        }
        let mut now = Reading { phase: Phase::Point, integer: 0, ..before.clone() };
        // From here on the lengths are known.
        if let Some([low, high]) = signs.of(before) {
            let longer = |edge: &Option<Edge>| {
                edge.as_ref().map_or(Ordering::Equal, |edge| edge.longer(before))
            };
            now.low = longer(low).then(now.low);
            now.high = longer(high).then(now.high);
        }
        Some(now)
    }

    fn after_digit(&self, before: &Reading, digit: u8, signs: &Signs) -> Option<Reading> {
        let phase = match (before.phase, digit) {
            (Phase::Start | Phase::Sign, 0) => Phase::Zero,
            (Phase::Start | Phase::Sign | Phase::Integer, _) => Phase::Integer,
            (Phase::Zero, _) => return None,
            (Phase::Point | Phase::Fraction, _) => Phase::Fraction,
        };
        let [low, high] = signs.of(before)?;
        let may_have_digit = digit == 0 || self.set.fraction != Fraction::Without;
        if phase == Phase::Fraction && !(may_have_digit && before.fraction < self.digits.fraction) {
            return None;
        }
        let mut further = 0;
        if phase == Phase::Integer {
            let most = high.as_ref().map_or(usize::MAX, |high| high.integer.len());
            let most = if self.counted { most.min(self.digits.integer as usize) } else { most };
            further = most.checked_sub(before.integer as usize + 1)?;
        }
        let mut now = Reading { phase, ..before.clone() };
        let place = (phase == Phase::Fraction).then_some(before.fraction);
        for (step, rest) in self.steps().zip(&mut now.remainders) {
            *rest = rest.after(step, digit, place);
        }
        // Most states that only lead to numbers which are no multiples are not looked at.
        let read = place.map_or(0, |place| place + 1);
        let mut multiples = self.set.multiples.iter().zip(&now.remainders);
        if !multiples.all(|(&step, rest)| rest.may_be_none(step, further, read)) {
            return None;
        }
        now.ends_in_zero = phase == Phase::Fraction && digit == 0;
        if digit != 0 {
            now.digits = if place.is_some() { Digits::Fraction } else { Digits::Integer };
        }
        if phase != Phase::Zero {
            let order = |edge: &Option<Edge>, order| match edge {
                Some(edge) => edge.after(order, (before.integer, place), digit),
                None => order,
            };
            now.low = order(low, now.low);
            now.high = order(high, now.high);
        }
        match phase {
            Phase::Integer if self.counted => now.integer += 1,
            Phase::Integer => {
                let length = |edge: &Option<Edge>| edge.as_ref().map_or(0, |e| e.integer.len());
                now.integer = (before.integer + 1).min(length(low).max(length(high)) as u32 + 1);
            }
            Phase::Fraction => now.fraction += 1,
            _ => {}
        }
        // The sign does not matter any more.
        let is_zero = now.digits == Digits::None;
        now.negative &= !signs.are_free() || is_zero && self.numbers == Numbers::Canonical;
        Some(now)
    }

    fn accepts(&self, reading: &Reading, edges: Option<&[Option<Edge>; 2]>) -> bool {
        let Some([low, high]) = edges else { return false };
        let canonical = self.numbers == Numbers::Canonical;
        let spelled = match reading.phase {
            Phase::Start | Phase::Sign | Phase::Point => false,
            Phase::Zero | Phase::Integer => {
                !(canonical && reading.digits == Digits::None && reading.negative)
            }
            Phase::Fraction => {
                !canonical || !reading.ends_in_zero || reading.fraction == 1 && !self.single
            }
        };
        let kind = match self.set.fraction {
            Fraction::Any => true,
            Fraction::Without => reading.digits != Digits::Fraction,
            Fraction::With => reading.digits == Digits::Fraction,
        };
        let within = |edge: &Option<Edge>, order: Ordering, beyond: Ordering| {
            edge.as_ref().is_none_or(|edge| match edge.compare(reading, order) {
                Ordering::Equal => edge.inclusive,
                order => order == beyond,
            })
        };
        let multiples = self.set.multiples.len();
        let divided =
            self.steps().zip(&reading.remainders).enumerate().all(|(at, (step, rest))| {
                (reading.digits == Digits::None || rest.is_none(step, reading.fraction))
                    == (at < multiples)
            });
        spelled
            && kind
            && within(low, reading.low, Ordering::Greater)
            && within(high, reading.high, Ordering::Less)
            && divided
    }
}

impl Remainder {
    /// After one more digit; `place` is its place after the point.
    fn after(self, step: Step, digit: u8, place: Option<u32>) -> Self {
        let Self::Rest { rest, zeros } = self else { return Self::Never };
        if place.is_some_and(|place| step.exponent + i64::from(place) >= 0) {
            return if digit == 0 && rest == 0 { self } else { Self::Never };
        }
        if digit == 0 && zeros < step.zeros() {
            return Self::Rest { rest, zeros: zeros + 1 };
        }
        if step.exponent > 0 && digit == 0 {
            return Self::Rest { rest: step.append(rest, 0), zeros };
        }
        let rest = step.append(step.shift(rest, zeros), digit);
        // So many digits at least follow, if only zeros that are not written.
        let places = -step.exponent - place.map_or(0, |place| i64::from(place) + 1);
        Self::Rest { rest: step.rest_before(rest, places.max(0).unsigned_abs()), zeros: 0 }
    }

    /// Whether nothing may be left if at most so many digits come before the point, and any behind it, of which
    /// some have been read.
    fn may_be_none(self, step: Step, before_point: usize, read: u32) -> bool {
        let Self::Rest { rest, zeros } = self else { return false };
        if step.exponent > 0 {
            return true;
        }
        let behind = step.exponent.unsigned_abs().saturating_sub(read.into());
        let digits = behind.saturating_add(before_point as u64);
        // Numbers with these digits at their ends are so many on end.
        let Some(numbers) = u32::try_from(digits).ok().and_then(|it| 10_u64.checked_pow(it)) else {
            return true;
        };
        let rest = step.shift(rest, zeros + digits);
        rest == 0 || step.factor - rest < numbers
    }

    /// Whether nothing is left of a number with so many digits after the point.
    fn is_none(self, step: Step, fraction: u32) -> bool {
        let Self::Rest { rest, zeros } = self else { return false };
        let missing = (-step.exponent).saturating_sub(fraction.into()).max(0).unsigned_abs();
        zeros >= step.zeros() && step.shift(rest, missing) == 0
    }
}
