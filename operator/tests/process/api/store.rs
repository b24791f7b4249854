//! The objects of a fake API server: resource versions, uids, and every change in order. In go verbs; out come objects,
//! or refusals in an API server's own words. Knows no HTTP.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::clock::VirtualClock;

/// An object's place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub resource: String,
    pub namespace: String,
    pub name: String,
}

/// Why a verb is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: u16,
    pub reason: &'static str,
    pub message: String,
}

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    pub version: u64,
    pub kind: &'static str,
    pub key: Key,
    pub object: Value,
}

/// All objects.
#[derive(Debug)]
pub struct Store {
    clock: VirtualClock,
    objects: BTreeMap<Key, Value>,
    /// What was applied, for server-side apply to be compared with.
    applied: BTreeMap<Key, Value>,
    pub changes: Vec<Change>,
    pub version: u64,
    /// Changes up to this version are forgotten.
    pub compacted: u64,
    made: u64,
}

type Verb = Result<Value, Refusal>;

impl Store {
    pub fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            objects: BTreeMap::new(),
            applied: BTreeMap::new(),
            changes: Vec::new(),
            version: 100,
            compacted: 0,
            made: 0,
        }
    }

    pub fn get(&self, key: &Key) -> Verb {
        self.objects.get(key).cloned().ok_or_else(|| not_found(key))
    }

    /// Objects of a resource, of one namespace or of all.
    pub fn list<'a>(
        &'a self,
        resource: &'a str,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a Key, &'a Value)> {
        let wanted =
            move |key: &Key| key.resource == resource && namespace.is_none_or(|wanted| key.namespace == wanted);
        self.objects.iter().filter(move |(key, _)| wanted(key))
    }

    pub fn create(&mut self, key: &Key, mut object: Value) -> Verb {
        if self.objects.contains_key(key) {
            let message = format!("{} \"{}\" already exists", key.resource, key.name);
            return Err(Refusal { code: 409, reason: "AlreadyExists", message });
        }
        self.made += 1;
        let metadata = &mut object["metadata"];
        metadata["name"] = json!(key.name);
        metadata["namespace"] = json!(key.namespace);
        metadata["uid"] = json!(format!("uid-{:04}", self.made));
        metadata["creationTimestamp"] = json!(self.clock.text());
        metadata["generation"] = json!(1);
        Ok(self.commit("ADDED", key, object))
    }

    /// Replaces an object whose resource version is the one that is there.
    pub fn replace(&mut self, key: &Key, object: Value) -> Verb {
        let known = self.get(key)?;
        expect_version(key, &known, &object["metadata"]["resourceVersion"])?;
        if known["immutable"] == true {
            let message = format!("{} \"{}\" is invalid: data: Forbidden: field is immutable", key.resource, key.name);
            return Err(Refusal { code: 422, reason: "Invalid", message });
        }
        Ok(self.commit("MODIFIED", key, object))
    }

    /// Server-side apply: makes what is not there, keeps what is as it was applied.
    pub fn apply(&mut self, key: &Key, object: Value) -> Verb {
        let Ok(known) = self.get(key) else {
            self.applied.insert(key.clone(), object.clone());
            return self.create(key, object);
        };
        if self.applied.get(key) == Some(&object) {
            return Ok(known);
        }
        if key.resource != "pods" {
            self.applied.insert(key.clone(), object.clone());
            return self.merge(key, &object);
        }
        let message =
            format!("{} \"{}\" is invalid: spec: Forbidden: updates may not change it", key.resource, key.name);
        Err(Refusal { code: 422, reason: "Invalid", message })
    }

    /// A merge patch.
    pub fn merge(&mut self, key: &Key, patch: &Value) -> Verb {
        let known = self.get(key)?;
        expect_version(key, &known, &patch["metadata"]["resourceVersion"])?;
        let mut object = known.clone();
        merge(&mut object, patch);
        if object == known { Ok(known) } else { Ok(self.commit("MODIFIED", key, object)) }
    }

    /// A merge patch on the status.
    pub fn merge_status(&mut self, key: &Key, patch: &Value) -> Verb {
        let known = self.get(key)?;
        expect_version(key, &known, &patch["metadata"]["resourceVersion"])?;
        let mut object = known.clone();
        merge(&mut object["status"], &patch["status"]);
        if object == known { Ok(known) } else { Ok(self.commit("MODIFIED", key, object)) }
    }

    /// Deletes an object whose uid is the one that is wanted; a pod after its grace.
    pub fn delete(&mut self, key: &Key, options: &Value) -> Verb {
        let mut object = self.get(key)?;
        let wanted = &options["preconditions"]["uid"];
        if !wanted.is_null() && *wanted != object["metadata"]["uid"] {
            let message = format!("the UID in the precondition ({wanted}) does not match the UID in record");
            return Err(Refusal { code: 409, reason: "Conflict", message });
        }
        let scheduled = object["spec"]["nodeName"].is_string();
        if key.resource != "pods" || !scheduled {
            return Ok(self.remove(key));
        }
        if object["metadata"]["deletionTimestamp"].is_string() {
            return Ok(object);
        }
        object["metadata"]["deletionTimestamp"] = json!(self.clock.text());
        Ok(self.commit("MODIFIED", key, object))
    }

    /// Takes an object away.
    pub fn remove(&mut self, key: &Key) -> Value {
        self.applied.remove(key);
        let mut object = self.objects.remove(key).unwrap();
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let change = Change { version: self.version, kind: "DELETED", key: key.clone(), object: object.clone() };
        self.changes.push(change);
        object
    }

    /// Changes an object from inside, as a kubelet or a user does.
    pub fn edit(&mut self, key: &Key, edit: impl FnOnce(&mut Value)) {
        if let Some(mut object) = self.objects.get(key).cloned() {
            edit(&mut object);
            self.commit("MODIFIED", key, object);
        }
    }

    /// Forgets all changes so far: whoever wants to go on from before must list again.
    pub fn compact(&mut self) {
        self.version += 1;
        self.compacted = self.version;
    }

    fn commit(&mut self, kind: &'static str, key: &Key, mut object: Value) -> Value {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.objects.insert(key.clone(), object.clone());
        self.changes.push(Change { version: self.version, kind, key: key.clone(), object: object.clone() });
        object
    }
}

fn not_found(key: &Key) -> Refusal {
    Refusal { code: 404, reason: "NotFound", message: format!("{} \"{}\" not found", key.resource, key.name) }
}

/// A resource version that is given must be the one that is there.
fn expect_version(key: &Key, known: &Value, given: &Value) -> Result<(), Refusal> {
    if given.is_null() || *given == known["metadata"]["resourceVersion"] {
        return Ok(());
    }
    let message = format!(
        "Operation cannot be fulfilled on {} \"{}\": the object has been modified; please apply your changes to the \
         latest version and try again",
        key.resource, key.name
    );
    Err(Refusal { code: 409, reason: "Conflict", message })
}

/// RFC 7386.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (field, value) in patch {
        if value.is_null() {
            target.as_object_mut().unwrap().shift_remove(field);
        } else {
            merge(&mut target[field.as_str()], value);
        }
    }
}
