//! Objects of no known kind: members of all topics, general ones, and made-up keys, nested in any way.

use serde_json::{Map, Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Field, Make, Topic, field};
use super::{
    TOPICS, addresses, code, events, food, media, messages, nature, orders, people, plain,
    products, settings, structures, words,
};

fn uuid(draw: &mut Draw) -> String {
    let variant = draw.pick(&["8", "9", "a", "b"]);
    format!(
        "{}-{}-4{}-{variant}{}-{}",
        draw.hex(8),
        draw.hex(4),
        draw.hex(3),
        draw.hex(3),
        draw.hex(12)
    )
}

/// Members that objects of any kind have.
const GENERAL: &[Field] = &[
    field(
        &["id", "number", "index", "no", "position", "rank", "order", "sequence"],
        |d, _| json!(d.magnitude(9999)),
        "",
    ),
    field(
        &["id", "uuid", "uid", "guid", "identifier", "request id", "external id", "_id"],
        |d, _| json!(uuid(d)),
        "",
    ),
    field(
        &["id", "code", "key", "ref", "reference"],
        |d, _| json!(format!("{}{}", d.capitals(2), d.digits(3))),
        "",
    ),
    field(
        &["name", "title", "label", "display name", "caption"],
        |d, _| json!(format!("{} {}", d.pick(&words::ADJECTIVES), d.pick(&words::NOUNS))),
        "",
    ),
    field(
        &["name", "key", "slug", "tag", "alias", "word", "term", "keyword", "token"],
        |d, _| json!(d.pick(&words::WORDS)),
        "",
    ),
    field(
        &["type", "kind", "category", "class", "group", "format"],
        |d, _| {
            json!(d.pick(&[
                "basic", "default", "standard", "custom", "simple", "main", "other", "text",
                "number", "string", "object"
            ]))
        },
        "",
    ),
    field(
        &["description", "text", "content", "summary", "details", "comment", "help", "hint"],
        |d, _| json!(plain::sentence(d)),
        "",
    ),
    field(&["note", "notes", "remark", "comments"], |d, _| json!(d.pick(&words::NOTES)), ""),
    field(&["status", "state", "phase", "stage"], |d, _| json!(d.pick(&words::STATUSES)), ""),
    field(
        &[
            "enabled",
            "active",
            "visible",
            "required",
            "optional",
            "is active",
            "is default",
            "deleted",
            "locked",
            "valid",
            "checked",
            "selected",
            "has children",
            "is public",
            "read only",
            "archived",
            "hidden",
            "flag",
            "ready",
        ],
        |d, _| json!(d.chance(55)),
        "",
    ),
    field(&["value", "data", "result", "amount", "default"], |d, _| structures::number(d), ""),
    field(
        &["value", "default", "input", "output", "result", "content", "data"],
        |d, _| json!(structures::text(d)),
        "",
    ),
    field(
        &[
            "count",
            "total",
            "quantity",
            "size",
            "length",
            "number of items",
            "limit",
            "capacity",
            "views",
            "visits",
        ],
        |d, _| json!(d.magnitude(1000)),
        "",
    ),
    field(
        &["min", "minimum", "from", "start", "lower", "begin", "offset"],
        |d, _| json!(d.int(0, 20)),
        "",
    ),
    field(
        &["max", "maximum", "to", "end", "upper", "limit", "stop"],
        |d, _| json!(d.int(21, 200)),
        "",
    ),
    field(
        &["percent", "percentage", "progress", "share", "discount"],
        |d, _| json!(d.int(0, 100)),
        "",
    ),
    field(
        &[
            "score",
            "ratio",
            "probability",
            "confidence",
            "weight",
            "rate",
            "similarity",
            "threshold",
        ],
        |d, _| json!(d.decimal(0.0, 1.0, 2)),
        "",
    ),
    field(
        &["price", "cost", "amount", "fee", "budget", "total", "balance", "salary"],
        |_, f| json!(f.price),
        "",
    ),
    field(
        &["date", "day", "created on", "due date", "start date", "valid from", "birth date"],
        |_, f| json!(f.date.day()),
        "",
    ),
    field(
        &["end date", "valid until", "expires on", "valid to", "deadline"],
        |_, f| json!(f.later.day()),
        "",
    ),
    field(
        &[
            "created at",
            "created",
            "timestamp",
            "createdAt",
            "date time",
            "published at",
            "start time",
            "date",
        ],
        |_, f| json!(f.date.instant()),
        "",
    ),
    field(
        &[
            "updated at",
            "updated",
            "modified",
            "last modified",
            "end time",
            "expires at",
            "deleted at",
        ],
        |d, f| if d.chance(15) { Value::Null } else { json!(f.later.instant()) },
        "",
    ),
    field(
        &["time", "hour", "opens", "closes", "start time", "at"],
        |_, f| json!(f.date.time()),
        "",
    ),
    field(&["year"], |_, f| json!(f.date.year), ""),
    field(&["month"], |_, f| json!(f.date.month), ""),
    field(&["day", "week"], |_, f| json!(f.date.day), ""),
    field(
        &["timestamp", "ts", "epoch", "expires", "iat", "exp"],
        |d, _| json!(d.int(1_500_000_000, 1_790_000_000)),
        "",
    ),
    field(
        &["duration", "seconds", "minutes", "hours", "days", "timeout", "interval", "ttl", "age"],
        |d, _| json!(d.magnitude(600)),
        "",
    ),
    field(
        &[
            "url",
            "link",
            "href",
            "website",
            "homepage",
            "web url",
            "source url",
            "callback url",
            "self link",
        ],
        |d, _| json!(format!("https://example.com/{}", d.pick(&words::WORDS))),
        "",
    ),
    field(
        &["image", "icon", "logo", "photo", "thumbnail", "avatar"],
        |d, _| json!(format!("{}.{}", d.pick(&words::WORDS), d.pick(&["png", "jpg", "svg"]))),
        "",
    ),
    field(
        &["file", "filename", "path", "document", "attachment", "template"],
        |d, _| json!(d.pick(&words::FILES)),
        "",
    ),
    field(
        &[
            "tags",
            "labels",
            "keywords",
            "categories",
            "topics",
            "values",
            "items",
            "options",
            "names",
        ],
        |d, _| {
            let n = d.size(0, 4);
            json!(d.some(&words::TAGS, n))
        },
        "",
    ),
    field(
        &["items", "values", "numbers", "scores", "data", "ids", "list"],
        |d, _| {
            let n = d.size(0, 5);
            Value::Array((0..n).map(|_| json!(d.int(0, 100))).collect())
        },
        "",
    ),
    field(
        &["color", "colour", "background", "foreground"],
        |d, _| {
            if d.chance(50) {
                json!(d.pick(&words::COLORS))
            } else {
                json!(format!("#{}", d.hex(6)))
            }
        },
        "",
    ),
    field(&["version", "release", "api version"], |d, _| json!(code::version(d)), ""),
    field(&["version", "revision", "level", "depth", "priority"], |d, _| json!(d.int(1, 10)), ""),
    field(
        &["hash", "checksum", "token", "signature", "secret", "etag", "fingerprint"],
        |d, _| {
            let n = d.pick(&[8, 12, 16]);
            json!(d.hex(n))
        },
        "",
    ),
    field(&["ip", "ip address", "host", "server", "hostname"], |d, _| json!(settings::host(d)), ""),
    field(&["email", "mail", "contact"], |d, f| json!(f.person.email(d)), ""),
    field(
        &[
            "user",
            "author",
            "owner",
            "created by",
            "updated by",
            "assigned to",
            "name",
            "editor",
            "contact",
        ],
        |_, f| json!(f.person.full()),
        "",
    ),
    field(&["city", "location", "place", "region"], |_, f| json!(f.place.city), ""),
    field(&["country"], |_, f| json!(f.place.country), ""),
    field(&["language", "locale", "lang"], |_, f| json!(f.place.language), ""),
    field(&["currency"], |_, f| json!(f.place.currency), ""),
    field(&["unit", "units"], |d, _| json!(d.pick(&words::UNITS)), ""),
    field(&["question", "query", "search", "prompt"], |d, _| json!(d.pick(&words::QUERIES)), ""),
    field(
        &["answer", "message", "response", "reply", "body"],
        |d, _| json!(d.pick(&words::MESSAGES)),
        "",
    ),
    field(&["reason", "explanation", "why", "cause"], |d, _| json!(plain::sentence(d)), ""),
    field(
        &["error", "warning", "exception"],
        |d, _| if d.chance(60) { Value::Null } else { json!(d.pick(&words::ERRORS)) },
        "",
    ),
    field(
        &["parent", "previous", "next", "parent id", "manager id", "deleted by", "other"],
        |d, _| if d.chance(60) { Value::Null } else { json!(d.magnitude(999)) },
        "",
    ),
    field(
        &[
            "metadata",
            "meta",
            "extra",
            "attributes",
            "properties",
            "additional properties",
            "custom data",
            "labels",
            "annotations",
            "headers",
            "vars",
        ],
        |d, _| json!({d.pick(&words::WORDS): structures::text(d)}),
        "",
    ),
    field(
        &["range", "limits", "bounds"],
        |d, _| json!({"min": d.int(0, 20), "max": d.int(21, 200)}),
        "",
    ),
    field(
        &["answer", "approved", "agree", "yes no"],
        |d, _| json!(d.pick(&["yes", "no", "maybe"])),
        "",
    ),
    field(&["gender"], |d, _| json!(d.pick(&["female", "male", "other"])), ""),
    field(
        &["children", "parts", "elements", "entries", "links", "resources"],
        |_, _| json!([]),
        "",
    ),
    field(
        &["operation", "action", "command", "op", "event"],
        |d, _| {
            json!(d.pick(&[
                "create", "update", "delete", "read", "add", "remove", "start", "stop", "replace",
                "move", "copy"
            ]))
        },
        "",
    ),
    field(
        &["condition", "expression", "formula", "filter", "rule"],
        |d, _| {
            json!(format!(
                "{} {} {}",
                d.pick(&["x", "age", "price", "count", "y"]),
                d.pick(&[">", "<", "==", ">=", "!="]),
                d.int(0, 100)
            ))
        },
        "",
    ),
    field(
        &["pattern", "regex", "mask"],
        |d, _| json!(d.pick(&["^[a-z]+$", "[0-9]{4}", ".*", "^\\d+$", "\\w+", "*.txt"])),
        "",
    ),
];

