//! While a step runs: a live line on a terminal, plain lines elsewhere; and what an interrupt does.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ScopedJoinHandle},
    time::{Duration, Instant},
};

use signal_hook::consts::{SIGINT, SIGTERM};
use soak_driver::{Live, LiveCounts, Stop};
use soak_sample::LoadOrder;

use crate::tables::number::{three_digits, whole};

/// How often is looked.
const LOOK: Duration = Duration::from_millis(20);
/// How often the live line is written again.
const LIVE: Duration = Duration::from_millis(200);
/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(5);
/// How long answers are awaited after an interrupt.
const PATIENCE: Duration = Duration::from_millis(500);

/// Interrupts that came. A second one ends the program at once.
#[derive(Debug)]
pub(super) struct Interrupts {
    came: Arc<AtomicBool>,
}

impl Interrupts {
    /// Listens from now on.
    pub(super) fn listen() -> io::Result<Self> {
        let came = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&came))?;
            signal_hook::flag::register(signal, Arc::clone(&came))?;
        }
        Ok(Self { came })
    }

    /// True once one came.
    pub(super) fn came(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }
}

/// What is watched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watched<'a> {
    pub(super) order: &'a LoadOrder,
    pub(super) live: &'a Live,
    pub(super) stop: &'a Stop,
    pub(super) interrupts: &'a Interrupts,
}

/// Watches until the step is over. An interrupt ends it, and soon after also the wait for answers.
pub(super) fn until_finished<T>(running: &ScopedJoinHandle<'_, T>, watched: &Watched<'_>) {
    let begun = Instant::now();
    let mut interrupted: Option<Instant> = None;
    let mut line = Line::new(begun);
    while !running.is_finished() {
        thread::sleep(LOOK);
        if watched.interrupts.came() {
            watched.stop.end();
            let since = interrupted.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                watched.stop.abandon();
            }
        }
        line.show(watched);
    }
    line.clear();
}

/// The line that tells how it goes.
struct Line {
    begun: Instant,
    next: Instant,
    on_terminal: bool,
}

impl Line {
    fn new(begun: Instant) -> Self {
        let on_terminal = io::stderr().is_terminal();
        Self { begun, next: begun + if on_terminal { LIVE } else { PLAIN }, on_terminal }
    }

    fn show(&mut self, watched: &Watched<'_>) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let text = text(now.duration_since(self.begun), watched.order, &watched.live.read());
        // Whoever does not want the line may close standard error.
        let mut out = io::stderr().lock();
        let _ = if self.on_terminal { write!(out, "\r\x1b[K{text}") } else { writeln!(out, "{text}") };
        let _ = out.flush();
        self.next = now + if self.on_terminal { LIVE } else { PLAIN };
    }

    fn clear(&self) {
        if self.on_terminal {
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\x1b[K");
            let _ = out.flush();
        }
    }
}

fn text(elapsed: Duration, order: &LoadOrder, counts: &LiveCounts) -> String {
    let LiveCounts { due, ok, failed, never_sent, in_flight, p99_nanos } = *counts;
    let all = order.duration_nanos as f64 / 1e9;
    let p99 = if p99_nanos == 0 { "n/a".to_owned() } else { format!("{} ms", three_digits(p99_nanos as f64 / 1e6)) };
    format!(
        "{:.0} of {:.0} s · due {} · ok {} · failed {} · never sent {} · in flight {} · p99 {p99}",
        elapsed.as_secs_f64().min(all),
        all,
        whole(due),
        whole(ok),
        whole(failed),
        whole(never_sent),
        whole(in_flight),
    )
}
