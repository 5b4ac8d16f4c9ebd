//! Books, songs, films, courses and games.

use serde_json::{Value, json};

use super::draw::Draw;
use super::topic::{Topic, field};
use super::words;

fn isbn(draw: &mut Draw) -> String {
    if draw.chance(70) { format!("978{}", draw.digits(10)) } else { draw.digits(10) }
}

pub(super) const BOOK: Topic = Topic {
    names: &["a book", "a publication", "a library entry"],
    fields: &[
        field(
            &["title", "book", "book title", "name"],
            |d, _| json!(d.pick(&words::TITLES)),
            "\"{}\"",
        ),
        field(&["author", "writer", "written by"], |_, f| json!(f.person.full()), "by {}"),
        field(
            &["year", "publication year", "published", "published year"],
            |d, _| json!(d.int(1900, 2026)),
            "of {}",
        ),
        field(&["isbn", "isbn13"], |d, _| json!(isbn(d)), "ISBN {}"),
        field(&["issn"], |d, _| json!(format!("{}-{}", d.digits(4), d.digits(4))), "ISSN {}"),
        field(
            &["pages", "page count", "number of pages"],
            |d, _| json!(d.int(60, 900)),
            "{} pages",
        ),
        field(
            &["genre", "category", "subject"],
            |d, _| {
                json!(d.pick(&[
                    "novel",
                    "fantasy",
                    "history",
                    "science",
                    "poetry",
                    "crime",
                    "biography",
                    "travel"
                ]))
            },
            "{}",
        ),
        field(
            &["publisher", "press"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&words::COMPANIES),
                    d.pick(&["Press", "Books", "Publishing"])
                ))
            },
            "published by {}",
        ),
        field(&["language"], |d, _| json!(d.pick(&words::LANGUAGES)), "in {}"),
        field(&["price"], |_, f| json!(f.price), "costs {}"),
        field(&["authors", "editors"], |_, f| json!([f.person.full(), f.other.full()]), ""),
        field(&["available", "borrowed", "in print", "ebook"], |d, _| json!(d.chance(55)), ""),
        field(&["rating"], |d, _| json!(d.decimal(2.5, 5.0, 1)), "{} stars"),
        field(&["edition", "volume", "copies"], |d, _| json!(d.int(1, 9)), "edition {}"),
        field(
            &["chapters"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &["The Start", "The Road", "Home", "A Letter", "Winter", "The Sea", "The End"],
                    n
                ))
            },
            "",
        ),
    ],
};

pub(super) const SONG: Topic = Topic {
    names: &["a song", "an album", "a track", "a playlist"],
    fields: &[
        field(
            &["title", "song", "track", "name"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&[
                        "Blue", "Summer", "Midnight", "Golden", "Lonely", "Slow", "Electric",
                        "Paper"
                    ]),
                    d.pick(&["Rain", "Love", "Road", "Dance", "Moon", "Heart", "River", "Sky"])
                ))
            },
            "\"{}\"",
        ),
        field(
            &["artist", "band", "singer", "performer"],
            |d, f| {
                if d.chance(50) {
                    json!(f.person.full())
                } else {
                    json!(format!(
                        "The {}s",
                        d.pick(&["Fox", "Lantern", "River", "Comet", "Shadow", "Robin", "Planet"])
                    ))
                }
            },
            "by {}",
        ),
        field(
            &["album", "record"],
            |d, _| {
                json!(d.pick(&[
                    "First Light",
                    "Homecoming",
                    "Night Songs",
                    "Echoes",
                    "Paper Boats",
                    "Seasons",
                    "Northern Sky"
                ]))
            },
            "from {}",
        ),
        field(&["year", "released"], |d, _| json!(d.int(1960, 2026)), "of {}"),
        field(
            &["duration", "length"],
            |d, _| {
                if d.chance(50) {
                    json!(d.int(120, 420))
                } else {
                    json!(format!("{}:{:02}", d.int(2, 6), d.int(0, 59)))
                }
            },
            "{} long",
        ),
        field(&["genre", "style"], |d, _| json!(d.pick(&words::GENRES)), "{}"),
        field(
            &["track number", "plays", "bpm", "tempo", "position"],
            |d, _| json!(d.int(1, 180)),
            "track {}",
        ),
        field(&["explicit", "favorite", "live", "loved"], |d, _| json!(d.chance(30)), ""),
        field(&["label"], |d, _| json!(format!("{} Records", d.pick(&words::COMPANIES))), ""),
        field(
            &["key"],
            |d, _| json!(d.pick(&["C", "D minor", "E", "F", "G", "A minor", "B flat"])),
            "",
        ),
        field(
            &["tracks", "songs", "playlist"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "Blue Rain",
                        "Golden Road",
                        "Slow Dance",
                        "Paper Moon",
                        "Summer Love",
                        "River Song"
                    ],
                    n
                ))
            },
            "",
        ),
    ],
};

