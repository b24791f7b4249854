//! HTTP/2 settings are levers: they are on the wire as they were asked for.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
};

use soak_arms::{Preset, Settings};
use support::{arm, connect};

const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;

/// What every connection starts with, RFC 9113 section 6.9.2.
const WINDOW_AT_START: u32 = 65_535;

/// What a server says first: its settings, and its connection's window.
struct Said {
    settings: BTreeMap<u16, u32>,
    connection_window: u32,
}

const PING: &[u8] = b"\0\0\x08\x06\0\0\0\0\0 ping me";

/// Reads frames until the server has acknowledged two PINGs, one after the other: what it says of its own accord has been
/// said by then.
fn said(preset: Preset, settings: Settings) -> Said {
    let mut socket = connect(arm(preset, settings).port);
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    socket.write_all(PING).unwrap();
    let mut acknowledged = 0;
    let mut said = Said { settings: BTreeMap::new(), connection_window: WINDOW_AT_START };
    while acknowledged < 2 {
        let mut head = [0; 9];
        socket.read_exact(&mut head).unwrap();
        let mut payload = vec![0; usize::from(u16::from_be_bytes([head[1], head[2]]))];
        socket.read_exact(&mut payload).unwrap();
        match (head[3], head[4]) {
            (4, 0) => said.settings = payload.chunks(6).map(|pair| (short(pair), long(&pair[2..]))).collect(),
            (6, 1) => {
                acknowledged += 1;
                socket.write_all(PING).unwrap();
            }
            (8, _) => said.connection_window += long(&payload),
            _ => {}
        }
    }
    said
}

fn short(bytes: &[u8]) -> u16 {
    u16::from_be_bytes(bytes[..2].try_into().unwrap())
}

fn long(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[..4].try_into().unwrap())
}

fn check(streams: u32, window: u32) {
    for preset in [Preset::Rest, Preset::Grpc] {
        let settings = Settings { max_concurrent_streams: streams, initial_window: window, ..Settings::default() };
        let said = said(preset, settings);
        assert_eq!(said.settings[&MAX_CONCURRENT_STREAMS], streams, "{preset}");
        assert_eq!(said.settings.get(&INITIAL_WINDOW_SIZE).copied().unwrap_or(WINDOW_AT_START), window, "{preset}");
        assert_eq!(said.connection_window, window.max(WINDOW_AT_START), "{preset}");
    }
}

#[test]
fn streams_and_windows_are_announced_as_asked_for() {
    check(7, 1 << 20);
    check(100_000, 65_535);
    check(1, 20_000);
}

#[test]
fn the_defaults_are_announced_too() {
    let Settings { max_concurrent_streams, initial_window, .. } = Settings::default();
    check(max_concurrent_streams, initial_window);
}
