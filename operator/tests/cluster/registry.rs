//! An arm's image pulled from a registry by tag: the digest that the kubelet reports is pinned, and where the tag goes
//! afterwards changes nothing. Wanted besides: `SOAK_REGISTRY`, which speaks plain HTTP and takes pushes, and skopeo.

use std::{collections::BTreeSet, env, path::Path, process, time::Duration};

use serde_json::{Value, json};

use crate::place::{Place, run};

/// Puts one of the product's images under a name in the registry; its digest.
fn push(image: &str, to: &str) -> String {
    let values = env::var("SOAK_IMAGES").unwrap();
    let archive = Path::new(&values).with_file_name(format!("{image}.tar"));
    let from = format!("oci-archive:{}", archive.display());
    let to = format!("docker://{to}");
    let copy = ["copy", "--quiet", "--preserve-digests", "--insecure-policy", "--dest-tls-verify=false"];
    run("skopeo", &[&copy[..], &[&from, &to]].concat(), "").unwrap();
    let manifest = run("skopeo", &["inspect", "--tls-verify=false", "--format={{.Digest}}", &to], "").unwrap();
    manifest.trim().to_owned()
}

fn rows(place: &Place, name: &str) -> Vec<Value> {
    let maps = place.get(&["configmaps", "--selector=soak.dev/role=result"]);
    let of_map =
        |map: &Value| -> Vec<Value> { serde_json::from_str(map["data"]["rows.json"].as_str().unwrap()).unwrap() };
    let rows: Vec<Value> = maps["items"].as_array().unwrap().iter().flat_map(of_map).collect();
    assert!(!rows.is_empty(), "{name} has no rows");
    rows
}

#[test]
fn an_image_is_pinned_by_the_digest_that_was_pulled_and_a_tag_that_moves_changes_nothing() {
    let Some(place) = Place::install("registry") else { return };
    let Ok(registry) = env::var("SOAK_REGISTRY") else {
        assert!(env::var_os("CI").is_none(), "SOAK_REGISTRY names no registry");
        eprintln!("SKIPPED: SOAK_REGISTRY names no registry");
        return;
    };
    let image = format!("{registry}/moving-{}/server:current", process::id());
    let first = push("arm", &image);
    place.apply(
        "moving",
        &json!({
            "arms": [{"name": "own", "protocol": "Http1", "request": {"method": "POST", "path": "/echo"}, "server": {
                "image": image,
                "args": ["rest", "--host=0.0.0.0", "--port=8080", "--worker-threads=1"],
                "port": 8080,
                "readyPath": "/healthz",
                "resources": {"cpu": "200m", "memory": "128Mi"},
            }}],
            "ramp": {
                "warmup": {"rate": 50, "duration": "2s"},
                "steps": {"from": 50, "to": 150, "by": 50},
                "stepDuration": "3s",
            },
            "replicates": 2,
        }),
    );
    place.until("load has begun", Duration::from_secs(90), || {
        place.status("moving")["step"].as_str()?.starts_with('2').then_some(())
    });
    // A pod that took this one would never be ready: it is another program.
    let second = push("driver", &image);
    assert_ne!(first, second);
    let status = place.finished("moving");
    assert_eq!(place.condition("moving", "ResultsComplete").unwrap()["status"], "True", "{status}");
    assert!(status["arms"][0]["digest"].as_str().unwrap().ends_with(&first), "{status}");
    let of_rows = |field: &str| -> BTreeSet<String> {
        rows(&place, "moving").iter().map(|row| row["provenance"][field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of_rows("digestAtStart"), [first.clone()].into());
    assert_eq!(of_rows("digestAtEnd"), [first].into());
    assert_eq!(rows(&place, "moving").len(), 8, "a warm-up and three steps, twice");
}
