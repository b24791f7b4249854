//! Rows as text: CSV for programs, Markdown for people. Both can be read back by `table::read`; the same rows give the
//! same bytes everywhere.

use super::{AtLeast, Row, Withdrawn};
use crate::verdict::Verdict;

/// What stands where a number is not known.
const ABSENT: &str = "n/a";
/// Marks a latency past the knee.
const QUEUE: &str = "†";
/// Its footnote.
pub const QUEUE_NOTE: &str = "† past the knee: the client's queue, not the server; never compared";

/// How many columns a published step table has.
const PUBLISHED: usize = 10;
/// The columns, those of a published step table first.
pub const HEADS: [&str; 18] = [
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

/// The rows as a Markdown table: a row that was withdrawn is struck through, a latency past the knee is marked. A column
/// that a published table does not have is left out where no row fills it.
pub fn markdown(rows: &[Row]) -> String {
    let lines: Vec<_> = rows.iter().map(marked).collect();
    let filled = |at: usize| lines.iter().any(|cells| !matches!(cells[at].as_str(), "" | ABSENT));
    let shown: Vec<_> =
        (0..HEADS.len()).filter(|at| *at < PUBLISHED || HEADS[*at] == "verdict" || filled(*at)).collect();
    let line = |cells: &dyn Fn(usize) -> String| {
        let cells: Vec<_> = shown.iter().map(|at| cells(*at)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&|at| HEADS[at].to_owned());
    text += &line(&|at| if is_word(HEADS[at]) { ":---".to_owned() } else { "---:".to_owned() });
    for (row, cells) in rows.iter().zip(&lines) {
        text += &line(&|at| struck(row, HEADS[at], &cells[at]));
    }
    if rows.iter().any(is_past_knee) {
        text += "\n";
        text += QUEUE_NOTE;
        text += "\n";
    }
    text
}

/// Whether a column holds words; the others hold numbers.
pub fn is_word(head: &str) -> bool {
    matches!(head, "busiest thread" | "verdict" | "withdrawn")
}

fn struck(row: &Row, head: &str, cell: &str) -> String {
    let cell = cell.replace('|', "\\|");
    if row.withdrawn.is_some() && !matches!(head, "verdict" | "withdrawn") && cell != ABSENT {
        return format!("~~{cell}~~");
    }
    cell
}

fn is_past_knee(row: &Row) -> bool {
    row.verdict == Some(Verdict::PastKnee)
}

/// A cell for each of [`HEADS`]: latency past the knee is marked, what is not known is `n/a`.
pub fn marked(row: &Row) -> [String; 18] {
    let mut cells = cells(row);
    if is_past_knee(row) {
        for cell in cells[2..5].iter_mut().filter(|cell| *cell != ABSENT) {
            cell.extend([" ", QUEUE]);
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
        format!("{}{}", whole(row.offered), if row.warmup { " (warmup)" } else { "" }),
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

/// A rate as a step is called by: whole where it is whole.
fn whole(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number to so many decimals; two more where a column of several decimals would show fewer than two digits of it.
fn digits(value: f64, places: usize) -> String {
    let least = 10f64.powi(1 - i32::try_from(places).unwrap_or(i32::MAX));
    let places = if value != 0.0 && places > 1 && value.abs() < least { places + 2 } else { places };
    format!("{value:.places$}")
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{csv, digits, markdown};
    use crate::table::read::Reading;
    use crate::table::{AtLeast, Row, Withdrawn};
    use crate::verdict::Verdict;

    fn row() -> Row {
        Row {
            offered: 1200.0,
            delivered: Some(913.7),
            p50_micros: Some(85.0),
            p99_micros: Some(6_018_560.0),
            at_least: vec![AtLeast::P99],
            knee_per_second: Some(249.3),
            cpu_nanos_per_request: Some(6_100.0),
            rss_bytes: Some(302_000_000),
            verdict: Some(Verdict::Clean),
            ..Row::default()
        }
    }

    #[test]
    fn a_number_shows_two_digits_at_least() {
        let check = |value, places, expected| assert_eq!(digits(value, places), expected);
        check(4.08, 2, "4.08");
        check(0.085, 2, "0.0850");
        check(0.0061, 3, "0.00610");
        check(0.26, 3, "0.260");
        check(0.3, 1, "0.3");
        check(0.0, 3, "0.000");
        check(63.4, 0, "63");
    }

    #[test]
    fn csv_has_the_published_columns_first_and_every_column_always() {
        let text = csv(&[row()]);
        let mut lines = text.lines();
        let heads =
            "offered,delivered/s,p50 ms,p99 ms,p999 ms,knee/s,cpu ms/req,throttled s,heap MB,rss MB,connections,";
        assert!(lines.next().unwrap().starts_with(heads));
        let cells = "1200,913.7,0.0850,≥ 6018.56,n/a,249.3,0.00610,n/a,n/a,302,n/a,n/a,n/a,n/a,n/a,n/a,clean,";
        assert_eq!(lines.next(), Some(cells));
    }

    #[test]
    fn markdown_leaves_out_what_no_row_fills() {
        let text = markdown(&[row()]);
        assert!(text.starts_with(
            "| offered | delivered/s | p50 ms | p99 ms | p999 ms | knee/s | cpu ms/req | throttled s | heap MB | rss MB | verdict |\n"
        ));
        assert!(markdown(&[Row { cores_milli: Some(420.0), ..row() }]).contains("| cores |"));
    }

    #[test]
    fn latency_past_the_knee_is_marked_and_a_withdrawn_row_struck_through() {
        let past = Row { verdict: Some(Verdict::PastKnee), ..row() };
        let text = markdown(&[past]);
        assert!(text.contains("| 913.7 | 0.0850 † | ≥ 6018.56 † | n/a |") && text.contains("† past the knee"));
        let withdrawn = Some(Withdrawn { reason: "wrong body | see".to_owned(), superseded_by: Some("r2".to_owned()) });
        let text = markdown(&[Row { withdrawn, ..row() }]);
        assert!(text.contains("| ~~1200~~ | ~~913.7~~ |"), "{text}");
        assert!(text.contains("| clean | wrong body \\| see → r2 |"), "{text}");
    }

    #[test]
    fn both_texts_can_be_read_back() {
        let rows =
            [Row { warmup: true, verdict: None, ..row() }, row(), Row { verdict: Some(Verdict::PastKnee), ..row() }];
        for text in [csv(&rows), markdown(&rows)] {
            let table = Reading::of(&text).tables.remove(0);
            assert_eq!(table.rows.len(), 3);
            assert!(table.rows[0].warmup && !table.rows[1].warmup);
            assert_eq!(table.rows[1].p50_micros, Some(85.0));
            assert_eq!(table.rows[1].at_least, [AtLeast::P99]);
            assert_eq!((table.rows[2].p999_micros, table.rows[2].rss_bytes), (None, Some(302_000_000)));
            assert_eq!(table.rows[1].cpu_nanos_per_request, Some(6100.0));
        }
    }
}
