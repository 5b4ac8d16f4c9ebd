//! `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`.

use serde_json::{Number, Value};

use super::{Keywords, Reader};
use crate::decimal::Decimal;
use crate::error::SchemaError;
use crate::normal::{Bound, Constraint, NumberSet, Step};
use crate::options::Draft;

impl<'s> Reader<'s, '_> {
    pub(super) fn read_number(
        &mut self,
        keywords: &Keywords<'s>,
    ) -> Result<Option<NumberSet>, SchemaError> {
        let mut set = NumberSet::any();
        for (keyword, exclusive, upper) in
            [("minimum", "exclusiveMinimum", false), ("maximum", "exclusiveMaximum", true)]
        {
            let mut inclusive = true;
            if keywords.draft == Draft::Draft4 {
                match keywords.map.get(exclusive) {
                    None | Some(Value::Bool(false)) => {}
                    Some(Value::Bool(true)) => inclusive = false,
                    Some(_) => return Err(self.invalid(keywords, exclusive, "a boolean")),
                }
            } else if let Some(value) = self.read_decimal(keywords, exclusive)? {
                let bound = Bound { value, inclusive: false };
                let one = if upper { NumberSet::up_to(bound) } else { NumberSet::from(bound) };
                match set.and(&one, &mut self.terms) {
                    Some(both) => set = both,
                    None => return Ok(None),
                }
            }
            if let Some(value) = self.read_decimal(keywords, keyword)? {
                let bound = Bound { value, inclusive };
                let one = if upper { NumberSet::up_to(bound) } else { NumberSet::from(bound) };
                match set.and(&one, &mut self.terms) {
                    Some(both) => set = both,
                    None => return Ok(None),
                }
            }
        }
        let Some(value) = self.read_decimal(keywords, "multipleOf")? else { return Ok(Some(set)) };
        if value <= Decimal::zero() {
            return Err(self.invalid(keywords, "multipleOf", "a number greater than 0"));
        }
        if let Some(step) = Step::new(&value) {
            return Ok(set.and(&NumberSet::multiples(step), &mut self.terms));
        }
        self.refuse(keywords.id, "multipleOf", "it has too many digits");
        Ok(Some(set))
    }

    fn read_decimal(
        &self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<Option<Decimal>, SchemaError> {
        match keywords.map.get(keyword) {
            None => Ok(None),
            Some(Value::Number(number)) => match Decimal::parse(number.as_str()) {
                Some(value) => Ok(Some(value)),
                None => Err(self.invalid(keywords, keyword, "a number")),
            },
            Some(_) => Err(self.invalid(keywords, keyword, "a number")),
        }
    }
}

/// A count; more than any document can hold is cut to `u64::MAX`.
pub(super) fn count(number: &Number) -> Option<u64> {
    let value = Decimal::parse(number.as_str())?;
    if value.is_negative() || !value.is_integer() {
        return None;
    }
    if value.exponent() > 20 {
        return Some(u64::MAX);
    }
    let digits: String =
        value.integer_part().iter().map(|digit| char::from(b'0' + digit)).collect();
    Some(digits.parse().unwrap_or(u64::MAX))
}
