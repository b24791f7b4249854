//! The command line of an arm: preset, ports and settings in; out: one line of JSON once it is ready, then the server
//! until it is stopped. The same words are understood by `soak arm` and by the program in an arm's image.

use std::{
    fmt::Display,
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
};

use crate::{Arm, ArmError, ArmOptions, Codec, Executor, Preset, Settings, Work, WorkKind};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Serves one of the product's own servers until it is stopped.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The server.
    #[arg(value_parser = one_of::<Preset>(Preset::WORDS))]
    preset: Preset,
    /// The address to listen on.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The port of metrics and settings; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    admin_port: u16,
    #[command(flatten)]
    settings: SettingArgs,
}

#[derive(Debug, Clone, clap::Args)]
struct SettingArgs {
    /// Where a request's work is done: on the connection's thread, or on a pool of threads.
    #[arg(long, value_parser = one_of::<Executor>(Executor::WORDS), default_value_t = Settings::default().executor)]
    executor: Executor,
    /// Threads that serve connections.
    #[arg(long, default_value_t = Settings::default().worker_threads)]
    worker_threads: u32,
    /// Threads of the pool, with `--executor Threads`.
    #[arg(long, default_value_t = Settings::default().pool_threads)]
    pool_threads: u32,
    /// How payloads are parsed and written: by generated code, or by reflection.
    #[arg(long, value_parser = one_of::<Codec>(Codec::WORDS), default_value_t = Settings::default().codec)]
    codec: Codec,
    /// HTTP/2 streams admitted on one connection.
    #[arg(long, default_value_t = Settings::default().max_concurrent_streams)]
    max_concurrent_streams: u32,
    /// HTTP/2 initial flow-control window in bytes, for streams and connection.
    #[arg(long, default_value_t = Settings::default().initial_window)]
    initial_window: u32,
    /// Messages of one stream that are taken in before their echoes are out.
    #[arg(long, default_value_t = Settings::default().inbound_credits)]
    inbound_credits: u32,
    /// Microseconds of CPU time spent for each request besides the echo.
    #[arg(long, value_name = "MICROS", conflicts_with = "sleep_micros")]
    spin_micros: Option<u32>,
    /// Microseconds that each request waits besides the echo.
    #[arg(long, value_name = "MICROS")]
    sleep_micros: Option<u32>,
}

/// Why an arm does not serve.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It did not start.
    #[error(transparent)]
    Arm(#[from] ArmError),
    /// Its first line cannot be written.
    #[error("cannot write the line that says it is ready: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// Whether whoever wrote the command must change it.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Arm(ArmError::Setting(_) | ArmError::PortInUse { .. } | ArmError::Listen { .. }) => true,
            Self::Arm(ArmError::Thread { .. } | ArmError::NoDescription) | Self::Output(_) => false,
        }
    }
}

/// Serves until the process is stopped.
pub fn serve(args: &Args) -> Result<(), CommandError> {
    let arm = Arm::start(options(args))?;
    let line = serde_json::to_string(&arm.ready).map_err(io::Error::from)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush())?;
    drop(out);
    arm.wait();
    Ok(())
}

fn options(args: &Args) -> ArmOptions {
    let Args { preset, host, port, admin_port, settings } = args;
    ArmOptions { preset: *preset, host: *host, port: *port, admin_port: *admin_port, settings: settings.into() }
}

impl From<&SettingArgs> for Settings {
    fn from(args: &SettingArgs) -> Self {
        let spin = args.spin_micros.map(|micros| Work { kind: WorkKind::Spin, micros });
        let sleep = args.sleep_micros.map(|micros| Work { kind: WorkKind::Sleep, micros });
        Self {
            executor: args.executor,
            worker_threads: args.worker_threads,
            pool_threads: args.pool_threads,
            codec: args.codec,
            max_concurrent_streams: args.max_concurrent_streams,
            initial_window: args.initial_window,
            inbound_credits: args.inbound_credits,
            work: spin.or(sleep),
        }
    }
}

/// The words of a setting, offered by help and completion; read by the setting itself.
fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Display + Send + Sync + std::error::Error + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn settings(arguments: &[&str]) -> Settings {
        let line = ["arm", "rest"].iter().chain(arguments);
        (&Line::try_parse_from(line).unwrap().args.settings).into()
    }

    #[test]
    fn every_argument_is_its_setting() {
        let arguments = [
            "--executor=Threads",
            "--worker-threads=3",
            "--pool-threads=5",
            "--codec=Dynamic",
            "--max-concurrent-streams=7",
            "--initial-window=11",
            "--inbound-credits=13",
            "--sleep-micros=17",
        ];
        let expected = Settings {
            executor: Executor::Threads,
            worker_threads: 3,
            pool_threads: 5,
            codec: Codec::Dynamic,
            max_concurrent_streams: 7,
            initial_window: 11,
            inbound_credits: 13,
            work: Some(Work { kind: WorkKind::Sleep, micros: 17 }),
        };
        assert_eq!(settings(&arguments), expected);
        let spinning = Some(Work { kind: WorkKind::Spin, micros: 19 });
        assert_eq!(settings(&["--spin-micros=19"]), Settings { work: spinning, ..Settings::default() });
    }

    #[test]
    fn without_arguments_the_settings_are_the_defaults() {
        assert_eq!(settings(&[]), Settings::default());
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_words_allowed() {
        let fault = Line::try_parse_from(["arm", "soap"]).unwrap_err().to_string();
        assert!(fault.contains("rest, grpc"), "{fault}");
    }

    #[test]
    fn spinning_and_sleeping_exclude_each_other() {
        assert!(Line::try_parse_from(["arm", "rest", "--spin-micros=1", "--sleep-micros=1"]).is_err());
    }
}
