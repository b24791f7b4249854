//! A call costs no allocation: a step with more calls allocates no more often than one with fewer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(unsafe_code, reason = "a global allocator that counts cannot be written without")]

mod support;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    io::Write,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use soak_sample::{Idle, Pace, PoolPolicy};
use support::{ANSWER, Seen, Server, order, run, shape};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Threads of the servers are not counted.
    static COUNTED: Cell<bool> = const { Cell::new(true) };
}

struct Counting;

fn count() {
    if COUNTED.try_with(Cell::get).unwrap_or(false) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller guarantees.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of a step, and the calls it made.
fn cost(address: SocketAddr, length: Duration, closed: bool) -> (u64, u64) {
    let mut order = order(address, 2000.0, length);
    order.shape = shape(16, PoolPolicy::Eager);
    order.idle = Idle::Sleep;
    if closed {
        order.pace = Pace::Closed;
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let window = run(&order);
    (ALLOCATIONS.load(Ordering::Relaxed) - before, window.due)
}

#[test]
fn more_calls_do_not_mean_more_allocations() {
    let server = Server::start(|stream, seen: &Seen| {
        COUNTED.set(false);
        while seen.request(stream) {
            if stream.write_all(ANSWER).is_err() {
                return;
            }
        }
    });
    for closed in [false, true] {
        let (few, few_calls) = cost(server.address, Duration::from_millis(300), closed);
        let (many, many_calls) = cost(server.address, Duration::from_millis(1500), closed);
        assert!(many_calls > 2 * few_calls, "{many_calls} calls after {few_calls}");
        // What grows to its working size may do so a little later in one step than in the other.
        assert!(many <= few + 64, "{many} allocations for {many_calls} calls, {few} for {few_calls}");
    }
}
