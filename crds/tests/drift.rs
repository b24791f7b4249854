//! The committed definition is the one that the types give.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[test]
fn the_committed_definition_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/soakcampaigns.yaml");
    let committed = std::fs::read_to_string(path).expect("the definition is committed");
    assert!(committed == soak_crds::definition_yaml(), "run `cargo xtask crds` and commit crds/soakcampaigns.yaml");
}
