//! The settings of an arm, each a lever with a real effect. In: text of the command line, or the JSON of a campaign's
//! `settings`. Out: bounded values, and the arguments that ask for them. Must not know how a setting is put into effect.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Why a setting is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The text is not one of the words allowed.
    #[error("{text:?} is not one of {allowed}")]
    Word {
        /// What was written.
        text: String,
        /// What is allowed.
        allowed: String,
    },
    /// The number is out of bounds.
    #[error("{name} {value} is not within {least} and {most}")]
    Bounds {
        /// The setting, as the campaign writes it.
        name: &'static str,
        /// What was asked for.
        value: u32,
        /// The least that is allowed.
        least: u32,
        /// The most that is allowed.
        most: u32,
    },
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $variant),+
        }

        impl $name {
            /// The words a user may write, in order.
            pub const WORDS: &'static [&'static str] = &[$($text),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $text),+ })
            }
        }

        impl FromStr for $name {
            type Err = SettingError;
            fn from_str(text: &str) -> Result<Self, SettingError> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(SettingError::Word { text: text.to_owned(), allowed: Self::WORDS.join(", ") }),
                }
            }
        }
    };
}

words! {
    /// The servers there are. One process serves one of them.
    Preset {
        /// JSON echo over HTTP/1.1 and HTTP/2 cleartext, on the same port.
        Rest = "rest",
        /// gRPC echo, unary and bidirectional stream.
        Grpc = "grpc",
    }
}

words! {
    /// Where a request's work is done.
    Executor {
        /// On the thread that serves the connection.
        Direct = "Direct",
        /// On a pool of threads, one request a thread at a time.
        Threads = "Threads",
    }
}

words! {
    /// How payloads are parsed and written.
    Codec {
        /// By code generated for the payload's type. JSON of another shape is handled as `Dynamic` would.
        Compiled = "Compiled",
        /// By reflection: a tree of values for JSON, the message's description for protobuf.
        Dynamic = "Dynamic",
    }
}

words! {
    /// Whether a request's work is spent on the CPU or asleep.
    WorkKind {
        /// On the CPU: until the thread has used this much CPU time.
        Spin = "Spin",
        /// Asleep. `Direct`: the request waits and its thread serves others. `Threads`: its pool thread is held.
        Sleep = "Sleep",
    }
}

/// Work done for each request besides the echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// On the CPU or asleep.
    pub kind: WorkKind,
    /// Microseconds for each request.
    pub micros: u32,
}

/// The settings in effect. The JSON has the shape of a campaign's `settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Where a request's work is done.
    pub executor: Executor,
    /// Threads that serve connections; each connection stays with one of them, handed out in turn.
    pub worker_threads: u32,
    /// Threads of the pool; only with [`Executor::Threads`].
    pub pool_threads: u32,
    /// How payloads are parsed and written.
    pub codec: Codec,
    /// HTTP/2 streams admitted on one connection.
    pub max_concurrent_streams: u32,
    /// HTTP/2 initial flow-control window in bytes, for streams and connection. A small one also lowers how many small
    /// unread frames the HTTP/2 library bears on a connection (about one for each 512 bytes).
    pub initial_window: u32,
    /// Messages of one stream that are taken in before their echoes are out.
    pub inbound_credits: u32,
    /// Work done for each request besides the echo.
    pub work: Option<Work>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            executor: Executor::Direct,
            worker_threads: 1,
            pool_threads: 16,
            codec: Codec::Compiled,
            max_concurrent_streams: 1_024,
            initial_window: 16 << 20,
            inbound_credits: 256,
            work: None,
        }
    }
}

impl Settings {
    /// Refuses what is out of bounds.
    pub fn check(&self) -> Result<(), SettingError> {
        within("workerThreads", self.worker_threads, 1, 256)?;
        within("poolThreads", self.pool_threads, 1, 1_024)?;
        within("maxConcurrentStreams", self.max_concurrent_streams, 1, 1_000_000)?;
        within("initialWindow", self.initial_window, 1, i32::MAX as u32)?;
        within("inboundCredits", self.inbound_credits, 1, 1_000_000)?;
        within("work.micros", self.work.map_or(0, |work| work.micros), 0, 60_000_000)
    }

    /// The arguments of `soak arm PRESET` that ask for exactly these settings.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("--executor={}", self.executor),
            format!("--worker-threads={}", self.worker_threads),
            format!("--pool-threads={}", self.pool_threads),
            format!("--codec={}", self.codec),
            format!("--max-concurrent-streams={}", self.max_concurrent_streams),
            format!("--initial-window={}", self.initial_window),
            format!("--inbound-credits={}", self.inbound_credits),
        ];
        arguments.extend(self.work.map(|Work { kind, micros }| match kind {
            WorkKind::Spin => format!("--spin-micros={micros}"),
            WorkKind::Sleep => format!("--sleep-micros={micros}"),
        }));
        arguments
    }
}

fn within(name: &'static str, value: u32, least: u32, most: u32) -> Result<(), SettingError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(SettingError::Bounds { name, value, least, most }) }
}
