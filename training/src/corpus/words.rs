//! Lists of words, one a file, one entry a line.

use std::sync::LazyLock;

macro_rules! lists {
    ($($name:ident $file:literal)*) => {
        $(pub(super) static $name: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| include_str!(concat!("words/", $file, ".txt")).lines().collect());)*
    };
}

lists! {
    ADJECTIVES "adjectives"
    ANIMALS "animals"
    BRANDS "brands"
    CARS "cars"
    CATEGORIES "categories"
    COLORS "colors"
    COMPANIES "companies"
    COMPANY_ENDINGS "company_endings"
    CONDITIONS "conditions"
    DEGREES "degrees"
    DEPARTMENTS "departments"
    DISEASES "diseases"
    DISHES "dishes"
    ERRORS "errors"
    EVENTS "events"
    FILES "files"
    FIRST_NAMES "first_names"
    FOLDERS "folders"
    GENRES "genres"
    HOBBIES "hobbies"
    INGREDIENTS "ingredients"
    JOBS "jobs"
    LANGUAGES "languages"
    LAST_NAMES "last_names"
    MATERIALS "materials"
    MEDICINES "medicines"
    MESSAGES "messages"
    NOTES "notes"
    NOUNS "nouns"
    PACKAGES "packages"
    PLACES "places"
    PLACES_NEAR "places_near"
    PLUGINS "plugins"
    PRODUCT_ADJECTIVES "product_adjectives"
    PRODUCT_NOUNS "product_nouns"
    QUERIES "queries"
    REVIEWS "reviews"
    ROLES "roles"
    SCHOOLS "schools"
    SERVICES "services"
    SKILLS "skills"
    SPORTS "sports"
    STATUSES "statuses"
    STEPS "steps"
    STREETS "streets"
    SUBJECTS "subjects"
    TAGS "tags"
    TIMES_OF_DAY "times_of_day"
    TITLES "titles"
    UNITS "units"
    VERBS_PAST "verbs_past"
    VERBS_PRESENT "verbs_present"
    WORDS "words"
}
