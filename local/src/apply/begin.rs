//! Makes a fresh arm and driver, all or nothing, or keeps those that are there; and ends them.

use std::{fs, path::PathBuf};

use soak_campaign::{
    plan::{PlannedArm, PlannedServer, Program},
    step::{PartCause, PartKey, Processes, Record},
};

use super::ApplyError;
use crate::{
    clock::unix_nanos,
    command, digest,
    execute::Executor,
    isolation::{self, Assignment, GroupLimits, Needs},
    means::{THIS_PROGRAM, inherited},
    member::{Job, Member},
    port::{self, Listener},
    ready::Readiness,
    site::{Arm, Driver, Site},
    token,
    watch::Event,
};

/// Memory that a driver may use.
const DRIVER_MEMORY: u64 = 1 << 30;

impl Executor<'_> {
    /// Makes the processes of a part, or keeps those of the part before, and records that it began.
    pub(crate) fn begin(&mut self, part: &PartKey, processes: Processes, cause: PartCause) -> Result<(), ApplyError> {
        if let Some(run) = self.run(&part.attempt.run) {
            let (attempt, part) = (part.attempt.attempt, part.part);
            let event = Event::PartBegins { run: &run, attempt, part, left_millis: self.left_millis() };
            self.watch.see(&event);
        }
        match processes {
            Processes::Kept => self.site_mut()?.key = part.clone(),
            Processes::Fresh => {
                self.stop_site();
                let refused = |words| ApplyError::Start { attempt: part.attempt.clone(), words };
                self.site = Some(self.make(part)?.map_err(refused)?);
            }
        }
        let site = self.site_mut()?;
        let (arm, driver) = (site.arm_identity(), site.driver_identity());
        let record = Record::PartBegan { part: part.clone(), at_unix_nanos: unix_nanos(), cause, arm, driver };
        Ok(self.ledger.record(&record)?)
    }

    /// Arm and driver; or in words why there are none. What was made before the failure is dropped, and with it ended.
    fn make(&self, part: &PartKey) -> Result<Result<Site, String>, ApplyError> {
        let Some(arm) = self.run(&part.attempt.run).and_then(|run| self.arm(&run.arm)) else {
            return Ok(Err(format!("the plan has no run {}", part.attempt.run)));
        };
        self.ledger.folder().make_run(&part.attempt.run)?;
        let Some(cpus) = isolation::assign(&self.means.cores, needs(&arm)) else {
            return Ok(Err("this machine has no CPU to run on".to_owned()));
        };
        // Threads made from here on, the witness's among them, keep to the rest.
        let pinned = isolation::pin_this_thread(&cpus.rest);
        let made = self.make_arm(part, &arm, &cpus).and_then(|arm_made| {
            let driver = self.make_driver(part, &arm, &cpus)?;
            Ok(Site { key: part.clone(), cpus, arm: arm_made, driver, orders: Vec::new() })
        });
        Ok(pinned.map_err(|error| format!("cannot keep to CPUs: {error}")).and(made))
    }

    fn make_arm(&self, part: &PartKey, arm: &PlannedArm, cpus: &Assignment) -> Result<Arm, String> {
        let PlannedArm { server, .. } = arm;
        let stdout = self.output(part, "arm", "out");
        let stderr = self.output(part, "arm", "err");
        let readiness = Readiness::of(server, &stdout).ok_or("its server has no port to connect to")?;
        port_is_free(server)?;
        let job = Job {
            name: format!("arm-{}", part.attempt.run),
            command: command::arm(server, THIS_PROGRAM).map_err(|error| error.to_string())?,
            env: inherited().into_iter().chain(server.env.iter().map(|v| (v.name.clone(), v.value.clone()))).collect(),
            working_folder: self.ledger.campaign().working_folder.clone().unwrap_or_default(),
            stdout,
            stderr,
            limits: limits(server.cpu_milli, server.memory_bytes.unsigned_abs(), &cpus.arm),
        };
        Ok(Arm { member: self.start(job)?, readiness, address: None, waits_for: None })
    }

    fn make_driver(&self, part: &PartKey, arm: &PlannedArm, cpus: &Assignment) -> Result<Driver, String> {
        let token = token::fresh().map_err(|error| format!("no key for the driver: {error}"))?;
        let stdout = self.output(part, "driver", "out");
        let job = Job {
            name: format!("driver-{}", part.attempt.run),
            command: command::driver(THIS_PROGRAM, &digest::of_bytes(token.as_bytes())),
            env: inherited(),
            working_folder: self.ledger.campaign().working_folder.clone().unwrap_or_default(),
            stdout: stdout.clone(),
            stderr: self.output(part, "driver", "err"),
            limits: limits(arm.client.cpu_milli, DRIVER_MEMORY, &cpus.driver),
        };
        Ok(Driver { member: self.start(job)?, stdout, token, control: None, silent: None })
    }

    fn start(&self, job: Job) -> Result<Member, String> {
        Member::start(job, &self.means.launcher, &self.means.isolation).map_err(|error| error.to_string())
    }

    /// The file of an output, of each part its own.
    fn output(&self, part: &PartKey, who: &str, which: &str) -> PathBuf {
        let PartKey { attempt, part } = part;
        let file = format!("{who}.{}.{part}.{which}", attempt.attempt);
        self.ledger.folder().of_run(&attempt.run, &file)
    }

    /// Ends arm and driver and all that they started, load first.
    pub(crate) fn stop_site(&mut self) {
        let Some(site) = self.site.take() else { return };
        let Site { key, cpus: _, arm, driver, orders } = site;
        if let Some(control) = &driver.control {
            // A driver that does not answer is killed in a moment.
            let _ = control.stop();
        }
        for placed in orders {
            placed.end_witness();
        }
        for member in [driver.member, arm.member] {
            if let Err(error) = member.stop() {
                self.watch.see(&Event::Warning(&format!("{}: {error}", key.attempt.run)));
            }
        }
        self.drop_empty_outputs(&key);
    }

    /// Outputs of programs that said nothing are not kept.
    fn drop_empty_outputs(&self, part: &PartKey) {
        for (who, which) in [("arm", "out"), ("arm", "err"), ("driver", "out"), ("driver", "err")] {
            let path = self.output(part, who, which);
            if fs::metadata(&path).is_ok_and(|file| file.len() == 0) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn needs(arm: &PlannedArm) -> Needs {
    Needs {
        arm_milli: arm.server.cpu_milli.unsigned_abs(),
        driver_workers: usize::try_from(arm.client.workers).unwrap_or(1),
        driver_idle: arm.client.idle,
    }
}

fn limits(cpu_milli: i64, memory_bytes: u64, cpus: &[u32]) -> GroupLimits {
    GroupLimits { cpu_milli: Some(cpu_milli.unsigned_abs()), memory_bytes: Some(memory_bytes), cpus: cpus.to_vec() }
}

/// Whether nobody has the port that a program of the user's own wants.
fn port_is_free(server: &PlannedServer) -> Result<(), String> {
    match (&server.program, server.port) {
        (Program::Preset(_), _) | (_, None) => Ok(()),
        (Program::Command(_) | Program::Image(_) | Program::Service(_), Some(port)) => {
            match port::listener(port, &[]) {
                Listener::Nobody => Ok(()),
                other @ (Listener::Arm | Listener::Stranger { .. }) => Err(format!("port {port} is in use by {other}")),
            }
        }
    }
}
