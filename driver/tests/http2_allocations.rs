//! In its steady state no session allocates: counted by an allocator of its own, over thousands of calls.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(unsafe_code, reason = "an allocator cannot be written without")]

mod http2_peer;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use http2_peer::*;
use soak_driver::protocol::{
    CallId, Session, grpc_stream::GrpcStreamSession, grpc_unary::GrpcUnarySession, http2::Http2Session,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BATCH: u32 = 64;

/// Runs batches of calls, answered in pieces that cut frames in two; allocations of the later batches.
fn steady(mut session: impl Session, answer: impl Fn(u32) -> Vec<u8>) -> u64 {
    let (mut out, mut ended) = (Vec::new(), Vec::new());
    session.open(&mut out);
    session.receive(&settings(&[(4, 1 << 30)]), &mut out, &mut ended).unwrap();
    let mut counted = 0;
    for round in 0..60 {
        let bytes: Vec<u8> = (0..BATCH).flat_map(|i| answer(round * BATCH + i)).collect();
        let room = window_update(0, 1 << 16);
        let before = COUNT.get();
        (0..BATCH).for_each(|call| session.start(CallId(call), &mut out));
        session.receive(&room, &mut out, &mut ended).unwrap();
        for piece in bytes.chunks(1_000) {
            session.receive(piece, &mut out, &mut ended).unwrap();
        }
        let allocations = COUNT.get() - before;
        assert_eq!(ended.len(), BATCH as usize);
        out.clear();
        ended.clear();
        counted += if round < 30 { 0 } else { allocations };
    }
    counted
}

/// A head with text that is indexed, so that the table evicts, then body and trailers.
fn answer(call: u32, body: &[u8], trailers: &[u8]) -> Vec<u8> {
    let stream = 2 * call + 1;
    let head = [OK_BLOCK, b"\x40\x06x-call\x04", format!("{call:04}").as_bytes()].concat();
    [headers(stream, 0, &head), frame(DATA, 0, stream, body), headers(stream, END_STREAM, trailers)].concat()
}

#[test]
fn calls_cost_no_memory() {
    let plain = steady(Http2Session::new(&http(&[b'x'; 100], 64)), |call| answer(call, &[7; 300], b"\x00\x01a\x01b"));
    assert_eq!(plain, 0);
    let unary = steady(GrpcUnarySession::new(&grpc(b"ab", 64)), |call| answer(call, &message(b"ab"), GRPC_OK));
    assert_eq!(unary, 0);
    let stream = steady(GrpcStreamSession::new(&grpc(b"ab", 32), 2), |call| {
        let head = if call < 2 { headers(2 * call + 1, 0, OK_BLOCK) } else { Vec::new() };
        [head, frame(DATA, 0, 2 * (call % 2) + 1, &message(b"ab"))].concat()
    });
    assert_eq!(stream, 0);
}
