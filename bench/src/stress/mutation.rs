//! Mutations of schemas: at a place that is drawn something is put in, around or instead.

use rand::RngExt;
use rand::seq::{IndexedRandom, IteratorRandom};
use serde_json::{Map, Value, json};

use super::Random;
use super::pool::{Kind, Pool, subschemas};

/// Not every mutation can be made at every place: so often another one is tried.
const TRIES: usize = 4;

/// What bounds are multiplied with.
const FACTORS: [f64; 6] = [0.0, 0.5, 1.0, 2.0, 10.0, 100.0];
/// A bound grows no further.
const MOST_BOUND: f64 = 1e9;

/// Split at blanks, which reads better than a list of as many lines.
const BOUNDS: &str = "minLength maxLength minItems maxItems minimum maximum minProperties \
    maxProperties multipleOf";
const FORMATS: &str = "date date-time duration email hostname idn-email ipv4 ipv6 iri json-pointer \
    regex time uri uri-reference uuid";

/// What stays where it is when a schema is put into another one, as references lead to it.
const HEAD: [&str; 4] = ["$schema", "$id", "$defs", "definitions"];

/// What becomes of a schema; `None` if the mutation cannot be made there.
type Mutation = fn(Node, &mut Chance) -> Option<Value>;

const MUTATIONS: [(&str, Mutation); 17] = [
    ("replaced", replaced),
    ("replaced by its kind", replaced_by_its_kind),
    ("in an array", in_array),
    ("in a set", in_set),
    ("allOf", all_of),
    ("anyOf", any_of),
    ("oneOf", one_of),
    ("bounds", bounds),
    ("additionalProperties", additional_properties),
    ("closed", closed),
    ("patternProperties", pattern_properties),
    ("propertyNames", property_names),
    ("number of properties", number_of_properties),
    ("pattern", pattern),
    ("not", not),
    ("if", if_then_else),
    ("contains", contains),
];

/// A schema that is mutated.
struct Node {
    members: Map<String, Value>,
    kind: Kind,
    is_root: bool,
}

/// What mutations draw from.
struct Chance<'a> {
    pool: &'a Pool,
    random: &'a mut Random,
}

/// Mutates a schema at one place; what was done, and where, if anything was.
pub fn mutate(schema: &mut Value, pool: &Pool, random: &mut Random) -> Option<String> {
    let mut places = Vec::new();
    find_places(schema, String::new(), &mut places);
    (0..TRIES).find_map(|_| {
        let place = places.choose(random)?;
        let (name, mutation) = MUTATIONS.choose(random)?;
        let at = schema.pointer_mut(place)?;
        let members = at.as_object()?.clone();
        let node = Node { kind: Kind::of(&members), members, is_root: place.is_empty() };
        *at = mutation(node, &mut Chance { pool, random })?;
        Some(format!("{name} at #{place}"))
    })
}

/// The pointers to a schema and to all in it.
fn find_places(schema: &Value, pointer: String, places: &mut Vec<String>) {
    let Value::Object(members) = schema else { return };
    for (keyword, value) in members {
        for (part, schema) in subschemas(keyword, value) {
            let part =
                part.map(|part| "/".to_owned() + &part.replace('~', "~0").replace('/', "~1"));
            let pointer = format!("{pointer}/{keyword}{}", part.unwrap_or_default());
            find_places(schema, pointer, places);
        }
    }
    places.push(pointer);
}

impl Node {
    /// The schema for a place further inside. The root is none: its definitions must stay.
    fn inside(self) -> Option<Value> {
        (!self.is_root).then_some(Value::Object(self.members))
    }

    /// The schema as one of several, and what is to stay outside.
    fn split(mut self) -> (Map<String, Value>, Value) {
        let kept = |keyword: &str| Some((keyword.to_owned(), self.members.shift_remove(keyword)?));
        let outside = HEAD.into_iter().filter_map(kept).collect();
        (outside, Value::Object(self.members))
    }

    /// The schema with something else in it.
    fn with<const N: usize>(mut self, members: [(&str, Value); N]) -> Value {
        self.members.extend(members.map(|(keyword, value)| (keyword.to_owned(), value)));
        Value::Object(self.members)
    }
}

impl Chance<'_> {
    fn below(&mut self, bound: u32) -> u32 {
        self.random.random_range(0..bound)
    }

    fn part(&mut self, kind: Kind) -> Option<Value> {
        self.pool.part(kind, self.random)
    }

    fn any_part(&mut self) -> Option<Value> {
        self.pool.any_part(self.random)
    }
}

fn replaced(_: Node, chance: &mut Chance) -> Option<Value> {
    chance.any_part()
}

fn replaced_by_its_kind(Node { kind, .. }: Node, chance: &mut Chance) -> Option<Value> {
    chance.part(kind.related())
}

fn in_array(node: Node, chance: &mut Chance) -> Option<Value> {
    Some(json!({"type": "array", "items": node.inside()?, "minItems": chance.below(3)}))
}

