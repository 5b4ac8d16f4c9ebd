//! Things for sale, vehicles and houses.

use serde_json::{Value, json};

use super::draw::Draw;
use super::topic::{Topic, field};
use super::{orders, words};

fn sizes(draw: &mut Draw) -> Value {
    json!({"width": draw.int(5, 200), "height": draw.int(5, 200), "depth": draw.int(2, 90)})
}

pub(super) const PRODUCT: Topic = Topic {
    names: &["a product", "an article", "an item", "an offer"],
    fields: &[
        field(&["name", "product", "product name", "title", "item"], |_, f| json!(f.product), "{}"),
        field(
            &["price", "unit price", "cost", "retail price", "sale price"],
            |_, f| json!(f.price),
            "costs {}",
        ),
        field(
            &["sku", "product id", "article number", "item number", "code"],
            |d, _| json!(orders::sku(d)),
            "article {}",
        ),
        field(
            &["category", "department", "product type", "group"],
            |d, _| json!(d.pick(&words::CATEGORIES)),
            "in {}",
        ),
        field(
            &["in stock", "available", "is available", "on sale", "discontinued"],
            |d, _| json!(d.chance(65)),
            "",
        ),
        field(&["id", "product id"], |d, _| json!(d.magnitude(9999)), "number {}"),
        field(&["currency", "price currency"], |_, f| json!(f.place.currency), ""),
        field(
            &["brand", "manufacturer", "maker", "label"],
            |d, _| json!(d.pick(&words::BRANDS)),
            "by {}",
        ),
        field(
            &["description", "summary", "details", "short description"],
            |d, f| {
                json!(format!(
                    "{} {} for {}.",
                    d.pick(&["A good", "A simple", "A light", "A modern", "A strong", "A small"]),
                    f.product.to_lowercase(),
                    d.pick(&["every day", "the home", "travel", "children", "work", "the garden"])
                ))
            },
            "",
        ),
        field(&["color", "colour"], |d, _| json!(d.pick(&words::COLORS)), "{}"),
        field(
            &["colors", "colours"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::COLORS, n))
            },
            "",
        ),
        field(
            &["size", "sizes available"],
            |d, _| json!(d.pick(&["XS", "S", "M", "L", "XL"])),
            "size {}",
        ),
        field(&["material", "fabric"], |d, _| json!(d.pick(&words::MATERIALS)), "made of {}"),
        field(&["weight", "weight kg"], |d, _| json!(d.decimal(0.1, 20.0, 1)), "{} kg"),
        field(
            &["quantity", "stock", "stock level", "inventory", "units"],
            |d, _| json!(d.magnitude(500)),
            "{} in stock",
        ),
        field(
            &["rating", "average rating", "stars", "score"],
            |d, _| json!(d.decimal(2.5, 5.0, 1)),
            "{} stars",
        ),
        field(&["reviews", "review count"], |d, _| json!(d.magnitude(900)), ""),
        field(
            &["tags", "keywords", "labels"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::TAGS, n))
            },
            "",
        ),
        field(
            &["image", "image url", "picture", "thumbnail"],
            |d, _| json!(format!("https://example.com/images/{}.jpg", d.digits(4))),
            "",
        ),
        field(&["dimensions", "measurements"], |d, _| sizes(d), ""),
        field(&["width"], |d, _| json!(d.int(1, 200)), "{} wide"),
        field(&["height"], |d, _| json!(d.int(1, 200)), "{} high"),
        field(&["depth", "length"], |d, _| json!(d.int(1, 200)), "{} deep"),
        field(&["barcode", "ean", "gtin", "upc"], |d, _| json!(d.digits(13)), ""),
        field(
            &["discount", "discount percent"],
            |d, _| json!(d.pick(&[0, 5, 10, 15, 20, 25, 30, 50])),
            "{} percent off",
        ),
        field(
            &["warranty", "warranty months", "warranty years"],
            |d, _| json!(d.pick(&[1, 2, 3, 5, 12, 24, 36])),
            "",
        ),
        field(&["supplier", "vendor", "seller"], |_, f| json!(f.company), "from {}"),
        field(
            &["model", "model number"],
            |d, _| json!(format!("{}{}", d.capitals(1), d.int(10, 900))),
            "model {}",
        ),
        field(&["release date", "released"], |_, f| json!(f.date.day()), ""),
        field(
            &["variants", "options"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array(
                    d.some(&words::COLORS, n)
                        .into_iter()
                        .map(|color| json!({"color": color, "stock": d.magnitude(50)}))
                        .collect(),
                )
            },
            "",
        ),
    ],
};