/// Members whose values are objects of a topic, or lists of them.
const OBJECTS: &[(&str, &Topic)] = &[
    ("person", &people::PERSON),
    ("author", &people::PERSON),
    ("owner", &people::PERSON),
    ("customer", &people::PERSON),
    ("contact", &people::PERSON),
    ("people", &people::PERSON),
    ("users", &people::USER),
    ("user", &people::USER),
    ("account", &people::USER),
    ("employee", &people::EMPLOYEE),
    ("employees", &people::EMPLOYEE),
    ("company", &people::COMPANY),
    ("organization", &people::COMPANY),
    ("address", &addresses::ADDRESS),
    ("location", &addresses::ADDRESS),
    ("billing address", &addresses::ADDRESS),
    ("contact", &addresses::CONTACT),
    ("contact info", &addresses::CONTACT),
    ("place", &addresses::PLACE),
    ("destination", &addresses::PLACE),
    ("item", &orders::LINE),
    ("items", &orders::LINE),
    ("lines", &orders::LINE),
    ("order", &orders::ORDER),
    ("orders", &orders::ORDER),
    ("payment", &orders::PAYMENT),
    ("transactions", &orders::PAYMENT),
    ("invoice", &orders::INVOICE),
    ("shipment", &orders::SHIPMENT),
    ("delivery", &orders::SHIPMENT),
    ("product", &products::PRODUCT),
    ("products", &products::PRODUCT),
    ("reviews", &products::REVIEW),
    ("vehicle", &products::VEHICLE),
    ("property", &products::HOME),
    ("event", &events::EVENT),
    ("events", &events::EVENT),
    ("tasks", &events::TASK),
    ("task", &events::TASK),
    ("events", &events::SIGNAL),
    ("trip", &events::TRIP),
    ("flight", &events::TRIP),
    ("recipe", &food::RECIPE),
    ("ingredients", &food::INGREDIENT),
    ("restaurant", &food::RESTAURANT),
    ("message", &messages::MESSAGE),
    ("messages", &messages::MESSAGE),
    ("article", &messages::ARTICLE),
    ("posts", &messages::ARTICLE),
    ("answer", &messages::ANSWER),
    ("settings", &settings::SETTINGS),
    ("config", &settings::SETTINGS),
    ("options", &settings::SETTINGS),
    ("server", &settings::SERVER),
    ("servers", &settings::SERVER),
    ("database", &settings::SERVER),
    ("package", &code::PACKAGE),
    ("repository", &code::REPOSITORY),
    ("request", &code::REQUEST),
    ("response", &code::REQUEST),
    ("logs", &code::LOG),
    ("file", &code::FILE),
    ("files", &code::FILE),
    ("resource", &code::MANIFEST),
    ("spec", &code::MANIFEST),
    ("weather", &nature::WEATHER),
    ("measurements", &nature::MEASUREMENT),
    ("metrics", &nature::MEASUREMENT),
    ("pet", &nature::ANIMAL),
    ("pets", &nature::ANIMAL),
    ("patient", &nature::PATIENT),
    ("book", &media::BOOK),
    ("books", &media::BOOK),
    ("song", &media::SONG),
    ("tracks", &media::SONG),
    ("movie", &media::MOVIE),
    ("course", &media::COURSE),
    ("courses", &media::COURSE),
    ("match", &media::MATCH),
    ("shape", &structures::SHAPE),
    ("dimensions", &structures::SHAPE),
    ("size", &structures::SHAPE),
    ("data", &products::PRODUCT),
    ("results", &messages::ANSWER),
    ("payload", &events::SIGNAL),
    ("body", &messages::MESSAGE),
    ("details", &products::PRODUCT),
];

