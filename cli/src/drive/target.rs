//! The target as a user writes it: where it is, and what is asked of it. Pure.

use super::args::Protocol;

/// Why a text is not a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("target {text:?}: {why}")]
pub(super) struct TargetError {
    text: String,
    why: &'static str,
}

/// Where the load goes, and what is asked there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: String,
    pub(super) port: u16,
    /// With query; for gRPC `/package.Service/Method`.
    pub(super) path: String,
}

/// Reads a target.
pub(super) fn parse(text: &str, protocol: Protocol) -> Result<Target, TargetError> {
    let refuse = |why| TargetError { text: text.to_owned(), why };
    let rest = match text.split_once("://") {
        None => text,
        Some(("http", rest)) => rest,
        Some(("https", _)) => return Err(refuse("TLS is not supported yet; use http://")),
        Some(_) => return Err(refuse("the scheme must be http")),
    };
    let rest = rest.split('#').next().unwrap_or(rest);
    let split = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(split);
    let (host, port) = host_and_port(authority, protocol).map_err(refuse)?;
    let path = match path {
        "" => "/".to_owned(),
        query if query.starts_with('?') => format!("/{query}"),
        path => path.to_owned(),
    };
    if matches!(protocol, Protocol::GrpcUnary | Protocol::GrpcStream) && !is_grpc_path(&path) {
        return Err(refuse("for gRPC it is host:port/package.Service/Method"));
    }
    Ok(Target { host, port, path })
}

fn host_and_port(authority: &str, protocol: Protocol) -> Result<(String, u16), &'static str> {
    if authority.contains('@') {
        return Err("user names in a URL are not supported");
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("an IPv6 address ends with a bracket")?;
            (host, rest.strip_prefix(':'))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    if host.is_empty() || (!authority.starts_with('[') && host.contains(':')) {
        return Err("a host is missing, or an IPv6 address is not in brackets");
    }
    let port = match (port, protocol) {
        (Some(port), _) => port.parse().ok().filter(|port| *port > 0).ok_or("the port must be 1 to 65535")?,
        (None, Protocol::Http1 | Protocol::Http2) => 80,
        (None, Protocol::GrpcUnary | Protocol::GrpcStream) => return Err("for gRPC a port is needed"),
    };
    Ok((host.to_owned(), port))
}

fn is_grpc_path(path: &str) -> bool {
    let mut parts = path.strip_prefix('/').unwrap_or_default().split('/');
    let names = [parts.next(), parts.next()];
    names.iter().all(|name| name.is_some_and(|name| !name.is_empty() && !name.contains('?'))) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::{Target, parse};
    use crate::drive::args::Protocol::{self, GrpcUnary, Http1};

    #[test]
    fn targets_are_read_as_expected() {
        let check = |text: &str, protocol: Protocol, host: &str, port: u16, path: &str| {
            let expected = Target { host: host.to_owned(), port, path: path.to_owned() };
            assert_eq!(parse(text, protocol), Ok(expected), "{text}");
        };
        check("http://127.0.0.1:8080/a/b?c=d", Http1, "127.0.0.1", 8080, "/a/b?c=d");
        check("http://localhost", Http1, "localhost", 80, "/");
        check("localhost:81?x=y#part", Http1, "localhost", 81, "/?x=y");
        check("http://[::1]:8080/", Http1, "::1", 8080, "/");
        check("[::1]", Http1, "::1", 80, "/");
        check("127.0.0.1:50051/soak.v1.Echo/Say", GrpcUnary, "127.0.0.1", 50051, "/soak.v1.Echo/Say");
    }

    #[test]
    fn what_is_no_target_is_refused_with_the_reason() {
        let check = |text: &str, protocol: Protocol, why: &str| {
            let message = parse(text, protocol).unwrap_err().to_string();
            assert!(message.contains(why), "{text}: {message}");
        };
        check("https://localhost/", Http1, "TLS");
        check("ftp://localhost/", Http1, "scheme");
        check("http://:80/", Http1, "host");
        check("::1", Http1, "brackets");
        check("http://[::1/", Http1, "bracket");
        check("http://user@host/", Http1, "user");
        check("localhost:70000", Http1, "port");
        check("localhost:0", Http1, "port");
        check("localhost:1/Service", GrpcUnary, "package.Service/Method");
        check("localhost/a.B/C", GrpcUnary, "port");
        check("localhost:1", GrpcUnary, "package.Service/Method");
    }
}
