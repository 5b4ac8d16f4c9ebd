//! What templates know from Python: its JSON and its dates.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};

/// Values within values, no deeper: Python stops at about a thousand.
const DEEPEST: usize = 500;

/// A JSON value, with its keys in their order.
pub(super) fn from_json(value: &serde_json::Value) -> Result<Value, String> {
    from_json_at(value, 0)
}

fn from_json_at(value: &serde_json::Value, depth: usize) -> Result<Value, String> {
    use serde_json::Value as Json;
    if depth > DEEPEST {
        return Err(format!("are nested deeper than {DEEPEST} levels"));
    }
    Ok(match value {
        Json::Null => Value::from(()),
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => {
            let text = number.to_string();
            match (text.parse::<i128>(), text.parse::<f64>()) {
                (Ok(integer), _) => Value::from(integer),
                (_, Ok(float)) => Value::from(float),
                _ => return Err(format!("{text} is no number")),
            }
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(|item| from_json_at(item, depth + 1));
            Value::from(items.collect::<Result<Vec<_>, _>>()?)
        }
        Json::Object(members) => {
            let member =
                |(key, value): (&String, _)| Ok((key.clone(), from_json_at(value, depth + 1)?));
            Value::from_pairs(members.iter().map(member).collect::<Result<Vec<_>, String>>()?)
        }
    })
}

/// The filter `tojson` of `transformers`: `json.dumps` with `ensure_ascii=False`, and without the escapes
/// for HTML that Jinja's own filter has.
#[allow(clippy::needless_pass_by_value)] // As filters get them.
pub(super) fn to_json(state: &State, value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let separators: Option<Vec<String>> = options.get("separators")?;
    let (item, key) = match separators.as_deref() {
        Some([item, key]) => (item.clone(), key.clone()),
        Some(_) => return Err(wrong("separators are two texts")),
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
    };
    let mut writer = Writer {
        state,
        indent: indent.map(|width| width.min(64)),
        item,
        key,
        ensure_ascii: options.get::<Option<bool>>("ensure_ascii")?.unwrap_or_default(),
        sort_keys: options.get::<Option<bool>>("sort_keys")?.unwrap_or_default(),
        text: String::new(),
    };
    options.assert_all_used()?;
    writer.write(value, 0)?;
    Ok(writer.text)
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("tojson: {}", message.into()))
}

struct Writer<'a, 'e> {
    state: &'a State<'a, 'e>,
    indent: Option<usize>,
    /// What stands between items, and between a key and its value.
    item: String,
    key: String,
    ensure_ascii: bool,
    sort_keys: bool,
    text: String,
}

impl Writer<'_, '_> {
    fn write(&mut self, value: &Value, depth: usize) -> Result<(), Error> {
        // What is written here is charged only when it is returned.
        self.state.consume_fuel(1 + self.text.len() as u64 / (1 << 20))?;
        if depth > DEEPEST {
            return Err(wrong(format!("nested deeper than {DEEPEST} levels")));
        }
        match value.kind() {
            ValueKind::None => self.text.push_str("null"),
            ValueKind::Bool => self.text.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => self.number(value)?,
            ValueKind::String => self.string(value.as_str().unwrap_or_default()),
            ValueKind::Seq => {
                let items = value.try_iter()?.map(|item| (None, item)).collect();
                self.container(('[', ']'), items, depth)?;
            }
            ValueKind::Map => {
                let mut members = Vec::new();
                for key in value.try_iter()? {
                    let member = value.get_item(&key)?;
                    members.push((Some(key.to_string()), member));
                }
                if self.sort_keys {
                    members.sort_by(|(one, _), (other, _)| one.cmp(other));
                }
                self.container(('{', '}'), members, depth)?;
            }
            kind => return Err(wrong(format!("{kind} has no JSON"))),
        }
        Ok(())
    }

    fn container(
        &mut self,
        (open, close): (char, char),
        items: Vec<(Option<String>, Value)>,
        depth: usize,
    ) -> Result<(), Error> {
        self.text.push(open);
        let is_empty = items.is_empty();
        for (index, (key, value)) in items.into_iter().enumerate() {
            if index > 0 {
                self.text.push_str(&self.item);
            }
            self.line(depth + 1);
            if let Some(key) = key {
                self.string(&key);
                self.text.push_str(&self.key);
            }
            self.write(&value, depth + 1)?;
        }
        if !is_empty {
            self.line(depth);
        }
        self.text.push(close);
        Ok(())
    }

