//! What the presets hold: a greeting's name alone, or an order with its lines. Field names and numbers are those of the
//! servers' message type. The length of the note brings each payload to its stated size.

use soak_crds::spec::BodyPreset;

use super::tree::{Record, Value};

/// Bytes of the note, so that the message has 1,025 B as protobuf.
const REALISTIC_NOTE: usize = 683;

/// Bytes of the note, so that the message has 1,030 B as protobuf.
const DENSE_NOTE: usize = 13;

/// Lines of the dense order: five leaves each, beside fifteen others.
const DENSE_LINES: u32 = 21;

const NOTE: &str = "Please ring the bell twice and leave the parcel with the porter if nobody answers. ";

/// The message of a preset.
pub(super) fn message(preset: BodyPreset) -> Record {
    match preset {
        BodyPreset::Tiny => Record::numbered([("name", "world".into())]),
        BodyPreset::Realistic => order(note(REALISTIC_NOTE), realistic_lines()),
        BodyPreset::Dense => order(note(DENSE_NOTE), dense_lines()),
    }
}

/// Fifteen leaves beside those of the lines.
fn order(note: String, lines: Vec<Record>) -> Record {
    let payload = Record::numbered([
        ("id", "ord-2041-7f3c".into()),
        ("version", 3.into()),
        ("placed", "2026-03-14T09:26:53Z".into()),
        ("urgent", Value::Yes),
        ("currency", "GBP".into()),
        ("total", 1284.55.into()),
        ("via", "web".into()),
        ("note", Value::Text(note)),
        ("buyer", Value::One(buyer())),
        ("lines", Value::Many(lines)),
    ]);
    Record::numbered([("name", "Ada Lovelace".into()), ("payload", Value::One(payload))])
}

fn buyer() -> Record {
    let address = Record::numbered([
        ("street", "12 St James Square".into()),
        ("city", "London".into()),
        ("zip", "SW1Y 4JH".into()),
        ("country", "GB".into()),
    ]);
    Record::numbered([
        ("name", "Ada Lovelace".into()),
        ("email", "ada@example.org".into()),
        ("address", Value::One(address)),
    ])
}

fn realistic_lines() -> Vec<Record> {
    vec![
        line("BK-1843-01", "Notes on the analytical engine", 2, 149.95),
        line("IN-0042-07", "Brass difference gauge, calibrated", 1, 684.25),
        line("PC-1801-24", "Punched cards, box of five hundred", 12, 25.05),
    ]
}

fn dense_lines() -> Vec<Record> {
    (1..=DENSE_LINES)
        .map(|n| line(&format!("SKU-{}", 1000 + 37 * n), &format!("Part number {n:02}"), n, 1.25 + 0.5 * f64::from(n)))
        .collect()
}

fn line(sku: &str, title: &str, quantity: u32, price: f64) -> Record {
    Record::numbered([
        ("sku", sku.into()),
        ("title", title.into()),
        ("qty", quantity.into()),
        ("price", price.into()),
        ("gift", Value::Yes),
    ])
}

fn note(bytes: usize) -> String {
    NOTE.chars().cycle().take(bytes).collect()
}
