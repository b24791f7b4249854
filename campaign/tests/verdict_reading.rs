//! Step tables that nobody here has seen: other orders, other spellings, other units, blank lines, several in one text.

#![allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may fail, and the values are exact")]

use soak_campaign::table::read::{OutsideTable, Reading, TableError, join};
use soak_campaign::verdict::{RunJudgement, Verdict, judge_run};
use soak_crds::spec::JudgeBounds;

fn one(text: &str) -> OutsideTable {
    let mut reading = Reading::of(text);
    assert_eq!(reading.failed, [], "{text}");
    assert_eq!(reading.tables.len(), 1, "{text}");
    reading.tables.remove(0)
}

fn judgement(table: OutsideTable) -> RunJudgement {
    judge_run(table.rows, &[], &JudgeBounds::default()).1
}

fn knee(text: &str) -> Option<(f64, f64)> {
    judgement(one(text)).knee.map(|knee| (knee.last, knee.first_broken))
}

#[test]
fn one_table_reads_the_same_however_it_is_written() {
    let tables = [
        "offered\tdelivered/s\tp50 ms\tknee/s\n50 (warmup)\t50\t1.0\t0\n100\t100\t1.0\t0\n200\t200\t1.1\t0\n300\t250\t40\t50\n",
        "| p50 (ms) | Delivered RPS | Target RPS | never sent/s |\n|---|---|---|---|\n| 1.0 | 50 | 50 (warm-up) | 0 |\n\
         | 1.0 | 100 | 100 | 0 |\n| 1.1 | 200 | 200 | 0 |\n| 40 | 250 | 300 | 50 |\n",
        "offered,delivered/s,p50_us,knee/s\n50 (warmup),50,1000,0\n\n100,100,\"1,000\",0\n200,200,\"1,100\",0\n\n300,250,\"40,000\",50\n",
        "offered (req/s);throughput (req/s);median [s];shed %\n50 (warmup);50;0.001;0\n100;100;0.001;0\n200;200;0.0011;0\n300;250;0.04;16.67\n",
        "offered    delivered    p50       knee\n50 (warmup)  50     1 ms      0\n100        100       1 ms      0\n200        200    1.1 ms    0\n300        250    40 ms    50\n",
        r#"[{"offered":50,"delivered":50,"p50Micros":1000,"kneePerSecond":0,"warmup":true},
            {"offered":100,"delivered":100,"p50Micros":1000,"kneePerSecond":0},
            {"offered":200,"delivered":200,"p50Micros":1100,"kneePerSecond":0},
            {"offered":300,"delivered":250,"p50Micros":40000,"kneePerSecond":50}]"#,
        "{\"rate\":50,\"achieved_rps\":50,\"p50_ms\":1,\"knee/s\":0,\"warmup\":true}\n{\"rate\":100,\"achieved_rps\":100,\"p50_ms\":1,\"knee/s\":0}\n\
         {\"rate\":200,\"achieved_rps\":200,\"p50_ms\":1.1,\"knee/s\":0}\n{\"rate\":300,\"achieved_rps\":250,\"p50_ms\":40,\"knee/s\":50}\n",
    ];
    for text in tables {
        let table = one(text);
        assert_eq!(table.rows.len(), 4, "{text}");
        assert!(table.rows[0].warmup && !table.rows[1].warmup, "{text}");
        let last = &table.rows[3];
        assert_eq!((last.offered, last.delivered, last.p50_micros), (300.0, Some(250.0), Some(40_000.0)), "{text}");
        assert!((last.knee_per_second.unwrap() - 50.0).abs() < 0.02, "{text}");
        assert_eq!(knee(text), Some((200.0, 300.0)), "{text}");
    }
}

#[test]
fn several_tables_are_several_results_each_titled_by_the_line_above() {
    let text = "\
# Results

## First arm

| offered | delivered/s |
|---:|---:|
| 100 | 100 |
| 200 | 200 |

Some prose about it, which ends in a full stop.

**Second arm:**
| offered | delivered/s |
|---:|---:|
| 100 | 100 |

Third arm

A sentence in between.

offered,delivered
100,100
";
    let titles: Vec<_> = Reading::of(text).tables.into_iter().map(|table| table.title).collect();
    assert_eq!(titles, ["First arm", "Second arm", "Third arm"]);
}

#[test]
fn two_headers_in_a_row_are_two_tables() {
    let reading = Reading::of("a\noffered,delivered\n100,100\n200,200\nb\noffered,delivered\n300,300\n");
    let sizes: Vec<_> = reading.tables.iter().map(|table| (table.title.as_str(), table.rows.len())).collect();
    assert_eq!(sizes, [("a", 2), ("b", 1)]);
}

