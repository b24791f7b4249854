//! What a schema allows, in words.

use serde_json::Value;
use soak_crds::pattern_in_words;

/// What a field of this schema may be.
pub(super) fn allowed(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return list(values.iter().filter_map(Value::as_str));
    }
    match schema["type"].as_str() {
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => format!("a whole number {}", from_to(&schema["minimum"], &schema["maximum"])),
        Some("array") => format!("a list of {} items", count(&schema["minItems"], &schema["maxItems"])),
        Some("object") => {
            let fields = schema["properties"].as_object();
            format!("a mapping with {}", list(fields.into_iter().flatten().map(|(name, _)| name.as_str())))
        }
        None | Some(_) => text(schema),
    }
}

fn text(schema: &Value) -> String {
    let characters = format!("{} characters", count(&schema["minLength"], &schema["maxLength"]));
    match schema["pattern"].as_str().map(|pattern| pattern_in_words(pattern).unwrap_or(pattern)) {
        Some(words) if schema["x-kubernetes-int-or-string"] == Value::Bool(true) => words.to_owned(),
        Some(words) => format!("{words}, of {characters}"),
        None => format!("text of {characters}"),
    }
}

fn from_to(least: &Value, most: &Value) -> String {
    format!("from {least} to {most}")
}

fn count(least: &Value, most: &Value) -> String {
    match least.as_u64() {
        None | Some(0) => format!("at most {most}"),
        Some(least) => format!("{least} to {most}"),
    }
}

/// `a, b or c`.
pub(super) fn list<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
