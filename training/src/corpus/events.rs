//! What happens: appointments, journeys, tasks, and the events of programs.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::words;

fn first_names(draw: &mut Draw, _: &Facts) -> Value {
    let count = draw.size(1, 4);
    json!(draw.some(&words::FIRST_NAMES, count))
}

pub(super) const EVENT: Topic = Topic {
    names: &["an event", "an appointment", "a meeting", "a calendar entry"],
    fields: &[
        field(
            &["title", "name", "event", "summary", "subject", "event name"],
            |d, _| json!(d.pick(&words::EVENTS)),
            "{}",
        ),
        field(&["date", "day", "event date", "on"], |_, f| json!(f.date.day()), "on {}"),
        field(&["time", "start time", "starts at", "from"], |_, f| json!(f.date.time()), "at {}"),
        field(
            &["location", "place", "venue", "where", "room"],
            |d, f| {
                if d.chance(40) {
                    json!(f.place.city)
                } else {
                    json!(d.pick(&[
                        "Room 1",
                        "Room 204",
                        "Main Hall",
                        "City Park",
                        "Cafe Luna",
                        "Town Hall",
                        "Online",
                        "Office",
                        "Library",
                        "Museum"
                    ]))
                }
            },
            "{}",
        ),
        field(
            &["start", "start date", "begin", "starts", "start at", "dtstart"],
            |d, f| if d.chance(50) { json!(f.date.day()) } else { json!(f.date.instant()) },
            "from {}",
        ),
        field(
            &["end", "end date", "ends", "until", "end at", "finish"],
            |d, f| if d.chance(50) { json!(f.later.day()) } else { json!(f.later.instant()) },
            "until {}",
        ),
        field(
            &["attendees", "participants", "guests", "people", "invited", "members"],
            first_names,
            "",
        ),
        field(
            &["organizer", "host", "speaker", "created by", "chair"],
            |_, f| json!(f.person.full()),
            "organized by {}",
        ),
        field(
            &["duration", "duration minutes", "minutes", "length"],
            |d, _| json!(d.pick(&[15, 30, 45, 60, 90, 120])),
            "{} minutes",
        ),
        field(
            &["all day", "recurring", "online", "private", "confirmed"],
            |d, _| json!(d.chance(40)),
            "",
        ),
        field(
            &["description", "notes", "agenda", "details"],
            |d, _| json!(d.pick(&words::MESSAGES)),
            "",
        ),
        field(
            &["capacity", "max attendees", "seats", "number of guests", "attendance"],
            |d, _| json!(d.int(2, 40) * 5),
            "{} seats",
        ),
        field(&["price", "ticket price", "entry fee"], |_, f| json!(f.price), "costs {}"),
        field(&["reminder", "reminder minutes"], |d, _| json!(d.pick(&[5, 10, 15, 30, 60])), ""),
        field(&["end time", "ends at", "to"], |_, f| json!(f.later.time()), "to {}"),
        field(
            &["category", "type", "event type"],
            |d, _| {
                json!(d.pick(&[
                    "meeting",
                    "concert",
                    "party",
                    "workshop",
                    "conference",
                    "sports",
                    "birthday"
                ]))
            },
            "",
        ),
        field(
            &["url", "link", "meeting link"],
            |d, _| json!(format!("https://meet.example.com/{}", d.hex(6))),
            "",
        ),
        field(
            &["status"],
            |d, _| json!(d.pick(&["confirmed", "tentative", "cancelled", "planned"])),
            "",
        ),
        field(
            &["weekday", "day of week", "days"],
            |d, _| {
                json!(d.pick(&[
                    "Monday",
                    "Tuesday",
                    "Wednesday",
                    "Thursday",
                    "Friday",
                    "Saturday",
                    "Sunday"
                ]))
            },
            "on {}",
        ),
    ],
};

