//! JSON Schema to grammar, and a report of what is enforced.
