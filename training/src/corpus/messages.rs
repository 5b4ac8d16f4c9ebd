//! Messages, articles and answers.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::{plain, words};

fn recipients(draw: &mut Draw, facts: &Facts) -> Value {
    if draw.chance(50) {
        return json!([facts.other.full()]);
    }
    if draw.chance(50) {
        json!([facts.other.email(draw)])
    } else {
        let count = draw.size(1, 3);
        json!(draw.some(&words::FIRST_NAMES, count))
    }
}

pub(super) const MESSAGE: Topic = Topic {
    names: &["a message", "an e-mail", "a chat message", "a notification"],
    fields: &[
        field(&["id", "message id", "msg id"], |d, _| json!(d.magnitude(99_999)), "message {}"),
        field(
            &["from", "sender", "author"],
            |d, f| if d.chance(60) { json!(f.person.full()) } else { json!(f.person.email(d)) },
            "from {}",
        ),
        field(
            &["text", "body", "message", "content", "msg"],
            |d, _| json!(d.pick(&words::MESSAGES)),
            "\"{}\"",
        ),
        field(&["to", "recipients", "cc"], recipients, ""),
        field(&["to", "recipient", "receiver"], |_, f| json!(f.other.full()), "to {}"),
        field(
            &["subject", "title", "headline"],
            |d, _| json!(d.pick(&words::SUBJECTS)),
            "about {}",
        ),
        field(
            &["date", "sent at", "sent", "timestamp", "received", "time"],
            |_, f| json!(f.date.instant()),
            "sent {}",
        ),
        field(
            &["read", "seen", "unread", "starred", "is spam", "spam", "important"],
            |d, _| json!(d.chance(40)),
            "",
        ),
        field(
            &["attachments", "files"],
            |d, _| {
                let n = d.size(0, 2);
                json!(d.some(&words::FILES, n))
            },
            "",
        ),
        field(
            &["priority", "importance"],
            |d, _| json!(d.pick(&["low", "normal", "high", "urgent"])),
            "{} priority",
        ),
        field(
            &["channel", "room", "folder", "mailbox"],
            |d, _| json!(d.pick(&["general", "random", "inbox", "support", "team", "news", "dev"])),
            "in {}",
        ),
        field(
            &["reply to", "in reply to", "parent id", "thread"],
            |d, _| if d.chance(50) { Value::Null } else { json!(d.magnitude(9999)) },
            "",
        ),
        field(&["reactions", "likes"], |d, _| json!(d.int(0, 20)), ""),
        field(&["language", "lang"], |d, _| json!(d.pick(&["en", "de", "fr", "es", "it"])), ""),
        field(&["role", "sender role"], |d, _| json!(d.pick(&["user", "assistant", "system"])), ""),
        field(
            &["replies", "comments"],
            |d, f| json!([{"from": f.other.first, "text": d.pick(&words::MESSAGES)}]),
            "",
        ),
    ],
};

