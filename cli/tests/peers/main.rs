//! The driver beside servers and load tools that others made: its counts are the server's, and where a server stalls it
//! tells what a user would have felt while closed loops do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod counts;
mod stall;

use std::{
    env,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// The programs of others, where all of them are installed; else the test is skipped, which fails where it must not.
fn programs<const N: usize>(names: [&str; N]) -> Option<[PathBuf; N]> {
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")])
        .collect();
    let found = names.map(|name| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file()));
    let missing: Vec<_> = names.iter().zip(&found).filter(|(_, path)| path.is_none()).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return Some(found.map(Option::unwrap));
    }
    assert!(env::var_os("CI").is_none(), "not installed: {}", missing.join(", "));
    eprintln!("SKIPPED: not installed: {}", missing.join(", "));
    None
}

/// What `soak drive` says of one target.
fn drive(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_soak"))
        .args(["drive", "--idle", "sleep", "-o", "json"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A server of somebody else's, ended with the test.
struct Server(Child);

impl Server {
    /// Started, and listening on the port.
    fn start(command: &mut Command, port: u16) -> Self {
        let server = Self(command.stdin(Stdio::null()).spawn().unwrap());
        let patience = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < patience, "the server does not listen on {port}");
            thread::sleep(Duration::from_millis(20));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGTERM lets nginx end its worker too.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A folder of this test's own, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
