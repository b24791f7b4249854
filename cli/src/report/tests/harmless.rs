//! The page loads nothing, runs nothing, and no name in it can change that.

use base64::{Engine, engine::general_purpose::STANDARD};
use scraper::Html;
use sha2::{Digest, Sha256};
use soak_campaign::{
    plan::RunId,
    status::MissingRow,
    table::Withdrawn,
    verdict::{Evidence, Verdict},
};
use soak_local::ledger::PartPlace;

use super::{Small, all, page, text};

/// Elements that load, run, send or embed.
const NO_PLACE: [&str; 19] = [
    "script",
    "link",
    "img",
    "iframe",
    "frame",
    "object",
    "embed",
    "base",
    "audio",
    "video",
    "source",
    "track",
    "form",
    "input",
    "button",
    "image",
    "use",
    "foreignObject",
    "feImage",
];

#[track_caller]
fn check_harmless(page: &Html) {
    let elements = all(page, "*");
    for element in &elements {
        let name = element.value().name();
        assert!(!NO_PLACE.contains(&name), "{name}");
        for (attribute, value) in element.value().attrs() {
            assert!(!attribute.starts_with("on"), "{name} {attribute}={value}");
            assert!(
                !["style", "src", "srcset", "action", "data", "background"].contains(&attribute),
                "{name} {attribute}"
            );
            assert!(!attribute.ends_with("href") || value.starts_with('#'), "{name} {attribute}={value}");
            assert!(!value.contains("url(") && !value.contains("NaN") && !value.contains("inf"), "{name} {value}");
        }
    }
    assert_eq!(elements.iter().filter(|element| element.value().name() == "style").count(), 1);
    let refresh = all(page, "meta[http-equiv]");
    assert_eq!(refresh.len(), 1);
    assert_eq!(refresh[0].attr("http-equiv"), Some("Content-Security-Policy"));
}

#[test]
fn nothing_is_loaded_and_nothing_is_run() {
    check_harmless(&page(&Small::read()));
}

#[test]
fn the_policy_lets_a_browser_apply_this_style_and_nothing_else() {
    let page = page(&Small::read());
    let policy = all(&page, "meta[http-equiv]")[0].attr("content").unwrap();
    let sheet: String = all(&page, "style")[0].text().collect();
    let sum = STANDARD.encode(Sha256::digest(&sheet));
    assert_eq!(policy, format!("default-src 'none'; style-src 'sha256-{sum}'; base-uri 'none'; form-action 'none'"));
    assert!(sheet.contains("prefers-color-scheme: dark") && sheet.contains("@media print"));
}

/// Every word in the campaign that comes from outside, replaced by this one.
fn named(word: &str) -> Small {
    let mut small = Small::read();
    let word = word.to_owned();
    small.campaign.plan.name.clone_from(&word);
    small.campaign.facts.machine.cpu_model = Some(word.clone());
    small.campaign.source = Some(word.clone().into());
    for arm in &mut small.campaign.plan.arms {
        arm.server.args = vec![word.clone()];
    }
    for prediction in &mut small.status.predictions {
        prediction.name.clone_from(&word);
        prediction.evidence = Some(word.clone());
    }
    for threshold in &mut small.status.thresholds {
        threshold.evidence = Some(word.clone());
    }
    for comparison in &mut small.judgement.comparisons {
        comparison.refused = vec![word.clone()];
    }
    for worth in &mut small.judgement.levers {
        worth.remarks = vec![word.clone()];
    }
    for (at, result) in small.results.iter_mut().enumerate() {
        result.judged.run = RunId(format!("{word}{at}"));
        result.planned.id = RunId(format!("{word}{at}"));
        result.judged.judgement.remarks = vec![word.clone()];
        let step = result.planned.steps[1];
        result.judged.missing = vec![MissingRow { step, reason: word.clone() }];
        for lever in &mut result.levers {
            lever.proof.lever.clone_from(&word);
            lever.proof.observed = Some(word.clone());
            lever.proof.note = Some(word.clone());
        }
        for place in &mut result.places {
            match place {
                PartPlace::Processes(processes) => processes.command = vec![word.clone()],
                PartPlace::Pods(pods) => pods.command = vec![word.clone()],
            }
        }
        for row in &mut result.judged.rows {
            row.verdict = Some(Verdict::Void);
            row.evidence = vec![Evidence::fact(&word, word.clone())];
            row.busiest_thread = Some(word.clone());
            row.withdrawn = Some(Withdrawn { reason: word.clone(), superseded_by: Some(word.clone()) });
            row.not_available = [("p999Micros".to_owned(), word.clone())].into();
        }
    }
    small
}

#[test]
fn a_hostile_name_is_only_ever_text() {
    let tags = |page: &Html| all(page, "*").iter().map(|element| element.value().name().to_owned()).collect::<Vec<_>>();
    let plain = tags(&page(&named("plain")));
    for word in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'><svg onload=alert(1)>",
        "</style><script>alert(1)</script>",
        "</title></textarea><iframe src=//example.com>",
        "]]><!--",
        "javascript:alert(1)",
        "&lt;b&gt;&#x3c;i",
    ] {
        let page = page(&named(word));
        check_harmless(&page);
        assert_eq!(tags(&page), plain, "{word}");
        assert_eq!(text(all(&page, "h1")[0]), word.split_whitespace().collect::<Vec<_>>().join(" "));
        let told = text(all(&page, "body")[0]);
        assert!(told.matches(word).count() > 20, "{word}: {}", told.matches(word).count());
    }
}