pub(super) const TASK: Topic = Topic {
    names: &["a task", "a todo", "a ticket", "an issue"],
    fields: &[
        field(
            &["title", "task", "name", "summary", "subject", "todo"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&[
                        "Fix", "Update", "Write", "Review", "Test", "Clean up", "Plan", "Prepare",
                        "Check", "Send"
                    ]),
                    d.pick(&[
                        "the report",
                        "the login page",
                        "the slides",
                        "the tests",
                        "the invoice",
                        "the budget",
                        "the documentation",
                        "the kitchen",
                        "the contract",
                        "the database",
                        "the website",
                        "the newsletter"
                    ])
                ))
            },
            "{}",
        ),
        field(
            &["done", "completed", "is done", "finished", "blocked"],
            |d, _| json!(d.chance(40)),
            "",
        ),
        field(
            &["due", "due date", "deadline"],
            |d, f| if d.chance(15) { Value::Null } else { json!(f.later.day()) },
            "due on {}",
        ),
        field(
            &["priority", "urgency", "severity", "importance"],
            |d, _| json!(d.pick(&["low", "medium", "high", "critical", "normal"])),
            "{} priority",
        ),
        field(
            &["assignee", "assigned to", "owner", "responsible"],
            |d, f| {
                if d.chance(15) {
                    Value::Null
                } else if d.chance(50) {
                    json!(f.person.full())
                } else {
                    json!(f.person.first)
                }
            },
            "for {}",
        ),
        field(&["id", "ticket", "issue", "task id"], |d, _| json!(d.magnitude(9999)), "number {}"),
        field(
            &["status", "state", "column"],
            |d, _| {
                json!(d.pick(&[
                    "open",
                    "in progress",
                    "done",
                    "todo",
                    "blocked",
                    "closed",
                    "review"
                ]))
            },
            "{}",
        ),
        field(
            &["key", "ticket id", "reference"],
            |d, _| {
                json!(format!(
                    "{}-{}",
                    d.pick(&["PROJ", "DEV", "OPS", "BUG", "WEB"]),
                    d.int(1, 999)
                ))
            },
            "{}",
        ),
        field(
            &["reporter", "created by", "author"],
            |_, f| json!(f.other.full()),
            "reported by {}",
        ),
        field(&["description", "details", "notes"], |d, _| json!(d.pick(&words::MESSAGES)), ""),
        field(
            &["labels", "tags"],
            |d, _| {
                let n = d.size(0, 3);
                json!(d.some(&words::TAGS, n))
            },
            "",
        ),
        field(
            &["estimate", "hours", "story points", "effort", "points"],
            |d, _| json!(d.pick(&[1, 2, 3, 5, 8, 13])),
            "",
        ),
        field(
            &["progress", "percent", "completion"],
            |d, _| json!(d.int(0, 20) * 5),
            "{} percent done",
        ),
        field(&["created", "created at", "opened"], |_, f| json!(f.date.instant()), ""),
        field(
            &["subtasks", "checklist", "steps"],
            |d, _| json!([{"title": d.pick(&["Draft", "Review", "Test", "Publish"]), "done": d.chance(50)}, {"title": d.pick(&["Ask Anna", "Send", "Clean up", "Check"]), "done": d.chance(30)}]),
            "",
        ),
        field(
            &["project", "list", "milestone", "sprint"],
            |d, _| {
                json!(d.pick(&[
                    "Website",
                    "Launch",
                    "Home",
                    "Garden",
                    "Release 2.0",
                    "Sprint 12",
                    "Migration",
                    "Research"
                ]))
            },
            "in {}",
        ),
        field(
            &["parent", "epic"],
            |d, _| if d.chance(60) { Value::Null } else { json!(d.int(1, 999)) },
            "",
        ),
    ],
};

