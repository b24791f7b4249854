//! `soak driver`: a driver process that stands still until its control is given an order. Hidden: the executors run it.
//! Out: one line of JSON once its control answers.

use std::{
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::Duration,
};

use soak_crds::Span;
use soak_driver::control::{Options, TokenHash, serve};

use crate::Exit;

/// Makes load as it is ordered to, until it is stopped.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The address of its control.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port of its control; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The SHA-256 of the token that orders bring, hexadecimal.
    #[arg(long)]
    token_sha256: TokenHash,
    /// Heard nothing for this long, it drops orders that have not begun.
    #[arg(long, default_value = "30s")]
    lease: Span,
}

/// Serves until the process is ended.
pub(crate) fn run(args: &Args) -> Exit {
    let options = Options {
        address: SocketAddr::new(args.host, args.port),
        token: Some(args.token_sha256),
        lease: Duration::from_millis(args.lease.millis().unsigned_abs()),
    };
    let Err(error) = serve(options, announce);
    eprintln!("{error}");
    Exit::Internal
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{{\"ready\":true,\"port\":{}}}", address.port())?;
    out.flush()
}
