//! The campaigns on the pages for a cluster are such that the operator would carry them out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};
use soak_campaign::plan::{Executor, Means, plan};
use soak_crds::SoakCampaign;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");

/// The blocks of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(format!("{DOCS}/{page}")).unwrap();
    let opening = format!("```{language}\n");
    text.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn a_campaign_on_a_page_keeps_the_rules_and_can_be_planned_for_a_cluster() {
    for page in ["install.md", "kind.md"] {
        let documents = blocks(page, "yaml").into_iter().map(|text| serde_saphyr::from_str::<Value>(&text).unwrap());
        let campaigns: Vec<Value> = documents.filter(|document| document["kind"] == "SoakCampaign").collect();
        assert_eq!(campaigns.len(), 1, "{page}");
        for campaign in campaigns {
            let whole = soak_crds::with_defaults(&campaign);
            assert_eq!(soak_crds::broken_rules(&whole, None), [], "{page}");
            let campaign: SoakCampaign = serde_json::from_value(whole).unwrap();
            let means = Means { executor: Executor::Cluster, files: BTreeMap::new() };
            let planned = plan(&campaign.spec, campaign.metadata.name.as_deref().unwrap(), &means);
            assert!(planned.is_ok(), "{page}: {planned:?}");
        }
    }
}

#[test]
fn the_values_of_a_page_are_values_of_the_chart() {
    let values: Value =
        serde_saphyr::from_str(&fs::read_to_string(format!("{DOCS}/../chart/values.yaml")).unwrap()).unwrap();
    let documents =
        blocks("install.md", "yaml").into_iter().map(|text| serde_saphyr::from_str::<Value>(&text).unwrap());
    let named: Vec<Value> = documents.filter(|document| document["images"].is_object()).collect();
    assert!(!named.is_empty());
    for (image, fields) in named.iter().flat_map(|document| document["images"].as_object().unwrap()) {
        let known = values["images"][image].as_object().unwrap_or_else(|| panic!("there is no image {image}"));
        assert!(fields.as_object().unwrap().keys().all(|field| known.contains_key(field)), "{image}: {fields}");
    }
    assert_eq!(values["networkPolicy"]["enabled"], json!(false), "as the pages say");
}
