//! A pool of threads, one request a thread at a time. In: payloads. Out: their echoes, each through its own channel. A
//! request that sleeps holds its thread, as it does in a server that has a thread for each request.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::work::{BadPayload, Echo};

/// Where a request's echo arrives. Closed without one only when its thread died.
pub(crate) type Reply = oneshot::Receiver<Result<Bytes, BadPayload>>;

/// The pool. Its threads end with the process.
#[derive(Debug)]
pub(crate) struct Pool {
    queue: Arc<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    filled: Condvar,
}

#[derive(Debug)]
struct Job {
    payload: Bytes,
    reply: oneshot::Sender<Result<Bytes, BadPayload>>,
}

impl Pool {
    /// Starts `threads` threads, which sleep for `sleep` before each request's work.
    pub(crate) fn start(threads: u32, echo: &Arc<Echo>, sleep: Duration) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        for index in 0..threads {
            let (queue, echo) = (Arc::clone(&queue), Arc::clone(echo));
            thread::Builder::new().name(format!("arm-pool-{index}")).spawn(move || queue.serve(&echo, sleep))?;
        }
        Ok(Self { queue })
    }

    /// Hands a request to the thread that is free next.
    pub(crate) fn submit(&self, payload: Bytes) -> Reply {
        let (reply, echo) = oneshot::channel();
        self.queue.lock().push_back(Job { payload, reply });
        self.queue.filled.notify_one();
        echo
    }
}

impl Queue {
    fn serve(&self, echo: &Echo, sleep: Duration) {
        if !sleep.is_zero() {
            crate::pause::sharpen_sleeps();
        }
        loop {
            let Job { payload, reply } = self.next();
            if !sleep.is_zero() {
                thread::sleep(sleep);
            }
            // The receiver is gone when the client went away: nobody waits for the echo.
            let _ = reply.send(echo.answer(payload));
        }
    }

    fn next(&self) -> Job {
        let mut jobs = self.lock();
        loop {
            if let Some(job) = jobs.pop_front() {
                return job;
            }
            jobs = self.filled.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
