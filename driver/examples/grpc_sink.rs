//! The fastest gRPC server there can be on one thread: it parses frames only as far as it must, and answers with canned
//! bytes: each call gets status 200 at once, every DATA frame back as it came, and grpc-status 0 once it has ended. So a
//! driver is measured against it, not it against a driver. `grpc_sink PORT`; stops when its standard input closes.

#![allow(clippy::expect_used, clippy::cast_possible_truncation)]

use std::{
    collections::HashMap,
    io::{ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    os::fd::AsFd,
};

use rustix::event::{
    Timespec,
    epoll::{self, CreateFlags, EventData, EventFlags},
};

const PREFACE_LEN: usize = 24;
const HEAD_LEN: usize = 9;
const MAX_31: u32 = 0x7fff_ffff;
/// `:status: 200`.
const OK: &[u8] = b"\x88";
/// `grpc-status: 0`, not indexed.
const TRAILERS: &[u8] = b"\x00\x0bgrpc-status\x010";
/// Bytes of data after which the connection's window is filled up again.
const REFILL: u32 = 1 << 29;

struct Client {
    socket: TcpStream,
    input: Vec<u8>,
    output: Vec<u8>,
    greeted: bool,
    taken: u32,
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend_from_slice(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

impl Client {
    fn new(socket: TcpStream) -> Self {
        let mut output = Vec::new();
        let [w3, w2, w1, w0] = MAX_31.to_be_bytes();
        frame(&mut output, 4, 0, 0, &[0, 4, w3, w2, w1, w0]);
        frame(&mut output, 8, 0, 0, &(MAX_31 - 65_535).to_be_bytes());
        Self { socket, input: Vec::new(), output, greeted: false, taken: 0 }
    }

    /// Reads once, answers what is complete, writes. False once the client has gone.
    fn serve(&mut self, buffer: &mut [u8]) -> bool {
        let len = match self.socket.read(buffer) {
            Ok(0) => return false,
            Ok(len) => len,
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        };
        self.input.extend_from_slice(&buffer[..len]);
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..];
        if !self.greeted && rest.len() >= PREFACE_LEN {
            (self.greeted, rest) = (true, &rest[PREFACE_LEN..]);
        }
        while self.greeted && rest.len() >= HEAD_LEN {
            let len = u32::from_be_bytes([0, rest[0], rest[1], rest[2]]) as usize;
            let Some(whole) = rest.get(..HEAD_LEN + len) else { break };
            self.answer(whole);
            rest = &rest[HEAD_LEN + len..];
        }
        self.input = rest.to_vec();
        self.flush()
    }

    fn answer(&mut self, whole: &[u8]) {
        let (kind, flags) = (whole[3], whole[4]);
        let stream = u32::from_be_bytes([whole[5], whole[6], whole[7], whole[8]]);
        match kind {
            0 => self.echo(whole, flags, stream),
            1 => frame(&mut self.output, 1, 4, stream, OK),
            4 if flags == 0 => frame(&mut self.output, 4, 1, 0, &[]),
            6 if flags == 0 => frame(&mut self.output, 6, 1, 0, &whole[HEAD_LEN..]),
            _ => {}
        }
    }

    fn echo(&mut self, whole: &[u8], flags: u8, stream: u32) {
        self.taken += (whole.len() - HEAD_LEN) as u32;
        if self.taken > REFILL {
            frame(&mut self.output, 8, 0, 0, &std::mem::take(&mut self.taken).to_be_bytes());
        }
        if whole.len() > HEAD_LEN {
            let at = self.output.len();
            self.output.extend_from_slice(whole);
            self.output[at + 4] = 0;
        }
        if flags & 1 != 0 {
            frame(&mut self.output, 1, 5, stream, TRAILERS);
        }
    }

    fn flush(&mut self) -> bool {
        while !self.output.is_empty() {
            match self.socket.write(&self.output) {
                Ok(len) => drop(self.output.drain(..len)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(_) => return false,
            }
        }
        true
    }
}

fn main() {
    let port: u16 = std::env::args().nth(1).and_then(|port| port.parse().ok()).expect("grpc_sink PORT");
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    std::thread::spawn(|| {
        let mut end = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut end);
        std::process::exit(0);
    });
    let poll = epoll::create(CreateFlags::CLOEXEC).expect("epoll");
    epoll::add(&poll, &listener, EventData::new_u64(u64::MAX), EventFlags::IN).expect("epoll");
    let mut clients: HashMap<u64, Client> = HashMap::new();
    let (mut next, mut buffer, mut events) = (0, vec![0; 65_536], Vec::with_capacity(64));
    loop {
        events.clear();
        let wait = Timespec { tv_sec: 1, tv_nsec: 0 };
        if epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), Some(&wait)).is_err() {
            continue;
        }
        for event in &events {
            let key = event.data.u64();
            if key == u64::MAX {
                while let Ok((socket, _)) = listener.accept() {
                    socket.set_nonblocking(true).expect("a socket");
                    socket.set_nodelay(true).expect("a socket");
                    epoll::add(&poll, socket.as_fd(), EventData::new_u64(next), EventFlags::IN).expect("epoll");
                    let mut client = Client::new(socket);
                    client.flush();
                    clients.insert(next, client);
                    next += 1;
                }
            } else if let Some(client) = clients.get_mut(&key)
                && !client.serve(&mut buffer)
            {
                clients.remove(&key);
            }
        }
    }
}
