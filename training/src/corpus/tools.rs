//! Calls of tools in the Hermes form: tools in the system message, calls as JSON between marks.

use serde_json::{Map, Value, json};

use super::chat::{message, thought};
use super::draw::Draw;
use super::facts::Facts;
use super::{events, words};

/// What stands before the list of tools in the system message, and behind it. The chat template has the same.
pub(crate) const BEFORE_TOOLS: &str = "You may call functions. They are:\n<tools>";
pub(crate) const AFTER_TOOLS: &str = "\n</tools>\nFor each call write JSON with name and arguments:\n<tool_call>\n{\"name\": \"...\", \"arguments\": {...}}\n</tool_call>";

/// A parameter: its name, its schema, and whether it must be there.
type Parameter = (&'static str, &'static str, bool);

/// What a user asks for, and the arguments that this means.
type Ask = fn(&mut Draw, &Facts) -> (String, Value);

struct Tool {
    names: &'static [&'static str],
    description: &'static str,
    parameters: &'static [Parameter],
    ask: Ask,
}

const STRING: &str = r#"{"type": "string"}"#;
const INTEGER: &str = r#"{"type": "integer"}"#;
const NUMBER: &str = r#"{"type": "number"}"#;
const BOOLEAN: &str = r#"{"type": "boolean"}"#;
const STRINGS: &str = r#"{"type": "array", "items": {"type": "string"}}"#;

