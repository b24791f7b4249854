//! From a preset's settings to the words of its command line, the same on every executor. Knows not who executes them.

use soak_crds::spec::{Codec, Executor, Settings, Work, WorkKind};

/// Declared settings alone: what is not declared is the server's own default.
pub fn setting_words(settings: &Settings) -> Vec<String> {
    let Settings { executor, worker_threads, codec, max_concurrent_streams, initial_window, inbound_credits, work } =
        settings;
    let numbers = [
        ("worker-threads", worker_threads),
        ("max-concurrent-streams", max_concurrent_streams),
        ("initial-window", initial_window),
        ("inbound-credits", inbound_credits),
    ];
    let mut words = Vec::new();
    words.extend(executor.map(|executor| format!("--executor={}", executor_word(executor))));
    words.extend(codec.map(|codec| format!("--codec={}", codec_word(codec))));
    words.extend(numbers.iter().filter_map(|(name, value)| value.map(|value| format!("--{name}={value}"))));
    words.extend(work.as_ref().map(work_word));
    words
}

fn executor_word(executor: Executor) -> &'static str {
    match executor {
        Executor::Direct => "Direct",
        Executor::Threads => "Threads",
        Executor::Virtual => "Virtual",
    }
}

fn codec_word(codec: Codec) -> &'static str {
    match codec {
        Codec::Compiled => "Compiled",
        Codec::Dynamic => "Dynamic",
    }
}

fn work_word(work: &Work) -> String {
    let kind = match work.kind {
        WorkKind::Spin => "spin",
        WorkKind::Sleep => "sleep",
    };
    format!("--{kind}-micros={}", work.micros)
}
