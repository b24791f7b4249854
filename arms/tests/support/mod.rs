//! Arms started in this process, and small clients that speak to them.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "each test uses a part")]

use std::{
    collections::BTreeSet,
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use soak_arms::{Arm, ArmOptions, Preset, Ready, Settings};
use soak_campaign::body::{BodyFormat, preset_body};
use soak_crds::spec::BodyPreset;

pub const PRESETS: [BodyPreset; 3] = [BodyPreset::Tiny, BodyPreset::Realistic, BodyPreset::Dense];

/// Longer than anything here takes on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn options(preset: Preset, settings: Settings) -> ArmOptions {
    ArmOptions { preset, host: Ipv4Addr::LOCALHOST.into(), port: 0, admin_port: 0, settings }
}

pub fn arm(preset: Preset, settings: Settings) -> Ready {
    Arm::start(options(preset, settings)).unwrap().ready
}

pub fn json(preset: BodyPreset) -> Vec<u8> {
    preset_body(preset, BodyFormat::Json).bytes
}

pub fn protobuf(preset: BodyPreset) -> Vec<u8> {
    preset_body(preset, BodyFormat::Protobuf).bytes
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub fn connect(port: u16) -> TcpStream {
    let socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    socket.set_nodelay(true).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// An answer over HTTP/1.1.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One request on a connection that stays open.
pub fn call(socket: &mut TcpStream, method: &str, path: &str, body: &[u8]) -> Answer {
    send(socket, method, path, body);
    receive(socket)
}

pub fn send(socket: &mut TcpStream, method: &str, path: &str, body: &[u8]) {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nhost: arm\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    request.extend_from_slice(body);
    socket.write_all(&request).unwrap();
}

pub fn receive(socket: &mut TcpStream) -> Answer {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body }
}

/// This process's threads by number.
pub fn threads() -> BTreeSet<String> {
    fs::read_dir("/proc/self/task").unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// CPU time of each thread that was not there `before`, by name.
pub fn cpu_time_since(before: &BTreeSet<String>) -> Vec<(String, Duration)> {
    let mut times: Vec<_> = threads().difference(before).filter_map(|thread| cpu_time(thread)).collect();
    times.sort();
    times
}

fn cpu_time(thread: &str) -> Option<(String, Duration)> {
    let name = fs::read_to_string(format!("/proc/self/task/{thread}/comm")).ok()?.trim().to_owned();
    let times = fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    Some((name, Duration::from_nanos(times.split(' ').next()?.parse().ok()?)))
}
