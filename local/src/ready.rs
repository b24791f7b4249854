//! Whether an arm is ready, and where it is reached. In go what its program promises and what can be seen of it; out
//! comes an address, or what it still waits for. It must not load the arm: at most one request to its ready path.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use soak_campaign::plan::{PlannedServer, Program};

use crate::{
    http::Call,
    port::{self, Listener},
};

/// How long the ready path may take for one answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// How an arm is known to be ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// It writes one line of JSON with its ports to this file.
    Line(PathBuf),
    /// It listens on this port, and where a path is given, answers it with 2xx.
    Port {
        /// The port.
        port: u16,
        /// The path.
        path: Option<String>,
    },
}

/// Where an arm is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    /// The port that is loaded.
    pub port: u16,
    /// Its admin port, where it has one.
    pub admin: Option<SocketAddr>,
}

/// The line of a preset that is ready.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadyLine {
    ready: bool,
    port: u16,
    admin_port: u16,
}

impl Readiness {
    /// What a server promises; `None` where it is neither a preset nor has a port.
    pub fn of(server: &PlannedServer, stdout: &Path) -> Option<Self> {
        match &server.program {
            Program::Preset(_) => Some(Self::Line(stdout.to_owned())),
            Program::Command(_) | Program::Image(_) | Program::Service(_) => {
                server.port.map(|port| Self::Port { port, path: server.ready_path.clone() })
            }
        }
    }

    /// The address of an arm that is ready, where `arm` are its processes; else what it waits for.
    pub fn check(&self, arm: &[u32]) -> Result<Address, String> {
        match self {
            Self::Line(stdout) => ready_line(&fs::read_to_string(stdout).unwrap_or_default())
                .ok_or_else(|| "it has not said that it is ready".to_owned()),
            Self::Port { port, path } => {
                owned(*port, arm)?;
                path.as_ref().map_or(Ok(()), |path| answers(*port, path))?;
                Ok(Address { port: *port, admin: None })
            }
        }
    }
}

fn ready_line(text: &str) -> Option<Address> {
    let whole = text.lines().next().filter(|_| text.contains('\n'))?;
    let line: ReadyLine = serde_json::from_str(whole).ok()?;
    line.ready.then(|| Address { port: line.port, admin: Some(loopback(line.admin_port)) })
}

/// Whether the arm, and none else, listens on the port.
fn owned(port: u16, arm: &[u32]) -> Result<(), String> {
    match port::listener(port, arm) {
        Listener::Arm => Ok(()),
        Listener::Nobody => Err(format!("it does not listen on port {port}")),
        stranger @ Listener::Stranger { .. } => Err(format!("port {port} is held by {stranger}, not by the arm")),
    }
}

fn answers(port: u16, path: &str) -> Result<(), String> {
    let to = loopback(port);
    let answer = Call { to, method: "GET", path, token: None, body: &[], patience: PATIENCE }.send();
    match answer {
        Ok(answer) if (200..300).contains(&answer.status) => Ok(()),
        Ok(answer) => Err(format!("{path} answers {}", answer.status)),
        Err(error) => Err(format!("{path}: {error}")),
    }
}

/// A port of this machine.
pub(crate) fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread,
    };

    use super::*;

    #[test]
    fn a_ready_line_counts_once_it_is_whole_and_says_so() {
        let check = |text: &str, expected: Option<u16>| {
            assert_eq!(ready_line(text).map(|address| address.port), expected, "{text:?}");
        };
        check("{\"ready\":true,\"port\":81,\"adminPort\":82,\"protocols\":[]}\n", Some(81));
        check("{\"ready\":true,\"port\":81,\"adminPort\":82}", None);
        check("{\"ready\":false,\"port\":81,\"adminPort\":82}\n", None);
        check("hello\n", None);
        check("", None);
    }

    #[test]
    fn a_strangers_port_is_never_the_arms() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let readiness = Readiness::Port { port, path: None };
        let words = readiness.check(&[]).unwrap_err();
        assert!(words.contains("not by the arm"), "{words}");
        assert_eq!(readiness.check(&[std::process::id()]).unwrap().port, port);
    }

    #[test]
    fn the_ready_path_must_answer_with_success() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let serve = thread::spawn(move || {
            for answer in ["HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 204 Yes\r\n\r\n"] {
                let (mut stream, _) = socket.accept().unwrap();
                let _ = stream.read(&mut [0; 512]).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let readiness = Readiness::Port { port, path: Some("/healthz".to_owned()) };
        let me = [std::process::id()];
        assert_eq!(readiness.check(&me).unwrap_err(), "/healthz answers 503");
        assert_eq!(readiness.check(&me).unwrap().port, port);
        serve.join().unwrap();
    }
}
