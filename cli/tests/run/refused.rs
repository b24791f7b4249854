//! What is refused before anything is started: one message each, with file, line and column; no folder is made.

use std::net::TcpListener;

use crate::place::{Place, free_port, stderr};

/// Runs it; gives what it says.
fn refused(place: &Place) -> String {
    let output = place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!place.path("out").exists());
    assert!(place.processes().is_empty(), "{:?}", place.processes());
    stderr(&output)
}

fn own(command: &str, port: u16) -> String {
    format!(
        "    - {{name: own, protocol: Http1, request: {{method: GET, path: /}}, \
         server: {{local: {{command: [{command}]}}, port: {port}}}}}"
    )
}

#[test]
fn a_port_in_use_is_refused_and_says_by_whom() {
    let place = Place::new();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    place.campaign(&own("sleep, '60'", port), "100");
    let words = refused(&place);
    assert!(words.contains("campaign.yaml:6:"), "{words}");
    assert!(words.contains("spec.arms[0].server.port"), "{words}");
    assert!(words.contains(&format!("process {}", std::process::id())), "{words}");
}

#[test]
fn a_command_that_is_not_there_and_a_port_in_use_are_told_at_once() {
    let place = Place::new();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    place.campaign(&own("./no-such-server", socket.local_addr().unwrap().port()), "100");
    let words = refused(&place);
    assert!(words.contains("spec.arms[0].server.local.command[0]"), "{words}");
    assert!(words.contains("no such program beside the campaign's file"), "{words}");
    assert!(words.contains("spec.arms[0].server.port"), "{words}");
}

#[test]
fn a_campaign_that_is_not_accepted_is_refused_with_every_fault() {
    let place = Place::new();
    place.campaign(&own("sleep, '60'", free_port()), "100, 90");
    let words = refused(&place);
    assert!(words.contains("campaign.yaml:8:"), "{words}");
}
