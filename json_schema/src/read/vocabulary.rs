//! Which keyword is what in which draft.

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
}

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
        | "patternProperties"
        | "multipleOf"
        | "uniqueItems"
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
        "if" | "then" | "else" => (Role::Enforced, Draft7, Draft202012),
        "additionalItems" => (Role::Enforced, Draft4, Draft201909),
        "prefixItems" | "$dynamicRef" => (Role::Enforced, Draft202012, Draft202012),
        "dependentRequired" | "dependentSchemas" => (Role::Enforced, Draft201909, Draft202012),
        "format" => (Role::Format, Draft4, Draft202012),
        "const" | "contains" | "propertyNames" => (Role::Enforced, Draft6, Draft202012),
        "minContains" | "maxContains" | "unevaluatedItems" | "unevaluatedProperties" => {
            (Role::Enforced, Draft201909, Draft202012)
        }
        "title" | "description" | "default" | "examples" | "$comment" | "deprecated"
        | "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType" | "contentSchema"
        | "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
        | "$vocabulary" | "$defs" | "definitions" => (Role::Annotation, Draft4, Draft202012),
        _ => return Role::Unknown,
    };
    if (from..=to).contains(&draft) { role } else { Role::Unknown }
}
