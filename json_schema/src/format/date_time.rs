//! Dates, times and durations: RFC 3339, section 5.6 and appendix A.

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
/// 5.7). The local time and its offset determine each other then, digit by digit but for what is
/// carried.
fn leap_second(languages: &mut Languages) -> Result<LanguageId> {
    const TENS_OF_HOURS: usize = 0;
    const HOURS: usize = 1;
    const TENS_OF_MINUTES: usize = 3;
    const MINUTES: usize = 4;
    let same = |a| (a, a);
    let next = |a| (a, a + 1);
    let sum = |sum| move |a| (a, sum - a);

    // The offset is behind: the two add up to 23:59.
    let tens = digits(languages, '-', TENS_OF_HOURS, (0..=2).map(sum(2)))?;
    let hours = digits(languages, '-', HOURS, (0..=3).map(sum(3)))?;
    let not_carried = languages.and([tens, hours])?;
    let tens = digits(languages, '-', TENS_OF_HOURS, (0..=1).map(sum(1)))?;
    let hours = digits(languages, '-', HOURS, (4..=9).map(sum(13)))?;
    let carried = languages.and([tens, hours])?;
    let hours = languages.alt([not_carried, carried])?;
    let tens = digits(languages, '-', TENS_OF_MINUTES, (0..=5).map(sum(5)))?;
    let minutes = digits(languages, '-', MINUTES, (0..=9).map(sum(9)))?;
    let times = whole(languages, &format!("{MINUTE}:60{FRACTION}-{MINUTE}"))?;
    let behind = languages.and([times, hours, tens, minutes])?;

    // It is ahead: the local time and a minute more, in the same hour or the next one.
    let tens = digits(languages, '+', TENS_OF_MINUTES, (0..=5).map(same))?;
    let minutes = digits(languages, '+', MINUTES, (0..=8).map(next))?;
    let not_carried = languages.and([tens, minutes])?;
    let tens = digits(languages, '+', TENS_OF_MINUTES, (0..=4).map(next))?;
    let minutes = digits(languages, '+', MINUTES, [(9, 0)])?;
    let carried = languages.and([tens, minutes])?;
    let minutes = languages.alt([not_carried, carried])?;
    let same_tens = digits(languages, '+', TENS_OF_HOURS, (0..=2).map(same))?;
    let hours = digits(languages, '+', HOURS, (0..=9).map(same))?;
    let same_hour = languages.and([same_tens, hours, minutes])?;
    let hours = digits(languages, '+', HOURS, (0..=8).map(next))?;
    let not_carried = languages.and([same_tens, hours])?;
    let tens = digits(languages, '+', TENS_OF_HOURS, (0..=1).map(next))?;
    let hours = digits(languages, '+', HOURS, [(9, 0)])?;
    let carried = languages.and([tens, hours])?;
    let midnight = whole(languages, &format!(r"23:\d\d:60{FRACTION}\+00:\d\d"))?;
    let hours = languages.alt([not_carried, carried, midnight])?;
    let minutes = whole(languages, &format!(r"\d\d:59:60{FRACTION}\+\d\d:00"))?;
    let next_hour = languages.and([hours, minutes])?;
    let either = languages.alt([same_hour, next_hour])?;
    let times = whole(languages, &format!(r"{MINUTE}:60{FRACTION}\+{MINUTE}"))?;
    let ahead = languages.and([times, either])?;

    let utc = whole(languages, &format!("23:59:60{FRACTION}[Zz]"))?;
    Ok(languages.alt([utc, behind, ahead])?)
}

/// With offsets of whole quarters of an hour: an automaton has to keep every local time apart, and
/// there are fewer of them then. The time zones in use since there are leap seconds have no others.
fn leap_second_of_zones(languages: &mut Languages) -> Result<LanguageId> {
    let quarters = whole(languages, r".*(?:[Zz]|:(?:00|15|30|45))")?;
    let any = leap_second(languages)?;
    Ok(languages.and([any, quarters])?)
}

/// Leap seconds with an offset of this sign, of which the digits at one place of the local time and
/// of the offset are a pair of these.
fn digits(
    languages: &mut Languages,
    sign: char,
    place: usize,
    pairs: impl IntoIterator<Item = (u32, u32)>,
) -> Result<LanguageId> {
    let other = whole(languages, r"[\d:]")?;
    let middle = whole(languages, &format!(r":60{FRACTION}\{sign}"))?;
    let (before, after) = (vec![other; place], vec![other; "HH:MM".len() - place - 1]);
    let mut all = Vec::new();
    for (a, b) in pairs {
        let (a, b) = (languages.text(&a.to_string())?, languages.text(&b.to_string())?);
        let parts = [&before[..], &[a], &after, &[middle], &before, &[b], &after].concat();
        all.push(languages.sequence(parts)?);
    }
    Ok(languages.alt(all)?)
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
