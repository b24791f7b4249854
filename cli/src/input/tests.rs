use std::{fs, path::PathBuf};

use proptest::prelude::*;
use soak_campaign::plan::FieldPath;

use super::*;

const SOUND: &str = "\
apiVersion: soak.dev/v1alpha1
kind: SoakCampaign
metadata: {name: switch-ladder}
spec:
  arms:
    - {name: rest-h1, server: {preset: rest}, protocol: Http1}
    - {name: grpc-unary, server: {preset: grpc, resources: {cpu: 250m}}, protocol: GrpcUnary}
  bodies: [{preset: Realistic}, {name: own, file: own.json}]
  ramp: {warmup: {rate: 50, duration: 1s}, steps: {from: 100, to: 400, by: 100}, stepDuration: 2s}
  client: {idle: Sleep}
  replicates: 1
";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input")
}

#[allow(clippy::unnecessary_wraps, reason = "the shape that a reader of bodies has")]
fn body(_: &str) -> Result<Vec<u8>, String> {
    Ok(b"{}".to_vec())
}

fn checked(text: &str) -> Result<Loaded, Vec<Fault>> {
    check(text, Executor::Local, &body)
}

/// Compares what is said of `NAME.yaml` with `NAME.txt`; with `UPDATE_GOLDEN` set, writes it.
#[track_caller]
fn golden(name: &str) {
    let mut rejected = load(&folder().join(format!("{name}.yaml")), Executor::Local).unwrap_err();
    rejected.source.name = format!("{name}.yaml");
    let said = faults_as_text(&rejected, Paint::Plain);
    let path = folder().join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &said).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(said, expected, "{}", path.display());
}

macro_rules! golden {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            golden(stringify!($name));
        })*

        #[test]
        fn every_file_of_bad_input_has_its_test() {
            let tested = [$(stringify!($name)),*];
            for entry in fs::read_dir(folder()).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                assert!(tested.contains(&name.as_str()), "{name} is not tested");
            }
        }
    };
}

golden! {
    a_list another_kind another_version bad_indentation body_file_over_the_limit body_file_that_is_not_there
    body_over_the_limit command_without_words control_characters deep_nesting empty enum_values json
    keys_written_twice missing_fields names_that_are_not_there names_that_are_not_unique not_supported_yet not_yaml
    nulls one_of python_tag ramp_goes_down rates_go_down rates_of_zero_and_of_a_thousand_million several_documents
    too_many_steps unknown_anchor unknown_fields values_out_of_bounds words_for_booleans wrong_types wrong_units
    yaml_bomb
}

#[test]
fn a_sound_campaign_is_accepted_with_its_defaults_and_its_plan() {
    let loaded = checked(SOUND).unwrap();
    assert_eq!(loaded.resource.spec.judge, soak_crds::spec::JudgeBounds::default());
    assert_eq!(loaded.plan.name, "switch-ladder");
    assert_eq!(loaded.plan.runs.len(), 4);
}

#[test]
fn every_example_is_accepted() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = [folder.join("refusals"), folder];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let campaigns = files.iter().filter(|path| path.extension().is_some_and(|ext| ext == "yaml"));
    let rejected: Vec<String> = campaigns
        .filter_map(|path| load(path, Executor::Local).err())
        .map(|rejected| faults_as_text(&rejected, Paint::Plain))
        .collect();
    assert_eq!(rejected, Vec::<String>::new());
    assert!(!files.is_empty());
}

#[test]
fn json_and_anchors_mean_the_same_as_plain_yaml() {
    let plain = checked(SOUND).unwrap().plan;
    let (root, _) = tree::parse(SOUND).unwrap();
    assert_eq!(checked(&serde_json::to_string_pretty(&root.to_json()).unwrap()).unwrap().plan, plain);
    let anchored = SOUND.replace("server: {preset: rest}", "server: &rest {preset: rest}");
    assert_eq!(checked(&anchored).unwrap().plan, plain);
}

#[test]
fn a_resource_as_a_cluster_gives_it_back_is_accepted() {
    let text = SOUND.replace(
        "metadata: {name: switch-ladder}",
        "metadata: {name: switch-ladder, uid: x, generation: 1, labels: {a: b}}\nstatus: {summary: done}",
    );
    checked(&text).unwrap();
}