pub(super) const REVIEW: Topic = Topic {
    names: &["a review", "a rating", "feedback"],
    fields: &[
        field(&["rating", "stars", "score", "grade"], |d, _| json!(d.int(1, 5)), "{} stars"),
        field(
            &["text", "comment", "review", "body", "feedback", "opinion"],
            |d, _| json!(d.pick(&words::REVIEWS)),
            "",
        ),
        field(
            &["author", "reviewer", "user", "name", "customer"],
            |_, f| json!(f.person.full()),
            "by {}",
        ),
        field(&["product", "item", "subject"], |_, f| json!(f.product), "of {}"),
        field(&["date", "created at", "reviewed at"], |_, f| json!(f.date.day()), "on {}"),
        field(
            &["sentiment", "mood", "tone"],
            |d, _| json!(d.pick(&["positive", "negative", "neutral"])),
            "{}",
        ),
        field(
            &["verified", "recommended", "would recommend", "helpful"],
            |d, _| json!(d.chance(65)),
            "",
        ),
        field(
            &["title", "headline"],
            |d, _| {
                json!(d.pick(&[
                    "Great",
                    "Good value",
                    "Disappointed",
                    "Very good",
                    "Not bad",
                    "Excellent",
                    "As expected"
                ]))
            },
            "",
        ),
        field(&["likes", "votes", "upvotes", "helpful count"], |d, _| json!(d.magnitude(200)), ""),
        field(&["confidence", "probability"], |d, _| json!(d.decimal(0.5, 1.0, 2)), ""),
        field(
            &["pros", "cons"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "cheap",
                        "light",
                        "fast",
                        "quiet",
                        "easy to use",
                        "solid",
                        "small",
                        "long battery life"
                    ],
                    n
                ))
            },
            "",
        ),
    ],
};

pub(super) const VEHICLE: Topic = Topic {
    names: &["a vehicle", "a car", "a rental car"],
    fields: &[
        field(&["make", "brand", "manufacturer"], |d, _| json!(d.pick(&words::BRANDS)), "{}"),
        field(&["model", "name"], |d, _| json!(d.pick(&words::CARS)), "model {}"),
        field(&["year", "model year", "built"], |d, _| json!(d.int(1998, 2026)), "built in {}"),
        field(&["color", "colour"], |d, _| json!(d.pick(&words::COLORS)), "{}"),
        field(&["mileage", "odometer", "kilometers"], |d, _| json!(d.int(0, 220) * 1000), "{} km"),
        field(
            &["fuel", "fuel type", "engine"],
            |d, _| json!(d.pick(&["petrol", "diesel", "electric", "hybrid"])),
            "{}",
        ),
        field(&["price", "daily rate"], |d, _| json!(d.int(20, 400) * 100), "costs {}"),
        field(
            &["license plate", "plate", "registration"],
            |d, _| json!(format!("{} {}", d.capitals(3), d.digits(3))),
            "plate {}",
        ),
        field(&["vin"], |d, _| json!(format!("{}{}", d.capitals(3), d.digits(14))), ""),
        field(&["doors", "seats", "passengers"], |d, _| json!(d.int(2, 7)), "{} doors"),
        field(&["automatic", "electric", "rented", "damaged"], |d, _| json!(d.chance(50)), ""),
        field(&["owner", "driver"], |_, f| json!(f.person.full()), "owned by {}"),
        field(&["speed", "top speed", "max speed", "horsepower"], |d, _| json!(d.int(60, 260)), ""),
        field(
            &["type", "body", "class"],
            |d, _| json!(d.pick(&["car", "van", "truck", "bus", "motorcycle", "bicycle", "suv"])),
            "",
        ),
        field(
            &["features", "extras"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "air conditioning",
                        "navigation",
                        "heated seats",
                        "sunroof",
                        "camera",
                        "tow bar"
                    ],
                    n
                ))
            },
            "",
        ),
    ],
};

pub(super) const HOME: Topic = Topic {
    names: &["a house", "an apartment", "a hotel room", "a listing"],
    fields: &[
        field(
            &["type", "property type", "kind"],
            |d, _| json!(d.pick(&["house", "apartment", "studio", "villa", "room", "office"])),
            "{}",
        ),
        field(&["rooms", "bedrooms", "beds"], |d, _| json!(d.int(1, 6)), "{} rooms"),
        field(&["bathrooms", "baths"], |d, _| json!(d.int(1, 3)), ""),
        field(
            &["area", "size", "square meters", "living area"],
            |d, _| json!(d.int(20, 250)),
            "{} square meters",
        ),
        field(
            &["price", "rent", "monthly rent", "price per night"],
            |d, _| json!(d.int(4, 50) * 50),
            "for {}",
        ),
        field(&["city", "location", "neighborhood"], |_, f| json!(f.place.city), "in {}"),
        field(&["address"], |d, f| json!(super::addresses::line(d, f)), ""),
        field(
            &[
                "furnished",
                "balcony",
                "garden",
                "garage",
                "pets allowed",
                "parking",
                "wifi",
                "breakfast",
            ],
            |d, _| json!(d.chance(50)),
            "",
        ),
        field(&["floor"], |d, _| json!(d.int(0, 12)), "floor {}"),
        field(&["year built", "built"], |d, _| json!(d.int(1900, 2025)), "built in {}"),
        field(&["available from", "check in", "from"], |_, f| json!(f.date.day()), "from {}"),
        field(&["check out", "until"], |_, f| json!(f.later.day()), "until {}"),
        field(
            &["amenities", "facilities"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(
                    &["wifi", "pool", "parking", "kitchen", "gym", "sauna", "elevator", "terrace"],
                    n
                ))
            },
            "",
        ),
        field(&["guests", "adults", "nights"], |d, _| json!(d.int(1, 6)), "{} guests"),
        field(
            &["owner", "landlord", "agent", "guest", "host"],
            |_, f| json!(f.person.full()),
            "by {}",
        ),
    ],
};
