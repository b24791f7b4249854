//! Stories: a campaign and a script of what happens go in; every decision, row and verdict comes out and must equal the
//! committed transcript. `UPDATE_STORIES=1` writes the transcripts anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::needless_pass_by_value, reason = "a test")]

mod script;
mod transcript;
mod world;

use std::{
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use soak_campaign::plan::{self, Means, Plan};
use soak_crds::SoakCampaign;

use script::{Event, Processes, Script, What};
use world::World;

/// The folders of this folder, each a story.
fn stories() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn campaign(folder: &Path) -> SoakCampaign {
    let text = fs::read_to_string(folder.join("campaign.yaml")).unwrap();
    let written: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let broken = soak_crds::broken_rules(&written, None);
    assert!(broken.is_empty(), "{}: {broken:?}", folder.display());
    serde_json::from_value(soak_crds::with_defaults(&written)).unwrap()
}

fn planned(folder: &Path) -> Plan {
    let campaign = campaign(folder);
    let name = campaign.metadata.name.clone().unwrap();
    let plan = plan::plan(&campaign.spec, &name, &Means::default()).unwrap();
    assert_eq!(plan::check::faults(&plan), Vec::<String>::new(), "{}", folder.display());
    plan
}

fn told(folder: &Path) -> String {
    let script: Script = serde_saphyr::from_str(&fs::read_to_string(folder.join("script.yaml")).unwrap()).unwrap();
    World::new(planned(folder), script).tell()
}

#[test]
fn every_story_goes_as_its_transcript_says() {
    let update = std::env::var_os("UPDATE_STORIES").is_some();
    let stories = stories();
    assert!(stories.len() >= 8, "only {} stories were found", stories.len());
    let mut differ = Vec::new();
    for folder in stories {
        let (file, told) = (folder.join("transcript.txt"), told(&folder));
        if update {
            fs::write(&file, &told).unwrap();
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        if let Some((number, (is, was))) =
            told.lines().zip(written.lines()).enumerate().find(|(_, (is, was))| is != was)
        {
            differ.push(format!("{}:{}: told {is:?}, written {was:?}", file.display(), number + 1));
        } else if told != written {
            differ.push(format!(
                "{}: told {} lines, written {}",
                file.display(),
                told.lines().count(),
                written.lines().count()
            ));
        }
    }
    assert!(differ.is_empty(), "set UPDATE_STORIES=1 to write them anew\n{}", differ.join("\n"));
}

/// Whoever carries decisions out may die after any one of them, with or without the processes, and go on: every planned
/// step has exactly one row in the attempt that counts, and none that was stored is made again.
#[test]
fn an_executor_that_dies_after_any_action_goes_on_and_measures_nothing_twice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories/quick-ladder");
    let (plan, script) = (planned(&folder), fs::read_to_string(folder.join("script.yaml")).unwrap());
    let script: Script = serde_saphyr::from_str(&script).unwrap();
    let mut clean = World::new(plan.clone(), script.clone());
    clean.tell();
    let actions = clean.actions_done();
    assert!(actions > 40, "{actions} actions");
    for processes in [Processes::Gone, Processes::Stay] {
        for after in 1..actions {
            let mut world = World::new(plan.clone(), script.clone());
            world.dies_after_action(after, processes);
            let told = world.tell();
            world.assert_complete_and_single(&format!("died after action {after}, processes {processes:?}:\n{told}"));
        }
    }
}

fn anything() -> impl Strategy<Value = What> {
    let words = || Just("words".to_owned());
    prop_oneof![
        words().prop_map(What::ArmDies),
        words().prop_map(What::DriverDies),
        Just(What::ArmIsReplaced),
        words().prop_map(What::OrderFails),
        Just(What::DriverHangs),
        words().prop_map(What::Blind),
        Just(What::Sees),
        Just(What::ExecutorDies(Processes::Gone)),
        Just(What::ExecutorDies(Processes::Stay)),
        Just(What::ExecutorDiesAfterStoring(Processes::Gone)),
        Just(What::ExecutorDiesAfterStoring(Processes::Stay)),
        Just(What::ExecutorIsBack),
        Just(What::Interrupt),
        Just(What::GoOn),
        Just(What::Suspend),
        Just(What::Cancel),
        words().prop_map(What::StorageRefuses),
        Just(What::StorageWorks),
        words().prop_map(What::StorageIsLost),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens, the campaign comes to an end with no process left, no two steps overlap, no order is for the
    /// past, and each step of an attempt has at most one row; and once all is well again, every run is settled.
    #[test]
    fn whatever_happens_a_campaign_comes_to_a_good_end(events in prop::collection::vec((0_i64..90_000, anything()), 0..8)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories/quick-ladder");
        let script = fs::read_to_string(folder.join("script.yaml")).unwrap();
        let mut script: Script = serde_saphyr::from_str(&script).unwrap();
        let well = [What::Sees, What::StorageWorks, What::GoOn, What::ExecutorIsBack].map(|what| (100_000, what));
        script.events = events.into_iter().chain(well).map(|(at_millis, what)| Event { at_millis, what }).collect();
        script.events.sort_by_key(|event| event.at_millis);
        let mut world = World::new(planned(&folder), script);
        world.tell();
        world.assert_settled_and_single();
    }
}
