//! A folder for one test, with a campaign in it, and the certainty that no process of it is left.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// One test's folder.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a campaign with these arms (YAML in flow style) and a ramp of these steps of one second.
    pub fn campaign(&self, arms: &str, rates: &str) -> PathBuf {
        let path = self.path("campaign.yaml");
        let text = format!(
            "apiVersion: soak.dev/v1alpha1\nkind: SoakCampaign\nmetadata: {{name: small}}\nspec:\n  arms:\n{arms}\n  \
             bodies: [{{preset: Tiny}}]\n  ramp: {{warmup: {{rate: 50, duration: 1s}}, steps: {{rates: [{rates}]}}, \
             stepDuration: 1s}}\n  client: {{drain: 300ms, idle: Sleep, connections: 8}}\n  replicates: 1\n"
        );
        fs::write(&path, text).unwrap();
        path
    }

    /// `soak` with these words, in this folder. Its processes are known by their `HOME`.
    pub fn soak(&self, words: &[&str]) -> Command {
        let mut command = Command::new(soak());
        command.args(words).current_dir(self.folder.path()).env("HOME", self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs `soak` to its end.
    pub fn run(&self, words: &[&str]) -> Output {
        self.soak(words).output().unwrap()
    }

    /// Starts `soak run campaign.yaml --out out`.
    pub fn start(&self) -> Child {
        self.soak(&["run", "campaign.yaml", "--out", "out"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The keys of the steps that are stored, in their order.
    pub fn stored(&self, run: &str) -> Vec<String> {
        let path = self.path(&format!("out/runs/{run}/windows.jsonl"));
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["key"].to_string()).collect()
    }

    /// Waits until so many steps are stored.
    pub fn await_stored(&self, run: &str, steps: usize) {
        self.wait("steps are stored", || self.stored(run).len() >= steps);
    }

    /// Waits until something holds, at most half a minute.
    pub fn wait(&self, what: &str, holds: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(30);
        while !holds() {
            assert!(Instant::now() < until, "{what}: not within 30 s; {:?}", self.processes());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The processes of this test, by id and command line.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let mark = format!("HOME={}\0", self.folder.path().display());
        let pids =
            fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let ours = pids.filter(|pid: &u32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            format!("\0{}", String::from_utf8_lossy(&environ)).contains(&format!("\0{mark}"))
        });
        let named = |pid: u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (pid, String::from_utf8_lossy(&line).replace('\0', " "))
        };
        ours.map(named).filter(|(_, line)| !line.is_empty()).collect()
    }

    /// The process whose command line has this word.
    pub fn process(&self, word: &str) -> Option<u32> {
        let named = |(_, line): &(u32, String)| line.split(' ').any(|part| part == word);
        self.processes().into_iter().find(named).map(|(pid, _)| pid)
    }

    /// Waits until no process of this test is left.
    pub fn await_nobody(&self) {
        self.wait("no process is left", || self.processes().is_empty());
    }
}

/// The program under test.
pub fn soak() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_soak"))
}

/// A port that nobody has now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Sends a signal.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap();
    assert!(sent.success(), "kill -{name} {pid}");
}

/// What a program said on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a program said on standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
