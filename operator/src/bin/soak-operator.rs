//! The operator. In: its settings as environment variables, the cluster that it runs in. Out: JSON lines about what it
//! does, until it is told to end.

use std::{env, process::ExitCode};

use clap::{Parser, Subcommand};
use soak_operator::{chain, check, config::Config, run};
use tracing_subscriber::EnvFilter;

/// Carries `SoakCampaign`s out, as its environment says, until it is told to end.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum Command {
    /// Asks whether an operator of these settings can work here and is at work; makes nothing.
    Check,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    let filter = EnvFilter::try_from_env("SOAK_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt().json().with_env_filter(filter).init();
    let config = match Config::read(|name| env::var(name).ok()) {
        Ok(config) => config,
        Err(error) => {
            tracing::error!(%error, "cannot start");
            return ExitCode::from(2);
        }
    };
    let done = match command {
        None => run(config).await.map_err(|error| chain(&error)),
        Some(Command::Check) => {
            check(&config).await.map(|leader| tracing::info!(leader, "is at work")).map_err(|error| chain(&error))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error, "has ended");
            ExitCode::FAILURE
        }
    }
}