fn in_set(node: Node, chance: &mut Chance) -> Option<Value> {
    Some(json!({
        "type": "array",
        "items": node.inside()?,
        "uniqueItems": true,
        "minItems": chance.below(4),
        "maxItems": 3 + chance.below(20),
    }))
}

fn all_of(node: Node, chance: &mut Chance) -> Option<Value> {
    let other = chance.part(node.kind.related())?;
    let (mut outside, schema) = node.split();
    outside.insert("allOf".to_owned(), json!([schema, other]));
    Some(outside.into())
}

fn any_of(node: Node, chance: &mut Chance) -> Option<Value> {
    alternatives("anyOf", node, chance)
}

fn one_of(node: Node, chance: &mut Chance) -> Option<Value> {
    alternatives("oneOf", node, chance)
}

/// One alternative that is like the schema, and one that is not.
fn alternatives(keyword: &str, node: Node, chance: &mut Chance) -> Option<Value> {
    let (like, unlike) = (chance.part(node.kind.related())?, chance.any_part()?);
    let (mut outside, schema) = node.split();
    outside.insert(keyword.to_owned(), json!([schema, like, unlike]));
    Some(outside.into())
}

fn bounds(mut node: Node, chance: &mut Chance) -> Option<Value> {
    let mut is_changed = false;
    for keyword in BOUNDS.split(' ') {
        let Some(bound) = node.members.get_mut(keyword) else { continue };
        let Some(number) = bound.as_f64() else { continue };
        let factor = FACTORS.choose(chance.random)?;
        let moved = (number * factor).trunc() + f64::from(chance.below(3));
        if (0.0..MOST_BOUND).contains(&moved) {
            *bound = json!(moved as i64);
            is_changed = true;
        }
    }
    is_changed.then_some(Value::Object(node.members))
}

fn additional_properties(node: Node, chance: &mut Chance) -> Option<Value> {
    Some(node.with([("additionalProperties", chance.any_part()?)]))
}

fn closed(node: Node, _: &mut Chance) -> Option<Value> {
    (node.kind == Kind::Object).then(|| node.with([("additionalProperties", false.into())]))
}

fn pattern_properties(node: Node, chance: &mut Chance) -> Option<Value> {
    let mut properties = Map::new();
    for _ in 0..=chance.below(3) {
        let pattern = chance.pool.pattern(chance.random)?.to_owned();
        properties.insert(pattern, chance.any_part()?);
    }
    Some(node.with([("patternProperties", properties.into()), ("type", "object".into())]))
}

fn property_names(node: Node, chance: &mut Chance) -> Option<Value> {
    Some(node.with([("propertyNames", chance.part(Kind::String)?)]))
}

fn number_of_properties(node: Node, chance: &mut Chance) -> Option<Value> {
    if !matches!(node.kind, Kind::Object | Kind::Any) {
        return None;
    }
    let (least, most) = (chance.below(5), 3 + chance.below(9));
    Some(node.with([("minProperties", least.into()), ("maxProperties", most.into())]))
}

/// A pattern, now and then with lengths and a format.
fn pattern(mut node: Node, chance: &mut Chance) -> Option<Value> {
    if node.kind.related() != Kind::String {
        return None;
    }
    let mut add = |keyword: &str, value: Value| node.members.insert(keyword.to_owned(), value);
    add("pattern", chance.pool.pattern(chance.random)?.into());
    if chance.below(2) == 0 {
        add("maxLength", (1 + chance.below(300)).into());
    }
    if chance.below(3) == 0 {
        add("minLength", chance.below(30).into());
    }
    if chance.below(3) == 0 {
        add("format", FORMATS.split(' ').choose(chance.random)?.into());
    }
    Some(node.members.into())
}

fn not(node: Node, chance: &mut Chance) -> Option<Value> {
    let excluded = match chance.below(4) {
        0 => json!({"enum": chance.pool.values(chance.random)?}),
        1 => json!({"pattern": chance.pool.pattern(chance.random)?}),
        2 => json!({"required": [chance.pool.name(chance.random)?]}),
        _ => chance.any_part()?,
    };
    Some(node.with([("not", excluded)]))
}

fn if_then_else(mut node: Node, chance: &mut Chance) -> Option<Value> {
    let kind = node.kind.related();
    let condition = match chance.below(3) {
        0 => json!({"required": [chance.pool.name(chance.random)?]}),
        1 => json!({"properties": {chance.pool.name(chance.random)?: {"const": "a"}}}),
        _ => chance.part(kind)?,
    };
    if chance.below(2) == 0 {
        node.members.insert("else".to_owned(), chance.part(kind)?);
    }
    Some(node.with([("if", condition), ("then", chance.part(kind)?)]))
}

fn contains(mut node: Node, chance: &mut Chance) -> Option<Value> {
    if chance.below(2) == 0 {
        node.members.insert("minContains".to_owned(), chance.below(3).into());
        node.members.insert("maxContains".to_owned(), (1 + chance.below(4)).into());
    }
    Some(node.with([("contains", chance.any_part()?), ("type", "array".into())]))
}
