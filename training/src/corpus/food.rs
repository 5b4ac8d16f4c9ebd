//! Recipes, meals and restaurants.

use serde_json::{Value, json};

use super::draw::Draw;
use super::facts::Facts;
use super::topic::{Topic, field};
use super::words;

fn ingredient(draw: &mut Draw, line: &str) -> Value {
    let parts: Vec<&str> = line.split('|').collect();
    let usual: f64 = parts[2].parse().expect("an amount in ingredients.txt");
    let amount = usual * draw.pick(&[0.5, 1.0, 1.0, 1.0, 1.5, 2.0]);
    let amount = if amount.fract() == 0.0 { json!(amount as i64) } else { json!(amount) };
    json!({"name": parts[0], "amount": amount, "unit": if draw.chance(5) { Value::Null } else { json!(parts[1]) }})
}

fn ingredients(draw: &mut Draw, _: &Facts) -> Value {
    let count = draw.size(2, 5);
    let lines = draw.some(&words::INGREDIENTS, count);
    if draw.chance(25) {
        return lines.iter().map(|line| json!(line.split('|').next())).collect();
    }
    lines.into_iter().map(|line| ingredient(draw, line)).collect()
}

fn steps(draw: &mut Draw, _: &Facts) -> Value {
    let count = draw.size(2, 5);
    json!(draw.some(&words::STEPS, count))
}

pub(super) const RECIPE: Topic = Topic {
    names: &["a recipe", "a dish", "a meal"],
    fields: &[
        field(
            &["title", "name", "recipe", "dish", "recipe name"],
            |d, _| json!(d.pick(&words::DISHES)),
            "{}",
        ),
        field(
            &["serves", "servings", "portions", "yield"],
            |d, _| json!(d.pick(&[1, 2, 2, 4, 4, 4, 6, 8])),
            "serves {}",
        ),
        field(&["ingredients"], ingredients, ""),
        field(&["steps", "instructions", "method", "directions"], steps, ""),
        field(
            &["prep time", "preparation time", "prep minutes", "time"],
            |d, _| json!(d.int(1, 12) * 5),
            "{} minutes of preparation",
        ),
        field(
            &["cook time", "cooking time", "cook minutes", "minutes", "total time"],
            |d, _| json!(d.int(1, 18) * 5),
            "cooks {} minutes",
        ),
        field(&["difficulty", "level"], |d, _| json!(d.pick(&["easy", "medium", "hard"])), "{}"),
        field(&["vegetarian", "vegan", "gluten free", "spicy"], |d, _| json!(d.chance(50)), ""),
        field(
            &["cuisine", "origin", "kitchen"],
            |d, _| {
                json!(d.pick(&[
                    "Italian", "French", "Mexican", "Indian", "Thai", "Greek", "Japanese",
                    "German", "American", "Spanish"
                ]))
            },
            "{} cuisine",
        ),
        field(&["calories", "kcal"], |d, _| json!(d.int(12, 90) * 10), "{} calories"),
        field(
            &["course", "meal", "meal type", "category"],
            |d, _| {
                json!(d.pick(&[
                    "breakfast",
                    "lunch",
                    "dinner",
                    "dessert",
                    "snack",
                    "starter",
                    "main"
                ]))
            },
            "for {}",
        ),
        field(&["author", "chef", "cook"], |_, f| json!(f.person.full()), "by {}"),
        field(
            &["tags", "keywords"],
            |d, _| {
                let n = d.size(1, 3);
                json!(d.some(
                    &[
                        "quick", "vegan", "cheap", "summer", "winter", "family", "party",
                        "healthy", "sweet"
                    ],
                    n
                ))
            },
            "",
        ),
        field(
            &["nutrition"],
            |d, _| json!({"calories": d.int(12, 90) * 10, "protein": d.int(2, 40), "fat": d.int(1, 40), "carbs": d.int(5, 90)}),
            "",
        ),
        field(
            &["temperature", "oven temperature"],
            |d, _| json!(d.pick(&[160, 180, 200, 220])),
            "",
        ),
        field(&["rating"], |d, _| json!(d.decimal(3.0, 5.0, 1)), ""),
    ],
};

