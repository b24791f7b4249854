//! The cluster that `KUBECONFIG` names, reached by `kubectl` as a process.

use std::{
    env,
    io::Write as _,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

const PAUSE: Duration = Duration::from_millis(100);

/// A cluster to test on.
#[derive(Debug, Clone)]
pub struct Cluster(());

impl Cluster {
    /// The one that `KUBECONFIG` names; nothing, with words, where none is named. With `CI` set that fails the test.
    pub fn named() -> Option<Self> {
        if env::var_os("KUBECONFIG").is_some_and(|value| !value.is_empty()) {
            return Some(Self(()));
        }
        assert!(env::var_os("CI").is_none(), "KUBECONFIG names no cluster: run `cargo xtask cluster test`");
        eprintln!("SKIPPED: KUBECONFIG names no cluster: run `cargo xtask cluster test`");
        None
    }

    /// Runs `kubectl`; its standard output, or its standard error.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        self.kubectl_with(arguments, "")
    }

    /// Runs `kubectl` with an input, such as a manifest for `--filename=-`.
    pub fn kubectl_with(&self, arguments: &[&str], input: &str) -> Result<String, String> {
        let mut command = Command::new("kubectl");
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("kubectl can be run");
        child.stdin.take().unwrap().write_all(input.as_bytes()).expect("kubectl takes its input");
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// What `kubectl get` says, as JSON.
    pub fn get(&self, arguments: &[&str]) -> Value {
        let told = self.kubectl(&[&["get", "--output=json"], arguments].concat()).unwrap();
        serde_json::from_str(&told).unwrap()
    }

    /// Applies manifests; fails the test where that is refused.
    pub fn apply(&self, manifests: &str) {
        self.kubectl_with(&["apply", "--server-side", "--filename=-"], manifests).unwrap();
    }
}

/// Asks until there is an answer; fails the test after `limit`, naming what was waited for.
#[track_caller]
pub fn until<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        sleep(PAUSE);
    }
}
