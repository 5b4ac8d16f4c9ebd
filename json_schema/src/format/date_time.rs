//! Dates, times and durations: RFC 3339, section 5.6 and appendix A.

use std::ops::Range;

use super::{Result, whole};
use crate::language::{Approximation, LanguageId, Languages};
use crate::options::Notation;

pub(super) const PLAIN_NOTE: &str =
    "a leap second only beside `Z` and beside offsets of whole quarters of an hour";

/// `full-date`: as many days as the month has, by the leap years of the Gregorian calendar.
pub(super) const DATE: &str = concat!(
    r"\d{4}-(?:",
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])",
    r"|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)",
    r"|02-(?:0[1-9]|1\d|2[0-8])",
    r")|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29",
);

const MINUTE: &str = r"(?:[01]\d|2[0-3]):[0-5]\d";
const FRACTION: &str = r"(?:\.\d+)?";

/// `full-time` but for leap seconds.
fn ordinary_time() -> String {
    format!("{MINUTE}:[0-5][0-9]{FRACTION}(?:[Zz]|[+-]{MINUTE})")
}

/// `full-time` in a leap second, which ends the last minute of a day of UTC (RFC 3339, section
/// 5.7). The local time and its offset determine each other then: the hours do, and each digit of the minutes does
/// but for what is carried.
fn leap_second(languages: &mut Languages) -> Result<LanguageId> {
    let pieces = Pieces::new(languages)?;
    let mut of = |sign, place, pairs: &[(u32, u32)]| pieces.pairs(languages, sign, place, pairs);
    let pairs = |numbers: Range<u32>, other: fn(u32) -> u32| -> Vec<(u32, u32)> {
        numbers.map(|number| (number, other(number))).collect()
    };

    // The offset is behind: the two add up to 23:59.
    let behind = [
        of('-', Place::Hours, &pairs(0..24, |hour| 23 - hour))?,
        of('-', Place::TensOfMinutes, &pairs(0..6, |tens| 5 - tens))?,
        of('-', Place::Minutes, &pairs(0..10, |minutes| 9 - minutes))?,
    ];

    // It is ahead: the local time and a minute more, in the same hour or the next one.
    let same_hour = of('+', Place::Hours, &pairs(0..24, |hour| hour))?;
    let in_same_ten = [
        same_hour,
        of('+', Place::TensOfMinutes, &pairs(0..6, |tens| tens))?,
        of('+', Place::Minutes, &pairs(0..9, |minutes| minutes + 1))?,
    ];
    let in_next_ten = [
        same_hour,
        of('+', Place::TensOfMinutes, &pairs(0..5, |tens| tens + 1))?,
        of('+', Place::Minutes, &[(9, 0)])?,
    ];
    let in_next_hour = [
        of('+', Place::Hours, &pairs(0..24, |hour| (hour + 1) % 24))?,
        of('+', Place::TensOfMinutes, &[(5, 0)])?,
        of('+', Place::Minutes, &[(9, 0)])?,
    ];
    let utc = whole(languages, &format!("23:59:60{FRACTION}[Zz]"))?;
    let mut all = vec![utc];
    for parts in [behind, in_same_ten, in_next_ten, in_next_hour] {
        all.push(languages.and(parts)?);
    }
    Ok(languages.alt(all)?)
}

/// With offsets of whole quarters of an hour: an automaton has to keep every local time apart, and
/// there are fewer of them then. The time zones in use since there are leap seconds have no others.
fn leap_second_of_zones(languages: &mut Languages) -> Result<LanguageId> {
    let quarters = whole(languages, r".*(?:[Zz]|:(?:00|15|30|45))")?;
    let any = leap_second(languages)?;
    Ok(languages.and([any, quarters])?)
}

/// A place in a local time or an offset.
#[derive(Clone, Copy)]
enum Place {
    Hours,
    TensOfMinutes,
    Minutes,
}

/// What leap seconds are made of.
struct Pieces {
    digit: LanguageId,
    colon: LanguageId,
    /// From behind the minutes up to the sign of the offset.
    second: LanguageId,
}

impl Pieces {
    fn new(languages: &mut Languages) -> Result<Self> {
        let fraction = whole(languages, FRACTION)?;
        let second = languages.text(":60")?;
        Ok(Self {
            digit: whole(languages, r"\d")?,
            colon: languages.text(":")?,
            second: languages.sequence([second, fraction])?,
        })
    }

    /// Leap seconds with an offset of this sign, of which the digits at one place of the local time and
    /// of the offset are a pair of these.
    fn pairs(
        &self,
        languages: &mut Languages,
        sign: char,
        place: Place,
        pairs: &[(u32, u32)],
    ) -> Result<LanguageId> {
        let &Self { digit, colon, second } = self;
        let sign = languages.text(&sign.to_string())?;
        let mut all = Vec::with_capacity(pairs.len());
        for &(local, offset) in pairs {
            let mut number = |number| match place {
                Place::Hours => languages.text(&format!("{number:02}")),
                _ => languages.text(&format!("{number}")),
            };
            let (local, offset) = (number(local)?, number(offset)?);
            let (minutes, hours) = ([colon, digit, digit], [digit, digit, colon]);
            let [before, after] = [local, offset].map(|number| match place {
                Place::Hours => [&[number][..], &minutes].concat(),
                Place::TensOfMinutes => [&hours[..], &[number, digit]].concat(),
                Place::Minutes => [&hours[..], &[digit, number]].concat(),
            });
            all.push(languages.sequence([before, vec![second, sign], after].concat())?);
        }
        Ok(languages.alt(all)?)
    }
}

/// `full-time`
pub(super) fn time(languages: &mut Languages, notation: Notation) -> Result<Approximation> {
    let ordinary = whole(languages, &ordinary_time())?;
    let leap = match notation {
        Notation::Extended => leap_second(languages)?.into(),
        Notation::Plain => Approximation {
            lower: leap_second_of_zones(languages)?,
            upper: whole(languages, &format!("{MINUTE}:60{FRACTION}(?:[Zz]|[+-]{MINUTE})"))?,
        },
    };
    Ok(Approximation {
        lower: languages.alt([ordinary, leap.lower])?,
        upper: languages.alt([ordinary, leap.upper])?,
    })
}

/// `date-time`
pub(super) fn date_time(languages: &mut Languages, notation: Notation) -> Result<Approximation> {
    let date = whole(languages, &format!("(?:{DATE})[Tt]"))?;
    let time = time(languages, notation)?;
    let lower = languages.sequence([date, time.lower])?;
    let upper = languages.sequence([date, time.upper])?;
    Ok(Approximation { lower, upper })
}

/// `duration`: a unit goes on with the next smaller one or not at all; weeks stand alone.
pub(super) fn duration() -> String {
    let minute = r"\d+M(?:\d+S)?";
    let time = format!(r"T(?:\d+H(?:{minute})?|{minute}|\d+S)");
    let month = r"\d+M(?:\d+D)?";
    let date = format!(r"(?:\d+Y(?:{month})?|{month}|\d+D)");
    format!(r"P(?:{date}(?:{time})?|{time}|\d+W)")
}
