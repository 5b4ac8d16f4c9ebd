//! Addresses, contacts and places on the map.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::words;

/// A telephone number that nobody has.
pub(super) fn phone(draw: &mut Draw) -> String {
    match draw.int(0, 3) {
        0 => format!("555-{}", draw.digits(4)),
        1 => format!("+1 555 {} {}", draw.digits(3), draw.digits(4)),
        2 => format!(
            "+{} {} {}",
            draw.pick(&[31, 33, 34, 39, 44, 46, 48, 49]),
            draw.int(20, 99),
            draw.digits(7)
        ),
        _ => format!("0{} {}", draw.int(20, 99), draw.digits(6)),
    }
}

/// A house number; a few have a letter.
pub(super) fn house_number(draw: &mut Draw) -> Value {
    let number = draw.magnitude(200);
    match draw.int(0, 9) {
        0 => json!(format!("{number}{}", draw.pick(&["a", "b", "c"]))),
        1..=3 => json!(number.to_string()),
        _ => json!(number),
    }
}

/// An address on one line.
pub(super) fn line(draw: &mut Draw, facts: &Facts) -> String {
    format!("{} {}, {}", draw.int(1, 120), draw.pick(&words::STREETS), facts.place.city)
}

pub(super) const ADDRESS: Topic = Topic {
    names: &["an address", "a postal address", "a delivery address", "a location"],
    fields: &[
        field(
            &["street", "street name", "road", "street address"],
            |d, _| json!(d.pick(&words::STREETS)),
            "{}",
        ),
        field(&["number", "house number", "street number"], |d, _| house_number(d), "number {}"),
        field(&["city", "town", "locality"], |_, f| json!(f.place.city), "{}"),
        field(
            &["postal code", "zip", "zip code", "postcode", "post code"],
            |d, f| json!(f.place.postal_code(d)),
            "postal code {}",
        ),
        field(
            &["country", "country code", "country name"],
            |d, f| if d.chance(50) { json!(f.place.country) } else { json!(f.place.code) },
            "{}",
        ),
        field(
            &["state", "region", "province", "county", "district"],
            |_, f| json!(f.place.region),
            "{}",
        ),
        field(
            &["street", "address", "address line 1", "line1", "street address"],
            |d, _| json!(format!("{} {}", d.int(1, 150), d.pick(&words::STREETS))),
            "{}",
        ),
        field(&["country code", "iso code"], |_, f| json!(f.place.code), ""),
        field(
            &["address line 2", "line2", "apartment", "suite", "unit"],
            |d, _| if d.chance(50) { Value::Null } else { json!(format!("Apt {}", d.int(1, 40))) },
            "",
        ),
        field(&["floor", "room"], |d, _| json!(d.int(1, 12)), "floor {}"),
        field(&["latitude", "lat"], |_, f| json!(f.place.latitude), ""),
        field(&["longitude", "lon", "lng"], |_, f| json!(f.place.longitude), ""),
        field(
            &["type", "label", "kind"],
            |d, _| json!(d.pick(&["home", "work", "billing", "shipping", "other"])),
            "",
        ),
        field(&["primary", "is default", "default", "verified"], |d, _| json!(d.chance(50)), ""),
        field(
            &["recipient", "name", "addressee", "attention"],
            |_, f| json!(f.person.full()),
            "for {}",
        ),
    ],
};

pub(super) const CONTACT: Topic = Topic {
    names: &["contact details", "a contact", "a business card"],
    fields: &[
        field(&["email", "email address", "mail"], |d, f| json!(f.person.email(d)), "e-mail {}"),
        field(
            &["phone", "phone number", "telephone", "mobile"],
            |d, _| json!(phone(d)),
            "phone {}",
        ),
        field(&["post", "address", "postal address"], |d, f| json!(line(d, f)), "address {}"),
        field(&["name", "contact", "contact name"], |_, f| json!(f.person.full()), "{}"),
        field(
            &["website", "url", "homepage"],
            |d, f| json!(format!("https://{}.example.com", f.person.username(d))),
            "website {}",
        ),
        field(&["company", "organization"], |_, f| json!(f.company), "at {}"),
        field(&["fax"], |d, _| json!(phone(d)), ""),
        field(
            &["preferred", "preferred contact", "contact method"],
            |d, _| json!(d.pick(&["email", "phone", "post"])),
            "",
        ),
        field(&["twitter", "github", "skype", "linkedin"], |d, f| json!(f.person.username(d)), ""),
        field(
            &["relationship", "relation"],
            |d, _| {
                json!(d.pick(&[
                    "friend",
                    "colleague",
                    "sister",
                    "brother",
                    "mother",
                    "father",
                    "neighbour"
                ]))
            },
            "",
        ),
    ],
};

pub(super) const PLACE: Topic = Topic {
    names: &["a place", "a city", "a location", "a destination"],
    fields: &[
        field(
            &["city", "name", "town", "place", "destination", "location", "capital"],
            |_, f| json!(f.place.city),
            "{}",
        ),
        field(&["country", "nation"], |_, f| json!(f.place.country), "in {}"),
        field(
            &["population", "inhabitants"],
            |d, _| json!(d.int(5, 9000) * 1000),
            "{} inhabitants",
        ),
        field(&["latitude", "lat"], |_, f| json!(f.place.latitude), "latitude {}"),
        field(
            &["longitude", "lon", "lng", "long"],
            |_, f| json!(f.place.longitude),
            "longitude {}",
        ),
        field(&["time zone", "timezone"], |_, f| json!(f.place.zone), ""),
        field(&["currency"], |_, f| json!(f.place.currency), "currency {}"),
        field(&["language", "official language"], |d, _| json!(d.pick(&words::LANGUAGES)), ""),
        field(
            &["coordinates", "coords", "position", "point"],
            |_, f| json!([f.place.longitude, f.place.latitude]),
            "",
        ),
        field(
            &["location", "coordinates", "geo", "position"],
            |_, f| json!({"lat": f.place.latitude, "lon": f.place.longitude}),
            "",
        ),
        field(&["region", "state", "province"], |_, f| json!(f.place.region), ""),
        field(&["elevation", "altitude"], |d, _| json!(d.int(1, 1500)), "{} m above the sea"),
        field(&["country code"], |_, f| json!(f.place.code), ""),
        field(
            &["landmarks", "sights", "attractions"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "Old Bridge",
                        "City Museum",
                        "Castle",
                        "Cathedral",
                        "Market Square",
                        "Botanical Garden",
                        "Town Hall",
                        "Harbour",
                        "Opera House"
                    ],
                    n
                ))
            },
            "",
        ),
        field(&["area", "area km2"], |d, _| json!(d.int(10, 1600)), "area {}"),
        field(&["rating", "stars"], |d, _| json!(d.decimal(3.0, 5.0, 1)), ""),
    ],
};
