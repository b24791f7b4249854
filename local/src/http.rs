//! One small HTTP/1.1 exchange with a process of this machine. In go an address and a request; out come a status and a
//! body of bounded size, in bounded time. It must not follow, retry or reuse anything.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// The most bytes of an answer.
const MOST: u64 = 64 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The connection failed or took too long.
    #[error("no answer from {to}: {source}")]
    Io {
        /// The address.
        to: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
    /// What came back is not an HTTP answer.
    #[error("{to} answered with something that is not HTTP: {what}")]
    Garbled {
        /// The address.
        to: SocketAddr,
        /// What is wrong.
        what: String,
    },
}

/// A request without what is the same for all.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Where to.
    pub to: SocketAddr,
    /// Method.
    pub method: &'a str,
    /// Path with query.
    pub path: &'a str,
    /// Bearer token, where one is asked for.
    pub token: Option<&'a str>,
    /// A JSON body; empty: none.
    pub body: &'a [u8],
    /// The longest that connecting, and each read and write, may take.
    pub patience: Duration,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl Call<'_> {
    /// Makes the exchange.
    pub fn send(&self) -> Result<Answer, HttpError> {
        let raw = self.exchange().map_err(|source| HttpError::Io { to: self.to, source })?;
        parse(&raw).map_err(|what| HttpError::Garbled { to: self.to, what })
    }

    fn exchange(&self) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&self.to, self.patience)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        stream.set_nodelay(true)?;
        stream.write_all(&self.bytes())?;
        let mut raw = Vec::new();
        stream.take(MOST).read_to_end(&mut raw)?;
        Ok(raw)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.method, self.path, self.to);
        if !self.body.is_empty() {
            head += "content-type: application/json\r\n";
        }
        let key = self.token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let length = format!("content-length: {}\r\n\r\n", self.body.len());
        [head.as_bytes(), key.as_bytes(), length.as_bytes(), self.body].concat()
    }
}

fn parse(raw: &[u8]) -> Result<Answer, String> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head) = answer.parse(raw).map_err(|e| e.to_string())? else {
        return Err("it ends within its head".to_owned());
    };
    let status = answer.code.ok_or("it has no status")?;
    let header = |name: &str| answer.headers.iter().find(|h| h.name.eq_ignore_ascii_case(name)).map(|h| h.value);
    let rest = &raw[head..];
    let body = if header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case(b"chunked")) {
        dechunk(rest)?
    } else {
        let length = header("content-length").and_then(|v| std::str::from_utf8(v).ok()?.trim().parse::<usize>().ok());
        let length = length.unwrap_or(rest.len());
        rest.get(..length).ok_or_else(|| format!("{} of {length} bytes came", rest.len()))?.to_vec()
    };
    Ok(Answer { status, body })
}

fn dechunk(mut rest: &[u8]) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        let httparse::Status::Complete((start, size)) =
            httparse::parse_chunk_size(rest).map_err(|e| format!("{e:?}"))?
        else {
            return Err("it ends within a chunk".to_owned());
        };
        if size == 0 {
            return Ok(body);
        }
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size)).ok_or("a chunk is too large")?;
        body.extend_from_slice(rest.get(start..end).ok_or("it ends within a chunk")?);
        rest = rest.get(end + 2..).ok_or("it ends within a chunk")?;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_whole_or_refused() {
        let check = |raw: &str, expected: Result<(u16, &str), ()>| {
            let answer = parse(raw.as_bytes()).map(|a| (a.status, String::from_utf8(a.body).unwrap())).map_err(|_| ());
            assert_eq!(answer, expected.map(|(status, body)| (status, body.to_owned())), "{raw:?}");
        };
        check("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", Ok((200, "hi")));
        check("HTTP/1.0 200 OK\r\n\r\nto the end", Ok((200, "to the end")));
        check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n", Ok((200, "hi!")));
        check("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", Ok((404, "")));
        check("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi", Err(()));
        check("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nhi", Err(()));
        check("HTTP/1.1 200 OK\r\n", Err(()));
        check("SSH-2.0-OpenSSH\r\n\r\n", Err(()));
    }
}
