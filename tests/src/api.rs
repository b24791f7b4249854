//! The API server's own answers: JSON in, status and JSON out, through `kubectl proxy`, which brings the credentials.
//! For tests that look at what the server says in full; `kubectl` itself shortens it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

/// A way to the API server that ends with this.
#[derive(Debug)]
pub struct Api {
    proxy: Child,
    address: String,
}

/// What the API server answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status code.
    pub code: u16,
    /// The resource, or a `Status` that says why not.
    pub body: Value,
}

impl Api {
    /// Opens a way to the cluster that `KUBECONFIG` names.
    pub fn open() -> Self {
        let mut command = Command::new("kubectl");
        command.args(["proxy", "--port=0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut proxy = command.spawn().expect("kubectl can be run");
        let mut line = String::new();
        BufReader::new(proxy.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        Self { proxy, address }
    }

    /// Sends a request and waits for its answer.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).expect("kubectl proxy answers");
        // HTTP/1.0: the answer ends with the connection and is not in chunks.
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no HTTP answer: {text}"));
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Answer {
            code: code.unwrap_or_else(|| panic!("no status code: {head}")),
            body: serde_json::from_str(body).unwrap_or_else(|error| panic!("{method} {path}: {error}: {body}")),
        }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}
