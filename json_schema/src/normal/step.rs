//! The step of `multipleOf`.

use crate::decimal::Decimal;

/// A step `factor * 10^exponent` of which numbers are multiples or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    /// Not a multiple of 10.
    pub(crate) factor: u64,
    pub(crate) exponent: i64,
}

/// The greatest factor: remainders are multiplied by ten.
const MOST: u64 = u64::MAX / 16;

/// A factor up to this is small.
const SMALL: u64 = 100;
/// A factor beyond this is not taken apart.
const MOST_PARTED: u64 = 50_000;

impl Step {
    pub(crate) const ONE: Self = Self { factor: 1, exponent: 0 };

    /// The step of a positive number; `None` if it has too many digits.
    pub(crate) fn new(value: &Decimal) -> Option<Self> {
        let mut factor: u64 = 0;
        for &digit in value.digits() {
            factor = factor.checked_mul(10)?.checked_add(digit.into())?;
        }
        let exponent = last_place(value);
        (factor <= MOST).then_some(Self { factor, exponent })
    }

    /// Whether a number is a multiple.
    pub(crate) fn divides(self, value: &Decimal) -> bool {
        if value.is_zero() {
            return true;
        }
        let exponent = last_place(value);
        if exponent < self.exponent {
            // The last digit, which is not 0, stands too far to the right.
            return false;
        }
        let rest = value.digits().iter().fold(0, |rest, &digit| self.append(rest, digit));
        self.shift(rest, exponent.abs_diff(self.exponent)) == 0
    }

    /// The step of the common multiples of both; `None` if it has too many digits.
    pub(crate) fn common(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let whole = |step: Self| {
            let zeros = u32::try_from(step.exponent.checked_sub(exponent)?).ok()?;
            step.factor.checked_mul(10_u64.checked_pow(zeros)?)
        };
        let (one, another) = (whole(self)?, whole(other)?);
        let (mut divisor, mut rest) = (one, another);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let mut common = Self { factor: (one / divisor).checked_mul(another)?, exponent };
        while common.factor.is_multiple_of(10) {
            common = Self { factor: common.factor / 10, exponent: common.exponent + 1 };
        }
        (common.factor <= MOST).then_some(common)
    }

    /// Steps with smaller factors whose common multiples are those of this step: itself, if it is
    /// small, or if a search through their remainders would be long.
    pub(crate) fn parts(self) -> Vec<Self> {
        if self.factor <= SMALL || self.factor > MOST_PARTED {
            return vec![self];
        }
        let mut parts: Vec<u64> = Vec::new();
        let mut rest = self.factor;
        for prime in 2.. {
            if prime * prime > rest {
                break;
            }
            let mut power = 1;
            while rest.is_multiple_of(prime) {
                (rest, power) = (rest / prime, power * prime);
            }
            if power > 1 {
                parts.push(power);
            }
        }
        if rest > 1 {
            parts.push(rest);
        }
        parts.into_iter().map(|factor| Self { factor, ..self }).collect()
    }

    /// How many zeros each multiple ends in.
    pub(crate) fn zeros(self) -> u64 {
        self.exponent.max(0).unsigned_abs()
    }

    /// Whether each multiple of the other step is one of this.
    pub(crate) fn covers(self, other: Self) -> bool {
        let shift = other.exponent.saturating_sub(self.exponent);
        shift >= 0 && self.shift(other.factor % self.factor, shift.unsigned_abs()) == 0
    }

    /// The remainder of the factor after one more digit.
    pub(crate) fn append(self, rest: u64, digit: u8) -> u64 {
        (rest * 10 + u64::from(digit)) % self.factor
    }

    /// What matters of a remainder before so many further digits or more.
    pub(crate) fn rest_before(self, rest: u64, digits: u64) -> u64 {
        let mut modulus = self.factor;
        // Each of them takes a factor of 10, as far as there is one.
        for _ in 0..digits.min(64) {
            for factor in [2, 5] {
                modulus /= if modulus.is_multiple_of(factor) { factor } else { 1 };
            }
        }
        rest % modulus
    }

    /// The remainder of the factor after some more zeros.
    pub(crate) fn shift(self, rest: u64, zeros: u64) -> u64 {
        // 10^64 has all factors 2 and 5 that a factor below 2^64 can have: then only whether the
        // remainder is 0 matters, and that changes no more.
        (0..zeros.min(64)).fold(rest, |rest, _| self.append(rest, 0))
    }
}

/// The power of ten that the last digit of a number stands for.
fn last_place(value: &Decimal) -> i64 {
    value.exponent().saturating_sub_unsigned(value.digits().len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(text: &str) -> Step {
        Step::new(&Decimal::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn divides() {
        for (by, value, expected) in [
            ("0.01", "4.35", true),
            ("0.01", "4.355", false),
            ("1e-8", "12391239123", true),
            ("0.5", "1e308", true),
            ("0.123456789", "1e308", false),
            ("250", "1000", true),
            ("250", "1100", false),
            ("1e3", "1e2", false),
            ("3", "-9", true),
            ("7", "0", true),
        ] {
            assert_eq!(step(by).divides(&Decimal::parse(value).unwrap()), expected, "{value} {by}");
        }
    }

    #[test]
    fn common_multiples() {
        for (one, another, expected) in
            [("4", "6", "12"), ("0.01", "1", "1"), ("6.75", "2.125", "114.75"), ("4", "25", "100")]
        {
            assert_eq!(step(one).common(step(another)), Some(step(expected)), "{one} {another}");
        }
        assert_eq!(step("1e15").common(step("1e-15")), None);
        assert_eq!(step("123456789").common(step("987654321987")), None);
    }

    #[test]
    fn parts() {
        for (whole, expected) in [
            ("8.721", &["0.027", "0.017", "0.019"][..]),
            ("100", &["100"]),
            ("101", &["101"]),
            ("360", &["360"]),
            ("9009e2", &["9e2", "7e2", "11e2", "13e2"]),
            ("1000003", &["1000003"]),
        ] {
            let parts = step(whole).parts();
            let expected: Vec<_> = expected.iter().map(|text| step(text)).collect();
            assert_eq!(parts, expected, "{whole}");
            let common = parts.into_iter().reduce(|a, b| a.common(b).unwrap());
            assert_eq!(common, Some(step(whole)));
        }
    }

    #[test]
    fn what_matters_of_remainders() {
        for (whole, digits, expected) in
            [("25", 0, 25), ("25", 1, 5), ("25", 2, 1), ("25", 9, 1), ("24", 1, 12), ("24", 64, 3)]
        {
            let step = step(whole);
            let rests = (0..step.factor).map(|rest| step.rest_before(rest, digits));
            let different: std::collections::BTreeSet<u64> = rests.clone().collect();
            assert_eq!(different.len(), expected, "{whole}, {digits}");
            for (rest, less) in rests.enumerate() {
                let shifted = step.shift(rest as u64, digits);
                assert_eq!(step.shift(less, digits), shifted, "{rest} of {whole}, {digits}");
            }
        }
    }

    #[test]
    fn covers() {
        assert!(step("0.5").covers(Step::ONE) && step("2").covers(step("6")));
        assert!(step("0.25").covers(step("1.5")) && step("25").covers(step("100")));
        assert!(!Step::ONE.covers(step("0.5")) && !step("4").covers(step("6")));
    }
}
