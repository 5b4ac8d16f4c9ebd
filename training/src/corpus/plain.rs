//! Plain text: sentences, questions and answers, sums, dates, rows and lists.

use super::draw::Draw;
use super::facts::Facts;
use super::{TOPICS, words};

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn thing(draw: &mut Draw) -> String {
    let noun = draw.pick(&words::NOUNS);
    let adjective = draw.pick(&words::ADJECTIVES);
    match draw.int(0, 3) {
        0 => format!("the {noun}"),
        1 => format!("the {adjective} {noun}"),
        2 => format!("{} {noun}", article(noun)),
        _ => format!("{} {adjective} {noun}", article(adjective)),
    }
}

/// One sentence.
pub(super) fn sentence(draw: &mut Draw) -> String {
    let name = draw.pick(&words::FIRST_NAMES);
    match draw.int(0, 6) {
        0 => {
            format!("{} {} {}.", capital(&thing(draw)), draw.pick(&words::VERBS_PAST), thing(draw))
        }
        1 => format!(
            "{name} {} {} {}.",
            draw.pick(&words::VERBS_PAST),
            thing(draw),
            draw.pick(&words::PLACES_NEAR)
        ),
        2 => format!(
            "{name} {} {} {}.",
            draw.pick(&words::VERBS_PRESENT),
            thing(draw),
            draw.pick(&words::TIMES_OF_DAY)
        ),
        3 => format!("{} is {}.", capital(&thing(draw)), draw.pick(&words::ADJECTIVES)),
        4 => format!("The {} is {}.", draw.pick(&words::NOUNS), draw.pick(&words::PLACES_NEAR)),
        5 => format!(
            "It is {} and {}.",
            draw.pick(&words::ADJECTIVES),
            draw.pick(&words::ADJECTIVES)
        ),
        _ => format!(
            "We {} {} {}.",
            draw.pick(&words::VERBS_PAST),
            thing(draw),
            draw.pick(&words::TIMES_OF_DAY)
        ),
    }
}

/// A few sentences.
pub(super) fn paragraph(draw: &mut Draw) -> String {
    let count = draw.size(1, 3);
    (0..count).map(|_| sentence(draw)).collect::<Vec<_>>().join(" ")
}

/// A question without facts behind it.
pub(super) fn question(draw: &mut Draw) -> String {
    match draw.int(0, 4) {
        0 => format!("Where is the {}?", draw.pick(&words::NOUNS)),
        1 => format!("What is {} + {}?", draw.int(0, 20), draw.int(0, 20)),
        2 => format!("Who {} the {}?", draw.pick(&words::VERBS_PAST), draw.pick(&words::NOUNS)),
        3 => format!("Is the {} {}?", draw.pick(&words::NOUNS), draw.pick(&words::ADJECTIVES)),
        _ => format!(
            "When does the {} start?",
            draw.pick(&["meeting", "concert", "train", "lesson", "film", "match"])
        ),
    }
}

/// A few words that answer something.
pub(super) fn short_answer(draw: &mut Draw) -> String {
    match draw.int(0, 4) {
        0 => draw.pick(&["Yes.", "No.", "Maybe.", "yes", "no"]).to_owned(),
        1 => draw.int(0, 100).to_string(),
        2 => capital(&format!("{}.", draw.pick(&words::PLACES_NEAR))),
        3 => draw.pick(&words::MESSAGES).to_owned(),
        _ => sentence(draw),
    }
}

/// A question with its answer, which follows from it.
pub(super) fn answered(draw: &mut Draw) -> (String, String) {
    let facts = Facts::draw(draw);
    let (a, b) = (draw.int(0, 20), draw.int(0, 20));
    match draw.int(0, 8) {
        0 => (format!("What is {a} + {b}?"), format!("{}", a + b)),
        1 => (format!("What is {} - {b}?", a + b), format!("{a}")),
        2 => (format!("In which country is {}?", facts.place.city), facts.place.country.to_owned()),
        3 => {
            let (noun, place) = (draw.pick(&words::NOUNS), draw.pick(&words::PLACES_NEAR));
            (
                format!("The {noun} is {place}. Where is the {noun}?"),
                format!("The {noun} is {place}."),
            )
        }
        4 => {
            let (name, verb, noun) =
                (facts.person.first, draw.pick(&words::VERBS_PAST), draw.pick(&words::NOUNS));
            (format!("{name} {verb} the {noun}. Who {verb} the {noun}?"), format!("{name}."))
        }
        5 => {
            let (noun, adjective) = (draw.pick(&words::NOUNS), draw.pick(&words::ADJECTIVES));
            let asked = if draw.chance(50) { adjective } else { draw.pick(&words::ADJECTIVES) };
            let answer = if asked == adjective { "Yes" } else { "No" };
            (
                format!("The {noun} is {adjective}. Is it {asked}?"),
                format!("{answer}, it is {adjective}."),
            )
        }
        6 => {
            let name = facts.person.first;
            (format!("My name is {name}. What is my name?"), format!("Your name is {name}."))
        }
        7 => {
            let word = draw.pick(&words::WORDS);
            (format!("Say {word}."), capital(&format!("{word}.")))
        }
        _ => (
            draw.pick(&["Hello!", "Hi!", "Good morning!", "Hi there"]).to_owned(),
            draw.pick(&[
                "Hello! How can I help you?",
                "Good morning!",
                "Hi! What can I do for you?",
            ])
            .to_owned(),
        ),
    }
}

