//! People, accounts and applicants.

use serde_json::{Value, json};

use super::topic::{Topic, field};
use super::{addresses, words};

pub(super) const PERSON: Topic = Topic {
    names: &["a person", "a contact", "a customer", "somebody", "a profile"],
    fields: &[
        field(&["name", "full name"], |_, f| json!(f.person.full()), "{}"),
        field(&["age"], |_, f| json!(f.person.age()), "{} years old"),
        field(
            &["nickname", "nick", "alias", "display name"],
            |d, f| {
                if d.chance(35) {
                    Value::Null
                } else {
                    json!(f.person.first[..3.min(f.person.first.len())].to_owned())
                }
            },
            "",
        ),
        field(
            &["email", "email address", "mail", "contact email"],
            |d, f| json!(f.person.email(d)),
            "e-mail {}",
        ),
        field(&["city", "home town", "residence"], |_, f| json!(f.place.city), "lives in {}"),
        field(
            &["phone", "phone number", "telephone", "mobile", "cell phone", "contact number"],
            |d, _| json!(addresses::phone(d)),
            "phone {}",
        ),
        field(
            &["occupation", "job", "profession", "job title", "position"],
            |d, _| json!(d.pick(&words::JOBS)),
            "works as {}",
        ),
        field(
            &["first name", "given name", "forename"],
            |_, f| json!(f.person.first),
            "first name {}",
        ),
        field(
            &["last name", "surname", "family name"],
            |_, f| json!(f.person.last),
            "last name {}",
        ),
        field(
            &["birth date", "date of birth", "birthday", "born", "dob"],
            |_, f| json!(f.person.birth.day()),
            "born on {}",
        ),
        field(
            &["country", "nationality", "birth country"],
            |_, f| json!(f.place.country),
            "from {}",
        ),
        field(&["gender", "sex"], |d, _| json!(d.pick(&["female", "male", "other"])), ""),
        field(&["address", "home address"], |d, f| addresses::ADDRESS.object(d, f), ""),
        field(
            &["hobbies", "interests"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::HOBBIES, n))
            },
            "",
        ),
        field(
            &["languages", "spoken languages"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::LANGUAGES, n))
            },
            "",
        ),
        field(&["married", "employed", "student", "is member"], |d, _| json!(d.chance(50)), ""),
        field(&["height", "height cm"], |d, _| json!(d.int(150, 200)), "{} cm tall"),
        field(&["weight", "weight kg"], |d, _| json!(d.int(45, 110)), "weighs {} kg"),
        field(&["children", "siblings"], |d, _| json!(d.int(0, 4)), ""),
        field(&["employer", "company", "organization"], |_, f| json!(f.company), "at {}"),
        field(&["hobby", "favorite sport"], |d, _| json!(d.pick(&words::HOBBIES)), "likes {}"),
        field(
            &["favorite color", "eye color"],
            |d, _| json!(d.pick(&words::COLORS)),
            "favorite color {}",
        ),
        field(
            &["pets"],
            |d, _| {
                let n = d.size(0, 2);
                json!(d.some(&words::ANIMALS, n))
            },
            "",
        ),
        field(
            &["friends"],
            |d, f| {
                if d.chance(50) {
                    json!([f.other.full()])
                } else {
                    json!([f.other.first, d.pick(&words::FIRST_NAMES)])
                }
            },
            "",
        ),
        field(
            &["emergency contact", "spouse", "partner", "parent"],
            |d, f| json!({"name": f.other.full(), "phone": addresses::phone(d)}),
            "",
        ),
        field(
            &["bio", "about", "biography"],
            |d, f| json!(format!("{} from {}.", d.pick(&words::JOBS), f.place.city)),
            "",
        ),
        field(
            &["middle name"],
            |d, f| if d.chance(60) { Value::Null } else { json!(f.other.first) },
            "",
        ),
        field(&["title", "salutation"], |d, _| json!(d.pick(&["Mr", "Ms", "Dr", "Prof"])), ""),
    ],
};

pub(super) const USER: Topic = Topic {
    names: &["a user", "an account", "a member", "a login"],
    fields: &[
        field(&["id", "user id", "account id"], |d, _| json!(d.magnitude(99_999)), "user {}"),
        field(
            &["username", "user name", "login", "user", "handle"],
            |d, f| json!(f.person.username(d)),
            "username {}",
        ),
        field(&["email", "email address"], |d, f| json!(f.person.email(d)), "e-mail {}"),
        field(&["name", "display name", "full name"], |_, f| json!(f.person.full()), "name {}"),
        field(&["role", "user role", "group"], |d, _| json!(d.pick(&words::ROLES)), "role {}"),
        field(
            &[
                "active",
                "is active",
                "enabled",
                "verified",
                "email verified",
                "is admin",
                "blocked",
            ],
            |d, _| json!(d.chance(60)),
            "",
        ),
        field(
            &["created at", "registered at", "joined", "sign up date", "created"],
            |_, f| json!(f.date.instant()),
            "",
        ),
        field(
            &["last login", "last seen", "last login at"],
            |d, f| if d.chance(20) { Value::Null } else { json!(f.later.instant()) },
            "",
        ),
        field(&["password", "password hash"], |d, _| json!(d.hex(12)), ""),
        field(
            &["language", "locale", "lang"],
            |d, f| {
                if d.chance(50) {
                    json!(f.place.language)
                } else {
                    json!(format!("{}-{}", f.place.language, f.place.code))
                }
            },
            "",
        ),
        field(&["time zone", "timezone"], |_, f| json!(f.place.zone), "time zone {}"),
        field(
            &["roles", "groups", "permissions"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(&words::ROLES, n))
            },
            "",
        ),
        field(
            &["avatar", "avatar url", "picture", "photo", "profile image"],
            |d, f| json!(format!("https://example.com/avatars/{}.png", f.person.username(d))),
            "",
        ),
        field(
            &["followers", "following", "login count", "points", "score"],
            |d, _| json!(d.magnitude(5000)),
            "",
        ),
        field(
            &["preferences", "settings"],
            |d, _| json!({"theme": d.pick(&["light", "dark", "auto"]), "notifications": d.chance(60)}),
            "",
        ),
        field(&["token", "api key", "access token", "session id"], |d, _| json!(d.hex(16)), ""),
        field(
            &["plan", "subscription", "tier"],
            |d, _| json!(d.pick(&["free", "basic", "pro", "team", "enterprise"])),
            "on the {} plan",
        ),
    ],
};

