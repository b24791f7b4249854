//! The committed definitions are the one that the types give.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

#[test]
fn the_committed_definitions_are_up_to_date() {
    for file in ["soakcampaigns.yaml", "../chart/crd/soakcampaigns.yaml"] {
        let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(path).expect("the definition is committed");
        assert!(committed == soak_crds::definition_yaml(), "{file}: run `cargo xtask crds` and commit it");
    }
}
