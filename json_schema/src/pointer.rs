//! JSON Pointers (RFC 6901), as text and as the fragment of a URI.

use std::borrow::Cow;

use serde_json::Value;

/// `pointer` and one more token.
pub(crate) fn joined(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + 1 + token.len());
    joined.push_str(pointer);
    add_token(&mut joined, token);
    joined
}

/// Adds a token to a pointer.
pub(crate) fn add_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    // Hardly any token has to be escaped.
    if token.contains(['~', '/']) {
        pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(token);
    }
}

/// The tokens of a pointer, unescaped; none for the empty one. `None`: it is no pointer.
pub(crate) fn tokens(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let rest = if pointer.is_empty() { None } else { Some(pointer.strip_prefix('/')?) };
    let tokens = rest.into_iter().flat_map(|rest| rest.split('/'));
    Some(tokens.map(unescaped))
}

/// A token of a pointer as it is meant.
pub(crate) fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}

/// The member or item that a token names (section 4).
pub(crate) fn step<'v>(value: &'v Value, token: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(token),
        Value::Array(items) => items.get(index(token)?),
        _ => None,
    }
}

/// An array index has no leading zeros.
fn index(token: &str) -> Option<usize> {
    if token.len() > 1 && token.starts_with('0') || !token.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    token.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_unescaped() {
        let read = |pointer: &str| {
            tokens(pointer).map(|tokens| tokens.map(Cow::into_owned).collect::<Vec<_>>())
        };
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(read("/"), Some(vec![String::new()]));
        assert_eq!(read("/a~1b/~01"), Some(vec!["a/b".to_owned(), "~1".to_owned()]));
        assert_eq!(read("a"), None);
        assert_eq!(joined("/x", "a/b~"), "/x/a~1b~0");
    }

    #[test]
    fn indices_are_canonical() {
        let value = json!([true, {"01": 1}]);
        assert_eq!(step(&value, "0"), Some(&json!(true)));
        for token in ["00", "01", "-1", "+1", "-", "", "2", "1e0"] {
            assert_eq!(step(&value, token), None, "{token}");
        }
        assert_eq!(step(&value[1], "01"), Some(&json!(1)));
    }
}
