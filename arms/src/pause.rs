//! Waiting for less than a millisecond without holding a thread: one kernel timer for each runtime. In: spans. Out:
//! futures that end no earlier, and some tens of microseconds later. The runtime's own timer counts whole milliseconds.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    future::Future,
    io,
    os::fd::OwnedFd,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::{Interest, unix::AsyncFd};

/// The timer of one runtime.
#[derive(Debug)]
pub(crate) struct Timer {
    fd: AsyncFd<OwnedFd>,
    waiting: Mutex<Waiting>,
}

/// Those who wait, the earliest first. The number keeps two of the same instant apart.
#[derive(Debug, Default)]
struct Waiting {
    heap: BinaryHeap<Reverse<Entry>>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    at: (Instant, u64),
    waker: Waker,
}

/// Ends once its span has passed.
#[derive(Debug)]
pub(crate) struct Pause {
    until: Instant,
    timer: Arc<Timer>,
    entered: Option<Waker>,
}

impl Timer {
    /// Starts the timer of the runtime that this is called in.
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let fd = register(fd)?;
        let timer = Arc::new(Self { fd, waiting: Mutex::default() });
        tokio::spawn(Arc::clone(&timer).wake_all());
        Ok(timer)
    }

    /// Waits for `span`, starting now.
    pub(crate) fn pause(self: &Arc<Self>, span: Duration) -> Pause {
        Pause { until: Instant::now() + span, timer: Arc::clone(self), entered: None }
    }

    async fn wake_all(self: Arc<Self>) {
        let mut count = [0u8; 8];
        loop {
            let Ok(mut ready) = self.fd.readable().await else { return };
            // It would block only when the timer was set anew after it had run out: then it runs out again.
            let _ = rustix::io::read(&self.fd, &mut count);
            ready.clear_ready();
            drop(ready);
            self.wake_due(Instant::now());
        }
    }

    fn wake_due(&self, now: Instant) {
        let mut waiting = self.lock();
        while waiting.heap.peek().is_some_and(|Reverse(entry)| entry.at.0 <= now) {
            if let Some(Reverse(entry)) = waiting.heap.pop() {
                entry.waker.wake();
            }
        }
        if let Some(Reverse(entry)) = waiting.heap.peek() {
            self.set(entry.at.0 - now);
        }
    }

    fn enter(&self, until: Instant, waker: Waker) {
        let mut waiting = self.lock();
        let earliest = waiting.heap.peek().is_none_or(|Reverse(entry)| until < entry.at.0);
        let number = waiting.next;
        waiting.next += 1;
        waiting.heap.push(Reverse(Entry { at: (until, number), waker }));
        if earliest {
            self.set(until.saturating_duration_since(Instant::now()));
        }
    }

    /// The kernel reads 0 as "never", so the least span is a nanosecond. Setting a timer of ours cannot fail.
    fn set(&self, span: Duration) {
        let nanos = i64::from(span.subsec_nanos()).max(i64::from(span.as_secs() == 0));
        let seconds = i64::try_from(span.as_secs()).unwrap_or(i64::MAX);
        let value = Timespec { tv_sec: seconds, tv_nsec: nanos };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let _ = timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::empty(), &once);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(unsafe_code, reason = "the runtime offers no other way to wait for a kernel timer")]
fn register(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is one open descriptor, the same one until it is dropped, and it is dropped by the `AsyncFd`.
    Ok(unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }?)
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.until {
            return Poll::Ready(());
        }
        if !self.entered.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            self.timer.enter(self.until, cx.waker().clone());
            self.entered = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

/// Lets the calling thread's own sleeps end when they are due; by default the kernel may add 50 µs.
pub(crate) fn sharpen_sleeps() {
    // Refused only by a sandbox; then sleeps are as coarse as they are for everybody.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn run<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(test)
    }

    #[test]
    fn a_pause_ends_no_earlier_and_much_sooner_than_a_millisecond_later() {
        let span = Duration::from_micros(200);
        let late = run(async {
            let timer = Timer::start().unwrap();
            let mut least = Duration::MAX;
            for _ in 0..100 {
                let start = Instant::now();
                timer.pause(span).await;
                least = least.min(start.elapsed().checked_sub(span).unwrap());
            }
            least
        });
        assert!(late < Duration::from_micros(500), "{late:?}");
    }

    #[test]
    fn pauses_end_in_the_order_of_their_ends_whatever_the_order_of_their_starts() {
        let order = run(async {
            let timer = Timer::start().unwrap();
            let (done, mut ended) = tokio::sync::mpsc::unbounded_channel();
            for millis in [30, 10, 20, 0] {
                let (pause, done) = (timer.pause(Duration::from_millis(millis)), done.clone());
                tokio::spawn(async move {
                    pause.await;
                    done.send(millis).unwrap();
                });
            }
            drop(done);
            let mut order = Vec::new();
            while let Some(millis) = ended.recv().await {
                order.push(millis);
            }
            order
        });
        assert_eq!(order, [0, 10, 20, 30]);
    }

    #[test]
    fn a_pause_that_is_given_up_does_not_stop_the_others() {
        run(async {
            let timer = Timer::start().unwrap();
            let mut given_up = timer.pause(Duration::from_millis(1));
            let _ = Pin::new(&mut given_up).poll(&mut Context::from_waker(Waker::noop()));
            drop(given_up);
            timer.pause(Duration::from_millis(5)).await;
        });
    }
}