fn make_up_key(draw: &mut Draw) -> String {
    match draw.int(0, 5) {
        0 => draw.characters("abcdefghijklmnopqrstuvwxyz", 1),
        1 => format!(
            "{}{}",
            draw.pick(&["key", "field", "item", "value", "a", "x", "prop"]),
            draw.int(1, 9)
        ),
        2 | 3 => format!("{} {}", draw.pick(&words::ADJECTIVES), draw.pick(&words::NOUNS)),
        _ => draw.pick(&words::WORDS).to_owned(),
    }
}

fn made_up_value(draw: &mut Draw) -> Value {
    match draw.int(0, 5) {
        0 | 1 => structures::number(draw),
        2 => json!(draw.chance(50)),
        3 => json!(draw.pick(&words::WORDS)),
        4 => json!(plain::sentence(draw)),
        _ => json!(structures::text(draw)),
    }
}

fn nested(draw: &mut Draw, facts: &Facts, depth: usize) -> (String, Value) {
    let (key, topic) = draw.pick(OBJECTS);
    let plural = key.ends_with('s')
        && !matches!(key, "address" | "settings" | "options" | "dimensions" | "details");
    let value = if plural {
        topic.list(draw, 0, 3)
    } else if depth > 0 && draw.chance(30) {
        object(draw, depth - 1)
    } else {
        topic.object(draw, facts)
    };
    (key.to_owned(), value)
}

