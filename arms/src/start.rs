//! Starts an arm: ports bound, threads running, then ready. In: preset, settings, ports. Out: a running server and the
//! line that says so. Must not know what a request looks like.

use std::{
    io,
    net::{IpAddr, TcpListener},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::Serialize;

use crate::{
    accept::{self, Connections},
    admin,
    handler::{Handler, Place},
    pause::Timer,
    pool::Pool,
    protocol::Server,
    settings::{Executor, Preset, SettingError, Settings, WorkKind},
    work::Echo,
};

/// What is to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmOptions {
    /// The server.
    pub preset: Preset,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port of the server; 0 for a free one.
    pub port: u16,
    /// The port of metrics and settings; 0 for a free one.
    pub admin_port: u16,
    /// The settings.
    pub settings: Settings,
}

/// Why an arm did not start.
#[derive(Debug, thiserror::Error)]
pub enum ArmError {
    /// A setting is out of bounds.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The port is taken.
    #[error("port {port} of {host} is in use by another process")]
    PortInUse {
        /// The address asked for.
        host: IpAddr,
        /// The port asked for.
        port: u16,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on port {port} of {host}: {source}")]
    Listen {
        /// The address asked for.
        host: IpAddr,
        /// The port asked for.
        port: u16,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The kernel gives no thread, or not what a thread needs.
    #[error("cannot start the thread {thread}: {source}")]
    Thread {
        /// Which.
        thread: &'static str,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The program was built without the description of its messages.
    #[error("the program holds no description of its messages: its build is broken")]
    NoDescription,
}

/// A running arm. It runs until the process ends.
#[derive(Debug)]
pub struct Arm {
    /// What it says once it is ready.
    pub ready: Ready,
    acceptor: JoinHandle<()>,
}

/// What an arm says once it is ready, as one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// Always true.
    pub ready: bool,
    /// The server's port.
    pub port: u16,
    /// The port of metrics and settings.
    pub admin_port: u16,
    /// What it speaks, in the words of a campaign.
    pub protocols: &'static [&'static str],
}

impl Arm {
    /// Starts it. Once this returns, both ports answer. Raises this process's limit of open files as far as it may.
    pub fn start(options: ArmOptions) -> Result<Self, ArmError> {
        let ArmOptions { preset, host, port, admin_port, settings } = options;
        settings.check()?;
        raise_open_files();
        let listener = listen(host, port)?;
        let admin = listen(host, admin_port)?;
        let ready = Ready {
            ready: true,
            port: bound(&listener, host, port)?,
            admin_port: bound(&admin, host, admin_port)?,
            protocols: preset.protocols(),
        };
        let senders = start_workers(preset, &settings)?;
        admin::start(admin, admin::About { preset, settings }).map_err(thread("arm-admin"))?;
        let acceptor = accept::start(listener, senders).map_err(thread("arm-accept"))?;
        Ok(Self { ready, acceptor })
    }

    /// Waits for the end of the process.
    pub fn wait(self) {
        // It ends only when its thread panics; then there is nothing left to wait for.
        let _ = self.acceptor.join();
    }
}

type Senders = Vec<tokio::sync::mpsc::UnboundedSender<std::net::TcpStream>>;

/// A thread with a runtime of its own for each of the worker threads; behind them the pool, where asked for.
fn start_workers(preset: Preset, settings: &Settings) -> Result<Senders, ArmError> {
    let echo = Echo::new(preset.format(), settings.codec, settings.work).ok_or(ArmError::NoDescription)?;
    let echo = Arc::new(echo);
    let pool = match settings.executor {
        Executor::Direct => None,
        Executor::Threads => {
            let pool = Pool::start(settings.pool_threads, &echo, sleep(settings)).map_err(thread("arm-pool"))?;
            Some(Arc::new(pool))
        }
    };
    let (senders, receivers) = accept::hand_out(settings.worker_threads);
    for (index, connections) in receivers.into_iter().enumerate() {
        let worker = Worker { preset, settings: settings.clone(), echo: Arc::clone(&echo), pool: pool.clone() };
        worker.start(index, connections).map_err(thread("arm-conn"))?;
    }
    Ok(senders)
}

/// A thread that serves connections.
struct Worker {
    preset: Preset,
    settings: Settings,
    echo: Arc<Echo>,
    pool: Option<Arc<Pool>>,
}

impl Worker {
    fn start(self, index: usize, connections: Connections) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let place = self.place(&runtime)?;
        let server = Server::new(self.preset, &self.settings, Handler::new(self.echo, place));
        let serve = accept::serve_all(connections, move |socket| server.clone().serve(socket));
        thread::Builder::new().name(format!("arm-conn-{index}")).spawn(move || runtime.block_on(serve))?;
        Ok(())
    }

    fn place(&self, runtime: &tokio::runtime::Runtime) -> io::Result<Place> {
        let sleep = sleep(&self.settings);
        Ok(match &self.pool {
            Some(pool) => Place::Pool(Arc::clone(pool)),
            None if sleep.is_zero() => Place::Here,
            None => Place::HereAfter(sleep, runtime.block_on(async { Timer::start() })?),
        })
    }
}

fn sleep(settings: &Settings) -> Duration {
    match settings.work {
        Some(work) if work.kind == WorkKind::Sleep => Duration::from_micros(work.micros.into()),
        Some(_) | None => Duration::ZERO,
    }
}

fn listen(host: IpAddr, port: u16) -> Result<TcpListener, ArmError> {
    accept::listen(host, port).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ArmError::PortInUse { host, port },
        _ => ArmError::Listen { host, port, source },
    })
}

fn bound(listener: &TcpListener, host: IpAddr, port: u16) -> Result<u16, ArmError> {
    let address = listener.local_addr().map_err(|source| ArmError::Listen { host, port, source })?;
    Ok(address.port())
}

fn thread(thread: &'static str) -> impl Fn(io::Error) -> ArmError {
    move |source| ArmError::Thread { thread, source }
}

/// Each connection takes a file. Where the limit cannot be raised, connections above it wait to be accepted.
fn raise_open_files() {
    let Rlimit { current: _, maximum } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
