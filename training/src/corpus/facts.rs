//! What one document is about, so that its values fit together: the e-mail address has the name, the country the city.

use super::draw::Draw;
use super::words;

/// Somebody.
pub(super) struct Person {
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    pub(super) birth: Date,
}

/// A city and what goes with it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) city: &'static str,
    pub(super) country: &'static str,
    pub(super) code: &'static str,
    pub(super) region: &'static str,
    pub(super) currency: &'static str,
    pub(super) zone: &'static str,
    pub(super) language: &'static str,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

/// A day, and a time on it.
#[derive(Clone, Copy)]
pub(super) struct Date {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

/// The facts of one document, or of one object in a list.
pub(super) struct Facts {
    pub(super) person: Person,
    pub(super) other: Person,
    pub(super) place: Place,
    pub(super) elsewhere: Place,
    pub(super) company: String,
    pub(super) product: String,
    pub(super) price: f64,
    pub(super) date: Date,
    pub(super) later: Date,
}

impl Facts {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let date = Date::between(draw, 2018, 2026);
        let company = draw.pick(&words::COMPANIES);
        let ending = draw.pick(&words::COMPANY_ENDINGS);
        let adjective = draw.pick(&words::PRODUCT_ADJECTIVES);
        let noun = draw.pick(&words::PRODUCT_NOUNS);
        let price = draw.magnitude(300) as f64;
        Self {
            person: Person::draw(draw),
            other: Person::draw(draw),
            place: Place::draw(draw),
            elsewhere: Place::draw(draw),
            company: if draw.chance(70) {
                format!("{company} {ending}")
            } else {
                company.to_owned()
            },
            product: if draw.chance(70) { format!("{adjective} {noun}") } else { noun.to_owned() },
            price: price + draw.pick(&[0.0, 0.5, 0.9, 0.95, 0.99, 0.99, 0.25, 0.75]),
            date,
            later: date.later(draw),
        }
    }
}

impl Person {
    fn draw(draw: &mut Draw) -> Self {
        Self {
            first: draw.pick(&words::FIRST_NAMES),
            last: draw.pick(&words::LAST_NAMES),
            birth: Date::between(draw, 1945, 2007),
        }
    }

    pub(super) fn full(&self) -> String {
        format!("{} {}", self.first, self.last)
    }

    /// Lower case, letters of ASCII.
    fn plain(name: &str) -> String {
        name.to_lowercase().replace('ü', "ue").replace(' ', "")
    }

    pub(super) fn email(&self, draw: &mut Draw) -> String {
        let (first, last) = (Self::plain(self.first), Self::plain(self.last));
        let host = draw.pick(&["example.com", "example.org", "mail.com", "example.net"]);
        match draw.int(0, 3) {
            0 | 1 => format!("{first}.{last}@{host}"),
            2 => format!("{first}@{host}"),
            _ => format!("{}{last}@{host}", &first[..1]),
        }
    }

    pub(super) fn username(&self, draw: &mut Draw) -> String {
        let (first, last) = (Self::plain(self.first), Self::plain(self.last));
        match draw.int(0, 3) {
            0 => format!("{first}{last}"),
            1 => format!("{first}_{last}"),
            2 => format!("{first}{}", draw.int(1, 99)),
            _ => format!("{}{last}", &first[..1]),
        }
    }

    pub(super) fn age(&self) -> i64 {
        2026 - self.birth.year
    }
}

impl Place {
    fn draw(draw: &mut Draw) -> Self {
        let line = draw.pick(&words::PLACES);
        let parts: Vec<&'static str> = line.split('|').collect();
        let number = |text: &str| text.parse().expect("a coordinate in places.txt");
        let [city, country, code, region, currency, zone, language, latitude, longitude] =
            parts[..]
        else {
            panic!("nine parts in each line of places.txt, and not {line}")
        };
        let (latitude, longitude) = (number(latitude), number(longitude));
        Self { city, country, code, region, currency, zone, language, latitude, longitude }
    }

    pub(super) fn postal_code(&self, draw: &mut Draw) -> String {
        let digits = draw.int(10, 99);
        match self.code {
            "GB" => format!(
                "{}{} {}{}",
                draw.capitals(2),
                draw.int(1, 9),
                draw.int(1, 9),
                draw.capitals(2)
            ),
            "NL" => format!("{digits}{} {}", draw.digits(2), draw.capitals(2)),
            "PL" => format!("{digits}-{}", draw.digits(3)),
            "CH" | "AT" | "BE" | "DK" | "NO" | "HU" | "AU" | "NZ" | "ZA" => {
                format!("{digits}{}", draw.digits(2))
            }
            _ => format!("{digits}{}", draw.digits(3)),
        }
    }
}

impl Date {
    pub(super) fn between(draw: &mut Draw, first: i64, last: i64) -> Self {
        let month = draw.int(1, 12);
        let days = match month {
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        Self {
            year: draw.int(first, last),
            month,
            day: draw.int(1, days),
            hour: draw.int(0, 23),
            minute: if draw.chance(50) { draw.pick(&[0, 15, 30, 45]) } else { draw.int(0, 59) },
            second: if draw.chance(40) { 0 } else { draw.int(0, 59) },
        }
    }

    /// Some hours or days later, mostly in the same month.
    fn later(self, draw: &mut Draw) -> Self {
        let days = draw.int(0, 6);
        let mut later = self;
        later.day += days;
        if days == 0 && self.hour < 22 {
            later.hour += draw.int(1, 2);
        }
        if later.day > 28 {
            (later.day, later.month) = (later.day - 28, later.month + 1);
        }
        if later.month > 12 {
            (later.month, later.year) = (1, later.year + 1);
        }
        later
    }

    pub(super) fn day(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    pub(super) fn time(self) -> String {
        format!("{:02}:{:02}", self.hour, self.minute)
    }

    /// RFC 3339.
    pub(super) fn instant(self) -> String {
        format!("{}T{}:{:02}Z", self.day(), self.time(), self.second)
    }

    pub(super) fn in_words(self) -> String {
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
        format!("{} {} {}", self.day, MONTHS[self.month as usize - 1], self.year)
    }
}