    /// A new line, if lines are asked for.
    fn line(&mut self, depth: usize) {
        if let Some(width) = self.indent {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(' ', width * depth));
        }
    }

    fn number(&mut self, value: &Value) -> Result<(), Error> {
        if value.is_integer() {
            self.text.push_str(&value.to_string());
            return Ok(());
        }
        self.text.push_str(&float(f64::try_from(value.clone())?));
        Ok(())
    }

    fn string(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            let escape = match c {
                '"' => "\\\"",
                '\\' => "\\\\",
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                '\u{8}' => "\\b",
                '\u{c}' => "\\f",
                c if c < ' ' || (self.ensure_ascii && !c.is_ascii()) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // A string takes everything.
                        let _ = write!(self.text, "\\u{unit:04x}");
                    }
                    continue;
                }
                c => {
                    self.text.push(c);
                    continue;
                }
            };
            self.text.push_str(escape);
        }
        self.text.push('"');
    }
}

/// A float as Python's `repr` has it: the shortest digits, with an exponent from 16 digits on and before
/// four zeros.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        return format!("{value:?}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// A time as `strftime` writes it in English, in UTC.
pub(super) fn format_time(time: SystemTime, format: &str) -> Result<String, Error> {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let (year, month, day) = civil_date(days);
    let day_of_year = days - days_before(year, 1, 1) + 1;
    let month_name = MONTHS[month as usize - 1];
    // The first day of all was a Thursday.
    let day_name = DAYS[(days + 3) as usize % 7];
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let directive = characters.next();
        // `%-d` is `%d` without zeros in front.
        let (directive, is_bare) = match directive {
            Some('-') => (characters.next(), true),
            other => (other, false),
        };
        let mut number = |number: u64, width: usize| {
            let width = if is_bare { 1 } else { width };
            // A string takes everything.
            let _ = write!(text, "{number:0width$}");
        };
        match directive {
            Some('Y') => number(year, 4),
            Some('y') => number(year % 100, 2),
            Some('m') => number(month, 2),
            Some('d') => number(day, 2),
            Some('j') => number(day_of_year, 3),
            Some('H') => number(hour, 2),
            Some('I') => number((hour + 11) % 12 + 1, 2),
            Some('M') => number(minute, 2),
            Some('S') => number(second, 2),
            Some('B') => text.push_str(month_name),
            Some('b') => text.push_str(&month_name[..3]),
            Some('A') => text.push_str(day_name),
            Some('a') => text.push_str(&day_name[..3]),
            Some('p') => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            Some('Z') => text.push_str("UTC"),
            Some('%') => text.push('%'),
            other => {
                let directive = other.map(String::from).unwrap_or_default();
                let message = format!("strftime_now: %{directive} is not known");
                return Err(Error::new(ErrorKind::InvalidOperation, message));
            }
        }
    }
    Ok(text)
}

/// Year, month and day of the day with a number, counted from 1970-01-01.
fn civil_date(days: u64) -> (u64, u64, u64) {
    // No day is after the year of a day by more than one.
    let mut year = 1970 + days / 366;
    while days_before(year + 1, 1, 1) <= days {
        year += 1;
    }
    let month = (1..=12).rev().find(|&month| days_before(year, month, 1) <= days).unwrap_or(1);
    (year, month, days - days_before(year, month, 1) + 1)
}

/// How many days lie between 1970-01-01 and a day of the Gregorian calendar.
fn days_before(year: u64, month: u64, day: u64) -> u64 {
    let leap_years = |year: u64| year / 4 - year / 100 + year / 400;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let before_month = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month as usize - 1];
    (year - 1970) * 365 + leap_years(year - 1) - leap_years(1969)
        + before_month
        + u64::from(is_leap && month > 2)
        + day
        - 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn floats_are_those_of_python() {
        let cases = [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (1e300, "1e+300"),
            (-0.0, "-0.0"),
        ];
        for (value, expected) in cases {
            assert_eq!(float(value), expected);
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        let cases = [
            (0, "%Y-%m-%d %H:%M:%S %A %j", "1970-01-01 00:00:00 Thursday 001"),
            (951_782_400, "%d %b %Y, %a", "29 Feb 2000, Tue"),
            (1_709_251_199, "%-d %B %y %I:%M %p %j", "29 February 24 11:59 PM 060"),
            (1_735_689_599, "%j%% %Z", "366% UTC"),
            (4_107_542_400, "%d %m %Y", "01 03 2100"),
        ];
        for (seconds, format, expected) in cases {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(format_time(time, format).expect("it is known"), expected);
        }
        assert!(format_time(UNIX_EPOCH, "%Q").is_err());
        assert!(format_time(UNIX_EPOCH, "%").is_err());
    }
}
