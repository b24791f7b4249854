//! Rows as text: CSV for programs, Markdown for people. Both can be read back by `table::read`; the same rows give the
//! same bytes everywhere.

use super::{AtLeast, Row, Withdrawn};
use crate::verdict::Verdict;

/// What stands where a number is not known.
const ABSENT: &str = "n/a";
/// Marks a latency past the knee.
const QUEUE: &str = "†";
/// Its footnote.
const QUEUE_NOTE: &str = "† past the knee: the client's queue, not the server; never compared";

/// The columns, those of a published step table first.
const HEADS: [&str; 18] = [
    "offered",
    "delivered/s",
    "p50 ms",
    "p99 ms",
    "p999 ms",
    "knee/s",
    "cpu ms/req",
    "throttled s",
    "heap MB",
    "rss MB",
    "connections",
    "cores",
    "busiest thread",
    "answered %",
    "send error p99 ms",
    "gap ms",
    "verdict",
    "withdrawn",
];

/// The rows as CSV, every line ended by a line feed.
pub fn csv(rows: &[Row]) -> String {
    let lines = rows.iter().map(|row| cells(row).map(|cell| quoted(&cell)).join(","));
    std::iter::once(HEADS.join(",")).chain(lines).map(|line| line + "\n").collect()
}

/// The rows as a Markdown table: a row that was withdrawn is struck through, a latency past the knee is marked.
pub fn markdown(rows: &[Row]) -> String {
    let withdrawn = rows.iter().any(|row| row.withdrawn.is_some());
    let shown = if withdrawn { HEADS.len() } else { HEADS.len() - 1 };
    let line = |cells: &[String]| format!("| {} |\n", cells[..shown].join(" | "));
    let mut text = line(&HEADS.map(str::to_owned));
    text += &line(&HEADS.map(|head| if is_word(head) { ":---".to_owned() } else { "---:".to_owned() }));
    for row in rows {
        let [.., verdict, _] = HEADS;
        let cells: Vec<_> =
            HEADS.iter().zip(marked(row)).map(|(head, cell)| struck(row, head, verdict, &cell)).collect();
        text += &line(&cells);
    }
    if rows.iter().any(is_past_knee) {
        text += &format!("\n{QUEUE_NOTE}\n");
    }
    text
}

fn is_word(head: &str) -> bool {
    matches!(head, "busiest thread" | "verdict" | "withdrawn")
}

fn struck(row: &Row, head: &str, verdict: &str, cell: &str) -> String {
    let cell = cell.replace('|', "\\|");
    if row.withdrawn.is_some() && head != "withdrawn" && head != verdict && cell != ABSENT {
        return format!("~~{cell}~~");
    }
    cell
}

fn is_past_knee(row: &Row) -> bool {
    row.verdict == Some(Verdict::PastKnee)
}

fn marked(row: &Row) -> [String; 18] {
    let mut cells = cells(row);
    if is_past_knee(row) {
        for cell in cells[2..5].iter_mut().filter(|cell| *cell != ABSENT) {
            cell.push_str(&format!(" {QUEUE}"));
        }
    }
    cells
}

fn cells(row: &Row) -> [String; 18] {
    let known = |value: Option<f64>, places| value.map_or_else(|| ABSENT.to_owned(), |value| digits(value, places));
    let latency = |value: Option<f64>, mark| {
        let bound = if row.at_least.contains(&mark) && value.is_some() { "≥ " } else { "" };
        format!("{bound}{}", known(value.map(|micros| micros / 1e3), 2))
    };
    let bytes = |value: Option<u64>| known(value.map(|bytes| bytes as f64 / 1e6), 0);
    [
        format!("{}{}", digits(row.offered, 1), if row.warmup { " (warmup)" } else { "" }),
        known(row.delivered, 1),
        latency(row.p50_micros, AtLeast::P50),
        latency(row.p99_micros, AtLeast::P99),
        latency(row.p999_micros, AtLeast::P999),
        known(row.knee_per_second, 1),
        known(row.cpu_nanos_per_request.map(|nanos| nanos / 1e6), 3),
        known(row.throttled_micros.map(|micros| micros as f64 / 1e6), 1),
        bytes(row.heap_bytes),
        bytes(row.rss_bytes),
        row.connections.map_or_else(|| ABSENT.to_owned(), |count| count.to_string()),
        known(row.cores_milli.map(|milli| milli / 1e3), 2),
        busiest(row),
        known(row.answered_permille.map(|permille| permille / 10.0), 2),
        known(row.send_error_micros.map(|error| error.p99 / 1e3), 3),
        row.gap_millis.map_or_else(|| ABSENT.to_owned(), |gap| gap.to_string()),
        row.verdict.map_or_else(String::new, |verdict| verdict.name().to_owned()),
        row.withdrawn.as_ref().map_or_else(String::new, withdrawn),
    ]
}

fn busiest(row: &Row) -> String {
    let Some(milli) = row.busiest_thread_milli else { return ABSENT.to_owned() };
    format!("{} {}", digits(milli / 1e3, 2), row.busiest_thread.as_deref().unwrap_or_default()).trim_end().to_owned()
}

fn withdrawn(withdrawn: &Withdrawn) -> String {
    let Withdrawn { reason, superseded_by } = withdrawn;
    superseded_by.as_ref().map_or_else(|| reason.clone(), |successor| format!("{reason} → {successor}"))
}

/// A number to so many decimals; three more where it would show fewer than two digits.
fn digits(value: f64, places: usize) -> String {
    let least = 10f64.powi(1 - i32::try_from(places).unwrap_or(i32::MAX));
    let places = if value != 0.0 && places > 0 && value.abs() < least { places + 2 } else { places };
    let text = format!("{value:.places$}");
    // Whole offered rates are written whole.
    text.strip_suffix(".0")
        .filter(|_| places == 1 && value >= 1.0 && value.fract() == 0.0)
        .map_or(text.clone(), str::to_owned)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
