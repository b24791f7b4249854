//! A stateful fake API server in memory: list, get, watch, create, apply, merge patch, replace, delete, with their
//! refusals and with faults placed exactly. Beside the real cluster's tests, which hold it to be like the real thing.

mod store;
mod verbs;
mod watch;

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use kube_client::Client;
use serde_json::Value;
use tokio::sync::watch::{Receiver, Sender};

pub use store::{Key, Store};

use crate::{
    clock::VirtualClock,
    faults::{Faults, Life},
};

/// The server.
#[derive(Debug)]
pub struct Api {
    store: Mutex<Store>,
    pub faults: Arc<Faults>,
    /// The version of the last change.
    changed: Sender<u64>,
    /// Counts up when every watch is to end.
    ended: Sender<u64>,
}

impl Api {
    pub fn new(clock: VirtualClock, faults: Arc<Faults>) -> Arc<Self> {
        let store = Mutex::new(Store::new(clock));
        Arc::new(Self { store, faults, changed: Sender::new(0), ended: Sender::new(0) })
    }

    /// A client for one operator's life.
    pub fn client(self: &Arc<Self>, life: &Arc<Life>) -> Client {
        let (api, life) = (Arc::clone(self), Arc::clone(life));
        let service = tower::service_fn(move |request| {
            let (api, life) = (Arc::clone(&api), Arc::clone(&life));
            async move { api.answer(request, &life).await.map_err(io::Error::other) }
        });
        Client::new(service, "default")
    }

    /// Looks at the objects, or changes them from inside.
    pub fn with<T>(&self, what: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.lock();
        let done = what(&mut store);
        self.changed.send_if_modified(|known| std::mem::replace(known, store.version) != store.version);
        done
    }

    /// An object.
    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let (resource, namespace, name) = (resource.to_owned(), namespace.to_owned(), name.to_owned());
        self.lock().get(&Key { resource, namespace, name }).ok()
    }

    /// All objects of a resource.
    pub fn all(&self, resource: &str) -> Vec<Value> {
        self.lock().list(resource, None).map(|(_, object)| object.clone()).collect()
    }

    /// Told of each change.
    pub fn changes(&self) -> Receiver<u64> {
        self.changed.subscribe()
    }

    /// Ends every watch, and forgets what they would need to go on: the next one is too old.
    pub fn gap(&self) {
        self.lock().compact();
        self.ended.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap()
    }
}
