//! Shapes, trees, formulas, tables: what has a form rather than a subject.

use serde_json::{Map, Value, json};

use super::draw::Draw;
use super::topic::{Topic, field};
use super::words;

/// A number as programs write it: mostly small, sometimes with decimals.
pub(super) fn number(draw: &mut Draw) -> Value {
    match draw.int(0, 9) {
        0..=4 => json!(draw.int(0, 20)),
        5 | 6 => json!(draw.magnitude(1000)),
        7 => json!(-draw.magnitude(100)),
        8 => json!(draw.decimal(0.0, 10.0, 1)),
        _ => json!(draw.decimal(-100.0, 100.0, 2)),
    }
}

pub(super) const SHAPE: Topic = Topic {
    names: &["a shape", "a rectangle", "a point", "a box", "dimensions"],
    fields: &[
        field(
            &["kind", "type", "shape"],
            |d, _| {
                json!(d.pick(&[
                    "circle",
                    "box",
                    "square",
                    "triangle",
                    "line",
                    "rectangle",
                    "polygon",
                    "point"
                ]))
            },
            "a {}",
        ),
        field(
            &["width", "w", "side length", "base"],
            |d, _| {
                if d.chance(60) { json!(d.magnitude(300)) } else { json!(d.decimal(0.5, 50.0, 1)) }
            },
            "width {}",
        ),
        field(
            &["height", "h", "depth"],
            |d, _| {
                if d.chance(60) { json!(d.magnitude(300)) } else { json!(d.decimal(0.5, 50.0, 1)) }
            },
            "height {}",
        ),
        field(
            &["radius", "diameter", "r"],
            |d, _| {
                if d.chance(60) { json!(d.magnitude(100)) } else { json!(d.decimal(0.5, 50.0, 1)) }
            },
            "radius {}",
        ),
        field(&["x", "left"], |d, _| number(d), "x {}"),
        field(&["y", "top"], |d, _| number(d), "y {}"),
        field(&["z", "rotation", "angle", "opacity", "scale"], |d, _| number(d), ""),
        field(
            &["corner", "point", "center", "origin", "position", "offset"],
            |d, _| json!([d.int(0, 100), d.int(0, 100)]),
            "",
        ),
        field(
            &["center", "start", "end", "position"],
            |d, _| json!({"x": d.int(0, 100), "y": d.int(0, 100)}),
            "",
        ),
        field(
            &["color", "fill", "stroke", "background"],
            |d, _| {
                if d.chance(50) {
                    json!(d.pick(&words::COLORS))
                } else {
                    json!(format!("#{}", d.hex(6)))
                }
            },
            "{}",
        ),
        field(
            &["points", "vertices", "path"],
            |d, _| {
                let n = d.size(2, 4);
                Value::Array((0..n).map(|_| json!([d.int(0, 50), d.int(0, 50)])).collect())
            },
            "",
        ),
        field(
            &["area", "perimeter", "length", "volume"],
            |d, _| json!(d.decimal(1.0, 500.0, 1)),
            "area {}",
        ),
        field(&["visible", "filled", "closed"], |d, _| json!(d.chance(60)), ""),
        field(
            &["bbox", "bounds", "rect"],
            |d, _| json!([d.int(0, 50), d.int(0, 50), d.int(51, 100), d.int(51, 100)]),
            "",
        ),
        field(&["label", "id"], |d, _| json!(d.pick(&words::WORDS)), "label {}"),
    ],
};

/// A tree of values; `rest` bounds its depth.
fn tree(draw: &mut Draw, rest: usize, text: bool) -> Value {
    let count = if rest == 0 { 0 } else { draw.size(0, 2) };
    let children: Vec<Value> = (0..count).map(|_| tree(draw, rest - 1, text)).collect();
    let mut node = Map::new();
    if text {
        node.insert("name".into(), json!(draw.pick(&words::WORDS)));
    } else {
        node.insert("value".into(), json!(draw.int(0, 30)));
    }
    if !children.is_empty() || draw.chance(60) {
        node.insert("children".into(), Value::Array(children));
    }
    Value::Object(node)
}

