//! What is wrong with one value that stands where a schema asks for a value, a list or a mapping.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use regex::Regex;
use serde_json::Value;

use super::super::{nearest::nearest, tree::Kind};

/// What is wrong with a value, in words that follow the value; nothing where it fits.
pub(super) fn fault(kind: &Kind, schema: &Value) -> Option<String> {
    let quantity = schema["x-kubernetes-int-or-string"] == Value::Bool(true);
    match (kind, schema["type"].as_str()) {
        (Kind::Null, _) => Some("is no value; leave the field out instead".to_owned()),
        (Kind::Bool(_), Some("boolean")) => None,
        (Kind::Whole(number), Some("integer")) => out_of_bounds(*number, schema),
        (Kind::Whole(number), None) if quantity => out_of_bounds(*number, schema),
        (Kind::Text(text), Some("string")) => unfit(text, schema),
        (Kind::Text(text), None) if quantity => unfit(text, schema),
        (Kind::Number(number, _), Some("integer")) => Some(not_whole(*number)),
        (Kind::Number(..), None) if quantity => Some("is a number with a fraction; put it in quotes".to_owned()),
        (Kind::Text(text), Some("boolean")) => Some(spelled_boolean(text)),
        (Kind::Text(text), Some("integer")) => Some(spelled_number(text)),
        (Kind::Whole(_) | Kind::Number(..), Some("string")) => Some(number_for_text(schema)),
        (Kind::Bool(_), Some("string")) => Some("is true or false, not text; put it in quotes".to_owned()),
        (other, _) => Some(format!("is {}", name(other))),
    }
}

fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Null => "no value",
        Kind::Bool(_) => "true or false",
        Kind::Whole(_) | Kind::Number(..) => "a number",
        Kind::Text(_) => "text",
        Kind::List(_) => "a list",
        Kind::Map(_) => "a mapping",
    }
}

fn not_whole(number: f64) -> String {
    match number {
        number if number.fract() != 0.0 => "is not a whole number".to_owned(),
        number if number.abs() < 1e15 => format!("is not written as a whole number; did you mean {number}?"),
        number if number < 0.0 => "is too small".to_owned(),
        _ => "is too large".to_owned(),
    }
}

fn out_of_bounds(number: i64, schema: &Value) -> Option<String> {
    if schema["minimum"].as_i64().is_some_and(|least| number < least) {
        return Some("is too small".to_owned());
    }
    schema["maximum"].as_i64().is_some_and(|most| number > most).then(|| "is too large".to_owned())
}

fn unfit(text: &str, schema: &Value) -> Option<String> {
    if let Some(values) = schema["enum"].as_array() {
        return unlisted(text, values);
    }
    let length = text.chars().count() as u64;
    if schema["minLength"].as_u64().is_some_and(|least| length < least) {
        return Some("is too short".to_owned());
    }
    if schema["maxLength"].as_u64().is_some_and(|most| length > most) {
        return Some(format!("is too long: {length} characters"));
    }
    let pattern = schema["pattern"].as_str()?;
    (!matches(pattern, text)).then(|| without_unit(text, schema))
}

fn unlisted(text: &str, values: &[Value]) -> Option<String> {
    let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
    if values.contains(&text) {
        return None;
    }
    Some(match nearest(text, values) {
        Some(meant) => format!("is not allowed; did you mean {meant}?"),
        None => "is not allowed".to_owned(),
    })
}

/// The commonest slip with a span of time: a number and no unit.
fn without_unit(text: &str, schema: &Value) -> String {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number && matches(schema["pattern"].as_str().unwrap_or_default(), &format!("{text}s")) {
        return format!("has no unit; did you mean {text}s?");
    }
    "does not fit".to_owned()
}

fn number_for_text(schema: &Value) -> String {
    let is_span = schema["pattern"].as_str().is_some_and(|pattern| matches(pattern, "1s"));
    if is_span { "is a number without a unit" } else { "is a number, not text; put it in quotes" }.to_owned()
}

fn spelled_boolean(text: &str) -> String {
    match text.to_lowercase().as_str() {
        "yes" | "y" | "on" | "true" | "1" => "is text; did you mean true, without quotes?".to_owned(),
        "no" | "n" | "off" | "false" | "0" => "is text; did you mean false, without quotes?".to_owned(),
        _ => "is text".to_owned(),
    }
}

fn spelled_number(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !matches!(c, '_' | ',' | ' ')).collect();
    let digits: String = plain.chars().take_while(char::is_ascii_digit).collect();
    match (plain.parse::<i64>(), digits.as_str()) {
        (Ok(_), _) if plain == text => format!("is text; did you mean {text}, without quotes?"),
        (Ok(number), _) => format!("is text; did you mean {number}?"),
        (Err(_), "") => "is text".to_owned(),
        (Err(_), digits) => format!("is text; did you mean {digits}, without a unit?"),
    }
}

/// Whether a text fits a pattern of the schema. Patterns are compiled once.
fn matches(pattern: &str, text: &str) -> bool {
    static COMPILED: LazyLock<Mutex<BTreeMap<String, Option<Regex>>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let regex = compiled.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).ok());
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}
