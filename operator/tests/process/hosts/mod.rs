//! Drivers and witnesses in pods that run, each reached at its address over a connection in memory, speaking the real
//! control over HTTP. In: pods that start and end; out: answers, and which orders were carried out.

mod driver;
mod serve;
mod witness;

use std::{
    collections::BTreeMap,
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard},
};

use serde_json::Value;
use soak_sample::{ArmReport, DriverWindow, LeverQuestion, LoadOrder, TokenHash, WatchOrder, WitnessWindow};
use tokio::io::DuplexStream;

pub use driver::Carried;

use crate::{
    clock::VirtualClock,
    faults::{Faults, Life},
};
use driver::Driver;
use witness::Witness;

/// What drivers and witnesses see: computed, or recorded before.
pub trait Samples: Send + Sync {
    /// What a driver saw that carried out an order.
    fn driver(&self, order: &LoadOrder) -> DriverWindow;
    /// What a witness saw between the edges that it was told.
    fn witness(&self, watch: &WatchOrder) -> Option<WitnessWindow>;
    /// What a witness finds on the arm's process.
    fn levers(&self, question: &LeverQuestion) -> ArmReport;
}

/// What listens in a pod.
#[derive(Debug)]
enum Control {
    Driver(Driver),
    Witness(Witness),
}

struct Host {
    uid: String,
    token: TokenHash,
    control: Control,
}

/// All pods that run.
pub struct Hosts {
    clock: VirtualClock,
    faults: Arc<Faults>,
    samples: Box<dyn Samples>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    last_ip: u8,
    hosts: BTreeMap<SocketAddr, Host>,
    carried: Vec<Carried>,
}

impl fmt::Debug for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.inner().hosts.keys()).finish()
    }
}

impl Hosts {
    pub fn new(clock: VirtualClock, faults: Arc<Faults>, samples: Box<dyn Samples>) -> Arc<Self> {
        Arc::new(Self { clock, faults, samples, inner: Mutex::default() })
    }

    /// An address that no pod has had.
    pub fn next_ip(&self) -> Ipv4Addr {
        let mut inner = self.inner();
        inner.last_ip += 1;
        Ipv4Addr::new(10, 0, 0, inner.last_ip)
    }

    /// A pod's control begins to listen, as its container is told to.
    pub fn start(&self, ip: Ipv4Addr, uid: &str, pod: &Value) {
        for container in pod["spec"]["containers"].as_array().unwrap() {
            let control = match container["name"].as_str().unwrap() {
                "driver" => Control::Driver(Driver::new(self.clock.unix_nanos())),
                "witness" => Control::Witness(Witness::default()),
                _ => continue,
            };
            let variable = |name: &str| {
                let env = container["env"].as_array().unwrap();
                env.iter().find(|v| v["name"] == name).unwrap()["value"].as_str().unwrap()
            };
            let port = variable("SOAK_LISTEN").rsplit_once(':').unwrap().1.parse().unwrap();
            let token = variable("SOAK_TOKEN_SHA256").parse().unwrap();
            let host = Host { uid: uid.to_owned(), token, control };
            self.inner().hosts.insert(SocketAddr::from((ip, port)), host);
        }
    }

    /// A pod ends, and all that ran in it.
    pub fn end(&self, uid: &str) {
        let now = self.clock.unix_nanos();
        let mut inner = self.inner();
        let gone: Vec<SocketAddr> = inner.hosts.iter().filter(|(_, host)| host.uid == uid).map(|(at, _)| *at).collect();
        for at in gone {
            if let Some(Host { control: Control::Driver(mut driver), .. }) = inner.hosts.remove(&at) {
                inner.carried.extend(driver.end(now));
            }
        }
    }

    /// Every order whose load began, in the order of their being forgotten.
    pub fn carried(&self) -> Vec<Carried> {
        self.inner().carried.clone()
    }

    /// A connection to an address.
    pub fn connect(self: &Arc<Self>, to: SocketAddr, life: &Arc<Life>) -> io::Result<DuplexStream> {
        if !self.inner().hosts.contains_key(&to) {
            return Err(io::Error::new(io::ErrorKind::HostUnreachable, "no route to host"));
        }
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(serve::serve(theirs, to, Arc::clone(self), Arc::clone(life)));
        Ok(ours)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }
}
