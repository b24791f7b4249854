//! The rows of one run as a table. Pure.

use soak_campaign::table::{AtLeast, Row};

use super::{
    grid::{Grid, Side},
    number::{self, rate, three_digits},
};

/// The rows as Markdown.
pub fn markdown(rows: &[Row]) -> String {
    use Side::{Left, Right};
    let mut grid = Grid::new([
        ("offered", Right),
        ("delivered/s", Right),
        ("p50 ms", Right),
        ("p99 ms", Right),
        ("p999 ms", Right),
        ("knee/s", Right),
        ("cpu ms/req", Right),
        ("throttled s", Right),
        ("heap MB", Right),
        ("rss MB", Right),
        ("conns", Right),
        ("cores", Right),
        ("send p99 µs", Right),
        ("gap ms", Right),
        ("verdict", Left),
    ]);
    for row in rows {
        grid.row(cells(row));
    }
    grid.markdown()
}

fn cells(row: &Row) -> [String; 15] {
    let megabytes = |bytes: u64| three_digits(bytes as f64 / 1e6);
    [
        offered(row),
        known(row.delivered.map(rate)),
        percentile(row, row.p50_micros, AtLeast::P50),
        percentile(row, row.p99_micros, AtLeast::P99),
        percentile(row, row.p999_micros, AtLeast::P999),
        known(row.knee_per_second.map(rate)),
        known(row.cpu_nanos_per_request.map(|nanos| three_digits(nanos / 1e6))),
        known(row.throttled_micros.map(|micros| three_digits(micros as f64 / 1e6))),
        known(row.heap_bytes.map(megabytes)),
        known(row.rss_bytes.map(megabytes)),
        known(row.connections.map(number::whole)),
        known(row.cores_milli.map(|milli| three_digits(milli / 1e3))),
        known(row.send_error_micros.map(|error| three_digits(error.p99))),
        known(row.gap_millis.map(number::whole)),
        row.verdict.map(|verdict| verdict.to_string()).unwrap_or_default(),
    ]
}

fn offered(row: &Row) -> String {
    let warmup = if row.warmup { " (warmup)" } else { "" };
    format!("{}{warmup}", rate(row.rate()))
}

fn percentile(row: &Row, micros: Option<f64>, which: AtLeast) -> String {
    let bound = if row.at_least.contains(&which) { "≥ " } else { "" };
    known(micros.map(|micros| format!("{bound}{}", three_digits(micros / 1000.0))))
}

fn known(value: Option<String>) -> String {
    value.unwrap_or_else(|| number::NOT_KNOWN.to_owned())
}