fn sums(draw: &mut Draw) -> String {
    let count = draw.size(1, 5);
    let line = |draw: &mut Draw| {
        let (a, b) = (draw.int(0, 20), draw.int(1, 12));
        match draw.int(0, 4) {
            0 | 1 => format!("{a} + {b} = {}", a + b),
            2 => format!("{} - {b} = {a}", a + b),
            3 => format!("{} * {b} = {}", a.min(12), a.min(12) * b),
            _ => format!("({a} + {b}) * 2 = {}", (a + b) * 2),
        }
    };
    (0..count).map(|_| line(draw)).collect::<Vec<_>>().join("\n")
}

fn cell(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) if text.contains([',', '"']) => {
            Some(format!("\"{}\"", text.replace('"', "\"\"")))
        }
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => None,
        serde_json::Value::Null => Some(String::new()),
        scalar => Some(scalar.to_string()),
    }
}

/// Rows of a table with commas between the cells.
fn rows(draw: &mut Draw) -> String {
    let topic = draw.pick(TOPICS);
    let chosen = topic.choose(draw, 5);
    let count = draw.size(1, 5);
    let mut columns: Vec<Vec<String>> = Vec::new();
    let facts: Vec<Facts> = (0..count).map(|_| Facts::draw(draw)).collect();
    for (name, field) in chosen {
        let cells: Option<Vec<String>> =
            facts.iter().map(|facts| cell(&(field.make)(draw, facts))).collect();
        if let Some(cells) = cells {
            columns.push([vec![name.replace(' ', "_")], cells].concat());
        }
    }
    let line = |row: usize| {
        columns.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join(",")
    };
    (0..=count).map(line).collect::<Vec<_>>().join("\n")
}

fn list(draw: &mut Draw) -> String {
    let count = draw.size(2, 5);
    let words = match draw.int(0, 4) {
        0 => draw.some(&words::NOUNS, count),
        1 => draw.some(&words::FIRST_NAMES, count),
        2 => draw.some(&words::HOBBIES, count),
        3 => draw.some(&words::ANIMALS, count),
        _ => draw.some(&words::COLORS, count),
    };
    match draw.int(0, 3) {
        0 => words.iter().map(|word| format!("- {word}")).collect::<Vec<_>>().join("\n"),
        1 => {
            (1..).zip(&words).map(|(i, word)| format!("{i}. {word}")).collect::<Vec<_>>().join("\n")
        }
        2 => words.join(", "),
        _ => words.join("\n"),
    }
}

/// `key: value`, a line each.
fn pairs(draw: &mut Draw) -> String {
    let topic = draw.pick(TOPICS);
    let facts = Facts::draw(draw);
    let separator = draw.pick(&[": ", ": ", " = ", "="]);
    let chosen = topic.choose(draw, 5);
    let lines = chosen.into_iter().filter_map(|(name, field)| {
        let cell = cell(&(field.make)(draw, &facts))?;
        Some(format!("{}{separator}{cell}", name.replace(' ', "_")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn snippet(draw: &mut Draw) -> String {
    let (x, y) = (
        draw.pick(&["x", "a", "n", "count", "total"]),
        draw.pick(&["y", "b", "i", "size", "value"]),
    );
    match draw.int(0, 7) {
        0 => format!("{x} = {}\n{y} = {x} + {}", draw.int(0, 20), draw.int(1, 9)),
        1 => format!(
            "def {}({x}, {y}):\n    return {x} {} {y}",
            draw.pick(&["add", "compare", "combine", "f"]),
            draw.pick(&["+", "-", "*"])
        ),
        2 => format!("if {x} > {}:\n    print({y})", draw.int(0, 20)),
        3 => format!(
            "SELECT {}, {} FROM {} WHERE {} = {};",
            draw.pick(&["id", "name"]),
            draw.pick(&["price", "city", "email"]),
            draw.pick(&["users", "orders", "products"]),
            draw.pick(&["id", "age", "status"]),
            draw.int(1, 99)
        ),
        4 => format!("for {y} in range({}):\n    print({y})", draw.int(2, 20)),
        5 => format!(
            "int {}(int {x}) {{\n    return {x} + {};\n}}",
            draw.pick(&["next", "add", "f"]),
            draw.int(1, 9)
        ),
        6 => "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6".split_at(draw.pick(&[8, 16, 18, 23, 29])).0.to_owned(),
        _ => format!(
            "<{0}>{1}</{0}>",
            draw.pick(&["p", "b", "h1", "li", "title"]),
            draw.pick(&words::NOUNS)
        ),
    }
}

/// A text of any of these kinds.
pub(super) fn text(draw: &mut Draw) -> String {
    let facts = Facts::draw(draw);
    match draw.int(0, 12) {
        0..=2 => paragraph(draw),
        3 => sums(draw),
        4 | 5 => rows(draw),
        6 => list(draw),
        7 => pairs(draw),
        8 => draw
            .pick(
                &[facts.date.day(), facts.date.instant(), facts.date.in_words(), facts.date.time()]
                    .each_ref(),
            )
            .clone(),
        9 => {
            let email = facts.person.email(draw);
            draw.pick(&[facts.person.full(), email, facts.place.city.to_owned()].each_ref()).clone()
        }
        10 => snippet(draw),
        11 => draw
            .pick(&["yes", "no", "Yes.", "No.", "true", "false", "positive", "negative", "neutral"])
            .to_owned(),
        _ => {
            let (question, answer) = answered(draw);
            format!("Question: {question}\nAnswer: {answer}")
        }
    }
}
