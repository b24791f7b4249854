//! Tables in JSON: the product's own rows, an array of objects with columns for keys, `{title, rows}`, or several of
//! these in `{tables}` or an array. One object a line is an array too.

use serde_json::Value;

use super::assemble::{self, Header, Line};
use super::{OutsideTable, Reading, TableError};
use crate::table::Row;

/// Reads every table of a JSON text.
pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::default();
    match documents(text) {
        Ok(value) => collect(&value, String::new(), &mut reading),
        Err(error) => reading.failed.push(TableError::Json(error)),
    }
    if reading.tables.is_empty() && reading.failed.is_empty() {
        reading.failed.push(TableError::Json("the JSON holds no array of rows".to_owned()));
    }
    reading
}

fn documents(text: &str) -> Result<Value, String> {
    let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let mut values = values.map_err(|error| format!("not JSON: {error}"))?;
    Ok(if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
}

fn collect(value: &Value, title: String, reading: &mut Reading) {
    match value {
        Value::Array(items) if items.iter().all(is_row) && !items.is_empty() => match table(items, title) {
            Ok(table) => reading.tables.push(table),
            Err(error) => reading.failed.push(error),
        },
        Value::Array(items) => items.iter().for_each(|item| collect(item, title.clone(), reading)),
        Value::Object(fields) => {
            let named = ["title", "name", "run", "arm"].iter().find_map(|key| fields.get(*key)?.as_str());
            let title = named.map_or(title, str::to_owned);
            for key in ["tables", "rows", "steps"] {
                fields.get(key).into_iter().for_each(|inner| collect(inner, title.clone(), reading));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_row(value: &Value) -> bool {
    let Value::Object(fields) = value else { return false };
    Header::of(fields.keys().cloned().collect()).is_of_steps()
}

fn table(items: &[Value], title: String) -> Result<OutsideTable, TableError> {
    if items.iter().all(is_own) {
        return own(items, title);
    }
    let mut names: Vec<String> = Vec::new();
    for key in items.iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys) {
        if !names.contains(key) {
            names.push(key.clone());
        }
    }
    let cells = |item: &Value| names.iter().map(|name| text(item.get(name))).collect();
    let lines: Vec<_> =
        items.iter().enumerate().map(|(at, item)| Line { number: at + 1, cells: cells(item) }).collect();
    assemble::table(title, 1, &Header::of(names.clone()), &lines)
}

/// The product's own rows carry more than columns.
fn is_own(value: &Value) -> bool {
    ["offered", "delivered", "p50Micros", "kneePerSecond"].iter().all(|key| value.get(key).is_some())
}

fn own(items: &[Value], title: String) -> Result<OutsideTable, TableError> {
    let mut rows = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let row = serde_json::from_value::<Row>(item.clone());
        let mut row = row.map_err(|error| TableError::Json(format!("row {}: {error}", at + 1)))?;
        (row.verdict, row.evidence) = (None, Vec::new());
        rows.push(row);
    }
    Ok(OutsideTable { title, line: 1, rows, ..OutsideTable::default() })
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
