//! An HTTP/1.1 server whose latencies can be calculated: it answers after 20 ms, and for 300 ms of every 2 s it holds all
//! answers back. Whoever asks at times that do not depend on it sees p50 = 20 ms, p95 = 220 ms, p99 = 300 ms.
//! `stalling_server PORT` listens on 127.0.0.1 until it is ended.

use std::{
    env,
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

const SERVICE: Duration = Duration::from_millis(20);
const PERIOD: Duration = Duration::from_secs(2);
const STALL: Duration = Duration::from_millis(300);
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn main() -> io::Result<()> {
    let port = env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("listening on {}", listener.local_addr()?);
    let epoch = Instant::now();
    for stream in listener.incoming() {
        let stream = stream?;
        stream.set_nodelay(true)?;
        // A client that goes away ends its own thread only.
        thread::spawn(move || serve(stream, epoch));
    }
    Ok(())
}

/// Serves one client; a request ends with an empty line and has no body.
fn serve(mut stream: TcpStream, epoch: Instant) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    let mut tail = Vec::new();
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        tail.extend_from_slice(&buffer[..read]);
        if tail.ends_with(b"\r\n\r\n") {
            tail.clear();
            wait_until(epoch + answer_at(epoch.elapsed()));
            stream.write_all(ANSWER)?;
        } else {
            let kept = tail.len().saturating_sub(3);
            tail.drain(..kept);
        }
    }
}

/// When a request that came then is answered.
fn answer_at(asked: Duration) -> Duration {
    let ready = asked + SERVICE;
    let into_period = Duration::from_nanos(u64::try_from(ready.as_nanos() % PERIOD.as_nanos()).unwrap_or(0));
    ready + STALL.saturating_sub(into_period)
}

/// Sleeps, and spins the last stretch, since a sleep alone ends late.
fn wait_until(moment: Instant) {
    thread::sleep(moment.saturating_duration_since(Instant::now()).saturating_sub(Duration::from_micros(100)));
    while Instant::now() < moment {
        std::hint::spin_loop();
    }
}
