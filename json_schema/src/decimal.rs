//! Exact decimal numbers, as far as bounds need them: reading, comparing, digits.
//!
//! A bound is only ever compared and spelled out digit by digit, never calculated with, so digits
//! and an exponent say all; an integer of a thousand digits or `1e-400` is as exact as `1`.

use std::cmp::Ordering;

/// The number `± 0.d1 d2 d3 ... * 10^exponent`; canonical, so equal numbers are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    /// From 0 to 9; the first and the last are not 0; none for zero.
    digits: Vec<u8>,
    exponent: i64,
}

/// Exponents beyond this are cut: no bound on digits comes near.
const EXPONENT_CAP: i64 = 1 << 40;

impl Decimal {
    pub(crate) fn zero() -> Self {
        Self { negative: false, digits: Vec::new(), exponent: 0 }
    }

    /// Reads a number in the syntax of JSON.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (rest, 0),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if integer.is_empty()
            || !(integer.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit())
        {
            return None;
        }
        let digits = integer.bytes().chain(fraction.bytes()).map(|b| b - b'0').collect();
        Some(Self::new(negative, digits, exponent.saturating_add(length(integer.len()))))
    }

    /// The canonical form of `± 0.digits * 10^exponent`.
    pub(crate) fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        let leading = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..leading);
        exponent = exponent.saturating_sub(length(leading)).clamp(-EXPONENT_CAP, EXPONENT_CAP);
        while digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() {
            return Self::zero();
        }
        Self { negative, digits, exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn is_integer(&self) -> bool {
        length(self.digits.len()) <= self.exponent || self.is_zero()
    }

    pub(crate) fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// The significant digits; none for zero.
    pub(crate) fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The number of digits before the point; negative if zeros follow the point.
    pub(crate) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The integer part of the magnitude, `[0]` for none. To be asked only of numbers whose
    /// exponent is small.
    pub(crate) fn integer_part(&self) -> Vec<u8> {
        if self.exponent <= 0 || self.is_zero() {
            return vec![0];
        }
        let length = usize::try_from(self.exponent).unwrap_or(0);
        let mut part: Vec<u8> = self.digits.iter().copied().take(length).collect();
        part.resize(length, 0);
        part
    }

    /// The digits after the point, without trailing zeros; at most `most` of the zeros that
    /// follow the point directly are written out.
    pub(crate) fn fraction_part(&self, most: usize) -> Vec<u8> {
        if let Ok(integer) = usize::try_from(self.exponent) {
            return self.digits.iter().copied().skip(integer).collect();
        }
        let zeros = usize::try_from(-self.exponent).unwrap_or(usize::MAX).min(most);
        let mut part = vec![0; zeros];
        part.extend(&self.digits);
        part
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse::<i64>().unwrap_or(EXPONENT_CAP).min(EXPONENT_CAP);
    Some(if negative { -value } else { value })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |x: &Self| match (x.is_zero(), x.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let order =
                self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
            if self.negative { order.reverse() } else { order }
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Adds one to a number written in digits.
pub(crate) fn successor(mut digits: Vec<u8>) -> Vec<u8> {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return digits;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
    digits
}

/// Takes one from a number written in digits; `None` for zero.
pub(crate) fn predecessor(mut digits: Vec<u8>) -> Option<Vec<u8>> {
    for index in (0..digits.len()).rev() {
        if digits[index] > 0 {
            digits[index] -= 1;
            if digits[0] == 0 && digits.len() > 1 {
                digits.remove(0);
            }
            return Some(digits);
        }
        digits[index] = 9;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn reads_and_orders() {
        let sorted =
            ["-1e5", "-2.5", "-1", "-0.1", "0", "1e-400", "0.09", "0.1", "9", "10", "1e400"];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(decimal(a).cmp(&decimal(b)), i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [("1.0", "1"), ("-0.0", "0"), ("1e2", "100"), ("0.010", "1E-2")] {
            assert_eq!(decimal(a), decimal(b));
        }
        for bad in ["", "-", ".5", "1e", "x", "1e1.5"] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn parts() {
        assert_eq!(decimal("120.050").integer_part(), [1, 2, 0]);
        assert_eq!(decimal("120.050").fraction_part(30), [0, 5]);
        assert_eq!(decimal("0.001").fraction_part(30), [0, 0, 1]);
        assert_eq!(decimal("5e2").integer_part(), [5, 0, 0]);
        assert_eq!(successor(vec![9, 9]), [1, 0, 0]);
        assert_eq!(predecessor(vec![1, 0, 0]), Some(vec![9, 9]));
        assert_eq!(predecessor(vec![0]), None);
    }
}
