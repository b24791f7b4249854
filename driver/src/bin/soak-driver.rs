//! A driver in a pod of its own. In: `SOAK_LISTEN` (an address), `SOAK_TOKEN_SHA256`, `SOAK_LEASE_SECONDS`. Out: its
//! control, until it is ended.

use std::{env, io::Write as _, net::SocketAddr, process::ExitCode, time::Duration};

use soak_driver::control::{Options, TokenHash, serve};

fn main() -> ExitCode {
    match options() {
        Ok(options) => {
            let Err(error) =
                serve(options, |address| writeln!(std::io::stdout(), "{{\"ready\":true,\"at\":\"{address}\"}}"));
            eprintln!("soak-driver: {error}");
        }
        Err(words) => eprintln!("soak-driver: {words}"),
    }
    ExitCode::FAILURE
}

fn options() -> Result<Options, String> {
    let text = |name: &str| env::var(name).map_err(|error| format!("{name}: {error}"));
    let address: SocketAddr = text("SOAK_LISTEN")?.parse().map_err(|error| format!("SOAK_LISTEN: {error}"))?;
    let token: TokenHash = text("SOAK_TOKEN_SHA256")?.parse().map_err(|error| format!("SOAK_TOKEN_SHA256: {error}"))?;
    let lease = text("SOAK_LEASE_SECONDS")?.parse().map_err(|error| format!("SOAK_LEASE_SECONDS: {error}"))?;
    Ok(Options { address, token: Some(token), lease: Duration::from_secs(lease) })
}
