//! A witness in an arm's pod. In: `SOAK_LISTEN` (an address), `SOAK_TOKEN_SHA256`. Out: its control, until it is ended.

use std::{env, io::Write as _, net::SocketAddr, process::ExitCode};

use soak_sample::TokenHash;
use soak_witness::{
    Root,
    control::{Options, serve},
};

fn main() -> ExitCode {
    match options() {
        Ok(options) => {
            let Err(error) =
                serve(options, |address| writeln!(std::io::stdout(), "{{\"ready\":true,\"at\":\"{address}\"}}"));
            eprintln!("soak-witness: {error}");
        }
        Err(words) => eprintln!("soak-witness: {words}"),
    }
    ExitCode::FAILURE
}

fn options() -> Result<Options, String> {
    let text = |name: &str| env::var(name).map_err(|error| format!("{name}: {error}"));
    let address: SocketAddr = text("SOAK_LISTEN")?.parse().map_err(|error| format!("SOAK_LISTEN: {error}"))?;
    let token: TokenHash = text("SOAK_TOKEN_SHA256")?.parse().map_err(|error| format!("SOAK_TOKEN_SHA256: {error}"))?;
    Ok(Options { address, token: Some(token), root: Root::live() })
}
