//! What the page tells: as much as the tables, in the same words, and every point that there is.

use std::collections::BTreeSet;

use scraper::{ElementRef, Html};
use soak_campaign::{
    status::MissingRow,
    table::{AtLeast, Row, Withdrawn},
};

use super::{Small, all, page, text, within};

fn run<'a>(page: &'a Html, name: &str) -> ElementRef<'a> {
    all(page, "section.run").into_iter().find(|section| section.attr("id") == Some(&format!("run-{name}"))).unwrap()
}

fn chart<'a>(run: ElementRef<'a>, name: &str) -> ElementRef<'a> {
    let ends = format!("-{name}");
    within(run, "svg.chart").into_iter().find(|chart| chart.attr("id").unwrap().ends_with(&ends)).unwrap()
}

fn cells(line: ElementRef<'_>) -> Vec<String> {
    within(line, "th, td").into_iter().map(text).collect()
}

/// The lines of text, a table's row a line.
fn lines(page: &Html) -> String {
    let mut told = String::new();
    for element in all(page, "body *") {
        let line = match element.value().name() {
            "tr" => cells(element).join(" | "),
            "h1" | "h2" | "h3" | "p" | "li" | "caption" | "figcaption" | "desc" => text(element),
            _ => continue,
        };
        told += &[element.value().name(), ": ", &line, "\n"].concat();
    }
    told
}

#[test]
fn the_page_of_a_small_campaign_reads_as_it_always_did() {
    let told = lines(&page(&Small::read()));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/folders/small-report.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &told).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    for (found, expected) in told.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(told.lines().count(), expected.lines().count());
}

#[test]
fn the_same_results_give_the_same_bytes() {
    assert_eq!(Small::read().document(), Small::read().document());
}

#[test]
fn each_run_has_a_table_with_a_line_for_each_row_and_each_missing_step() {
    let mut small = Small::read();
    let step = small.results[0].planned.steps[1];
    small.results[0].judged.missing = vec![MissingRow { step, reason: "the arm died".to_owned() }];
    let page = page(&small);
    assert_eq!(all(&page, "section.run").len(), small.results.len());
    for result in &small.results {
        let run = run(&page, &result.planned.id.0);
        assert_eq!(within(run, "table.rows tbody tr:not(.missing)").len(), result.judged.rows.len());
        assert_eq!(within(run, "table.rows tbody tr.missing").len(), result.judged.missing.len());
    }
    let missing = within(run(&page, &small.results[0].planned.id.0), "tr.missing");
    assert!(text(missing[0]).ends_with("no row: the arm died"), "{}", text(missing[0]));
}

#[test]
fn the_cells_are_those_of_the_tables() {
    let small = Small::read();
    let page = page(&small);
    let html: BTreeSet<Vec<String>> = all(&page, "table.rows tbody tr").into_iter().map(cells).collect();
    let mut compared = 0;
    for line in small.tables().lines().filter(|line| line.ends_with(" |")) {
        let row: Vec<String> = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        let heads_or_rule = row[0] == "offered" || row[0].contains("--");
        if row.len() > 10 && !heads_or_rule {
            let known = |html: &Vec<String>| {
                let all = row.iter().all(|cell| html.contains(cell));
                all && html[0] == row[0] && html[2..12] == row[1..11]
            };
            assert!(html.iter().any(known), "{row:?}");
            compared += 1;
        }
    }
    assert_eq!(compared, small.results.iter().map(|result| result.judged.rows.len()).sum::<usize>());
}

#[test]
fn every_number_that_there_is_has_a_point_and_a_point_says_what_it_is() {
    let small = Small::read();
    let page = page(&small);
    for result in &small.results {
        let run = run(&page, &result.planned.id.0);
        let count = |read: fn(&Row) -> Option<f64>| {
            result.judged.rows.iter().filter(|row| !row.warmup).filter_map(read).count()
        };
        let check = |name: &str, expected: usize| {
            let points = within(chart(run, name), "g.point");
            assert!(expected > 0 && points.len() == expected, "{name}: {} points", points.len());
            assert!(points.iter().all(|point| text(*point).contains("/s: ")), "{name}");
        };
        check("delivered", count(|row| row.delivered));
        check("latency", count(|row| row.p50_micros) + count(|row| row.p99_micros));
        check("cpu", count(|row| row.cpu_nanos_per_request));
        let bounds = |row: &Row| row.at_least.iter().filter(|which| **which != AtLeast::P999).count();
        let bounds: usize = result.judged.rows.iter().filter(|row| !row.warmup).map(bounds).sum();
        assert_eq!(within(chart(run, "latency"), "path.floor").len(), bounds);
    }
}

