//! What the model learns from: documents that are made here, of random facts.
//!
//! A document goes by the seed and its number alone, so that there are as many as are asked for and none is kept.

mod addresses;
mod chat;
mod code;
mod draw;
mod events;
mod facts;
mod food;
mod media;
mod messages;
mod mixture;
mod nature;
mod orders;
mod people;
mod plain;
mod products;
mod prompts;
mod repeats;
mod settings;
mod spelling;
mod structures;
mod tools;
mod topic;
mod words;

use draw::Draw;
use spelling::{Case, Spacing};
use topic::Topic;

/// All topics.
const TOPICS: &[&Topic] = &[
    &people::PERSON,
    &people::USER,
    &people::EMPLOYEE,
    &people::COMPANY,
    &addresses::ADDRESS,
    &addresses::CONTACT,
    &addresses::PLACE,
    &orders::LINE,
    &orders::ORDER,
    &orders::PAYMENT,
    &orders::INVOICE,
    &orders::SHIPMENT,
    &products::PRODUCT,
    &products::REVIEW,
    &products::VEHICLE,
    &products::HOME,
    &events::EVENT,
    &events::TASK,
    &events::SIGNAL,
    &events::TRIP,
    &food::RECIPE,
    &food::INGREDIENT,
    &food::RESTAURANT,
    &messages::MESSAGE,
    &messages::ARTICLE,
    &messages::ANSWER,
    &settings::SETTINGS,
    &settings::SERVER,
    &code::PACKAGE,
    &code::REPOSITORY,
    &code::REQUEST,
    &code::LOG,
    &code::FILE,
    &code::MANIFEST,
    &nature::WEATHER,
    &nature::MEASUREMENT,
    &nature::ANIMAL,
    &nature::PATIENT,
    &media::BOOK,
    &media::SONG,
    &media::MOVIE,
    &media::COURSE,
    &media::MATCH,
    &structures::SHAPE,
];

/// The kinds of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An object of a topic.
    Object,
    /// An object with members of anything.
    Mixture,
    /// A list of objects, a tree, a scalar: JSON of another form.
    Structure,
    /// A line of English, and the JSON that it asks for.
    Prompt,
    /// Questions and answers in the form of `ChatML`.
    Chat,
    /// A question that is answered by calls of tools.
    Tools,
    /// A text that says the same again.
    Repeat,
    /// No JSON.
    Plain,
}

impl Kind {
    /// All kinds, and the share of each in percent.
    pub(crate) const SHARES: [(Self, u32); 8] = [
        (Self::Object, 25),
        (Self::Mixture, 13),
        (Self::Structure, 7),
        (Self::Prompt, 23),
        (Self::Chat, 9),
        (Self::Tools, 4),
        (Self::Repeat, 10),
        (Self::Plain, 9),
    ];

    fn draw(draw: &mut Draw) -> Self {
        let mut rest = draw.size(0, 99) as u32;
        for (kind, share) in Self::SHARES {
            if rest < share {
                return kind;
            }
            rest -= share;
        }
        unreachable!("the shares add up to 100")
    }
}

/// A text to learn from, without the tokens that open and end it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub(crate) kind: Kind,
    /// Marks such as `<|im_start|>` stand for their tokens.
    pub(crate) text: String,
}

/// Document `number` of the stream `seed`.
pub(crate) fn document(seed: u64, number: u64) -> Document {
    let draw = &mut Draw::new(seed, number);
    let kind = Kind::draw(draw);
    let text = match kind {
        Kind::Prompt => prompts::prompt(draw).text(),
        Kind::Chat => chat::chat(draw),
        Kind::Tools => tools::conversation(draw),
        Kind::Repeat => repeats::text(draw),
        Kind::Plain => plain::text(draw),
        Kind::Object | Kind::Mixture | Kind::Structure => {
            let value = match kind {
                Kind::Object => draw.pick(TOPICS).fresh(draw),
                Kind::Mixture => mixture::object(draw, 2),
                _ if draw.chance(40) => {
                    // A few are long, for the later positions of the context.
                    let most = if draw.chance(10) { 14 } else { 3 };
                    draw.pick(TOPICS).list(draw, most / 3, most)
                }
                _ => structures::document(draw),
            };
            let case = Case::draw(draw);
            Spacing::draw(draw).write(&case.apply(value))
        }
    };
    Document { kind, text }
}

/// A line of English that says what is in a document, and that document.
pub(crate) fn extraction(seed: u64, number: u64) -> (String, serde_json::Value) {
    let prompt = prompts::told(&mut Draw::new(seed, number));
    (prompt.request + "\n", prompt.value)
}

/// A value with the spacing of Python.
#[cfg(test)]
pub(crate) fn python(value: &serde_json::Value) -> String {
    Spacing::Python.write(value)
}

#[cfg(test)]
mod tests;
