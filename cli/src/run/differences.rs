//! In which fields two plans differ, in words: for someone who takes up a campaign whose file was changed since. Pure.

use serde_json::Value;
use soak_campaign::plan::Plan;

/// The most differences that are told.
const MOST: usize = 4;
/// Hashes and sums over other fields, which differ wherever those do.
const DERIVED: [&str; 3] = ["hash", "fingerprint", "expectedMillis"];

/// Each field that differs, with what it was and what it is; the first few, and how many more.
pub fn words(was: &Plan, is: &Plan) -> String {
    let mut found = Vec::new();
    if let (Ok(was), Ok(is)) = (serde_json::to_value(was), serde_json::to_value(is)) {
        compare("", &was, &is, &mut found);
    }
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    found.join("; ") + &rest
}

fn compare(at: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    match (was, is) {
        _ if was == is => {}
        (Value::Object(old), Value::Object(new)) => {
            let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
            for name in names.filter(|name| !DERIVED.contains(&name.as_str())) {
                let of = |fields: &serde_json::Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                let dot = if at.is_empty() { "" } else { "." };
                compare(&format!("{at}{dot}{name}"), &of(old), &of(new), found);
            }
        }
        (Value::Array(old), Value::Array(new)) if named(old) || named(new) || old.len() == new.len() => {
            items(at, old, new, found);
        }
        _ => found.push(format!("{at} was {}, is {}", shown(was), shown(is))),
    }
}

/// Lists item by item: by name where the items have names, else by place.
fn items(at: &str, old: &[Value], new: &[Value], found: &mut Vec<String>) {
    let keys_of = |list: &[Value]| list.iter().enumerate().map(|(index, item)| key(item, index)).collect::<Vec<_>>();
    let keys = [keys_of(old), keys_of(new)].concat();
    let mut seen = Vec::new();
    for key in keys {
        if !seen.contains(&key) {
            seen.push(key);
        }
    }
    let of = |list: &[Value], wanted: &str| {
        list.iter().enumerate().find(|(index, item)| key(item, *index) == wanted).map(|(_, item)| item.clone())
    };
    for key in seen {
        let (was, is) = (of(old, &key).unwrap_or_default(), of(new, &key).unwrap_or_default());
        compare(&format!("{at}[{key}]"), &was, &is, found);
    }
}

fn named(list: &[Value]) -> bool {
    list.iter().any(|item| name(item).is_some())
}

fn key(item: &Value, index: usize) -> String {
    name(item).map_or_else(|| index.to_string(), str::to_owned)
}

fn name(item: &Value) -> Option<&str> {
    item.get("name").or_else(|| item.get("id"))?.as_str()
}

/// A value in short; what is absent is "not there".
fn shown(value: &Value) -> String {
    const MOST_CHARACTERS: usize = 60;
    if value.is_null() {
        return "not there".to_owned();
    }
    let text = value.to_string();
    let short: String = text.chars().take(MOST_CHARACTERS).collect();
    if short.len() < text.len() { short + "…" } else { text }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;

    use super::compare;

    #[test]
    fn each_field_that_differs_is_named() {
        let check = |was: serde_json::Value, is: serde_json::Value, expected: &[&str]| {
            let mut found = Vec::new();
            compare("", &was, &is, &mut found);
            assert_eq!(found, expected);
        };
        check(json!({"a": 1, "hash": "x"}), json!({"a": 1, "hash": "y"}), &[]);
        check(json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), &["a.b was 1, is 2"]);
        check(json!({"a": 1}), json!({"b": "x"}), &["a was 1, is not there", r#"b was not there, is "x""#]);
        let predicted = |name: &str, least: i64| json!({"predictions": [{"name": name, "range": {"atLeast": least}}]});
        check(predicted("fast", 300), predicted("fast", 200), &["predictions[fast].range.atLeast was 300, is 200"]);
        check(
            predicted("fast", 300),
            predicted("slow", 300),
            &[
                r#"predictions[fast] was {"name":"fast","range":{"atLeast":300}}, is not there"#,
                r#"predictions[slow] was not there, is {"name":"slow","range":{"atLeast":300}}"#,
            ],
        );
        check(json!({"steps": [1, 2]}), json!({"steps": [1, 3]}), &["steps[1] was 2, is 3"]);
        check(json!({"steps": [1, 2]}), json!({"steps": [1]}), &["steps was [1,2], is [1]"]);
    }
}
