use super::*;

const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../chart");

fn artifact(name: &str, digest: &str) -> Artifact {
    let archive = Archive { bytes: Vec::new(), digest: digest.to_owned() };
    Artifact { name: name.to_owned(), archive }
}

#[test]
fn what_is_there_with_other_bytes_is_refused_each_by_name() {
    let all = [artifact("a", "1"), artifact("b", "2"), artifact("c", "3")];
    let check = |found: [Option<&str>; 3]| compare(&all, &found.map(|one| one.map(str::to_owned)), "0.1.0");
    assert_eq!(check([None, None, None]).unwrap(), [false; 3]);
    assert_eq!(check([Some("1"), None, Some("3")]).unwrap(), [true, false, true]);
    let refused = check([Some("1"), Some("9"), Some("8")]).unwrap_err().to_string();
    assert_eq!(
        refused,
        "version 0.1.0 differs from what is published: b is published as 9 and would be 2; c is published as 8 and would \
         be 3. Nothing was pushed"
    );
}

#[test]
fn the_chart_names_every_image_by_its_digest_and_its_bytes_are_always_the_same() {
    let digests = [("operator", "sha256:1"), ("driver", "sha256:2"), ("witness", "sha256:3"), ("arm", "sha256:4")];
    let pack = |digests: &[(&str, &str)]| chart::package(CHART.as_ref(), "0.1.0", "registry.example.com/soak", digests);
    assert_eq!(pack(&digests).unwrap(), pack(&digests).unwrap());
    assert_ne!(pack(&digests).unwrap().digest, pack(&digests[..3]).unwrap().digest);
    assert!(pack(&[("stranger", "sha256:5")]).is_err());
}
