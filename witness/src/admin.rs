//! What a server tells of itself on its admin port: heap, settings in effect. In: an address and a deadline; out: the
//! report, or why there is none. Never a zero for what did not answer.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use serde::Deserialize;
use serde_json::{Map, Value};

/// The most bytes of an answer that are read.
const ANSWER_BYTES: usize = 1 << 20;

/// Why an admin port gave no report.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// It cannot be reached, or did not answer in time.
    #[error("admin port {at} did not answer: {source}")]
    Silent {
        /// The port.
        at: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
    /// It answered something else.
    #[error("admin port {at} answered {what}")]
    Answer {
        /// The port.
        at: SocketAddr,
        /// What it answered.
        what: String,
    },
}

/// What a server tells of itself. A number that it does not know is absent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AdminReport {
    /// Heap in use, bytes.
    pub heap_bytes: Option<u64>,
    /// Resident memory as the server sees it, bytes.
    pub rss_bytes: Option<u64>,
    /// The settings in effect.
    pub settings: Map<String, Value>,
    /// The server's version.
    pub version: Option<String>,
}

/// A port of this pod or machine.
pub(crate) fn at_loopback(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

/// Asks a server's admin port (`GET /metrics`) for its report, within this time in all.
pub fn report(at: SocketAddr, within: Duration) -> Result<AdminReport, AdminError> {
    let silent = |source| AdminError::Silent { at, source };
    let answer = ask(at, Instant::now() + within).map_err(silent)?;
    let odd = |what: String| AdminError::Answer { at, what };
    let body = body_of(&answer).map_err(odd)?;
    serde_json::from_slice(body).map_err(|error| odd(format!("what is not its report: {error}")))
}

/// Asks as HTTP/1.0, so that the answer ends with the connection and is never chunked.
fn ask(at: SocketAddr, until: Instant) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&at, left(until)?)?;
    stream.set_write_timeout(Some(left(until)?))?;
    stream.write_all(format!("GET /metrics HTTP/1.0\r\nhost: {at}\r\naccept: application/json\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    let mut piece = [0; 8192];
    while answer.len() < ANSWER_BYTES {
        stream.set_read_timeout(Some(left(until)?))?;
        match stream.read(&mut piece)? {
            0 => return Ok(answer),
            length => answer.extend_from_slice(&piece[..length]),
        }
        if is_whole(&answer) {
            return Ok(answer);
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is over 1 MiB"))
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn split_head(answer: &[u8]) -> Option<(&str, &[u8])> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((str::from_utf8(&answer[..end]).ok()?, &answer[end + 4..]))
}

fn declared_length(head: &str) -> Option<usize> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

/// True once the declared length has come, for servers that keep the connection open all the same.
fn is_whole(answer: &[u8]) -> bool {
    let Some((head, body)) = split_head(answer) else {
        return false;
    };
    declared_length(head).is_some_and(|length| body.len() >= length)
}

fn body_of(answer: &[u8]) -> Result<&[u8], String> {
    let (head, body) = split_head(answer).ok_or("what is not HTTP")?;
    let status = head.lines().next().and_then(|line| line.split(' ').nth(1)).unwrap_or("no status");
    if status != "200" {
        return Err(format!("status {}", status.chars().take(20).collect::<String>()));
    }
    match declared_length(head) {
        Some(length) if length > body.len() => Err("less than it declared".to_owned()),
        Some(length) => Ok(&body[..length]),
        None => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{SocketAddr, TcpListener},
        thread,
        time::Duration,
    };

    use super::{AdminError, report};

    /// Answers one request with these bytes, then closes.
    fn server(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut piece = [0; 1024];
            let _ = stream.read(&mut piece);
            let _ = stream.write_all(answer);
        });
        at
    }

    #[test]
    fn a_report_is_read_with_what_is_not_known_absent() {
        let at = server(b"HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n{\"heapBytes\":42,\"rssBytes\":null,\"settings\":{\"codec\":\"Compi\"}}");
        let told = report(at, Duration::from_secs(10)).unwrap_err().to_string();
        assert!(told.contains("report"), "a body cut by its own length is no report: {told}");
        let at = server(b"HTTP/1.1 200 OK\r\n\r\n{\"heapBytes\":42,\"rssBytes\":null,\"settings\":{\"codec\":\"Dynamic\"},\"more\":1}");
        let told = report(at, Duration::from_secs(10)).unwrap();
        assert_eq!((told.heap_bytes, told.rss_bytes), (Some(42), None));
        assert_eq!(told.settings["codec"], "Dynamic");
    }

    #[test]
    fn what_is_not_a_report_is_an_error_that_says_what_came() {
        let check = |answer: &'static [u8], expected: &str| {
            let told = report(server(answer), Duration::from_secs(10)).unwrap_err().to_string();
            assert!(told.contains(expected), "{told} should tell {expected}");
        };
        check(b"HTTP/1.1 503 Busy\r\n\r\n", "status 503");
        check(b"SSH-2.0-OpenSSH\r\n", "not HTTP");
        check(b"HTTP/1.1 200 OK\r\n\r\nheap 42", "not its report");
        check(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}", "less than it declared");
        check(b"", "not HTTP");
    }

    #[test]
    fn a_server_that_never_answers_costs_no_more_than_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let error = report(at, Duration::from_millis(50)).unwrap_err();
        assert!(matches!(error, AdminError::Silent { .. }), "{error}");
        drop(listener);
        let error = report(at, Duration::from_secs(10)).unwrap_err();
        assert!(matches!(error, AdminError::Silent { .. }), "{error}");
    }
}
