//! The output folder: nothing is overwritten, nothing is mixed, and a full disk costs no finished row.

use std::{fs, process::Command};

use crate::place::{Place, stderr};

const REST: &str = "    - {name: rest, protocol: Http1, server: {preset: rest}}";

#[test]
fn a_folder_with_something_in_it_is_refused_and_left_alone() {
    let place = Place::new();
    place.campaign(REST, "100");
    fs::create_dir(place.path("out")).unwrap();
    fs::write(place.path("out/thesis.txt"), "mine").unwrap();
    let output = place.run(&["run", "campaign.yaml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("exists and is not empty"), "{}", stderr(&output));
    assert_eq!(fs::read_dir(place.path("out")).unwrap().count(), 1);
}

#[test]
fn a_folder_without_a_campaign_cannot_be_resumed() {
    let place = Place::new();
    let output = place.run(&["run", "--resume", "nowhere"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("there is no campaign: no such folder"), "{}", stderr(&output));
    assert!(!place.path("nowhere").exists());
}

#[test]
fn the_folder_of_another_plan_is_refused() {
    let place = Place::new();
    place.campaign(REST, "100");
    place.run(&["run", "campaign.yaml", "--out", "out"]);
    let before = place.read("out/ledger.jsonl");
    place.campaign(REST, "100, 200");
    let output = place.run(&["run", "campaign.yaml", "--resume", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("belongs to another plan"), "{}", stderr(&output));
    assert_eq!(place.read("out/ledger.jsonl"), before);
}

#[test]
fn a_full_disk_stops_the_load_and_keeps_every_finished_row() {
    let place = Place::new();
    place.campaign(REST, "100, 120, 140, 160, 180, 200, 220, 240");
    let disk = place.path("disk");
    fs::create_dir(&disk).unwrap();
    let Some(_disk) = Tmpfs::mount(&disk, "112k") else { return };
    let output = place.run(&["run", "campaign.yaml", "--out", "disk/out"]);
    assert_eq!(output.status.code(), Some(6), "{}", stderr(&output));
    assert!(stderr(&output).contains("the disk is full"), "{}", stderr(&output));
    let windows = place.read("disk/out/runs/rest-tiny-r1/windows.jsonl");
    let stored = windows.lines().count();
    assert!(windows.ends_with('\n') && (1..9).contains(&stored), "{stored} steps are stored");
    for line in windows.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    place.await_nobody();
}

/// A small file system in memory, gone when dropped.
struct Tmpfs<'a>(&'a std::path::Path);

impl<'a> Tmpfs<'a> {
    /// `None`, said aloud, where this user may not mount.
    fn mount(path: &'a std::path::Path, size: &str) -> Option<Self> {
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(path).status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(path));
        }
        assert!(std::env::var_os("CI").is_none(), "a full disk cannot be tried: mounting is not permitted");
        eprintln!("SKIPPED: a full disk cannot be tried: mounting is not permitted");
        None
    }
}

impl Drop for Tmpfs<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}
