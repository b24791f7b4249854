//! The settings of an arm, each a lever with a real effect. In: text of the command line, or the JSON of a campaign's
//! `settings`. Out: bounded values. Must not know how a setting is put into effect.

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
}

fn within(name: &'static str, value: u32, least: u32, most: u32) -> Result<(), SettingError> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(SettingError::Bounds { name, value, least, most }) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn refused(settings: &Settings, expected: &str) {
        assert_eq!(settings.check().unwrap_err().to_string(), expected);
    }

    #[test]
    fn a_setting_out_of_bounds_is_refused_with_its_bounds() {
        let base = Settings::default();
        assert_eq!(base.check(), Ok(()));
        refused(&Settings { worker_threads: 0, ..base.clone() }, "workerThreads 0 is not within 1 and 256");
        refused(&Settings { pool_threads: 2_000, ..base.clone() }, "poolThreads 2000 is not within 1 and 1024");
        let none = Settings { max_concurrent_streams: 0, ..base.clone() };
        refused(&none, "maxConcurrentStreams 0 is not within 1 and 1000000");
        let huge = Settings { initial_window: 1 << 31, ..base.clone() };
        refused(&huge, "initialWindow 2147483648 is not within 1 and 2147483647");
        refused(&Settings { inbound_credits: 0, ..base.clone() }, "inboundCredits 0 is not within 1 and 1000000");
        let long = Work { kind: WorkKind::Spin, micros: 60_000_001 };
        refused(&Settings { work: Some(long), ..base }, "work.micros 60000001 is not within 0 and 60000000");
    }

    #[test]
    fn the_settings_of_a_campaign_are_read_as_they_are_written() {
        let campaign = soak_crds::spec::Settings {
            executor: Some(soak_crds::spec::Executor::Threads),
            worker_threads: Some(2),
            codec: Some(soak_crds::spec::Codec::Dynamic),
            max_concurrent_streams: Some(3),
            initial_window: Some(65_535),
            inbound_credits: Some(4),
            work: Some(soak_crds::spec::Work { kind: soak_crds::spec::WorkKind::Spin, micros: 5 }),
        };
        let read: Settings = serde_json::from_value(serde_json::to_value(&campaign).unwrap()).unwrap();
        let expected = Settings {
            executor: Executor::Threads,
            worker_threads: 2,
            codec: Codec::Dynamic,
            max_concurrent_streams: 3,
            initial_window: 65_535,
            inbound_credits: 4,
            work: Some(Work { kind: WorkKind::Spin, micros: 5 }),
            ..Settings::default()
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn settings_that_a_campaign_leaves_out_have_their_defaults() {
        let campaign = soak_crds::spec::Settings::default();
        let read: Settings = serde_json::from_value(serde_json::to_value(&campaign).unwrap()).unwrap();
        assert_eq!(read, Settings::default());
    }

    #[test]
    fn a_setting_that_the_arm_does_not_have_is_refused() {
        assert!(serde_json::from_str::<Settings>(r#"{"executor": "Virtual"}"#).is_err());
        assert!(serde_json::from_str::<Settings>(r#"{"colour": "red"}"#).is_err());
    }

    #[test]
    fn every_word_is_read_back_as_it_is_shown() {
        for word in Executor::WORDS {
            assert_eq!(word.parse::<Executor>().unwrap().to_string(), *word);
        }
        assert_eq!("fast".parse::<Codec>().unwrap_err().to_string(), r#""fast" is not one of Compiled, Dynamic"#);
    }
}
