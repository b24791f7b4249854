//! An order for the driver out of target and flags; the start is set later. Reads the body's file and nothing else.

use std::{fs, io::Read, path::Path};

use soak_sample::{Arrivals, ArrivalsKind, ClientShape, Idle, LoadOrder, Pace, PoolPolicy, Protocol, Request, Share};

use super::{args, args::Args, args::Rate, target::Target};

const MILLION: i64 = 1_000_000;

/// Why flags do not make an order.
#[derive(Debug, thiserror::Error)]
pub(super) enum OrderError {
    #[error("body file {path}: {why}")]
    Body { path: String, why: String },
    #[error("header {0:?} is not `name: value`")]
    Header(String),
    #[error("{0} has no meaning with this protocol")]
    Meaningless(&'static str),
    #[error("{0} must be at least 1")]
    Zero(&'static str),
}

/// The order of one step.
pub(super) fn order(args: &Args, target: &Target) -> Result<LoadOrder, OrderError> {
    let drain = args.drain.as_ref().map_or_else(|| default_drain(args.protocol), soak_crds::Span::nanos);
    Ok(LoadOrder {
        version: soak_sample::VERSION.to_owned(),
        id: "drive".to_owned(),
        target: soak_sample::Target { host: target.host.clone(), port: target.port },
        protocol: protocol(args.protocol),
        request: request(args, target)?,
        shape: shape(args)?,
        pace: pace(args),
        share: Share { index: 0, of: 1 },
        workers: args.workers,
        idle: match args.idle {
            args::Idle::Spin => Idle::Spin,
            args::Idle::Sleep => Idle::Sleep,
        },
        pin_cpus: args.cpus.clone(),
        start_unix_nanos: 0,
        duration_nanos: args.duration.nanos(),
        timeout_nanos: args.timeout.nanos(),
        drain_nanos: drain,
    })
}

fn protocol(protocol: args::Protocol) -> Protocol {
    match protocol {
        args::Protocol::Http1 => Protocol::Http1,
        args::Protocol::Http2 => Protocol::Http2,
        args::Protocol::GrpcUnary => Protocol::GrpcUnary,
        args::Protocol::GrpcStream => Protocol::GrpcStream,
    }
}

fn default_drain(protocol: args::Protocol) -> i64 {
    match protocol {
        args::Protocol::Http1 | args::Protocol::Http2 | args::Protocol::GrpcUnary => 5_000 * MILLION,
        args::Protocol::GrpcStream => 500 * MILLION,
    }
}

fn pace(args: &Args) -> Pace {
    let kind = match args.arrivals {
        args::Arrivals::Uniform => ArrivalsKind::Uniform,
        args::Arrivals::Poisson => ArrivalsKind::Poisson,
    };
    match args.rate {
        Rate::Max => Pace::Closed,
        Rate::PerSecond(per_second) => Pace::Open { per_second, arrivals: Arrivals { kind, seed: args.seed } },
    }
}

/// Connections, streams and calls in flight; what is not said follows from the protocol and from what is.
fn shape(args: &Args) -> Result<ClientShape, OrderError> {
    let counts = [("--connections", args.connections), ("--streams", args.streams), ("--workers", Some(args.workers))];
    if let Some((flag, _)) = counts.iter().find(|(_, count)| *count == Some(0)) {
        return Err(OrderError::Zero(flag));
    }
    if args.stream_window.is_some() && args.protocol != args::Protocol::GrpcStream {
        return Err(OrderError::Meaningless("--stream-window"));
    }
    let (connections, per_connection, streams, slots) = match args.protocol {
        args::Protocol::Http1 => {
            if args.streams.is_some() {
                return Err(OrderError::Meaningless("--streams"));
            }
            let connections = args.connections.unwrap_or(256);
            (connections, 1, 0, connections)
        }
        args::Protocol::Http2 | args::Protocol::GrpcUnary => {
            let (connections, per_connection) = (args.connections.unwrap_or(8), args.streams.unwrap_or(512));
            (connections, per_connection, 0, connections.saturating_mul(per_connection))
        }
        args::Protocol::GrpcStream => {
            let (streams, window) = (args.streams.unwrap_or(20), args.stream_window.unwrap_or(256));
            (args.connections.unwrap_or(1), window, streams, streams.saturating_mul(window))
        }
    };
    let pool = match (args.pool, args.connections) {
        (Some(args::Pool::Eager), _) | (None, Some(_)) => PoolPolicy::Eager,
        (Some(args::Pool::AsNeeded), _) | (None, None) => PoolPolicy::AsNeeded,
    };
    let max_in_flight = args.max_in_flight.unwrap_or(slots);
    Ok(ClientShape { connections, max_concurrent_streams: per_connection, max_in_flight, streams, pool })
}

fn request(args: &Args, target: &Target) -> Result<Request, OrderError> {
    let body = args.body.as_deref().map(read_body).transpose()?;
    let is_grpc = matches!(args.protocol, args::Protocol::GrpcUnary | args::Protocol::GrpcStream);
    let method = match (&args.method, is_grpc) {
        (Some(_), true) => return Err(OrderError::Meaningless("--method")),
        (Some(method), false) => method.clone(),
        (None, _) => if is_grpc || body.is_some() { "POST" } else { "GET" }.to_owned(),
    };
    let content_type = match (&args.content_type, &body) {
        (Some(own), _) => Some(own.clone()),
        (None, Some(_)) if !is_grpc => Some("application/json".to_owned()),
        (None, _) => None,
    };
    let headers = args.headers.iter().map(|line| header(line)).collect::<Result<_, _>>()?;
    Ok(Request { method, path: target.path.clone(), headers, content_type, body: body.unwrap_or_default() })
}

fn header(line: &str) -> Result<(String, String), OrderError> {
    let (name, value) = line.split_once(':').ok_or_else(|| OrderError::Header(line.to_owned()))?;
    Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}

fn read_body(path: &Path) -> Result<Vec<u8>, OrderError> {
    let refuse = |why: String| OrderError::Body { path: path.display().to_string(), why };
    let file = fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
    let most = soak_driver::LARGEST_BODY as u64;
    let mut body = Vec::new();
    file.take(most + 1).read_to_end(&mut body).map_err(|error| refuse(error.to_string()))?;
    if body.len() as u64 > most {
        return Err(refuse(format!("it is larger than {most} bytes")));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use soak_sample::{ClientShape, PoolPolicy};

    use super::{Args, order};
    use crate::drive::target;

    #[derive(Debug, Parser)]
    struct Shell {
        #[command(flatten)]
        args: Args,
    }

    fn ordered(flags: &str) -> Result<soak_sample::LoadOrder, String> {
        let line = format!("drive 127.0.0.1:1/a.B/C --rate 10 {flags}");
        let args = Shell::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?.args;
        let target = target::parse(&args.target, args.protocol).map_err(|error| error.to_string())?;
        order(&args, &target).map_err(|error| error.to_string())
    }

    #[test]
    fn the_shape_follows_from_protocol_and_flags() {
        let check = |flags: &str, expected: (u32, u32, u32, u32, PoolPolicy)| {
            let ClientShape { connections, max_concurrent_streams, max_in_flight, streams, pool } =
                ordered(flags).unwrap().shape;
            assert_eq!((connections, max_concurrent_streams, streams, max_in_flight, pool), expected, "{flags}");
        };
        let (lazy, eager) = (PoolPolicy::AsNeeded, PoolPolicy::Eager);
        check("", (256, 1, 0, 256, lazy));
        check("--connections 64", (64, 1, 0, 64, eager));
        check("--connections 64 --pool as-needed", (64, 1, 0, 64, lazy));
        check("--protocol http2", (8, 512, 0, 4096, lazy));
        check("--protocol http2 --connections 8 --streams 100", (8, 100, 0, 800, eager));
        check("--protocol grpc-unary --max-in-flight 50", (8, 512, 0, 50, lazy));
        check("--protocol grpc-stream", (1, 256, 20, 5120, lazy));
        check("--protocol grpc-stream --streams 40 --connections 4 --stream-window 16", (4, 16, 40, 640, eager));
    }

    #[test]
    fn flags_that_contradict_are_refused() {
        let check = |flags: &str, expected: &str| {
            let message = ordered(flags).unwrap_err();
            assert!(message.contains(expected), "{flags}: {message}");
        };
        check("--streams 3", "--streams");
        check("--connections 0", "--connections");
        check("--stream-window 3", "--stream-window");
        check("--protocol grpc-unary --method GET", "--method");
        check("--body /nowhere/at/all", "/nowhere/at/all");
        check("-H novalue", "novalue");
    }

    #[test]
    fn a_request_without_a_body_is_a_get() {
        let request = ordered("-H X-Key:v --method DELETE").unwrap().request;
        assert_eq!((request.method.as_str(), request.content_type), ("DELETE", None));
        assert_eq!(request.headers, [("x-key".to_owned(), "v".to_owned())]);
        assert_eq!(ordered("").unwrap().request.method, "GET");
        assert_eq!(ordered("--protocol grpc-unary").unwrap().request.method, "POST");
    }
}
