//! The heap as the server tells it, asked for off the sampling path: a server at its limit may take long to answer, and
//! nobody waits for it but this thread. In: which reading wants it; out: readings with their heap. No answer, no number.

use std::{
    net::SocketAddr,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use crate::admin;

/// How long one attempt may take.
const ATTEMPT: Duration = Duration::from_secs(2);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The thread that asks.
#[derive(Debug)]
pub(crate) struct HeapProbe {
    ask: Sender<usize>,
    told: Receiver<(usize, u64)>,
}

impl HeapProbe {
    /// Starts the thread. `budget`: how long one reading's heap is asked for. `None` where no thread can be made.
    pub(crate) fn start(at: SocketAddr, budget: Duration) -> Option<Self> {
        let (ask, asked) = channel();
        let (tell, told) = channel();
        let work = move || answer(at, budget, &asked, &tell);
        // It ends by itself once nobody asks any more.
        thread::Builder::new().name("witness-heap".to_owned()).spawn(work).ok()?;
        Some(Self { ask, told })
    }

    /// Asks for the heap of a reading. A reading that is still without is given up for it.
    pub(crate) fn ask(&self, reading: usize) {
        // The thread lives until this sender is dropped.
        let _ = self.ask.send(reading);
    }

    /// The heap of each reading that has one. Waits for the last reading's, at most the budget, and no longer than it
    /// is wanted.
    pub(crate) fn finish(self, wanted: impl Fn() -> bool) -> Vec<(usize, u64)> {
        drop(self.ask);
        let mut told: Vec<(usize, u64)> = self.told.try_iter().collect();
        while wanted() {
            match self.told.recv_timeout(PAUSE) {
                Ok(heap) => told.push(heap),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        told
    }
}

fn answer(at: SocketAddr, budget: Duration, asked: &Receiver<usize>, tell: &Sender<(usize, u64)>) {
    let mut next = asked.recv().ok();
    while let Some(reading) = next {
        next = match attempts(at, Instant::now() + budget, asked) {
            Attempts::Told(heap) => {
                let _ = tell.send((reading, heap));
                asked.recv().ok()
            }
            Attempts::Superseded(newer) => Some(newer),
            Attempts::InVain => asked.recv().ok(),
        };
    }
}

enum Attempts {
    Told(u64),
    Superseded(usize),
    InVain,
}

fn attempts(at: SocketAddr, until: Instant, asked: &Receiver<usize>) -> Attempts {
    while Instant::now() < until {
        match admin::report(at, ATTEMPT.min(until.saturating_duration_since(Instant::now()))) {
            Ok(report) => return report.heap_bytes.map_or(Attempts::InVain, Attempts::Told),
            Err(_) => match asked.recv_timeout(PAUSE) {
                Ok(newer) => return Attempts::Superseded(newer),
                Err(RecvTimeoutError::Timeout) => {}
                // The last reading's heap is worth the rest of the budget.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
            },
        }
    }
    Attempts::InVain
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread,
        time::Duration,
    };

    use super::HeapProbe;

    #[test]
    fn a_server_that_answers_late_is_still_asked_within_the_budget() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            for answer in ["HTTP/1.1 503 Busy\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n{\"heapBytes\":7}"] {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 1024]);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let probe = HeapProbe::start(at, Duration::from_secs(30)).unwrap();
        probe.ask(3);
        assert_eq!(probe.finish(|| true), [(3, 7)]);
        server.join().unwrap();
    }

    #[test]
    fn what_does_not_answer_has_no_number() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        drop(listener);
        let probe = HeapProbe::start(at, Duration::from_millis(20)).unwrap();
        probe.ask(0);
        assert_eq!(probe.finish(|| true), []);
    }

    #[test]
    fn nobody_waits_for_a_heap_that_is_not_wanted_any_more() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let probe = HeapProbe::start(listener.local_addr().unwrap(), Duration::from_secs(3600)).unwrap();
        probe.ask(0);
        assert_eq!(probe.finish(|| false), []);
    }
}