#[test]
fn knee_first_broken_and_capacity_are_marked_where_they_are_known() {
    let mut small = Small::read();
    let name = small.results[0].planned.id.0.clone();
    let guides = |small: &Small| {
        let page = page(small);
        let chart = chart(run(&page, &name), "delivered");
        ["path.knee", "path.broken", "path.level", "rect.plateau"].map(|guide| within(chart, guide).len())
    };
    assert_eq!(guides(&small), [1, 1, 1, 0]);
    let judgement = &mut small.results[0].judged.judgement;
    judgement.knee = None;
    judgement.plateau = Some(soak_campaign::verdict::Plateau { low: 900.0, high: 940.0, median: 920.0 });
    assert_eq!(guides(&small), [0, 0, 1, 1]);
    small.results[0].judged.judgement.capacity = None;
    assert_eq!(guides(&small), [0, 0, 0, 1]);
}

#[test]
fn numbers_that_are_not_there_are_not_drawn() {
    let mut small = Small::read();
    for row in &mut small.results[0].judged.rows {
        row.cpu_nanos_per_request = None;
        row.p50_micros = Some(f64::NAN);
        row.p99_micros = Some(f64::INFINITY);
        row.delivered = None;
    }
    small.results[0].judged.judgement = soak_campaign::verdict::RunJudgement::default();
    let page = page(&small);
    let run = run(&page, &small.results[0].planned.id.0);
    assert_eq!(within(run, "g.point").len(), 0);
    assert_eq!(within(run, "text.none").len(), 3);
    for drawn in within(run, "svg.chart *") {
        for (name, value) in drawn.value().attrs() {
            assert!(!value.contains("NaN") && !value.contains("inf"), "{name}={value}");
        }
    }
}

#[test]
fn a_row_that_was_withdrawn_is_struck_through_beside_its_reason_and_successor() {
    let mut small = Small::read();
    let withdrawn = Withdrawn { reason: "wrong body".to_owned(), superseded_by: Some("small-2".to_owned()) };
    small.results[0].judged.rows[2].withdrawn = Some(withdrawn);
    let page = page(&small);
    let name = &small.results[0].planned.id.0;
    let lines = within(run(&page, name), "tr.withdrawn");
    assert_eq!(lines.len(), 1);
    assert!(within(lines[0], "s").len() > 5);
    assert!(text(lines[0]).ends_with("wrong body → small-2"), "{}", text(lines[0]));
    assert!(text(run(&page, name)).contains("withdrawn"));
}

#[test]
fn what_is_not_known_stays_not_known_and_the_reason_is_told() {
    let mut small = Small::read();
    let row = &mut small.results[0].judged.rows[2];
    row.cpu_nanos_per_request = None;
    row.not_available.insert("cpuNanosPerRequest".to_owned(), "no cgroup".to_owned());
    let page = page(&small);
    let run = run(&page, &small.results[0].planned.id.0);
    let line = &within(run, "table.rows tbody tr")[2];
    assert_eq!(cells(*line)[7], "n/a");
    assert!(text(run).contains("cpuNanosPerRequest n/a: no cgroup"));
}

#[test]
fn each_id_is_there_once_and_each_name_that_is_pointed_at_exists() {
    let page = page(&Small::read());
    let ids: Vec<&str> = all(&page, "[id]").into_iter().filter_map(|element| element.attr("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    let pointed = all(&page, "[href]").into_iter().filter_map(|element| element.attr("href")?.strip_prefix('#'));
    let labels = all(&page, "[aria-labelledby]").into_iter().filter_map(|element| element.attr("aria-labelledby"));
    for name in pointed.chain(labels.flat_map(str::split_whitespace)) {
        assert!(unique.contains(name), "{name}");
    }
}

#[test]
fn those_who_do_not_see_are_told_as_much() {
    let page = page(&Small::read());
    assert_eq!(all(&page, "html")[0].attr("lang"), Some("en"));
    assert_eq!(all(&page, "svg.chart").len(), all(&page, "svg.chart[role=img] > desc").len());
    assert_eq!(all(&page, "table").len(), all(&page, "table > caption").len());
    assert_eq!(all(&page, "th").len(), all(&page, "th[scope]").len());
    let words = all(&page, "span.verdict").into_iter().map(text);
    assert!(words.into_iter().all(|word| !word.is_empty()));
}

#[test]
fn a_run_of_twelve_steps_takes_less_than_thirty_kilobytes() {
    let mut small = Small::read();
    let like = small.results[0].clone();
    small.results = (0..50)
        .map(|at| {
            let mut result = like.clone();
            result.planned.id.0 = format!("rest-tiny-r{at}");
            result.judged.run.0 = format!("rest-tiny-r{at}");
            result.judged.rows = like.judged.rows.iter().cycle().take(13).cloned().collect();
            result
        })
        .collect();
    let size = small.document().len();
    assert!(size / 50 < 30_000, "{size}");
}
