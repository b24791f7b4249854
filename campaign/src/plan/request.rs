//! From bodies and an arm's request to what each call carries.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use soak_crds::spec::{Arm, Body, BodyPreset, HttpMethod};
use soak_sample::{Protocol, Request};

use super::{
    Executor, FieldPath, Means, PlannedBody,
    layers::{Refusals, Written},
};
use crate::body::{BodyBytes, BodyFormat, ECHO_SERVICE, ECHO_STREAM, ECHO_UNARY, preset_body};

/// The path that the product's own REST servers are asked for.
const ECHO_PATH: &str = "/echo";
/// The most bytes of a body.
const MAX_BODY: usize = 1 << 20;

/// A body with its payload, where it does not depend on the protocol.
#[derive(Debug, Clone)]
pub(super) struct NamedBody {
    pub planned: PlannedBody,
    payload: Payload,
}

#[derive(Debug, Clone)]
enum Payload {
    Preset(BodyPreset),
    Own { bytes: Vec<u8>, content_type: Option<String> },
}

/// The campaign's bodies. Names are unique; a preset is called after itself.
pub(super) fn bodies(written: &[Body], means: &Means, refusals: &mut Refusals) -> Vec<NamedBody> {
    let at = FieldPath::spec().field("bodies");
    if written.is_empty() {
        refusals.add(&at, None, "must hold at least one body");
    }
    let mut bodies: Vec<NamedBody> = Vec::new();
    for (index, body) in written.iter().enumerate() {
        let at = at.item(index);
        let name = body_name(body, index);
        if bodies.iter().any(|known| known.planned.name == name) {
            refusals.add(&at.field("name"), Some(name.clone()), "is the name of an earlier body; names are unique");
        }
        let payload = payload(body, &at, means, refusals);
        bodies.push(NamedBody { planned: PlannedBody { name, preset: body.preset }, payload });
    }
    bodies
}

/// A body's name in tables: its own, or its preset's.
pub(super) fn body_name(body: &Body, index: usize) -> String {
    match (&body.name, body.preset) {
        (Some(name), _) => name.clone(),
        (None, Some(BodyPreset::Tiny)) => "tiny".to_owned(),
        (None, Some(BodyPreset::Realistic)) => "realistic".to_owned(),
        (None, Some(BodyPreset::Dense)) => "dense".to_owned(),
        (None, None) => format!("body-{}", index + 1),
    }
}

fn payload(body: &Body, at: &FieldPath, means: &Means, refusals: &mut Refusals) -> Payload {
    let Body { name: _, preset, text, base64, file, content_type } = body;
    if let Some(preset) = preset {
        if let Some(content_type) = content_type {
            let content_type = Written { value: content_type.clone(), at: at.field("contentType") };
            refusals.about(&content_type, "is decided by the preset; leave it out");
        }
        return Payload::Preset(*preset);
    }
    let bytes = match (text, base64, file) {
        (Some(text), None, None) => text.as_bytes().to_vec(),
        (None, Some(base64), None) => decoded(&Written { value: base64, at: at.field("base64") }, refusals),
        (None, None, Some(file)) => read(&Written { value: file, at: at.field("file") }, means, refusals),
        _ => {
            refusals.add(at, None, "needs exactly one of preset, text, base64 and file");
            Vec::new()
        }
    };
    if bytes.len() > MAX_BODY {
        refusals.add(at, Some(format!("{} bytes", bytes.len())), format!("must be at most {MAX_BODY} bytes"));
    }
    Payload::Own { bytes, content_type: content_type.clone() }
}

fn decoded(base64: &Written<&String>, refusals: &mut Refusals) -> Vec<u8> {
    BASE64_STANDARD.decode(base64.value).unwrap_or_else(|error| {
        refusals.add(&base64.at, None, format!("must be base64 with padding: {error}"));
        Vec::new()
    })
}

fn read(file: &Written<&String>, means: &Means, refusals: &mut Refusals) -> Vec<u8> {
    if means.executor == Executor::Cluster {
        refusals.about(file, "can be read on one machine alone; on a cluster write the payload as text or base64");
        return Vec::new();
    }
    match means.files.get(file.value) {
        Some(Ok(bytes)) => bytes.clone(),
        Some(Err(why)) => {
            refusals.about(file, format!("cannot be read: {why}"));
            Vec::new()
        }
        None => {
            refusals.about(file, "was not read");
            Vec::new()
        }
    }
}

/// What one arm is asked, but for the payload.
#[derive(Debug, Clone)]
pub(super) struct Question {
    protocol: Protocol,
    method: HttpMethod,
    path: String,
    headers: Vec<(String, String)>,
}

