//! Weather, measurements, animals and health.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::words;

fn forecast(draw: &mut Draw, facts: &Facts) -> Value {
    let count = draw.size(1, 3) as i64;
    (0..count)
        .map(|i| {
            let low = draw.int(-5, 20);
            let day = super::facts::Date { day: (facts.date.day + i - 1) % 28 + 1, ..facts.date };
            json!({"date": day.day(), "min": low, "max": low + draw.int(3, 10), "condition": draw.pick(&words::CONDITIONS)})
        })
        .collect()
}

pub(super) const WEATHER: Topic = Topic {
    names: &["the weather", "a weather report", "a forecast"],
    fields: &[
        field(&["city", "location", "place", "station"], |_, f| json!(f.place.city), "in {}"),
        field(
            &["temperature", "temp", "temperature c", "degrees"],
            |d, _| {
                if d.chance(50) { json!(d.int(-10, 35)) } else { json!(d.decimal(-10.0, 35.0, 1)) }
            },
            "{} degrees",
        ),
        field(
            &["condition", "conditions", "weather", "description", "summary", "sky"],
            |d, _| json!(d.pick(&words::CONDITIONS)),
            "{}",
        ),
        field(
            &["unit", "units", "temperature unit"],
            |d, _| json!(d.pick(&["celsius", "celsius", "fahrenheit", "C", "F"])),
            "",
        ),
        field(
            &["humidity", "relative humidity", "cloud cover"],
            |d, _| json!(d.int(20, 100)),
            "humidity {}",
        ),
        field(&["wind speed", "wind", "wind kph"], |d, _| json!(d.int(0, 60)), "wind {}"),
        field(
            &["wind direction", "direction"],
            |d, _| json!(d.pick(&["N", "NE", "E", "SE", "S", "SW", "W", "NW"])),
            "from {}",
        ),
        field(&["pressure"], |d, _| json!(d.int(980, 1040)), "pressure {}"),
        field(&["date", "day"], |_, f| json!(f.date.day()), "on {}"),
        field(&["time", "observed at", "updated"], |_, f| json!(f.date.instant()), ""),
        field(&["forecast", "days", "daily"], forecast, ""),
        field(
            &["precipitation", "rain", "rain mm", "snow"],
            |d, _| json!(d.decimal(0.0, 20.0, 1)),
            "{} mm of rain",
        ),
        field(&["high", "max", "temp max"], |d, _| json!(d.int(15, 36)), "up to {}"),
        field(&["low", "min", "temp min", "feels like"], |d, _| json!(d.int(-8, 14)), "down to {}"),
        field(&["sunrise"], |d, _| json!(format!("0{}:{}", d.int(5, 8), d.int(10, 59))), ""),
        field(&["sunset"], |d, _| json!(format!("{}:{}", d.int(16, 21), d.int(10, 59))), ""),
        field(&["uv index", "visibility", "air quality"], |d, _| json!(d.int(0, 11)), ""),
        field(&["warning", "alert", "storm"], |d, _| json!(d.chance(20)), ""),
    ],
};

pub(super) const MEASUREMENT: Topic = Topic {
    names: &["a measurement", "a sensor", "a reading", "a metric"],
    fields: &[
        field(
            &["sensor", "sensor id", "device", "device id", "name"],
            |d, _| {
                json!(format!(
                    "{}-{}",
                    d.pick(&["sensor", "temp", "meter", "device", "node"]),
                    d.int(1, 99)
                ))
            },
            "{}",
        ),
        field(
            &["value", "reading", "measurement", "level"],
            |d, _| {
                let decimals = d.pick(&[0, 1, 2]);
                if decimals == 0 {
                    json!(d.magnitude(1000))
                } else {
                    json!(d.decimal(0.0, 100.0, decimals))
                }
            },
            "value {}",
        ),
        field(&["unit", "units"], |d, _| json!(d.pick(&words::UNITS)), "{}"),
        field(
            &["timestamp", "time", "measured at", "recorded at"],
            |d, f| {
                if d.chance(60) {
                    json!(f.date.instant())
                } else {
                    json!(d.int(1_600_000_000, 1_790_000_000))
                }
            },
            "at {}",
        ),
        field(
            &["metric", "quantity", "type", "kind"],
            |d, _| {
                json!(d.pick(&[
                    "temperature",
                    "humidity",
                    "pressure",
                    "speed",
                    "voltage",
                    "weight",
                    "cpu",
                    "memory"
                ]))
            },
            "{}",
        ),
        field(&["min", "minimum", "lower", "low"], |d, _| json!(d.int(0, 20)), "minimum {}"),
        field(
            &["max", "maximum", "upper", "high", "threshold"],
            |d, _| json!(d.int(21, 200)),
            "maximum {}",
        ),
        field(
            &["average", "mean", "avg", "median", "std"],
            |d, _| json!(d.decimal(1.0, 60.0, 2)),
            "average {}",
        ),
        field(
            &["values", "samples", "data", "readings"],
            |d, _| {
                let n = d.size(1, 5);
                Value::Array((0..n).map(|_| json!(d.decimal(0.0, 50.0, 1))).collect())
            },
            "",
        ),
        field(&["count", "sample count", "total"], |d, _| json!(d.magnitude(2000)), ""),
        field(
            &["battery", "signal", "percent", "percentage", "accuracy"],
            |d, _| json!(d.int(0, 100)),
            "battery {}",
        ),
        field(&["online", "alarm", "calibrated", "ok"], |d, _| json!(d.chance(70)), ""),
        field(
            &["location", "room"],
            |d, _| {
                json!(d.pick(&[
                    "kitchen", "bedroom", "office", "garage", "cellar", "roof", "hall", "garden"
                ]))
            },
            "in the {}",
        ),
        field(
            &["ratio", "rate", "factor", "weight", "error"],
            |d, _| json!(d.decimal(0.0, 1.0, 3)),
            "",
        ),
    ],
};

