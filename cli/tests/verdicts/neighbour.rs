//! A neighbour on the arm's CPU: named as what else ran, and where that is accepted, as a host without room.

use std::{
    fs, hint,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use crate::case::{Case, Ended};

#[test]
fn a_busy_neighbour_on_the_arms_cpu_contaminates_every_step() {
    let ended = beside_a_neighbour("busy-neighbour");
    ended.all_are("contaminated", "foreign CPU");
    for row in &ended.rows {
        let foreign = ended.rests_on(row, "foreign CPU");
        let cpus: f64 = foreign.trim_end_matches(" CPU").parse().unwrap();
        assert!(cpus > 0.5, "{foreign}");
    }
    assert_eq!(ended.code, Some(5), "{}", ended.told);
    assert_eq!(ended.arm()["replicates"][0]["reason"], "every step is contaminated");
}

#[test]
fn a_neighbour_that_is_accepted_leaves_the_host_without_room() {
    let ended = beside_a_neighbour("full-host");
    ended.all_are("host-limited", "idle on the arm's CPUs");
    for row in &ended.rows {
        ended.rests_on(row, "arm used");
    }
    assert_eq!(ended.code, Some(5), "{}", ended.told);
    assert_eq!(ended.arm()["replicates"][0]["reason"], "every step is host-limited");
}

/// Runs a campaign, with a neighbour on the arm's CPU from when the arm is there.
fn beside_a_neighbour(name: &str) -> Ended {
    let case = Case::of(name);
    let running = case.place.start();
    case.place.wait("the arm is there", || arm_cpu(&case).is_some());
    let neighbour = Neighbour::on(arm_cpu(&case).unwrap());
    let output = running.wait_with_output().unwrap();
    neighbour.end();
    case.ended("out", &output)
}

/// The CPU of the arm's process, once it is pinned to one.
fn arm_cpu(case: &Case) -> Option<u32> {
    let pid = case.place.process("arm")?;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().parse().ok()
}

/// A thread of this test that never rests.
struct Neighbour {
    rest: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Neighbour {
    fn on(cpu: u32) -> Self {
        let rest = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&rest);
        let thread = thread::spawn(move || {
            soak_local::isolation::pin_this_thread(&[cpu]).unwrap();
            while !seen.load(Ordering::Relaxed) {
                hint::spin_loop();
            }
        });
        Self { rest, thread }
    }

    fn end(self) {
        self.rest.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}