#[test]
fn what_the_machine_says_against_a_campaign_is_put_at_its_place() {
    let path = folder().join("one_of.yaml");
    let field = FieldPath::spec().field("arms").item(2).field("server").field("local").field("command").item(0);
    let refusal = Refusal { field, value: None, message: "there is no such program".to_owned() };
    let faults = reject(&path, vec![refusal]).faults;
    assert_eq!(faults[0].place, Some(Place { line: 8, column: 44, width: 5 }));
    assert_eq!(faults[0].value.as_deref(), Some("./c"));
}

#[test]
fn what_could_never_be_read_says_why_in_one_message() {
    let folder = std::env::temp_dir().join(format!("soak-input-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let cases = [
        (folder.join("none.yaml"), "cannot be read: there is no such file"),
        (folder.clone(), "cannot be read: it is a folder; name a file"),
        (file("latin.yaml", b"a: 1\nb: \xe9\n"), "cannot be read: it is not UTF-8 text: byte 8, in line 2"),
        (file("large.yaml", &vec![b' '; (1 << 20) + 1]), "cannot be read: it is larger than 1024 KiB"),
    ];
    for (path, expected) in cases {
        let rejected = load(&path, Executor::Local).unwrap_err();
        let said = faults_as_text(&rejected, Paint::Plain);
        assert_eq!(said, format!("{}: error: {expected}\n", path.display()));
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_faulty_field_does_not_hide_what_is_wrong_elsewhere() {
    let text = SOUND.replace("from: 100, to: 400", "from: 500, to: 400").replace("replicates: 1", "replicates: none");
    let fields: Vec<String> = checked(&text).unwrap_err().iter().map(|fault| fault.field.to_string()).collect();
    assert_eq!(fields, ["spec.ramp.steps.to", "spec.replicates"]);
}

#[test]
fn tools_get_every_part_of_a_fault() {
    let rejected = Rejected {
        source: Source { name: "x.yaml".to_owned(), text: String::new() },
        faults: checked(&SOUND.replace("replicates: 1", "replicates: 0")).unwrap_err(),
    };
    let expected = serde_json::json!([{
        "line": 11, "column": 15, "field": "spec.replicates", "value": "0", "message": "is too small",
        "allowed": "a whole number from 1 to 20",
    }]);
    assert_eq!(faults_as_json(&rejected), expected);
}

#[test]
fn colour_is_added_around_the_same_words() {
    let faults = checked(&SOUND.replace("replicates: 1", "replicates: 0")).unwrap_err();
    let rejected = Rejected { source: Source { name: "x".to_owned(), text: SOUND.to_owned() }, faults };
    let coloured = faults_as_text(&rejected, Paint::Colour);
    assert!(coloured.contains('\x1b'));
    assert_eq!(coloured.replace("\x1b[1;31m", "").replace("\x1b[0m", ""), faults_as_text(&rejected, Paint::Plain));
}

#[test]
fn lists_far_beyond_their_bounds_are_refused_without_going_over_them() {
    let names: Vec<String> = (0..2500).map(|n| format!("{{name: n{n}, control: a, treatment: b}}")).collect();
    let text = format!("{SOUND}  compare: [{}]\n", names.join(", "));
    let faults = checked(&text).unwrap_err();
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].message, "has 2500 items");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_the_reader_panic_and_every_place_is_in_the_text(
        at in 0..SOUND.len(), cut in 0..20usize, put in "[ -~\n\t]{0,8}"
    ) {
        let end = (at + cut).min(SOUND.len());
        let text = format!("{}{put}{}", &SOUND[..at], &SOUND[end..]);
        if let Err(faults) = checked(&text) {
            prop_assert!(!faults.is_empty());
            let lines = text.lines().count().max(1);
            for place in faults.iter().filter_map(|fault| fault.place) {
                prop_assert!((1..=lines + 1).contains(&place.line), "{place:?} in {text:?}");
            }
            let source = Source { name: "x".to_owned(), text };
            let said = faults_as_text(&Rejected { source, faults }, Paint::Plain);
            prop_assert!(said.lines().count() >= 1);
        }
    }
}
