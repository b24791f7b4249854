//! The control over HTTP: one small exchange a connection, each on a thread of its own, few at a time.

use std::{
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use soak_sample::{ArmReport, Clock, LeverQuestion, TokenHash, WatchOrder};

use super::{
    arm::{self, Arm},
    book::{Book, Fetched, Placed},
    request::{Answer, Request, exchange},
};
use crate::{
    CommandLine, Root,
    admin::at_loopback,
    lever::{Declared, Enforcement, Permitted, Subject, prove_on},
    machine, program_sha256,
    sampler::unix_nanos,
    servers,
};

/// The most exchanges at a time.
const MOST: usize = 32;

/// Why the control does not serve.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {source}")]
pub struct ControlError {
    /// The address.
    pub address: SocketAddr,
    /// What the system said.
    pub source: io::Error,
}

/// How the control is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Who may ask; absent: anybody who reaches the address.
    pub token: Option<TokenHash>,
    /// Where the kernel's files are.
    pub root: Root,
}

/// Serves the control on this thread until the process ends. `ready` is told the address once it is listened on.
///
/// | request | answer |
/// | --- | --- |
/// | `GET /healthz` | 200; needs no token |
/// | `GET /clock` | a `Clock`: this host's time, for the offset between hosts |
/// | `PUT /watches/ID` with a `WatchOrder` | 201; the same again 200; another under that id 409; a wrong one 400; 503 where no arm is seen |
/// | `GET /watches/ID` | a `WatchReport`; 404 where it is not known |
/// | `GET /watches/ID/window` | a `WitnessWindow`; 409 before the step is over; 410 where it was lost |
/// | `DELETE /watches/ID` | it is forgotten, and ended where it is on |
/// | `POST /levers` with a `LeverQuestion` | an `ArmReport`; 503 where no arm is seen |
pub fn serve(options: Options, ready: impl FnOnce(SocketAddr) -> io::Result<()>) -> Result<Infallible, ControlError> {
    let Options { address, token, root } = options;
    let failed = |source| ControlError { address, source };
    let listener = TcpListener::bind(address).map_err(failed)?;
    ready(listener.local_addr().map_err(failed)?).map_err(failed)?;
    let desk = Arc::new(Desk { book: Book::default(), token, root, busy: AtomicUsize::new(0) });
    loop {
        // A connection that failed before it was accepted is its peer's matter.
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(Duration::from_millis(10));
            continue;
        };
        if desk.busy.fetch_add(1, Ordering::Relaxed) >= MOST {
            desk.busy.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let attended = Arc::clone(&desk);
        let spawned = thread::Builder::new().name("control".to_owned()).spawn(move || {
            // A peer that breaks the protocol or goes away ends its own connection only.
            let _ = exchange(stream, |request| attended.answer(request));
            attended.busy.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            desk.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Where requests are answered.
#[derive(Debug)]
struct Desk {
    book: Book,
    token: Option<TokenHash>,
    root: Root,
    busy: AtomicUsize,
}

impl Desk {
    fn answer(&self, request: &Request) -> Answer {
        if request.path == "/healthz" {
            return Answer::words(200, "ok");
        }
        if !request.is_allowed(self.token) {
            return Answer::words(401, "this token may not ask");
        }
        let path: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
        match (request.method.as_str(), path.as_slice()) {
            ("GET", ["clock"]) => Answer::document(&Clock { unix_nanos: unix_nanos() }),
            ("PUT", ["watches", id]) => self.place(id, &request.body),
            ("GET", ["watches", id]) => self.book.report(id).map_or_else(unknown, |report| Answer::document(&report)),
            ("GET", ["watches", id, "window"]) => self.window(id),
            ("DELETE", ["watches", id]) if self.book.forget(id) => Answer::words(200, "forgotten"),
            ("DELETE", ["watches", _]) => unknown(),
            ("POST", ["levers"]) => self.levers(&request.body),
            _ => Answer::words(404, "no such thing here"),
        }
    }

    fn place(&self, id: &str, body: &[u8]) -> Answer {
        let order = match serde_json::from_slice::<WatchOrder>(body) {
            Ok(order) if order.order == id && order.version == soak_sample::VERSION => order,
            Ok(order) => {
                let WatchOrder { version, order, .. } = order;
                return Answer::words(400, &format!("the watch calls itself {order:?}, of {version:?}"));
            }
            Err(error) => return Answer::words(400, &format!("not a watch: {error}")),
        };
        match self.book.place(&self.root, order) {
            Ok(Placed::New) => Answer::words(201, "on"),
            Ok(Placed::Same) => Answer::words(200, "known"),
            Ok(Placed::Other) => Answer::words(409, "another watch has this id"),
            Ok(Placed::Full) => Answer::words(429, "too many watches are not acknowledged"),
            Err(error) => Answer::words(503, &error.to_string()),
        }
    }

    fn window(&self, id: &str) -> Answer {
        match self.book.window(id) {
            Fetched::Window(window) => Answer::document(&window),
            Fetched::Unfinished => Answer::words(409, "the step is not over"),
            Fetched::Lost => Answer::words(410, "the witness's thread ended without a window"),
            Fetched::Unknown => unknown(),
        }
    }

    fn levers(&self, body: &[u8]) -> Answer {
        let question = match serde_json::from_slice::<LeverQuestion>(body) {
            Ok(question) => question,
            Err(error) => return Answer::words(400, &format!("not a question: {error}")),
        };
        match arm::find(&self.root, std::process::id(), question.arm) {
            Ok(arm) => Answer::document(&report(&self.root, arm, question)),
            Err(error) => Answer::words(503, &error.to_string()),
        }
    }
}

fn report(root: &Root, arm: Arm, question: LeverQuestion) -> ArmReport {
    let LeverQuestion { version: _, args, env, settings, cpu_milli, memory_bytes, arm: ports } = question;
    let members = arm.group.processes(root).unwrap_or_default();
    let pid = servers(root, &members, arm.main, Some(ports.port)).first().copied().unwrap_or(arm.main);
    let (cpu_milli, memory_bytes) = (Some(cpu_milli), Some(memory_bytes));
    let declared = Declared { args, env, settings, cpu_milli, memory_bytes, cpus: Vec::new() };
    let Arm { group, main } = arm;
    let subject = Subject { group, main, port: Some(ports.port), admin: ports.admin.map(at_loopback) };
    let permitted = Permitted { cpu: Enforcement::Permitted, memory: Enforcement::Permitted };
    ArmReport {
        proofs: prove_on(root, &subject, &declared, permitted),
        pid,
        command: CommandLine::read(root, pid).map(|line| line.words).unwrap_or_default(),
        program_sha256: program_sha256(root, pid).ok(),
        machine: machine(root),
    }
}

fn unknown() -> Answer {
    Answer::words(404, "no such watch")
}
