//! The operator. In: its settings as environment variables, the cluster that it runs in. Out: JSON lines about what it
//! does, until it is told to end.

use std::{env, process::ExitCode};

use soak_operator::{chain, config::Config, run};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("SOAK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().json().with_env_filter(filter).init();
    let config = match Config::read(|name| env::var(name).ok()) {
        Ok(config) => config,
        Err(error) => {
            tracing::error!(%error, "cannot start");
            return ExitCode::from(2);
        }
    };
    match run(config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = %chain(&error), "has ended");
            ExitCode::FAILURE
        }
    }
}
