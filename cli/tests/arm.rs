//! `soak arm` as the executors run it: a process that says one line once it is ready.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Output, Stdio},
};

const SOAK: &str = env!("CARGO_BIN_EXE_soak");

/// An arm that is stopped with the test.
struct Arm {
    process: Child,
    line: String,
}

impl Drop for Arm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(arguments: &[&str]) -> Arm {
    let mut process = Command::new(SOAK).arg("arm").args(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Arm { process, line }
}

fn port(arm: &Arm, name: &str) -> u16 {
    let ready: serde_json::Value = serde_json::from_str(&arm.line).unwrap();
    u16::try_from(ready[name].as_u64().unwrap()).unwrap()
}

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, stdout } = Command::new(SOAK).arg("arm").args(arguments).output().unwrap();
    assert!(stdout.is_empty(), "nothing is said to be ready");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn it_says_its_ports_and_protocols_once_it_answers() {
    let arm = start(&["rest", "--spin-micros", "1"]);
    let (port, admin) = (port(&arm, "port"), port(&arm, "adminPort"));
    let expected =
        format!("{{\"ready\":true,\"port\":{port},\"adminPort\":{admin},\"protocols\":[\"Http1\",\"Http2\"]}}\n");
    assert_eq!(arm.line, expected);
    let mut admin = TcpStream::connect(("127.0.0.1", admin)).unwrap();
    admin.write_all(b"GET /metrics HTTP/1.1\r\nhost: arm\r\nconnection: close\r\n\r\n").unwrap();
    let mut told = String::new();
    admin.read_to_string(&mut told).unwrap();
    assert!(told.contains(r#""work":{"kind":"Spin","micros":1}"#), "{told}");
}

#[test]
fn a_port_in_use_is_named_and_the_exit_code_is_that_of_wrong_usage() {
    let arm = start(&["grpc"]);
    let port = port(&arm, "port").to_string();
    let expected = format!("soak arm: port {port} of 127.0.0.1 is in use by another process\n");
    assert_eq!(refused(&["rest", "--port", &port]), (Some(2), expected));
}

#[test]
fn a_setting_out_of_bounds_is_refused_with_its_bounds() {
    let expected = "soak arm: workerThreads 0 is not within 1 and 256\n".to_owned();
    assert_eq!(refused(&["rest", "--worker-threads", "0"]), (Some(2), expected));
}

#[test]
fn an_unknown_preset_is_refused_with_those_there_are() {
    let (code, words) = refused(&["soap"]);
    assert_eq!(code, Some(2));
    assert!(words.contains("rest, grpc"), "{words}");
}
