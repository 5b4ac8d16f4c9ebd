//! Which keyword is what in which draft.

use serde_json::{Map, Value};

use super::in_force::InForce;
use crate::options::Draft;

/// What a keyword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It asserts something, and the grammar holds it (or says by itself that it cannot).
    Enforced,
    /// It asserts nothing.
    Annotation,
    /// No draft knows it, or this one does not.
    Unknown,
    /// `format`: depends on its value and on the options.
    Format,
    /// It asserts something that the grammar does not hold.
    Refused { reason: &'static str },
}

const NOT_YET: Role = Role::Refused { reason: "not supported yet" };

/// What `keyword` is in `draft`.
pub(crate) fn role(keyword: &str, draft: Draft) -> Role {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    let (role, from, to) = match keyword {
        "type"
        | "enum"
        | "minimum"
        | "maximum"
        | "exclusiveMinimum"
        | "exclusiveMaximum"
        | "minLength"
        | "maxLength"
        | "pattern"
        | "items"
        | "minItems"
        | "maxItems"
        | "properties"
        | "required"
        | "additionalProperties"
        | "minProperties"
        | "maxProperties"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        // Later drafts split it in two and ask authors not to use the name for anything else:
        // whoever writes it means what it said.
        | "dependencies"
        | "$ref" => (Role::Enforced, Draft4, Draft202012),
        "$recursiveRef" => (Role::Enforced, Draft201909, Draft201909),
        "const" => (Role::Enforced, Draft6, Draft202012),
        "if" | "then" | "else" => (Role::Enforced, Draft7, Draft202012),
        "additionalItems" => (Role::Enforced, Draft4, Draft201909),
        "prefixItems" | "$dynamicRef" => (Role::Enforced, Draft202012, Draft202012),
        "dependentRequired" | "dependentSchemas" => (Role::Enforced, Draft201909, Draft202012),
        "format" => (Role::Format, Draft4, Draft202012),
        "multipleOf" | "uniqueItems" | "patternProperties" => {
            (NOT_YET, Draft4, Draft202012)
        }
        "contains" | "propertyNames" => (NOT_YET, Draft6, Draft202012),
        "unevaluatedItems" | "unevaluatedProperties" => (NOT_YET, Draft201909, Draft202012),
        // They only say something beside `contains`, which is refused.
        "minContains" | "maxContains" => (Role::Annotation, Draft201909, Draft202012),
        "title" | "description" | "default" | "examples" | "$comment" | "deprecated"
        | "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType" | "contentSchema"
        | "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
        | "$vocabulary" | "$defs" | "definitions" => (Role::Annotation, Draft4, Draft202012),
        _ => return Role::Unknown,
    };
    if (from..=to).contains(&draft) { role } else { Role::Unknown }
}

/// Whether a keyword that is refused says nothing with this value, in these surroundings.
pub(crate) fn is_trivial(keyword: &str, value: &Value, map: InForce<'_>) -> bool {
    match keyword {
        "uniqueItems" => {
            *value == Value::Bool(false)
                || map.get("maxItems").and_then(Value::as_u64).is_some_and(|max| max <= 1)
        }
        "patternProperties" => value.as_object().is_some_and(Map::is_empty),
        "propertyNames" | "unevaluatedItems" | "unevaluatedProperties" => {
            *value == Value::Bool(true) || value.as_object().is_some_and(Map::is_empty)
        }
        _ => false,
    }
}
