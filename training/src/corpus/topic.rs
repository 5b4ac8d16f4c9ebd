//! A topic: what objects of a kind have. The topics are tables, one a file; what is written about them is made here.

use serde_json::{Map, Value};

use super::draw::Draw;
use super::facts::Facts;

/// How a value is made.
pub(super) type Make = fn(&mut Draw, &Facts) -> Value;

/// A member that objects of a topic may have.
pub(super) struct Field {
    /// Names of the same thing, of lower-case words with spaces between them.
    pub(super) names: &'static [&'static str],
    pub(super) make: Make,
    /// How a sentence says it, with `{}` for the value; empty for what is only in JSON.
    pub(super) phrase: &'static str,
}

/// A member; see [`Field`].
pub(super) const fn field(
    names: &'static [&'static str],
    make: Make,
    phrase: &'static str,
) -> Field {
    Field { names, make, phrase }
}

/// A kind of object.
pub(super) struct Topic {
    /// What it is called, with its article: `a person`.
    pub(super) names: &'static [&'static str],
    pub(super) fields: &'static [Field],
}

impl Topic {
    /// An object of the topic: some of the fields, in the order of the table or in any.
    pub(super) fn object(&self, draw: &mut Draw, facts: &Facts) -> Value {
        Value::Object(self.members(draw, facts))
    }

    /// As [`Topic::object`], with facts of its own.
    pub(super) fn fresh(&self, draw: &mut Draw) -> Value {
        let facts = Facts::draw(draw);
        self.object(draw, &facts)
    }

    /// Some objects with the same members.
    pub(super) fn list(&self, draw: &mut Draw, low: usize, high: usize) -> Value {
        let chosen = self.choose(draw, 5);
        let count = draw.size(low, high);
        let items = (0..count).map(|_| {
            let facts = Facts::draw(draw);
            Value::Object(
                chosen
                    .iter()
                    .map(|(name, field)| ((*name).to_owned(), (field.make)(draw, &facts)))
                    .collect(),
            )
        });
        Value::Array(items.collect())
    }

    /// Fields and the names under which they appear.
    pub(super) fn choose(
        &self,
        draw: &mut Draw,
        most: usize,
    ) -> Vec<(&'static str, &'static Field)> {
        let most = most.min(self.fields.len());
        let count = draw.size(most.min(2), most);
        // The first fields are those that say most; in half of all objects they come first.
        let mut places: Vec<usize> = if draw.chance(50) {
            (0..count).collect()
        } else {
            draw.some(&(0..self.fields.len()).collect::<Vec<_>>(), count)
        };
        if draw.chance(50) {
            places.sort_unstable();
        }
        let mut chosen: Vec<(&'static str, &'static Field)> = Vec::new();
        for place in places {
            let field = &self.fields[place];
            let name = if draw.chance(60) { field.names[0] } else { draw.pick(field.names) };
            if chosen.iter().all(|(other, _)| *other != name) {
                chosen.push((name, field));
            }
        }
        chosen
    }

    fn members(&self, draw: &mut Draw, facts: &Facts) -> Map<String, Value> {
        let chosen = self.choose(draw, 8);
        chosen
            .into_iter()
            .map(|(name, field)| (name.to_owned(), (field.make)(draw, facts)))
            .collect()
    }

    /// An object, and a sentence that says the same.
    pub(super) fn told(&self, draw: &mut Draw) -> (String, Value) {
        let facts = Facts::draw(draw);
        let mut said: Vec<&Field> =
            self.fields.iter().filter(|field| !field.phrase.is_empty()).collect();
        let count = draw.size(2.min(said.len()), said.len().min(5));
        if draw.chance(60) {
            draw.shuffle(&mut said);
        }
        said.truncate(count);
        let mut phrases = Vec::new();
        let mut members = Map::new();
        for field in said {
            let name = if draw.chance(60) { field.names[0] } else { draw.pick(field.names) };
            let value = (field.make)(draw, &facts);
            let spoken = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            phrases.push(field.phrase.replace("{}", &spoken));
            members.insert(name.to_owned(), value);
        }
        // The order of the document need not be that of the sentence.
        if draw.chance(30) {
            let mut pairs: Vec<_> = members.into_iter().collect();
            draw.shuffle(&mut pairs);
            members = pairs.into_iter().collect();
        }
        let joined = match draw.int(0, 2) {
            0 => phrases.join(", "),
            1 => phrases.join("; "),
            _ => match phrases.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                _ => phrases.join(""),
            },
        };
        (joined, Value::Object(members))
    }
}