fn linked_list(draw: &mut Draw) -> Value {
    let count = draw.size(1, 4);
    (0..count).fold(Value::Null, |next, _| json!({"value": draw.int(0, 30), "next": next}))
}

fn expression(draw: &mut Draw, rest: usize) -> Value {
    if rest == 0 || draw.chance(40) {
        return if draw.chance(60) {
            json!(draw.int(0, 20))
        } else {
            json!(draw.pick(&["x", "y", "a", "b", "n"]))
        };
    }
    json!({
        "op": draw.pick(&["+", "-", "*", "/"]),
        "left": expression(draw, rest - 1),
        "right": expression(draw, rest - 1),
    })
}

fn matrix(draw: &mut Draw) -> Value {
    let (rows, columns) = (draw.size(1, 3), draw.size(1, 4));
    let decimals = draw.chance(30);
    let cell = |draw: &mut Draw| {
        if decimals { json!(draw.decimal(0.0, 9.0, 1)) } else { json!(draw.int(0, 9)) }
    };
    (0..rows).map(|_| (0..columns).map(|_| cell(draw)).collect::<Value>()).collect()
}

fn feature(draw: &mut Draw) -> Value {
    let facts = super::facts::Facts::draw(draw);
    json!({
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [facts.place.longitude, facts.place.latitude]},
        "properties": {"name": facts.place.city},
    })
}

/// Keys that are names, all with values of the same kind.
fn table(draw: &mut Draw) -> Value {
    let count = draw.size(1, 4);
    let keys = match draw.int(0, 3) {
        0 => draw.some(&words::FIRST_NAMES, count),
        1 => draw.some(&words::WORDS, count),
        2 => draw.some(&words::COLORS, count),
        _ => draw.some(&words::ANIMALS, count),
    };
    let kind = draw.int(0, 3);
    let value = |draw: &mut Draw| match kind {
        0 => json!(draw.int(0, 100)),
        1 => json!(draw.decimal(0.0, 100.0, 1)),
        2 => json!(draw.pick(&words::NOUNS)),
        _ => json!(draw.chance(50)),
    };
    Value::Object(keys.into_iter().map(|key| (key.to_owned(), value(draw))).collect())
}

/// An array of scalars of one kind.
fn scalars(draw: &mut Draw) -> Value {
    let count = draw.size(0, 5);
    match draw.int(0, 5) {
        0 => (0..count).map(|_| number(draw)).collect(),
        1 => (0..count).map(|_| json!(draw.int(0, 100))).collect(),
        2 => json!(draw.some(&words::FIRST_NAMES, count)),
        3 => json!(draw.some(&words::TAGS, count)),
        4 => json!(draw.some(&words::NOUNS, count)),
        _ => (0..count.min(3)).map(|_| json!(draw.chance(50))).collect(),
    }
}

/// A string of one of the usual formats.
pub(super) fn text(draw: &mut Draw) -> String {
    let facts = super::facts::Facts::draw(draw);
    match draw.int(0, 9) {
        0 => facts.person.full(),
        1 => facts.place.city.to_owned(),
        2 => facts.date.day(),
        3 => facts.person.email(draw),
        4 => draw.pick(&words::MESSAGES).to_owned(),
        5 => facts.person.username(draw),
        6 => draw.pick(&["yes", "no", "both", "none", "all", "maybe"]).to_owned(),
        7 => facts.product,
        _ => draw.pick(&words::WORDS).to_owned(),
    }
}

/// A document that is no object of a topic.
pub(super) fn document(draw: &mut Draw) -> Value {
    match draw.int(0, 15) {
        0 | 1 => tree(draw, 3, false),
        2 => tree(draw, 3, true),
        3 => linked_list(draw),
        4 | 5 => expression(draw, 3),
        6 => matrix(draw),
        7 => feature(draw),
        8 | 9 => table(draw),
        10 => json!({"type": "FeatureCollection", "features": [feature(draw)]}),
        11 => number(draw),
        12 => json!(text(draw)),
        13 => draw.pick(&[json!(true), json!(false), Value::Null].each_ref()).clone(),
        _ => scalars(draw),
    }
}