pub(super) const ANIMAL: Topic = Topic {
    names: &["a pet", "an animal", "a plant"],
    fields: &[
        field(
            &["name", "pet name"],
            |d, _| {
                json!(d.pick(&[
                    "Luna", "Max", "Bella", "Rocky", "Mimi", "Felix", "Coco", "Buddy", "Nala",
                    "Simba", "Daisy", "Otto"
                ]))
            },
            "{}",
        ),
        field(
            &["species", "animal", "kind", "type"],
            |d, _| json!(d.pick(&words::ANIMALS)),
            "a {}",
        ),
        field(&["age", "age years"], |d, _| json!(d.int(1, 15)), "{} years old"),
        field(
            &["breed"],
            |d, _| {
                json!(d.pick(&[
                    "mixed", "Labrador", "Poodle", "Siamese", "Persian", "Beagle", "Terrier"
                ]))
            },
            "",
        ),
        field(&["color", "colour"], |d, _| json!(d.pick(&words::COLORS)), "{}"),
        field(&["weight", "weight kg"], |d, _| json!(d.decimal(0.2, 60.0, 1)), "{} kg"),
        field(&["owner", "keeper"], |_, f| json!(f.person.full()), "belongs to {}"),
        field(
            &["vaccinated", "house trained", "wild", "endangered"],
            |d, _| json!(d.chance(60)),
            "",
        ),
        field(
            &["legs", "sound", "diet"],
            |d, _| json!(d.pick(&["herbivore", "carnivore", "omnivore"])),
            "",
        ),
        field(
            &["habitat"],
            |d, _| {
                json!(d.pick(&["forest", "river", "desert", "farm", "sea", "mountains", "house"]))
            },
            "lives in the {}",
        ),
        field(&["sex", "gender"], |d, _| json!(d.pick(&["male", "female"])), ""),
    ],
};

pub(super) const PATIENT: Topic = Topic {
    names: &["a patient", "a medical record", "a prescription"],
    fields: &[
        field(&["patient", "name", "patient name"], |_, f| json!(f.person.full()), "{}"),
        field(&["age"], |_, f| json!(f.person.age()), "{} years old"),
        field(
            &["diagnosis", "condition", "disease", "complaint"],
            |d, _| json!(d.pick(&words::DISEASES)),
            "has {}",
        ),
        field(
            &["symptoms"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::DISEASES, n))
            },
            "",
        ),
        field(
            &["medication", "medicine", "drug", "prescription"],
            |d, _| json!(d.pick(&words::MEDICINES)),
            "takes {}",
        ),
        field(
            &["dose", "dosage"],
            |d, _| json!(format!("{} mg", d.pick(&[5, 10, 20, 50, 100, 200, 400, 500]))),
            "{}",
        ),
        field(
            &["medications", "allergies"],
            |d, _| {
                let n = d.size(0, 2);
                json!(d.some(&words::MEDICINES, n))
            },
            "",
        ),
        field(
            &["doctor", "physician"],
            |_, f| json!(format!("Dr. {}", f.other.last)),
            "seen by {}",
        ),
        field(
            &["date", "visit date", "appointment", "admitted"],
            |_, f| json!(f.date.day()),
            "on {}",
        ),
        field(
            &["blood type", "blood group"],
            |d, _| json!(d.pick(&["A+", "A-", "B+", "B-", "AB+", "O+", "O-"])),
            "blood type {}",
        ),
        field(&["heart rate", "pulse"], |d, _| json!(d.int(50, 110)), "pulse {}"),
        field(
            &["blood pressure"],
            |d, _| json!(format!("{}/{}", d.int(100, 150), d.int(60, 95))),
            "",
        ),
        field(
            &["temperature", "body temperature"],
            |d, _| json!(d.decimal(36.0, 40.0, 1)),
            "{} degrees",
        ),
        field(&["smoker", "insured", "urgent"], |d, _| json!(d.chance(40)), ""),
        field(&["weight", "height"], |d, _| json!(d.int(50, 195)), ""),
        field(&["notes", "remarks"], |d, _| json!(d.pick(&words::NOTES)), ""),
        field(
            &["frequency", "times per day"],
            |d, _| json!(d.pick(&["daily", "twice a day", "weekly", "as needed"])),
            "",
        ),
    ],
};