const TOOLS: &[Tool] = &[
    Tool {
        names: &["get_weather", "weather", "get_current_weather", "get_forecast"],
        description: "The weather in a city",
        parameters: &[
            ("city", STRING, true),
            ("unit", r#"{"type": "string", "enum": ["celsius", "fahrenheit"]}"#, false),
            ("days", INTEGER, false),
        ],
        ask: |d, f| {
            let city = f.place.city;
            match d.int(0, 3) {
                0 => (format!("What is the weather in {city}?"), json!({"city": city})),
                1 => {
                    let unit = d.pick(&["celsius", "fahrenheit"]);
                    (
                        format!("How warm is it in {city} in {unit}?"),
                        json!({"city": city, "unit": unit}),
                    )
                }
                2 => {
                    let days = d.int(2, 10);
                    (
                        format!("Weather in {city} for the next {days} days, please."),
                        json!({"city": city, "days": days}),
                    )
                }
                _ => (format!("Will it rain in {city} today?"), json!({"city": city, "days": 1})),
            }
        },
    },
    Tool {
        names: &["search", "web_search", "search_web", "find"],
        description: "Searches the web",
        parameters: &[("query", STRING, true)],
        ask: |d, _| {
            let query = d.pick(&words::QUERIES);
            (
                format!(
                    "{} {query}.",
                    d.pick(&["Search for", "Look up", "Find", "Please search for"])
                ),
                json!({"query": query}),
            )
        },
    },
    Tool {
        names: &["send_email", "send_mail", "email"],
        description: "Sends an e-mail",
        parameters: &[("to", STRING, true), ("subject", STRING, true), ("body", STRING, false)],
        ask: |d, f| {
            let (to, subject, body) =
                (f.person.email(d), d.pick(&words::SUBJECTS), d.pick(&words::MESSAGES));
            (
                format!("Write to {to} about \"{subject}\": {body}"),
                json!({"to": to, "subject": subject, "body": body}),
            )
        },
    },
    Tool {
        names: &["add", "sum", "add_numbers"],
        description: "Adds two numbers",
        parameters: &[("a", NUMBER, true), ("b", NUMBER, true)],
        ask: |d, _| {
            let (a, b) = (d.magnitude(999), d.magnitude(999));
            (
                format!("{} {a} + {b}?", d.pick(&["What is", "How much is", "Compute"])),
                json!({"a": a, "b": b}),
            )
        },
    },
    Tool {
        names: &["calculate", "calculator", "evaluate"],
        description: "Evaluates an expression",
        parameters: &[("expression", STRING, true)],
        ask: |d, _| {
            let e = format!(
                "{} {} {}",
                d.magnitude(999),
                d.pick(&["+", "-", "*", "/"]),
                d.magnitude(99)
            );
            (format!("What is {e}?"), json!({"expression": e}))
        },
    },
    Tool {
        names: &["create_event", "add_event", "schedule_meeting"],
        description: "Adds an event to the calendar",
        parameters: &[("title", STRING, true), ("date", STRING, true), ("time", STRING, false)],
        ask: |d, f| {
            let title = d.pick(&words::EVENTS);
            if d.chance(50) {
                (
                    format!("Add {title} on {} at {}.", f.date.day(), f.date.time()),
                    json!({"title": title, "date": f.date.day(), "time": f.date.time()}),
                )
            } else {
                (
                    format!("Put {title} into my calendar for {}.", f.date.day()),
                    json!({"title": title, "date": f.date.day()}),
                )
            }
        },
    },
    Tool {
        names: &["convert_currency", "exchange"],
        description: "Converts an amount of money",
        parameters: &[("amount", NUMBER, true), ("from", STRING, true), ("to", STRING, true)],
        ask: |d, f| {
            let amount = d.magnitude(999);
            let (from, to) = (f.place.currency, f.elsewhere.currency);
            (
                format!("How much is {amount} {from} in {to}?"),
                json!({"amount": amount, "from": from, "to": to}),
            )
        },
    },
    Tool {
        names: &["set_timer", "start_timer", "timer"],
        description: "Starts a timer",
        parameters: &[("minutes", INTEGER, true), ("label", STRING, false)],
        ask: |d, _| {
            let minutes = d.int(1, 60);
            if d.chance(60) {
                (format!("Set a timer for {minutes} minutes."), json!({"minutes": minutes}))
            } else {
                let label = d.pick(&words::DISHES);
                (
                    format!("Timer for {label}: {minutes} minutes."),
                    json!({"minutes": minutes, "label": label}),
                )
            }
        },
    },
    Tool {
        names: &["translate", "translate_text"],
        description: "Translates a text",
        parameters: &[("text", STRING, true), ("language", STRING, true)],
        ask: |d, _| {
            let (text, language) = (d.pick(&words::MESSAGES), d.pick(&words::LANGUAGES));
            (
                format!("Translate into {language}: {text}"),
                json!({"text": text, "language": language}),
            )
        },
    },
    Tool {
        names: &["book_flight", "find_flights", "search_flights"],
        description: "Looks for flights",
        parameters: &[
            ("origin", STRING, true),
            ("destination", STRING, true),
            ("date", STRING, true),
        ],
        ask: |_, f| {
            let (a, b, date) = (f.elsewhere.city, f.place.city, f.date.day());
            (
                format!("I want to fly from {a} to {b} on {date}."),
                json!({"origin": a, "destination": b, "date": date}),
            )
        },
    },
    Tool {
        names: &["open", "open_page", "go_to_page"],
        description: "Opens a page",
        parameters: &[("page", INTEGER, true)],
        ask: |d, _| {
            let page = d.int(1, 300);
            (
                format!("{} page {page}.", d.pick(&["Open", "Show me", "Go to"])),
                json!({"page": page}),
            )
        },
    },
    Tool {
        names: &["answer", "final_answer", "reply"],
        description: "Gives the answer",
        parameters: &[("text", STRING, true), ("sure", BOOLEAN, true)],
        ask: |d, _| {
            let (question, text) = super::plain::answered(d);
            (question, json!({"text": text, "sure": d.chance(80)}))
        },
    },
    Tool {
        names: &["now", "get_time", "current_time"],
        description: "The date and the time",
        parameters: &[],
        ask: |d, _| {
            (
                d.pick(&["What time is it?", "What is the date today?", "Which day is it?"])
                    .to_owned(),
                json!({}),
            )
        },
    },
    Tool {
        names: &["read_file", "open_file", "cat"],
        description: "Reads a file",
        parameters: &[("path", STRING, true)],
        ask: |d, _| {
            let path = format!("{}/{}", d.pick(&words::FOLDERS), d.pick(&words::FILES));
            (format!("{} {path}?", d.pick(&["What is in", "Can you read"])), json!({"path": path}))
        },
    },
    Tool {
        names: &["play_music", "play"],
        description: "Plays music",
        parameters: &[("artist", STRING, true), ("volume", INTEGER, false)],
        ask: |d, f| {
            let artist = f.person.full();
            if d.chance(60) {
                (format!("Play something by {artist}."), json!({"artist": artist}))
            } else {
                let volume = d.int(1, 20) * 5;
                (
                    format!("Play {artist} at volume {volume}."),
                    json!({"artist": artist, "volume": volume}),
                )
            }
        },
    },
    Tool {
        names: &["get_user", "find_user", "lookup_user"],
        description: "Finds a user",
        parameters: &[("name", STRING, true)],
        ask: |_, f| {
            let name = f.person.full();
            (format!("Who is {name}?"), json!({"name": name}))
        },
    },
    Tool {
        names: &["get_order", "order_status", "track_order"],
        description: "The state of an order",
        parameters: &[("order_id", INTEGER, true)],
        ask: |d, _| {
            let id = d.int(100, 99_999);
            (format!("Where is my order {id}?"), json!({"order_id": id}))
        },
    },
    Tool {
        names: &["add_to_cart", "buy", "order_item"],
        description: "Puts a product into the cart",
        parameters: &[("product", STRING, true), ("quantity", INTEGER, true)],
        ask: |d, f| {
            let n = d.int(1, 9);
            (
                format!("I would like {n} x {}.", f.product),
                json!({"product": f.product, "quantity": n}),
            )
        },
    },
    Tool {
        names: &["create_task", "add_todo", "create_ticket"],
        description: "Writes down a task",
        parameters: &[
            ("title", STRING, true),
            ("priority", r#"{"type": "string", "enum": ["low", "medium", "high"]}"#, false),
        ],
        ask: |d, f| {
            let task = &events::TASK.fields[0];
            let title = (task.make)(d, f);
            let priority = d.pick(&["low", "medium", "high"]);
            (
                format!(
                    "Remind me: {}. It has {priority} priority.",
                    title.as_str().unwrap_or_default()
                ),
                json!({"title": title, "priority": priority}),
            )
        },
    },
    Tool {
        names: &["invite", "add_members", "create_group"],
        description: "Invites people",
        parameters: &[("names", STRINGS, true)],
        ask: |d, _| {
            let n = d.size(1, 3);
            let names = d.some(&words::FIRST_NAMES, n);
            (format!("Invite {}.", names.join(" and ")), json!({"names": names}))
        },
    },
];

fn schema(parameters: &[Parameter]) -> Value {
    let parse = |text: &str| serde_json::from_str::<Value>(text).expect("a schema in tools.rs");
    let properties: Map<String, Value> =
        parameters.iter().map(|(name, schema, _)| ((*name).to_owned(), parse(schema))).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|parameter| parameter.2).map(|parameter| parameter.0).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// A tool as the requests of the usual interfaces have it.
fn definition(tool: &Tool, name: &str) -> Value {
    json!({"type": "function", "function": {"name": name, "description": tool.description, "parameters": schema(tool.parameters)}})
}

fn call(name: &str, arguments: &Value) -> String {
    let json = super::Spacing::Python.write(&json!({"name": name, "arguments": arguments}));
    format!("<tool_call>\n{json}\n</tool_call>")
}

/// A question, and the call that answers it; mostly with the tools in the system message.
pub(super) fn conversation(draw: &mut Draw) -> String {
    // A call by itself, as a schema of calls asks for it.
    if draw.chance(15) {
        let tool = &TOOLS[draw.size(0, TOOLS.len() - 1)];
        let facts = Facts::draw(draw);
        let (_, arguments) = (tool.ask)(draw, &facts);
        return super::Spacing::Python
            .write(&json!({"name": draw.pick(tool.names), "arguments": arguments}));
    }
    let count = draw.size(1, 3);
    let chosen = draw.some(&(0..TOOLS.len()).collect::<Vec<_>>(), count);
    let offered: Vec<(&Tool, &str)> =
        chosen.into_iter().map(|place| (&TOOLS[place], draw.pick(TOOLS[place].names))).collect();
    let mut system = BEFORE_TOOLS.to_owned();
    for (tool, name) in &offered {
        system += "\n";
        system += &super::Spacing::Python.write(&definition(tool, name));
    }
    system += AFTER_TOOLS;
    let facts = Facts::draw(draw);
    let (tool, name) = offered[draw.size(0, offered.len() - 1)];
    let (question, arguments) = (tool.ask)(draw, &facts);
    let mut text = message("system", &system) + &message("user", &question);
    let thinking =
        if draw.chance(20) { thought(&format!("I call {name}.")) } else { String::new() };
    if draw.chance(10) {
        // The first message of an assistant may also need no tool.
        let (question, answer) = super::plain::answered(draw);
        return message("system", &system)
            + &message("user", &question)
            + &message("assistant", &answer);
    }
    text += &message("assistant", &(thinking + &call(name, &arguments)));
    if draw.chance(25) {
        let result = super::Spacing::Python
            .write(&json!({"result": draw.pick(&["ok", "done", "sent", "42", "sunny", "found"])}));
        text += &message("user", &format!("<tool_response>\n{result}\n</tool_response>"));
        text += &message(
            "assistant",
            draw.pick(&["It is done.", "Done.", "Here it is.", "All is well."]),
        );
    }
    text
}
