//! What is executed for an arm and a driver on this machine. In go planned servers and clients; out come words of a
//! command line, for a supervisor and for `soak plan` alike. It must not execute anything.

use soak_campaign::plan::{PlannedServer, Program, setting_words};
use soak_crds::spec::Preset;

/// Why there is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The program is one for a cluster.
    #[error("{what} cannot be run on one machine: give `server.local.command`")]
    ForACluster {
        /// The image or service.
        what: String,
    },
    /// The preset is not there yet.
    #[error("the preset {0} cannot be run on one machine yet")]
    Preset(&'static str),
}

/// The words that run an arm; `soak` is this program's own path.
pub fn arm(server: &PlannedServer, soak: &str) -> Result<Vec<String>, CommandError> {
    let mut words = match &server.program {
        Program::Preset(preset) => preset_words(*preset, soak)?,
        Program::Command(command) => command.clone(),
        Program::Image(what) | Program::Service(what) => {
            return Err(CommandError::ForACluster { what: what.clone() });
        }
    };
    if let Program::Preset(_) = server.program {
        words.extend(server.port.map(|port| format!("--port={port}")));
        words.extend(setting_words(&server.settings));
    }
    words.extend(server.args.iter().cloned());
    Ok(words)
}

/// The words that run a driver whose control asks for the token with this sha256.
pub fn driver(soak: &str, token_sha256: &str) -> Vec<String> {
    vec![soak.to_owned(), "driver".to_owned(), format!("--token-sha256={token_sha256}")]
}

fn preset_words(preset: Preset, soak: &str) -> Result<Vec<String>, CommandError> {
    let name = match preset {
        Preset::Rest => "rest",
        Preset::Grpc => "grpc",
        Preset::Websocket => return Err(CommandError::Preset("websocket")),
        Preset::Rsocket => return Err(CommandError::Preset("rsocket")),
        Preset::JvmRest => return Err(CommandError::Preset("jvm-rest")),
        Preset::JvmGrpc => return Err(CommandError::Preset("jvm-grpc")),
        Preset::JvmWebsocket => return Err(CommandError::Preset("jvm-websocket")),
        Preset::JvmRsocket => return Err(CommandError::Preset("jvm-rsocket")),
    };
    Ok([soak, "arm", name].map(str::to_owned).to_vec())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use soak_campaign::plan::PodShape;
    use soak_crds::spec::{Codec, Settings, Work, WorkKind};

    use super::*;

    fn server(program: Program) -> PlannedServer {
        PlannedServer {
            program,
            args: vec!["--more".to_owned()],
            env: Vec::new(),
            jvm_options: Vec::new(),
            settings: Settings::default(),
            cpu_milli: 1000,
            memory_bytes: 1 << 30,
            port: None,
            ready_path: None,
            ready_timeout_millis: 1000,
            reproducible: true,
            pod: PodShape::default(),
        }
    }

    #[test]
    fn a_preset_is_this_program_with_its_declared_settings_alone() {
        let mut rest = server(Program::Preset(Preset::Rest));
        rest.settings.codec = Some(Codec::Dynamic);
        rest.settings.work = Some(Work { kind: WorkKind::Spin, micros: 50 });
        let words = arm(&rest, "/bin/soak").unwrap();
        assert_eq!(words, ["/bin/soak", "arm", "rest", "--codec=Dynamic", "--spin-micros=50", "--more"]);
    }

    #[test]
    fn a_command_is_run_as_it_is_written() {
        let own = server(Program::Command(vec!["./cart".to_owned(), "a b".to_owned()]));
        assert_eq!(arm(&own, "soak").unwrap(), ["./cart", "a b", "--more"]);
    }

    #[test]
    fn what_is_for_a_cluster_is_refused() {
        let image = server(Program::Image("cart:1.4".to_owned()));
        assert!(arm(&image, "soak").unwrap_err().to_string().contains("local.command"));
    }
}
