//! A request that is sent again and again: encoded once, written with another stream id each time. Knows no window.

use std::sync::Arc;

use soak_sample::Request;

use super::{
    frame::{self, END_HEADERS, END_STREAM, HEAD_LEN, Kind, MAX_PAYLOAD},
    hpack::{DEFAULT_TABLE, HeaderField, RequestBlocks},
    inbound::BodyRule,
};

/// Fields that HTTP/2 has other means for (RFC 9113, section 8.2.2); they are left out.
const OF_CONNECTION: [&str; 6] =
    ["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// A request, encoded for a peer with the default header table. Shared by all connections.
#[derive(Debug)]
pub struct RequestTemplate {
    fields: Vec<HeaderField>,
    body: Vec<u8>,
    rule: BodyRule,
    heads: Arc<Heads>,
}

impl RequestTemplate {
    /// A plain HTTP request to `authority` (`host:port`).
    pub fn http(request: &Request, authority: &str) -> Self {
        let mut fields = pseudo_fields(&request.method, &request.path, authority);
        if let Some(content_type) = &request.content_type {
            fields.push(HeaderField::new("content-type", content_type));
        }
        if !request.body.is_empty() {
            fields.push(HeaderField::new("content-length", request.body.len().to_string()));
        }
        let rule = if request.method == "HEAD" { BodyRule::None } else { BodyRule::AsAnnounced };
        Self::new(with_extra(fields, request), request.body.clone(), rule)
    }

    /// A gRPC call with one message to `authority`, uncompressed. The method is always POST.
    pub fn grpc(request: &Request, authority: &str) -> Self {
        let content_type = request.content_type.as_deref().filter(|value| value.starts_with("application/grpc"));
        let mut fields = pseudo_fields("POST", &request.path, authority);
        fields.push(HeaderField::new("te", "trailers"));
        fields.push(HeaderField::new("content-type", content_type.unwrap_or("application/grpc")));
        let len = u32::try_from(request.body.len()).unwrap_or(u32::MAX);
        let body = [&[0], &len.to_be_bytes()[..], &request.body].concat();
        Self::new(with_extra(fields, request), body, BodyRule::AsAnnounced)
    }

    fn new(fields: Vec<HeaderField>, body: Vec<u8>, rule: BodyRule) -> Self {
        let heads = Arc::new(Heads::new(&fields, &body, DEFAULT_TABLE));
        Self { fields, body, rule, heads }
    }

    /// The body as it is sent: on gRPC one message with its frame.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// What an answer's body is checked against.
    pub const fn rule(&self) -> BodyRule {
        self.rule
    }
}

fn pseudo_fields(method: &str, path: &str, authority: &str) -> Vec<HeaderField> {
    vec![
        HeaderField::new(":method", method),
        HeaderField::new(":scheme", "http"),
        HeaderField::new(":path", path),
        HeaderField::new(":authority", authority),
    ]
}

fn with_extra(mut fields: Vec<HeaderField>, request: &Request) -> Vec<HeaderField> {
    let extra = request.headers.iter().map(|(name, value)| HeaderField::new(name.to_ascii_lowercase(), value));
    fields.extend(extra.filter(|field| !OF_CONNECTION.contains(&field.name.as_str())));
    fields
}

/// The header frames of the first call on a connection and of later ones.
#[derive(Debug)]
struct Heads {
    first: HeadFrames,
    later: HeadFrames,
}

impl Heads {
    fn new(fields: &[HeaderField], body: &[u8], table: u32) -> Self {
        let blocks = RequestBlocks::new(fields, table);
        let flags = if body.is_empty() { END_STREAM } else { 0 };
        Self { first: HeadFrames::new(&blocks.first, flags), later: HeadFrames::new(&blocks.later, flags) }
    }
}

/// HEADERS and, for a long block, CONTINUATION frames, and where their stream ids stand.
#[derive(Debug)]
struct HeadFrames {
    bytes: Vec<u8>,
    ids: Vec<usize>,
}

impl HeadFrames {
    fn new(block: &[u8], flags: u8) -> Self {
        let mut frames = Self { bytes: Vec::new(), ids: Vec::new() };
        let count = block.chunks(MAX_PAYLOAD).len();
        for (i, fragment) in block.chunks(MAX_PAYLOAD).enumerate() {
            let (kind, flags) = if i == 0 { (Kind::Headers, flags) } else { (Kind::Continuation, 0) };
            let end = if i + 1 == count { END_HEADERS } else { 0 };
            frames.ids.push(frames.bytes.len() + HEAD_LEN - 4);
            frame::put_head(&mut frames.bytes, fragment.len(), kind, flags | end, 0);
            frames.bytes.extend_from_slice(fragment);
        }
        frames
    }

    fn write(&self, id: u32, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&self.bytes);
        for place in &self.ids {
            out[begin + place..][..4].copy_from_slice(&id.to_be_bytes());
        }
    }
}

/// Writes the request's header frames on one connection, in step with the peer's header table.
#[derive(Debug)]
pub struct HeadWriter {
    heads: Arc<Heads>,
    table: u32,
    first: bool,
}

impl HeadWriter {
    /// A writer for a connection that is not open yet.
    pub fn new(template: &RequestTemplate) -> Self {
        Self { heads: Arc::clone(&template.heads), table: DEFAULT_TABLE, first: true }
    }

    /// Writes the frames for stream `id`. The peer's table has `table` bytes now, no more than before.
    #[inline]
    pub fn write(&mut self, template: &RequestTemplate, table: u32, id: u32, out: &mut Vec<u8>) {
        if table < self.table {
            self.heads = Arc::new(Heads::new(&template.fields, &template.body, table));
            self.table = table;
            self.first = true;
        }
        let frames = if std::mem::replace(&mut self.first, false) { &self.heads.first } else { &self.heads.later };
        frames.write(id, out);
    }
}
