//! One campaign of `examples/refusals`, run to its end, and what it wrote.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use crate::place::{Place, free_port, soak, stderr, stdout};

/// Bounds on what is not the subject of a test, lifted where this machine does not come to rest.
const LIFTED: &str = "foreignMilliCpu: 1000000, stealMilliCpu: 1000000, samplingGapMillis: 3600000, hostIdlePercent: 0, \
                      hostWaitPercent: 100";
/// Two campaigns at once would measure each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A folder with a campaign and the programs beside it. While it lives no other is there.
pub struct Case {
    pub place: Place,
    _alone: MutexGuard<'static, ()>,
}

impl Case {
    /// The campaign of this name, on ports that nobody has.
    pub fn of(name: &str) -> Self {
        Self::changed(name, &[])
    }

    /// The campaign of this name, with words of it replaced by others.
    pub fn changed(name: &str, changes: &[(&str, &str)]) -> Self {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Place::new();
        for file in fs::read_dir(examples()).unwrap() {
            let file = file.unwrap().path();
            fs::copy(&file, place.path(file.file_name().unwrap().to_str().unwrap())).unwrap();
        }
        let mut text = fs::read_to_string(examples().join(format!("{name}.yaml"))).unwrap();
        for (from, to) in changes {
            assert!(text.contains(from), "{name}.yaml does not say {from:?}");
            text = text.replace(from, to);
        }
        for port in ["18481", "18482"] {
            text = text.replace(port, &free_port().to_string());
        }
        fs::write(place.path("campaign.yaml"), text).unwrap();
        Self { place, _alone: alone }
    }

    /// Runs it to its end. Where something else ran on the machine meanwhile, or the driver was late for it, it is run
    /// once more with the bounds on these lifted: servers that sleep answer as they do without company.
    pub fn run(&self) -> Ended {
        self.run_for("", &format!("{LIFTED}, sendErrorMicros: 10000000"))
    }

    /// The same for a campaign whose subject is the driver: how late it may be stays as it is.
    pub fn run_for_the_driver(&self) -> Ended {
        self.run_for("client-limited", LIFTED)
    }

    fn run_for(&self, subject: &str, lifted: &str) -> Ended {
        let first = self.once("out1");
        let disturbing = ["contaminated", "client-limited", "host-limited"];
        let disturbed = |verdict: &String| verdict != subject && disturbing.contains(&verdict.as_str());
        if !first.verdicts().iter().any(disturbed) {
            return first;
        }
        eprintln!("something else ran on this machine, once more: {}", first.tables);
        let text = self.place.read("campaign.yaml");
        fs::write(self.place.path("campaign.yaml"), format!("{text}  judge: {{{lifted}}}\n")).unwrap();
        self.once("out2")
    }

    fn once(&self, out: &str) -> Ended {
        let output = self.place.run(&["run", "campaign.yaml", "--out", out]);
        self.ended(out, &output)
    }

    /// What a campaign that is over wrote into this folder.
    pub fn ended(&self, out: &str, output: &Output) -> Ended {
        self.place.await_nobody();
        assert!(self.place.path(out).join("summary.json").exists(), "{}", stderr(output));
        let summary = self.place.json(&format!("{out}/summary.json"));
        let tables = self.place.read(&format!("{out}/tables.md"));
        assert_eq!(stdout(output), tables);
        let name = summary["arms"][0]["name"].as_str().unwrap_or_default();
        let run = format!("{out}/runs/{name}-tiny-r1");
        let rows = self.place.json(&format!("{run}/rows.json"));
        let rows = rows.as_array().unwrap().iter().filter(|row| row["warmup"] == false).cloned().collect();
        let code = output.status.code();
        Ended { code, told: stderr(output), summary, rows, tables, run, out: out.to_owned() }
    }
}

/// A campaign that is over.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it said while it ran.
    pub told: String,
    pub summary: Value,
    /// The rows of its only run, without the warm-up.
    pub rows: Vec<Value>,
    pub tables: String,
    /// The run's folder.
    pub run: String,
    pub out: String,
}

impl Ended {
    /// The verdict on each step.
    pub fn verdicts(&self) -> Vec<String> {
        self.rows.iter().map(|row| row["verdict"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The only arm, as the summary tells it.
    pub fn arm(&self) -> &Value {
        &self.summary["arms"][0]
    }

    /// The steps, calls per second as planned.
    pub fn planned(&self) -> Vec<u64> {
        self.rows.iter().map(|row| row["planned"].as_u64().unwrap()).collect()
    }

    /// Every step has this verdict, with this evidence; the tables say both.
    pub fn all_are(&self, verdict: &str, measure: &str) {
        assert!(!self.rows.is_empty() && self.verdicts().iter().all(|is| is == verdict), "{}", self.tables);
        for row in &self.rows {
            self.rests_on(row, measure);
        }
        assert!(self.tables.contains(&format!("is {verdict}: ")), "{}", self.tables);
    }

    /// The row's evidence has this measure, with its bound; the tables tell the same. Gives its value.
    pub fn rests_on(&self, row: &Value, measure: &str) -> String {
        let evidence = row["evidence"].as_array().unwrap().iter().find(|evidence| evidence["measure"] == measure);
        let evidence = evidence.unwrap_or_else(|| panic!("no {measure} in {row}"));
        let value = evidence["value"].as_str().unwrap();
        assert!(self.tables.contains(&format!("{measure} {value}")), "{measure} {value}: {}", self.tables);
        value.to_owned()
    }
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/refusals")
}

/// Whether this user may set CPU quotas here: a campaign says so itself. Where not the test is skipped, but not in CI.
pub fn quotas(ended: &Ended, place: &Place) -> bool {
    let campaign = place.json(&format!("{}/campaign.json", ended.out));
    if campaign["facts"]["isolation"]["enforced"]["cpu"] == true {
        return true;
    }
    skipped("CPU quotas are not permitted here");
    false
}

/// Whether a program of others is there. Where not the test is skipped, but not in CI.
pub fn is_there(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&paths).any(|folder| folder.join(program).is_file()) {
        return true;
    }
    skipped(&format!("{program} is not installed"));
    false
}

fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{}: {why}", soak().display());
    eprintln!("SKIPPED: {why}");
}
