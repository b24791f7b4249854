//! The witness of one step. In: groups, edges in time; out: a window with readings at the start, once a second, and at
//! the end. It sleeps until shortly before each instant, spins the rest, reads CPU time first and all else after.

use std::{
    io,
    net::SocketAddr,
    num::NonZeroU64,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use soak_sample::{Reading, WitnessWindow};

use crate::{
    Group, Root,
    group::GroupReader,
    heap::HeapProbe,
    instants::{Instants, SPIN_NANOS},
    node::node,
};

/// Every which reading the heap is asked for, besides first and last: asking costs the server a request.
const HEAP_EVERY: usize = 5;

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum SamplerError {
    /// The thread could not be made.
    #[error("cannot start the witness's thread: {0}")]
    Thread(#[from] io::Error),
    /// The thread ended without a window.
    #[error("the witness's thread ended without a window")]
    Lost,
}

/// What is to be witnessed.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The order's id.
    pub order: String,
    /// Start of the step.
    pub start_unix_nanos: i64,
    /// End of the step.
    pub end_unix_nanos: i64,
    /// The arm.
    pub arm: Option<Group>,
    /// The driver.
    pub driver: Option<Group>,
    /// The arm's admin port, where it has one.
    pub admin: Option<SocketAddr>,
    /// How long one reading's heap is asked for; the method's is 30 s. The window waits for the last reading's.
    pub heap_budget: Duration,
}

/// A witness at work on one step, on a thread of its own.
#[derive(Debug)]
pub struct Sampler {
    thread: JoinHandle<WitnessWindow>,
    stop: Arc<Stop>,
}

impl Sampler {
    /// Starts witnessing. The step may lie in the future; where it has begun, the first reading is taken at once, late.
    pub fn start(root: Root, watch: Watch) -> Result<Self, SamplerError> {
        let stop = Arc::new(Stop::default());
        let seen = Arc::clone(&stop);
        let thread =
            thread::Builder::new().name("witness".to_owned()).spawn(move || Shift::new(root, watch, seen).work())?;
        Ok(Self { thread, stop })
    }

    /// Ends the step now: one last reading, then no more. The heap is not waited for.
    pub fn stop(&self) {
        self.stop.raise();
    }

    /// Whether the window is there.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// The window, once the step is over.
    pub fn join(self) -> Result<WitnessWindow, SamplerError> {
        self.thread.join().map_err(|_| SamplerError::Lost)
    }
}

/// A flag that wakes a sleeper.
#[derive(Debug, Default)]
struct Stop {
    raised: Mutex<bool>,
    bell: Condvar,
}

impl Stop {
    fn raise(&self) {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_all();
    }

    fn is_raised(&self) -> bool {
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sleeps this long, or until the flag is raised.
    fn sleep(&self, span: Duration) {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let _woken = self.bell.wait_timeout_while(raised, span, |raised| !*raised);
    }
}

/// One step's work.
struct Shift {
    root: Root,
    order: String,
    instants: Instants,
    arm: Option<GroupReader>,
    driver: Option<GroupReader>,
    heap: Option<HeapProbe>,
    stop: Arc<Stop>,
    readings: Vec<Reading>,
}

impl Shift {
    fn new(root: Root, watch: Watch, stop: Arc<Stop>) -> Self {
        let Watch { order, start_unix_nanos, end_unix_nanos, arm, driver, admin, heap_budget } = watch;
        let reader = |group: Option<Group>| group.map(|group| GroupReader::new(root.clone(), group));
        Self {
            order,
            instants: Instants::new(start_unix_nanos, end_unix_nanos),
            arm: reader(arm),
            driver: reader(driver),
            heap: admin.and_then(|at| HeapProbe::start(at, heap_budget)),
            stop,
            readings: Vec::new(),
            root,
        }
    }

    fn work(mut self) -> WitnessWindow {
        // Without it the kernel may wake a sleeper 50 µs late.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        while let Some(asked) = self.instants.next(unix_nanos()) {
            let asked = self.wait(asked);
            let reading = self.read(asked);
            self.readings.push(reading);
            self.ask_heap();
            if self.stop.is_raised() {
                break;
            }
        }
        self.finish()
    }

    /// Waits for an instant. Gives it back, or the present one when stopped before.
    fn wait(&self, asked: i64) -> i64 {
        loop {
            let now = unix_nanos();
            if self.stop.is_raised() {
                return now;
            }
            match u64::try_from(asked.saturating_sub(now)) {
                Ok(left) if left > SPIN_NANOS => {
                    self.stop.sleep(Duration::from_nanos(left - SPIN_NANOS));
                }
                Ok(left) if left > 0 => std::hint::spin_loop(),
                _ => return asked,
            }
        }
    }

    fn read(&mut self, asked: i64) -> Reading {
        let before = unix_nanos();
        let arm = self.arm.as_mut().and_then(GroupReader::cpu);
        let driver = self.driver.as_mut().and_then(GroupReader::cpu);
        let after = unix_nanos();
        Reading {
            asked_unix_nanos: asked,
            at_unix_nanos: before + (after - before) / 2,
            own_cpu_nanos: Some(own_cpu_nanos()),
            node: node(&self.root).ok(),
            arm: self.arm.as_ref().zip(arm).and_then(|(reader, cpu)| reader.whole(cpu)),
            driver: self.driver.as_ref().zip(driver).and_then(|(reader, cpu)| reader.whole(cpu)),
        }
    }

    fn ask_heap(&self) {
        let index = self.readings.len() - 1;
        if let Some(heap) = &self.heap
            && (index.is_multiple_of(HEAP_EVERY) || self.instants.is_over())
        {
            heap.ask(index);
        }
    }

    fn finish(mut self) -> WitnessWindow {
        let stop = Arc::clone(&self.stop);
        let told = self.heap.take().map(|heap| heap.finish(|| !stop.is_raised())).unwrap_or_default();
        for (index, bytes) in told {
            if let Some(arm) = self.readings.get_mut(index).and_then(|reading| reading.arm.as_mut()) {
                arm.heap_bytes = Some(bytes);
            }
        }
        WitnessWindow {
            version: soak_sample::VERSION.to_owned(),
            order: self.order,
            readings: self.readings,
            clock_offset_nanos: 0,
            clock_offset_error_nanos: Some(0),
        }
    }
}

/// This machine's time, nanoseconds since the Unix epoch.
pub(crate) fn unix_nanos() -> i64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// CPU time of this whole process, nanoseconds: where witness and executor are one process, it is what they cost the node.
fn own_cpu_nanos() -> u64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(used.tv_sec * 1_000_000_000 + used.tv_nsec).unwrap_or(0)
}
