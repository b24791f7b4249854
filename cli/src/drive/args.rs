//! The flags of `soak drive`, and what each may say.

use std::path::PathBuf;

use clap::ValueEnum;
use soak_crds::Span;

/// Sends load to one target and tells what came back.
///
/// The loop is open: calls are due by a schedule made beforehand, and a slow target never slows it. Latency counts from
/// the time a call was due. Nothing is sent but the scheduled calls.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A URL such as `http://127.0.0.1:8080/path`; for gRPC `host:port/package.Service/Method`.
    pub(super) target: String,
    /// What is spoken.
    #[arg(long, value_enum, default_value_t = Protocol::Http1)]
    pub(super) protocol: Protocol,
    /// Calls per second; `max` runs a closed loop: a new call as soon as a slot is free.
    #[arg(long, value_parser = rate)]
    pub(super) rate: Rate,
    /// How long calls are due.
    #[arg(long, default_value = "10s")]
    pub(super) duration: Span,
    /// The most connections. Default: 256 with http1, 8 with http2 and grpc-unary, 1 with grpc-stream.
    #[arg(long)]
    pub(super) connections: Option<u32>,
    /// Concurrent streams on each connection, default 512; with grpc-stream the number of streams, default 20.
    #[arg(long)]
    pub(super) streams: Option<u32>,
    /// Messages in flight on each stream, with grpc-stream. Default: 256.
    #[arg(long)]
    pub(super) stream_window: Option<u32>,
    /// The most calls in flight, over all connections. Default: what the connections and streams allow.
    #[arg(long)]
    pub(super) max_in_flight: Option<u32>,
    /// When connections are opened. Default: `eager` where `--connections` is given, else `as-needed`.
    #[arg(long, value_enum)]
    pub(super) pool: Option<Pool>,
    /// What the driver does between two calls: `spin` owns a core, `sleep` does not.
    #[arg(long, value_enum, default_value_t = Idle::Spin)]
    pub(super) idle: Idle,
    /// Threads that send.
    #[arg(long, default_value_t = 1)]
    pub(super) workers: u32,
    /// CPUs to pin the workers to, one each, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub(super) cpus: Vec<u32>,
    /// How calls are spaced.
    #[arg(long, value_enum, default_value_t = Arrivals::Uniform)]
    pub(super) arrivals: Arrivals,
    /// The seed of Poisson arrivals.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// A file with the body; for gRPC one message, without its frame.
    #[arg(long, value_name = "FILE")]
    pub(super) body: Option<PathBuf>,
    /// The HTTP method. Default: `POST` with a body, else `GET`.
    #[arg(long)]
    pub(super) method: Option<String>,
    /// The body's content type. Default: `application/json`.
    #[arg(long)]
    pub(super) content_type: Option<String>,
    /// A header line, `name: value`; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "LINE")]
    pub(super) headers: Vec<String>,
    /// After this long from its due time a call counts as timed out.
    #[arg(long, default_value = "30s")]
    pub(super) timeout: Span,
    /// How long answers are awaited after the end. Default: 5s, with grpc-stream 500ms.
    #[arg(long)]
    pub(super) drain: Option<Span>,
    /// Allows a target outside loopback and private addresses. Drive only what is yours.
    #[arg(long)]
    pub(super) allow_public_target: bool,
    /// Allows more than 1,000,000 calls per second, 10,000 connections or one hour.
    #[arg(long)]
    pub(super) no_ceilings: bool,
    /// The output's format.
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    pub(super) output: Output,
}

/// What is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 cleartext with prior knowledge.
    Http2,
    /// gRPC, one message each way.
    GrpcUnary,
    /// gRPC, long-lived streams of messages both ways.
    GrpcStream,
}

/// When connections are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Pool {
    /// Fill the first connection before the next is opened.
    AsNeeded,
    /// Open all before the start and go round robin.
    Eager,
}

/// What the driver does between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Idle {
    /// Spin.
    Spin,
    /// Sleep in the kernel until shortly before the next call is due.
    Sleep,
}

/// How calls are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Arrivals {
    /// Evenly.
    Uniform,
    /// With exponential gaps.
    Poisson,
}

/// The output's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people.
    Table,
    /// For scripts.
    Json,
}

/// How fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rate {
    PerSecond(f64),
    Max,
}

fn rate(text: &str) -> Result<Rate, String> {
    if text == "max" {
        return Ok(Rate::Max);
    }
    let wanted = || format!("{text:?} is neither a number of calls per second above 0 nor `max`");
    let number: f64 = text.parse().map_err(|_| wanted())?;
    if number.is_finite() && number > 0.0 { Ok(Rate::PerSecond(number)) } else { Err(wanted()) }
}

#[cfg(test)]
mod tests {
    use super::{Rate, rate};

    #[test]
    fn a_rate_is_a_number_above_zero_or_max() {
        assert_eq!(rate("max"), Ok(Rate::Max));
        assert_eq!(rate("0.5"), Ok(Rate::PerSecond(0.5)));
        assert_eq!(rate("1e3"), Ok(Rate::PerSecond(1000.0)));
        for wrong in ["", "0", "-1", "nan", "inf", "10k", "fast"] {
            assert!(rate(wrong).is_err(), "{wrong:?}");
        }
    }
}
