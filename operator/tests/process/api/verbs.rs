//! From an HTTP request to a verb on the store, and back. Writes are counted here, and meet their faults.

use std::{collections::BTreeMap, io, sync::Arc};

use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::{Method, Request, Response, body::Bytes};
use kube_client::client::Body;
use serde_json::{Value, json};

use super::{
    Api,
    store::{Key, Refusal, Store},
    watch,
};
use crate::faults::{Life, Side, Suffered};

pub type Answer = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    pub resource: String,
    pub namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    pub query: BTreeMap<String, String>,
    metadata_only: bool,
}

impl Api {
    pub async fn answer(self: &Arc<Self>, request: Request<Body>, life: &Arc<Life>) -> io::Result<Answer> {
        let answer = self.looked_at(request, life).await;
        life.way().await;
        answer
    }

    async fn looked_at(self: &Arc<Self>, request: Request<Body>, life: &Life) -> io::Result<Answer> {
        match self.faults.request(life).await {
            Suffered::Nothing => {}
            Suffered::Cut => return Err(cut()),
            Suffered::Answer(code) => return Ok(in_words(code)),
        }
        let (parts, body) = request.into_parts();
        let accept = parts.headers.get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let asked = Asked::of(parts.uri.path(), parts.uri.query(), accept);
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let body: Value = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        if parts.method == Method::GET {
            return Ok(self.read(&asked));
        }
        let name = asked.name.clone().or_else(|| body["metadata"]["name"].as_str().map(str::to_owned));
        let what = format!("{} {} {}", parts.method, asked.resource, name.unwrap_or_default());
        let number = self.faults.count(what);
        match self.faults.write(number, Side::Before, life).await {
            Suffered::Nothing => {}
            Suffered::Cut => return Err(cut()),
            Suffered::Answer(code) => return Ok(in_words(code)),
        }
        let kind = parts.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let answer = self.with(|store| write(store, &parts.method, kind, &asked, body));
        match self.faults.write(number, Side::After, life).await {
            Suffered::Nothing => Ok(answer),
            Suffered::Cut => Err(cut()),
            Suffered::Answer(code) => Ok(in_words(code)),
        }
    }

    fn read(self: &Arc<Self>, asked: &Asked) -> Answer {
        if asked.name.is_some() {
            return document(self.lock().get(&asked.key()).map(|object| asked.shaped(object)));
        }
        if asked.query.get("watch").is_some_and(|value| value == "true") {
            return watch::answer(self, asked);
        }
        let store = self.lock();
        let from: usize = asked.query.get("continue").map_or(0, |token| token.parse().unwrap());
        let limit = asked.query.get("limit").map_or(usize::MAX, |limit| limit.parse().unwrap());
        let found = store.list(&asked.resource, asked.namespace.as_deref()).filter(|(_, object)| asked.selects(object));
        let all: Vec<Value> = found.map(|(_, object)| asked.shaped(object.clone())).collect();
        let items: Vec<Value> = all.iter().skip(from).take(limit).cloned().collect();
        let next = from + items.len();
        let token = if next < all.len() { next.to_string() } else { String::new() };
        let metadata = json!({"resourceVersion": store.version.to_string(), "continue": token});
        document(Ok(json!({"apiVersion": "v1", "kind": "List", "metadata": metadata, "items": items})))
    }
}

fn write(store: &mut Store, method: &Method, kind: &str, asked: &Asked, body: Value) -> Answer {
    let metadata = &body["metadata"];
    let generated = || format!("{}{}", metadata["generateName"].as_str().unwrap(), store.version);
    let key = match &asked.name {
        Some(_) => asked.key(),
        None => Key { name: metadata["name"].as_str().map_or_else(generated, str::to_owned), ..asked.key() },
    };
    document(match (method.as_str(), asked.subresource.as_deref()) {
        ("PATCH", None) if kind.contains("merge-patch") => store.merge(&key, &body),
        ("POST", None) => store.create(&key, body),
        ("PUT", None) => store.replace(&key, body),
        ("PATCH", Some("status")) => store.merge_status(&key, &body),
        ("PATCH", None) => store.apply(&key, body),
        ("DELETE", None) => store.delete(&key, &body),
        other => panic!("{other:?} is not known"),
    })
}

impl Asked {
    /// From `/api/v1/…` or `/apis/group/version/…`.
    fn of(path: &str, query: Option<&str>, accept: &str) -> Self {
        let words: Vec<&str> = path.trim_matches('/').split('/').collect();
        let rest = if words[0] == "api" { &words[2..] } else { &words[3..] };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
            rest => (None, rest),
        };
        let word = |at: usize| rest.get(at).map(|word| (*word).to_owned());
        let pairs = query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        Self {
            resource: rest[0].to_owned(),
            namespace,
            name: word(1),
            subresource: word(2),
            query: pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect(),
            metadata_only: accept.contains("PartialObjectMetadata"),
        }
    }

    fn key(&self) -> Key {
        Key {
            resource: self.resource.clone(),
            namespace: self.namespace.clone().unwrap_or_default(),
            name: self.name.clone().unwrap_or_default(),
        }
    }

    /// Whether an object has the labels that are asked for: `name` or `name=value`, all of them.
    pub fn selects(&self, object: &Value) -> bool {
        let selector = self.query.get("labelSelector").map_or("", String::as_str);
        selector.split(',').filter(|term| !term.is_empty()).all(|term| match term.split_once('=') {
            Some((name, value)) => object["metadata"]["labels"][name] == value,
            None => object["metadata"]["labels"][term].is_string(),
        })
    }

    fn shaped(&self, object: Value) -> Value {
        if !self.metadata_only {
            return object;
        }
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"]})
    }
}

/// Percent-encoding undone.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let first = parts.next().unwrap_or_default().replace('+', " ");
    parts.fold(first, |before, part| {
        let (code, rest) = part.split_at(2);
        let letter = char::from(u8::from_str_radix(code, 16).unwrap());
        format!("{before}{letter}{rest}")
    })
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer")
}

/// A failure that has nothing to do with the object.
fn in_words(code: u16) -> Answer {
    let (reason, message) = match code {
        409 => ("Conflict", "the object has been modified; please apply your changes to the latest version"),
        410 => ("Expired", "The resourceVersion for the provided list is too old."),
        429 => ("TooManyRequests", "Too many requests, please try again later."),
        500 => ("InternalError", "Internal error occurred: etcdserver: leader changed"),
        other => panic!("no words for {other}"),
    };
    document(Err(Refusal { code, reason, message: message.to_owned() }))
}

fn document(outcome: Result<Value, Refusal>) -> Answer {
    let (code, value) = match outcome {
        Ok(value) => (200, value),
        Err(refusal) => (refusal.code, refusal.status()),
    };
    let body = Full::new(Bytes::from(value.to_string())).map_err(|never| match never {});
    let response = Response::builder().status(code).header("content-type", "application/json");
    response.body(body.boxed_unsync()).unwrap()
}

impl Refusal {
    /// As an API server tells it.
    pub fn status(&self) -> Value {
        let Self { code, reason, message } = self;
        json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "code": code, "reason": reason, "message": message,
        })
    }
}
