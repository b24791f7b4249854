//! Campaigns of two namespaces take turns; one namespace goes in mid-run.

use serde_json::json;

use crate::{
    look::{SOON, short},
    place::{Place, Room},
};

#[test]
fn campaigns_wait_in_order_and_a_namespace_that_goes_in_mid_run_takes_its_load_with_it() {
    let Some(other) = Room::make("turns-b") else { return };
    let Some(place) = Place::install_beside("turns", &[&other.name]) else { return };
    place.apply_in(&other.name, "first", &json!({}));
    // Times of creation are whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    place.apply("second", &short());
    std::thread::sleep(std::time::Duration::from_millis(1100));
    place.apply("third", &short());
    let waits_for = |name: &str, whom: &str| {
        let condition = place.condition(name, "Reconciling")?;
        let said = condition["message"].as_str()? == format!("waits for {whom}");
        (condition["reason"] == "Queued" && said).then_some(())
    };
    let first = format!("{}/first", other.name);
    for name in ["second", "third"] {
        place.until("it says whom it waits for", SOON, || waits_for(name, &first));
    }
    place.until("load is on", SOON, || other.has_pods().then_some(()));
    other.delete();
    place.until("its pods are gone", SOON, || (!other.has_pods()).then_some(()));
    let second = format!("{}/second", place.namespace);
    place.until("the third waits for the second", SOON, || waits_for("third", &second));
    place.finished("third");
    let started = |name: &str| place.status(name)["started"].as_str().unwrap().to_owned();
    let ended = place.status("second")["finished"].as_str().unwrap().to_owned();
    assert!(ended <= started("third"), "one after the other");
    let whom = place.told("third", "Queued");
    assert!((1..=2).contains(&whom.len()), "{whom:?}");
    place.until("the namespace is gone", SOON, || other.is_gone().then_some(()));
}