/// What an arm is asked: a preset's own path, or as the user wrote it.
pub(super) fn question(arm: &Arm, protocol: Protocol, at: &FieldPath, refusals: &mut Refusals) -> Question {
    let at = at.field("request");
    let (method, path, headers) = match (&arm.request, arm.server.preset) {
        (None, Some(_)) => (HttpMethod::Post, preset_path(protocol), Vec::new()),
        (Some(_), Some(_)) => {
            refusals.add(&at, None, "must be left out where the server is a preset, which brings its own");
            (HttpMethod::Post, preset_path(protocol), Vec::new())
        }
        (None, None) => {
            refusals.add(&at, None, "is needed where the server is not a preset: what is sent");
            (HttpMethod::Post, String::new(), Vec::new())
        }
        (Some(request), None) => {
            let headers = request.headers.iter().map(|header| (header.name.clone(), header.value.clone())).collect();
            let method = request.method.unwrap_or(HttpMethod::Post);
            (method, own_path(request, protocol, &at, refusals), headers)
        }
    };
    refuse_framing_headers(&headers, &at.field("headers"), refusals);
    Question { protocol, method, path, headers }
}

fn preset_path(protocol: Protocol) -> String {
    match protocol {
        Protocol::Http1 | Protocol::Http2 => ECHO_PATH.to_owned(),
        Protocol::GrpcUnary => format!("/{ECHO_SERVICE}/{ECHO_UNARY}"),
        Protocol::GrpcStream => format!("/{ECHO_SERVICE}/{ECHO_STREAM}"),
    }
}

fn own_path(request: &soak_crds::spec::Request, protocol: Protocol, at: &FieldPath, refusals: &mut Refusals) -> String {
    let grpc = matches!(protocol, Protocol::GrpcUnary | Protocol::GrpcStream);
    match (&request.grpc, grpc) {
        (Some(call), true) => format!("/{}/{}", call.service, call.method),
        (None, false) => request.path.clone().unwrap_or_else(|| "/".to_owned()),
        (None, true) => {
            refusals.add(&at.field("grpc"), None, "is needed over gRPC: service and method");
            String::new()
        }
        (Some(_), false) => {
            refusals.add(&at.field("grpc"), None, "needs a gRPC protocol; over HTTP use method and path");
            String::new()
        }
    }
}

/// Header lines that the driver writes itself.
fn refuse_framing_headers(headers: &[(String, String)], at: &FieldPath, refusals: &mut Refusals) {
    const FRAMING: [&str; 8] =
        ["host", "content-length", "content-type", "connection", "transfer-encoding", "te", "upgrade", "keep-alive"];
    for (index, (name, _)) in headers.iter().enumerate() {
        let lower = name.to_ascii_lowercase();
        if FRAMING.contains(&lower.as_str()) {
            let message = match lower.as_str() {
                "content-type" => "is written by the driver; set bodies[].contentType",
                _ => "is written by the driver; leave it out",
            };
            refusals.add(&at.item(index).field("name"), Some(name.clone()), message);
        }
    }
}

impl Question {
    /// Whether calls carry a payload.
    pub fn carries_a_body(&self) -> bool {
        match self.method {
            HttpMethod::Get | HttpMethod::Delete => false,
            HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch => true,
        }
    }

    /// What each call carries under a body, and the leaf values of its payload.
    pub fn with(&self, body: &NamedBody) -> (Request, Option<u32>) {
        let BodyBytes { bytes, content_type, leaves } = self.payload(body);
        let carries = self.carries_a_body();
        let request = Request {
            method: self.method_name().to_owned(),
            path: self.path.clone(),
            headers: self.headers.clone(),
            content_type: carries.then_some(content_type),
            body: if carries { bytes } else { Vec::new() },
        };
        (request, leaves.filter(|_| carries))
    }

    fn payload(&self, body: &NamedBody) -> BodyBytes {
        let (format, content_type) = match self.protocol {
            Protocol::Http1 | Protocol::Http2 => (BodyFormat::Json, "application/json"),
            Protocol::GrpcUnary | Protocol::GrpcStream => (BodyFormat::Protobuf, "application/grpc"),
        };
        match &body.payload {
            Payload::Preset(preset) => preset_body(*preset, format),
            Payload::Own { bytes, content_type: own } => BodyBytes {
                bytes: bytes.clone(),
                content_type: own.clone().unwrap_or_else(|| content_type.to_owned()),
                leaves: None,
            },
        }
    }

    fn method_name(&self) -> &'static str {
        match self.method {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
            HttpMethod::Put => "PUT",
            HttpMethod::Patch => "PATCH",
            HttpMethod::Delete => "DELETE",
        }
    }
}