pub(super) const INGREDIENT: Topic = Topic {
    names: &["an ingredient", "a grocery item"],
    fields: &[
        field(
            &["name", "ingredient", "item", "food"],
            |d, _| json!(d.pick(&words::INGREDIENTS).split('|').next()),
            "{}",
        ),
        field(
            &["amount", "quantity", "qty"],
            |d, _| json!(d.pick(&[1, 2, 3, 4, 10, 50, 100, 150, 200, 250, 500])),
            "{}",
        ),
        field(
            &["unit", "measure"],
            |d, _| json!(d.pick(&["g", "ml", "piece", "tsp", "tbsp", "cup", "kg", "l"])),
            "{}",
        ),
        field(&["optional", "organic", "fresh"], |d, _| json!(d.chance(30)), ""),
        field(
            &["calories", "protein", "fat", "carbs", "sugar", "fiber"],
            |d, _| json!(d.int(0, 400)),
            "{} calories",
        ),
        field(&["price"], |d, _| json!(d.decimal(0.3, 9.0, 2)), "costs {}"),
        field(
            &["aisle", "category"],
            |d, _| {
                json!(d.pick(&[
                    "vegetables",
                    "fruit",
                    "dairy",
                    "bakery",
                    "meat",
                    "spices",
                    "drinks"
                ]))
            },
            "",
        ),
        field(
            &["note", "preparation"],
            |d, _| json!(d.pick(&["chopped", "sliced", "fresh", "melted", "to taste", "grated"])),
            "",
        ),
    ],
};

pub(super) const RESTAURANT: Topic = Topic {
    names: &["a restaurant", "a cafe", "a table reservation"],
    fields: &[
        field(
            &["name", "restaurant", "restaurant name"],
            |d, _| {
                json!(format!(
                    "{} {}",
                    d.pick(&["Cafe", "Bistro", "Trattoria", "The", "Chez", "Casa"]),
                    d.pick(&[
                        "Luna", "Rosa", "Garden", "Olive", "Harbour", "Central", "Sole", "Marie"
                    ])
                ))
            },
            "{}",
        ),
        field(
            &["cuisine", "type", "food"],
            |d, _| {
                json!(d.pick(&[
                    "Italian",
                    "French",
                    "Mexican",
                    "Indian",
                    "Thai",
                    "Greek",
                    "Japanese",
                    "vegetarian"
                ]))
            },
            "{} food",
        ),
        field(&["city", "location"], |_, f| json!(f.place.city), "in {}"),
        field(&["rating", "stars"], |d, _| json!(d.decimal(3.0, 5.0, 1)), "{} stars"),
        field(
            &["price range", "price level"],
            |d, _| json!(d.pick(&["$", "$$", "$$$", "low", "medium", "high"])),
            "",
        ),
        field(
            &["guests", "party size", "people", "persons"],
            |d, _| json!(d.int(1, 8)),
            "{} guests",
        ),
        field(&["date", "reservation date"], |_, f| json!(f.date.day()), "on {}"),
        field(
            &["time", "reservation time"],
            |d, _| json!(format!("{}:{}", d.int(17, 21), d.pick(&["00", "15", "30", "45"]))),
            "at {}",
        ),
        field(
            &["reserved for", "guest name", "booked by"],
            |_, f| json!(f.person.full()),
            "for {}",
        ),
        field(
            &["opening hours", "hours"],
            |d, _| json!({"monday": "closed", "tuesday": format!("{}:00-22:00", d.int(8, 12))}),
            "",
        ),
        field(
            &["menu", "dishes"],
            |d, _| {
                let n = d.size(1, 3);
                Value::Array(
                    d.some(&words::DISHES, n)
                        .into_iter()
                        .map(|dish| json!({"name": dish, "price": d.decimal(4.0, 24.0, 1)}))
                        .collect(),
                )
            },
            "",
        ),
        field(
            &["outdoor seating", "takeaway", "reservations", "open now"],
            |d, _| json!(d.chance(60)),
            "",
        ),
        field(&["phone"], |d, _| json!(super::addresses::phone(d)), "phone {}"),
    ],
};