pub(super) const EMPLOYEE: Topic = Topic {
    names: &["an employee", "an applicant", "a staff member", "a resume"],
    fields: &[
        field(&["name", "employee", "applicant", "candidate"], |_, f| json!(f.person.full()), "{}"),
        field(
            &["employee id", "id", "personnel number"],
            |d, _| json!(format!("E{}", d.digits(4))),
            "employee {}",
        ),
        field(
            &["job title", "title", "role", "position"],
            |d, _| json!(d.pick(&words::JOBS)),
            "works as {}",
        ),
        field(
            &["department", "team", "division", "unit"],
            |d, _| json!(d.pick(&words::DEPARTMENTS)),
            "in {}",
        ),
        field(
            &["company", "employer", "organisation", "organization"],
            |_, f| json!(f.company),
            "at {}",
        ),
        field(
            &["salary", "annual salary", "income", "monthly salary"],
            |d, _| json!(d.int(28, 140) * 1000),
            "salary {}",
        ),
        field(&["currency"], |_, f| json!(f.place.currency), ""),
        field(
            &["hire date", "start date", "hired", "since"],
            |_, f| json!(f.date.day()),
            "since {}",
        ),
        field(
            &["manager", "supervisor", "reports to", "boss"],
            |_, f| json!(f.other.full()),
            "reports to {}",
        ),
        field(
            &["skills", "competences"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::SKILLS, n))
            },
            "",
        ),
        field(&["full time", "remote", "permanent"], |d, _| json!(d.chance(60)), ""),
        field(
            &["experience", "years of experience", "experience years"],
            |d, _| json!(d.int(0, 30)),
            "{} years of experience",
        ),
        field(&["office", "location", "city"], |_, f| json!(f.place.city), "in {}"),
        field(
            &["education"],
            |d, f| json!([{"school": d.pick(&words::SCHOOLS), "degree": d.pick(&words::DEGREES), "year": f.person.birth.year + 23}]),
            "",
        ),
        field(
            &["university", "school", "college"],
            |d, _| json!(d.pick(&words::SCHOOLS)),
            "studied at {}",
        ),
        field(&["degree", "qualification"], |d, _| json!(d.pick(&words::DEGREES)), ""),
        field(&["email", "work email"], |d, f| json!(f.person.email(d)), "e-mail {}"),
        field(&["vacation days", "hours per week"], |d, _| json!(d.int(20, 40)), ""),
    ],
};

pub(super) const COMPANY: Topic = Topic {
    names: &["a company", "an organization", "a supplier", "a business"],
    fields: &[
        field(
            &["name", "company", "company name", "organization", "supplier", "vendor", "client"],
            |_, f| json!(f.company),
            "{}",
        ),
        field(
            &["industry", "sector", "branch"],
            |d, _| {
                json!(d.pick(&[
                    "software",
                    "retail",
                    "energy",
                    "health",
                    "finance",
                    "transport",
                    "education",
                    "food",
                    "media",
                    "tourism"
                ]))
            },
            "in the {} sector",
        ),
        field(
            &["founded", "founding year", "established"],
            |d, _| json!(d.int(1890, 2022)),
            "founded in {}",
        ),
        field(
            &["headquarters", "city", "location", "seat"],
            |_, f| json!(f.place.city),
            "based in {}",
        ),
        field(&["country"], |_, f| json!(f.place.country), ""),
        field(
            &["employees", "employee count", "staff", "size"],
            |d, _| json!(d.magnitude(50_000)),
            "{} employees",
        ),
        field(
            &["ceo", "founder", "director", "owner", "contact person", "contact name"],
            |_, f| json!(f.person.full()),
            "led by {}",
        ),
        field(
            &["website", "homepage", "web", "domain"],
            |_, f| {
                json!(format!("https://www.{}.example", f.company.to_lowercase().replace(' ', "-")))
            },
            "website {}",
        ),
        field(
            &["revenue", "annual revenue", "turnover"],
            |d, _| json!(d.int(1, 900) * 100_000),
            "revenue {}",
        ),
        field(
            &["vat id", "tax id", "vat number"],
            |d, f| json!(format!("{}{}", f.place.code, d.digits(9))),
            "VAT number {}",
        ),
        field(&["public", "listed", "certified"], |d, _| json!(d.chance(40)), ""),
        field(
            &["symbol", "ticker"],
            |_, f| json!(f.company[..4].to_uppercase().trim().to_owned()),
            "",
        ),
        field(&["phone", "fax"], |d, _| json!(addresses::phone(d)), ""),
        field(
            &["email", "contact email"],
            |_, f| {
                json!(format!(
                    "info@{}.example",
                    f.company.split(' ').next().unwrap_or_default().to_lowercase()
                ))
            },
            "e-mail {}",
        ),
        field(&["address", "headquarters address"], |d, f| addresses::ADDRESS.object(d, f), ""),
        field(
            &["departments"],
            |d, _| {
                let n = d.size(1, 4);
                json!(d.some(&words::DEPARTMENTS, n))
            },
            "",
        ),
    ],
};
