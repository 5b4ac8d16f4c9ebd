//! Dates, times and durations: RFC 3339, section 5.6 and appendix A.

use super::{Result, whole};
use crate::language::{Approximation, Languages};

pub(super) const NOTE: &str =
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
/// 5.7). A local time and its offset determine each other then, so that an automaton has to keep
/// every local time apart. There are fewer of them for offsets of whole quarters of an hour; the
/// time zones in use since there are leap seconds have no others.
fn leap_second() -> String {
    const DAY: u32 = 24 * 60;
    let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
    let local = (14..DAY).step_by(15).map(|local| {
        let (ahead, behind) = (clock((local + 1) % DAY), clock(DAY - 1 - local));
        format!(r"{}:60{FRACTION}(?:\+{ahead}|-{behind})", clock(local))
    });
    let utc = format!("23:59:60{FRACTION}[Zz]");
    std::iter::once(utc).chain(local).collect::<Vec<_>>().join("|")
}

/// A leap second whatever the time and the offset.
fn some_leap_second() -> String {
    format!("{MINUTE}:60{FRACTION}(?:[Zz]|[+-]{MINUTE})")
}

/// `full-time` after something else.
fn timed(languages: &mut Languages, before: &str) -> Result<Approximation> {
    let ordinary = ordinary_time();
    let mut after = |leap: String| whole(languages, &format!("{before}(?:{ordinary}|{leap})"));
    Ok(Approximation { lower: after(leap_second())?, upper: after(some_leap_second())? })
}

/// `full-time`
pub(super) fn time(languages: &mut Languages) -> Result<Approximation> {
    timed(languages, "")
}

/// `date-time`
pub(super) fn date_time(languages: &mut Languages) -> Result<Approximation> {
    timed(languages, &format!("(?:{DATE})[Tt]"))
}

/// `duration`: a unit goes on with the next smaller one or not at all; weeks stand alone.
pub(super) fn duration() -> String {
    let minute = r"\d+M(?:\d+S)?";
    let time = format!(r"T(?:\d+H(?:{minute})?|{minute}|\d+S)");
    let month = r"\d+M(?:\d+D)?";
    let date = format!(r"(?:\d+Y(?:{month})?|{month}|\d+D)");
    format!(r"P(?:{date}(?:{time})?|{time}|\d+W)")
}