pub(super) const ARTICLE: Topic = Topic {
    names: &["an article", "a blog post", "a page", "a document"],
    fields: &[
        field(&["title", "headline", "name"], |d, _| json!(d.pick(&words::TITLES)), "\"{}\""),
        field(&["author", "written by", "creator", "by"], |_, f| json!(f.person.full()), "by {}"),
        field(&["content", "body", "text", "article"], |d, _| json!(plain::paragraph(d)), ""),
        field(
            &["published", "published at", "publication date", "date", "public updated at"],
            |d, f| if d.chance(50) { json!(f.date.day()) } else { json!(f.date.instant()) },
            "published {}",
        ),
        field(
            &["tags", "topics", "keywords", "categories"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::TAGS, n))
            },
            "",
        ),
        field(
            &["summary", "description", "abstract", "excerpt", "explanation"],
            |d, _| json!(plain::sentence(d)),
            "",
        ),
        field(
            &["slug", "base path", "path"],
            |d, _| json!(d.pick(&words::TITLES).to_lowercase().replace(' ', "-")),
            "",
        ),
        field(&["id", "content id", "document id"], |d, _| json!(d.magnitude(9999)), ""),
        field(
            &["url", "link", "web url", "permalink"],
            |d, _| {
                json!(format!(
                    "https://example.com/{}",
                    d.pick(&words::TITLES).to_lowercase().replace(' ', "-")
                ))
            },
            "",
        ),
        field(
            &["status", "visibility"],
            |d, _| json!(d.pick(&["draft", "published", "archived", "private"])),
            "{}",
        ),
        field(
            &["views", "word count", "shares", "comment count", "claps"],
            |d, _| json!(d.magnitude(20_000)),
            "{} views",
        ),
        field(
            &["language", "locale"],
            |d, _| json!(d.pick(&["en", "de", "fr", "es", "en-US", "en-GB"])),
            "",
        ),
        field(
            &["updated at", "last modified", "modified", "revision date"],
            |_, f| json!(f.later.instant()),
            "",
        ),
        field(&["draft", "featured", "allow comments", "premium"], |d, _| json!(d.chance(40)), ""),
        field(
            &["links", "related", "references", "sources"],
            |d, _| {
                let n = d.size(0, 2);
                Value::Array(
                    (0..n)
                        .map(|_| json!(format!("https://example.org/{}", d.pick(&words::WORDS))))
                        .collect(),
                )
            },
            "",
        ),
        field(
            &["sections", "chapters"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array((0..n).map(|_| json!({"title": d.pick(&["Introduction", "Background", "Method", "Results", "Summary", "Conclusion"]), "text": plain::sentence(d)})).collect())
            },
            "",
        ),
    ],
};

pub(super) const ANSWER: Topic = Topic {
    names: &["an answer", "a result", "a classification", "a quiz question"],
    fields: &[
        field(
            &["answer", "text", "response", "result", "output", "reply"],
            |d, _| json!(plain::short_answer(d)),
            "\"{}\"",
        ),
        field(
            &["sure", "correct", "success", "valid", "ok", "is true", "safe"],
            |d, _| json!(d.chance(65)),
            "",
        ),
        field(
            &["confidence", "score", "probability", "certainty"],
            |d, _| json!(d.decimal(0.5, 1.0, 2)),
            "confidence {}",
        ),
        field(
            &["question", "query", "prompt", "input"],
            |d, _| json!(plain::question(d)),
            "question \"{}\"",
        ),
        field(
            &[
                "reason",
                "reasoning",
                "explanation",
                "rationale",
                "because",
                "thought",
                "justification",
            ],
            |d, _| json!(plain::sentence(d)),
            "",
        ),
        field(
            &["label", "class", "sentiment", "category", "prediction"],
            |d, _| {
                json!(d.pick(&[
                    "positive", "negative", "neutral", "spam", "question", "sports", "politics",
                    "science"
                ]))
            },
            "label {}",
        ),
        field(
            &["options", "choices", "answers", "alternatives"],
            |d, _| {
                let n = d.size(2, 4);
                json!(d.some(&words::NOUNS, n))
            },
            "",
        ),
        field(
            &["sources", "citations", "evidence"],
            |d, _| {
                let n = d.size(0, 2);
                json!(d.some(&words::TITLES, n))
            },
            "",
        ),
        field(
            &["steps", "thoughts"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array((0..n).map(|_| json!(plain::sentence(d))).collect())
            },
            "",
        ),
        field(&["points", "max points", "difficulty"], |d, _| json!(d.int(1, 10)), ""),
        field(&["language"], |d, _| json!(d.pick(&words::LANGUAGES)), "in {}"),
        field(
            &["error", "warning", "problem"],
            |d, _| if d.chance(70) { Value::Null } else { json!(d.pick(&words::ERRORS)) },
            "",
        ),
        field(
            &["translation", "translated text"],
            |d, _| {
                json!(d.pick(&[
                    "Bonjour",
                    "Hola",
                    "Guten Tag",
                    "Buongiorno",
                    "Merci",
                    "Gracias",
                    "Danke",
                    "Good morning"
                ]))
            },
            "",
        ),
        field(
            &["entities"],
            |d, f| json!([{"text": f.person.full(), "type": "person"}, {"text": f.place.city, "type": d.pick(&["city", "location", "place"])}]),
            "",
        ),
    ],
};