pub(super) const MOVIE: Topic = Topic {
    names: &["a movie", "a film", "a series", "a game"],
    fields: &[
        field(&["title", "movie", "film", "name"], |d, _| json!(d.pick(&words::TITLES)), "\"{}\""),
        field(&["director", "directed by"], |_, f| json!(f.person.full()), "directed by {}"),
        field(&["year", "release year"], |d, _| json!(d.int(1950, 2026)), "of {}"),
        field(&["genre", "category"], |d, _| json!(d.pick(&words::GENRES)), "{}"),
        field(
            &["genres"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::GENRES, n))
            },
            "",
        ),
        field(
            &["rating", "score", "imdb rating"],
            |d, _| json!(d.decimal(4.0, 9.5, 1)),
            "rated {}",
        ),
        field(
            &["runtime", "duration", "length minutes"],
            |d, _| json!(d.int(75, 190)),
            "{} minutes",
        ),
        field(&["actors", "cast", "stars"], |_, f| json!([f.person.full(), f.other.full()]), ""),
        field(&["watched", "black and white", "in theaters"], |d, _| json!(d.chance(50)), ""),
        field(&["language", "country"], |_, f| json!(f.place.country), "from {}"),
        field(
            &["seasons", "episodes", "players", "level"],
            |d, _| json!(d.int(1, 12)),
            "{} seasons",
        ),
        field(&["plot", "description", "summary"], |d, _| json!(super::plain::sentence(d)), ""),
        field(
            &["platform"],
            |d, _| json!(d.pick(&["PC", "console", "web", "mobile", "cinema"])),
            "",
        ),
    ],
};

pub(super) const COURSE: Topic = Topic {
    names: &["a course", "a student", "a grade report", "a lesson"],
    fields: &[
        field(
            &["course", "title", "name", "subject", "class"],
            |d, _| {
                json!(d.pick(&[
                    "Mathematics",
                    "Biology",
                    "History",
                    "Chemistry",
                    "Physics",
                    "Art",
                    "Music",
                    "English",
                    "Geography",
                    "Computer Science",
                    "Economics"
                ]))
            },
            "{}",
        ),
        field(&["student", "student name", "pupil"], |_, f| json!(f.person.full()), "student {}"),
        field(
            &["teacher", "instructor", "professor", "tutor"],
            |_, f| json!(f.other.full()),
            "taught by {}",
        ),
        field(
            &["grade", "mark", "result"],
            |d, _| json!(d.pick(&["A", "B", "C", "D", "A-", "B+"])),
            "grade {}",
        ),
        field(&["score", "points", "exam score"], |d, _| json!(d.int(40, 100)), "{} points"),
        field(&["credits", "hours", "lessons", "weeks"], |d, _| json!(d.int(1, 12)), "{} credits"),
        field(
            &["semester", "term"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&["Spring", "Fall", "Summer", "Winter"]),
                    d.int(2020, 2026)
                ))
            },
            "in {}",
        ),
        field(
            &["code", "course code", "course id"],
            |d, _| json!(format!("{}{}", d.pick(&["CS", "MA", "BI", "HI", "PH"]), d.int(100, 499))),
            "code {}",
        ),
        field(&["passed", "enrolled", "online", "mandatory"], |d, _| json!(d.chance(65)), ""),
        field(
            &["students", "participants"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::FIRST_NAMES, n))
            },
            "",
        ),
        field(
            &["grades", "scores", "marks"],
            |d, _| json!({"math": d.int(50, 100), "english": d.int(50, 100), "art": d.int(50, 100)}),
            "",
        ),
        field(&["school", "university"], |d, _| json!(d.pick(&words::SCHOOLS)), "at {}"),
        field(&["gpa", "average"], |d, _| json!(d.decimal(2.0, 4.0, 1)), ""),
        field(
            &["schedule"],
            |d, f| json!({"day": d.pick(&["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]), "time": f.date.time()}),
            "",
        ),
    ],
};

pub(super) const MATCH: Topic = Topic {
    names: &["a match", "a team", "a player", "a game result"],
    fields: &[
        field(
            &["home team", "home", "team", "team name"],
            |_, f| json!(format!("{} FC", f.place.city)),
            "{}",
        ),
        field(
            &["away team", "away", "opponent"],
            |_, f| json!(format!("{} United", f.elsewhere.city)),
            "against {}",
        ),
        field(&["score", "result"], |d, _| json!(format!("{}:{}", d.int(0, 4), d.int(0, 4))), "{}"),
        field(&["home score", "home goals"], |d, _| json!(d.int(0, 5)), ""),
        field(&["away score", "away goals"], |d, _| json!(d.int(0, 5)), ""),
        field(&["date", "played on"], |_, f| json!(f.date.day()), "on {}"),
        field(&["sport", "discipline"], |d, _| json!(d.pick(&words::SPORTS)), "{}"),
        field(&["stadium", "venue"], |_, f| json!(format!("{} Arena", f.place.city)), "at {}"),
        field(
            &["player", "captain", "coach", "referee", "winner", "name"],
            |_, f| json!(f.person.full()),
            "player {}",
        ),
        field(
            &["number", "jersey number", "goals", "assists", "wins", "losses"],
            |d, _| json!(d.int(0, 30)),
            "number {}",
        ),
        field(
            &["position"],
            |d, _| json!(d.pick(&["goalkeeper", "defender", "midfielder", "forward", "striker"])),
            "{}",
        ),
        field(&["attendance", "spectators"], |d, _| json!(d.int(5, 600) * 100), "{} spectators"),
        field(
            &["players", "scorers"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array(
                    d.some(&words::LAST_NAMES, n).into_iter().map(|name| json!(name)).collect(),
                )
            },
            "",
        ),
        field(
            &["league", "round", "tournament"],
            |d, _| {
                json!(d.pick(&["First League", "Cup", "Final", "Semifinal", "Round 3", "Group A"]))
            },
            "in the {}",
        ),
        field(&["finished", "overtime"], |d, _| json!(d.chance(60)), ""),
    ],
};
