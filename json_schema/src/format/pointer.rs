//! JSON Pointers: RFC 6901, section 3, and draft-handrews-relative-json-pointer-01, section 3.

pub(super) fn absolute() -> String {
    "(?:/(?:[^/~]|~[01])*)*".to_owned()
}

pub(super) fn relative() -> String {
    format!(r"(?:0|[1-9]\d*)(?:#|{})", absolute())
}