pub(super) const SIGNAL: Topic = Topic {
    names: &["an interface event", "a click", "a log event"],
    fields: &[
        field(
            &["type", "event", "kind", "event type"],
            |d, _| {
                json!(
                    d.pick(&["click", "key", "scroll", "view", "submit", "open", "close", "error"])
                )
            },
            "{}",
        ),
        field(
            &["at", "timestamp", "ts", "time", "created"],
            |d, _| json!(d.int(1_600_000_000, 1_790_000_000)),
            "at {}",
        ),
        field(
            &["target", "element", "selector", "source"],
            |d, _| {
                json!(d.pick(&[
                    "button", "link", "menu", "input", "header", "#save", "#login", "form",
                    "window", "image"
                ]))
            },
            "on {}",
        ),
        field(
            &["detail", "data", "payload", "properties", "params"],
            |d, _| json!({"x": d.int(0, 1920), "y": d.int(0, 1080)}),
            "",
        ),
        field(
            &["detail", "data", "details"],
            |d, _| json!({d.pick(&["key", "value", "label", "page", "button"]): d.pick(&["Enter", "left", "home", "a", "main", "Escape"]), "shift": d.chance(30)}),
            "",
        ),
        field(&["user", "user id"], |d, _| json!(d.magnitude(9999)), "by user {}"),
        field(&["x"], |d, _| json!(d.int(0, 1920)), ""),
        field(&["y"], |d, _| json!(d.int(0, 1080)), ""),
        field(
            &["key", "key code"],
            |d, _| json!(d.pick(&["Enter", "Escape", "Tab", "a", "s", "Shift", "ArrowUp"])),
            "",
        ),
        field(
            &["url", "page", "path"],
            |d, _| {
                json!(d.pick(&[
                    "/",
                    "/home",
                    "/login",
                    "/products",
                    "/cart",
                    "/settings",
                    "/about"
                ]))
            },
            "on {}",
        ),
        field(&["session", "session id", "trace id"], |d, _| json!(d.hex(8)), ""),
        field(&["duration", "duration ms", "elapsed"], |d, _| json!(d.magnitude(5000)), ""),
        field(
            &["browser", "device", "platform", "user agent"],
            |d, _| json!(d.pick(&["Firefox", "Chrome", "Safari", "mobile", "desktop", "tablet"])),
            "",
        ),
    ],
};

pub(super) const TRIP: Topic = Topic {
    names: &["a flight", "a trip", "a train ticket", "a booking", "a reservation"],
    fields: &[
        field(
            &["from", "origin", "departure city", "departure"],
            |_, f| json!(f.elsewhere.city),
            "from {}",
        ),
        field(
            &["to", "destination", "arrival city", "arrival"],
            |_, f| json!(f.place.city),
            "to {}",
        ),
        field(
            &["date", "departure date", "travel date", "depart"],
            |_, f| json!(f.date.day()),
            "on {}",
        ),
        field(
            &["passenger", "traveler", "name", "guest", "booked by"],
            |_, f| json!(f.person.full()),
            "for {}",
        ),
        field(
            &["flight", "flight number", "train"],
            |d, _| json!(format!("{} {}", d.capitals(2), d.int(100, 4999))),
            "number {}",
        ),
        field(&["departure time", "departs"], |_, f| json!(f.date.time()), "departs at {}"),
        field(&["arrival time", "arrives"], |_, f| json!(f.later.time()), "arrives at {}"),
        field(&["return date", "return", "back"], |_, f| json!(f.later.day()), "back on {}"),
        field(
            &["seat", "seats"],
            |d, _| json!(format!("{}{}", d.int(1, 38), d.pick(&["A", "B", "C", "D", "E", "F"]))),
            "seat {}",
        ),
        field(
            &["class", "cabin"],
            |d, _| json!(d.pick(&["economy", "business", "first"])),
            "{} class",
        ),
        field(&["price", "fare", "cost"], |d, _| json!(d.int(19, 900)), "for {}"),
        field(&["currency"], |_, f| json!(f.place.currency), ""),
        field(
            &["passengers", "adults", "travelers", "party size", "people"],
            |d, _| json!(d.int(1, 6)),
            "{} people",
        ),
        field(
            &["booking reference", "confirmation", "pnr", "booking id"],
            |d, _| json!(d.capitals(6)),
            "booking {}",
        ),
        field(
            &["gate", "platform", "terminal"],
            |d, _| json!(format!("{}{}", d.pick(&["A", "B", "C"]), d.int(1, 30))),
            "gate {}",
        ),
        field(
            &["airline", "operator"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&words::COMPANIES),
                    d.pick(&["Air", "Airlines", "Rail", "Bus"])
                ))
            },
            "with {}",
        ),
        field(&["distance", "distance km", "miles"], |d, _| json!(d.int(50, 9000)), "{} km"),
        field(
            &["hotel", "accommodation"],
            |d, _| {
                json!(format!(
                    "Hotel {}",
                    d.pick(&[
                        "Central", "Royal", "Garden", "Bristol", "Astoria", "Park", "Metropol"
                    ])
                ))
            },
            "staying at {}",
        ),
        field(
            &["direct", "refundable", "round trip", "checked in"],
            |d, _| json!(d.chance(50)),
            "",
        ),
        field(&["stops", "bags", "luggage"], |d, _| json!(d.int(0, 3)), "{} stops"),
        field(
            &["stops", "route", "cities", "itinerary"],
            |_, f| json!([f.elsewhere.city, f.place.city]),
            "",
        ),
    ],
};