/// An object with members of anything; `depth` bounds the nesting.
pub(super) fn object(draw: &mut Draw, depth: usize) -> Value {
    let facts = Facts::draw(draw);
    let count = draw.size(1, 7);
    let mut members = Map::new();
    // Half of all mixtures lean towards one topic.
    let home: Option<&Topic> = if draw.chance(50) { Some(draw.pick(TOPICS)) } else { None };
    for _ in 0..count {
        let of = |field: &Field, draw: &mut Draw, make: Make| {
            (draw.pick(field.names).to_owned(), make(draw, &facts))
        };
        let (key, value) = match (draw.int(0, 19), home) {
            (0..=8, Some(topic)) => {
                let field = &topic.fields[draw.size(0, topic.fields.len() - 1)];
                of(field, draw, field.make)
            }
            (0..=10, _) => {
                let field = &GENERAL[draw.size(0, GENERAL.len() - 1)];
                of(field, draw, field.make)
            }
            (11..=14, _) => {
                let topic = draw.pick(TOPICS);
                let field = &topic.fields[draw.size(0, topic.fields.len() - 1)];
                of(field, draw, field.make)
            }
            (15 | 16, _) => (make_up_key(draw), made_up_value(draw)),
            (17, _) if depth > 0 => (
                draw.pick(&["nested", "child", "inner", "group", "section", "config", "data"])
                    .to_owned(),
                object(draw, depth - 1),
            ),
            _ => nested(draw, &facts, depth),
        };
        members.entry(key).or_insert(value);
    }
    Value::Object(members)
}
