//! One HTTP/1.1 exchange on an accepted connection. In: bytes of bounded number, in bounded time; out: a request, and an
//! answer written. Knows nothing of what is asked.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::Duration,
};

use soak_sample::TokenHash;

/// The longest that a peer may take for each piece.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most bytes of a request.
const MOST: usize = 1 << 20;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Method.
    pub method: String,
    /// Path.
    pub path: String,
    /// The token that it brings.
    pub token: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON, or a few words.
    pub body: Vec<u8>,
}

impl Answer {
    /// A few words.
    pub fn words(status: u16, words: &str) -> Self {
        Self { status, body: words.as_bytes().to_vec() }
    }

    /// A document.
    pub fn document<T: serde::Serialize>(value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self { status: 200, body },
            Err(error) => Self::words(500, &error.to_string()),
        }
    }
}

impl Request {
    /// Whether it brings the token of this hash.
    pub fn is_allowed(&self, hash: Option<TokenHash>) -> bool {
        hash.is_none_or(|hash| self.token.as_ref().is_some_and(|token| hash.is_of(token)))
    }
}

/// Reads one request, has it answered, and closes.
pub(super) fn exchange(mut stream: TcpStream, answer: impl FnOnce(&Request) -> Answer) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let answer = match read(&mut stream)? {
        Ok(request) => answer(&request),
        Err(words) => Answer::words(400, &words),
    };
    let length = answer.body.len();
    let head = format!("HTTP/1.1 {} -\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n", answer.status);
    stream.write_all(&[head.as_bytes(), &answer.body].concat())
}

/// The request; or in words what is wrong with it.
fn read(stream: &mut impl Read) -> io::Result<Result<Request, String>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        match parse(&bytes) {
            Ok(Some(request)) => return Ok(Ok(request)),
            Ok(None) if bytes.len() < MOST => {}
            Ok(None) => return Ok(Err(format!("longer than {MOST} bytes"))),
            Err(words) => return Ok(Err(words)),
        }
        match stream.read(&mut chunk)? {
            0 => return Ok(Err("it ends too early".to_owned())),
            count => bytes.extend_from_slice(&chunk[..count]),
        }
    }
}

/// The request in these bytes; `None` where more must come.
fn parse(bytes: &[u8]) -> Result<Option<Request>, String> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(start) = head.parse(bytes).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    let header = |name: &str| {
        let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.and_then(|header| std::str::from_utf8(header.value).ok())
    };
    if header("transfer-encoding").is_some() {
        return Err("a body needs content-length".to_owned());
    }
    let length: usize = match header("content-length").map(str::parse) {
        None => 0,
        Some(Ok(length)) if length <= MOST => length,
        Some(_) => return Err("content-length is not a number in bounds".to_owned()),
    };
    let token = header("authorization").and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned);
    let Some(body) = bytes.get(start..start + length) else { return Ok(None) };
    let (method, path) = (head.method.unwrap_or_default().to_owned(), head.path.unwrap_or_default().to_owned());
    Ok(Some(Request { method, path, token, body: body.to_vec() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_whole_or_refused() {
        let check = |raw: &str, expected: Result<Option<(&str, &str, &str)>, ()>| {
            let found = parse(raw.as_bytes()).map_err(|_| ());
            let found = found.map(|request| request.map(|request| (request.method, request.path, request.body)));
            let expected =
                expected.map(|some| some.map(|(m, p, b)| (m.to_owned(), p.to_owned(), b.as_bytes().to_vec())));
            assert_eq!(found, expected, "{raw:?}");
        };
        check("GET /clock HTTP/1.1\r\n\r\n", Ok(Some(("GET", "/clock", ""))));
        check("PUT /watches/a HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}", Ok(Some(("PUT", "/watches/a", "{}"))));
        check("PUT /watches/a HTTP/1.1\r\ncontent-length: 2\r\n\r\n{", Ok(None));
        check("GET /clock HT", Ok(None));
        check("PUT / HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n", Err(()));
        check("PUT / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", Err(()));
        check("\u{1}\u{2}\r\n\r\n", Err(()));
    }
}