#[test]
fn extra_and_missing_columns_are_tolerated_and_said() {
    let table = one("offered,delivered,p90 ms,note,p50\n100,100,3,fine,1.5\n");
    assert_eq!(table.ignored, ["p90 ms", "note"]);
    assert_eq!(
        table.missing,
        ["p99 ms", "p999 ms", "knee/s", "cpu ms/req", "throttled s", "heap MB", "rss MB", "connections"]
    );
    assert_eq!(table.remarks, ["column \"p50\" names no unit: read as milliseconds"]);
    assert_eq!(table.rows[0].p50_micros, Some(1500.0));
}

#[test]
fn tables_of_something_else_are_passed_over() {
    let reading = Reading::of("tier\tJSON\tprotobuf\ntiny\t16 B\t7 B\n\noffered\tone\ttwo\nlow\t0.8\t1.2\n");
    assert_eq!(reading.tables, []);
    assert_eq!(reading.skipped.len(), 1);
    assert_eq!(reading.skipped[0].line, 4);
    assert_eq!(Reading::of("Load was offered, and delivered in full, at 100, 200 and 300.\n").tables, []);
    assert_eq!(Reading::of(""), Reading::default());
}

#[test]
fn a_table_that_cannot_be_read_names_line_and_cell() {
    let check = |text: &str, expected: TableError| assert_eq!(Reading::of(text).failed, [expected], "{text}");
    let word = TableError::NotANumber { line: 3, column: "p50 ms".to_owned(), cell: "fast".to_owned() };
    check("offered,delivered,p50 ms\n100,100,1\n200,200,fast\n", word);
    check("offered,delivered\n1,000,1,000\n", TableError::Ragged { line: 2, cells: 4, columns: 2 });
    check("offered,delivered\nn/a,100\n", TableError::NoOffered { line: 2 });
    check("offered,delivered\n", TableError::NoRows { line: 1 });
    check("[1, 2]", TableError::Json("the JSON holds no array of rows".to_owned()));
    assert!(matches!(Reading::of("[{]").failed[..], [TableError::Json(_)]));
}

#[test]
fn one_bad_table_leaves_the_others_readable() {
    let reading = Reading::of("a\noffered,delivered\n100,x\n\nb\noffered,delivered\n100,100\n");
    assert_eq!((reading.tables.len(), reading.failed.len()), (1, 1));
}

#[test]
fn a_row_that_was_struck_through_is_taken_back() {
    let table = one("| offered | delivered/s |\n|---|---|\n| 100 | 100 |\n| ~~200~~ | ~~120~~ |\n| 300 | 300 |\n");
    assert!(table.rows[1].withdrawn.is_some());
    let (rows, judgement) = judge_run(table.rows, &[], &JudgeBounds::default());
    assert_eq!(rows[2].verdict, Some(Verdict::Clean));
    assert_eq!((judgement.outliers, judgement.knee, judgement.collapse), (vec![], None, None));
}

#[test]
fn joined_tables_are_one_ramp_whose_parts_each_have_a_first_step() {
    let part = |from: u32| {
        let rows = (from..from + 3).fold(String::new(), |rows, at| format!("{rows}{0},{0}\n", at * 100));
        one(&format!("part {from}\noffered,delivered\n{rows}"))
    };
    let joined = join(vec![part(1), part(4)]);
    assert_eq!((joined.title.as_str(), joined.rows.len()), ("part 1 + part 4", 6));
    let (rows, judgement) = judge_run(joined.rows, &[], &JudgeBounds::default());
    let firsts: Vec<_> =
        rows.iter().filter(|row| row.verdict == Some(Verdict::FirstStep)).map(|row| row.offered).collect();
    assert_eq!(firsts, [100.0, 400.0]);
    assert_eq!(judgement.first_step, Some(100.0));
}

#[test]
fn the_product_s_own_rows_are_read_whole() {
    let text = r#"[{"offered": 100, "planned": 100, "delivered": 99, "answeredPermille": 1000, "p50Micros": 900,
        "kneePerSecond": 0, "scheduled": 1000, "ok": 1000, "errors": {}, "neverSent": 0, "inFlight": 0, "verdict": "void"}]"#;
    let table = one(text);
    assert_eq!((table.rows[0].scheduled, table.rows[0].answered_permille), (Some(1000), Some(1000.0)));
    assert_eq!(table.rows[0].verdict, None, "a verdict is given, never taken over");
}
