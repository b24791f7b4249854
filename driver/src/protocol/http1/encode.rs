//! A request as HTTP/1.1 bytes. The parts have been checked before: no line breaks in them.

use soak_sample::Request;

/// The bytes of a request to `authority` (`host:port`). A `host` among the request's headers takes its place.
pub fn encode(request: &Request, authority: &str) -> Vec<u8> {
    let mut text = format!("{} {} HTTP/1.1\r\n", request.method, request.path);
    let mut line = |name: &str, value: &str| {
        for part in [name, ": ", value, "\r\n"] {
            text.push_str(part);
        }
    };
    if !request.headers.iter().any(|(name, _)| name == "host") {
        line("host", authority);
    }
    for (name, value) in &request.headers {
        line(name, value);
    }
    if let Some(content_type) = &request.content_type {
        line("content-type", content_type);
    }
    if !request.body.is_empty() || matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        line("content-length", &request.body.len().to_string());
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(&request.body);
    bytes
}

#[cfg(test)]
mod tests {
    use soak_sample::Request;

    use super::encode;

    fn request(method: &str, headers: &[(&str, &str)], body: &[u8]) -> Request {
        Request {
            method: method.to_owned(),
            path: "/a?b=c".to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            content_type: (!body.is_empty()).then(|| "application/json".to_owned()),
            body: body.to_vec(),
        }
    }

    #[test]
    fn requests_are_written_as_expected() {
        let check = |request: &Request, expected: &str| {
            assert_eq!(String::from_utf8(encode(request, "h:80")).unwrap(), expected);
        };
        check(&request("GET", &[], b""), "GET /a?b=c HTTP/1.1\r\nhost: h:80\r\n\r\n");
        check(&request("POST", &[], b""), "POST /a?b=c HTTP/1.1\r\nhost: h:80\r\ncontent-length: 0\r\n\r\n");
        check(
            &request("PUT", &[("x-a", "1")], b"{}"),
            "PUT /a?b=c HTTP/1.1\r\nhost: h:80\r\nx-a: 1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        );
        check(&request("GET", &[("host", "other")], b""), "GET /a?b=c HTTP/1.1\r\nhost: other\r\n\r\n");
    }
}
