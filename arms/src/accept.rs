//! Listening, and handing connections to the threads that serve them. In: a port. Out: connections, handed out in turn,
//! so that a few connections are spread evenly. Must not know what is spoken on them.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    thread,
    time::Duration,
};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Connections that the kernel keeps until they are accepted. A client may open all of its own at once, at a moment when
/// this process has used up its quota.
const BACKLOG: i32 = 4_096;

/// How long to wait when the process has no file descriptor left.
const OUT_OF_FILES: Duration = Duration::from_millis(10);

/// A thread's end of the hand-out.
pub(crate) type Connections = UnboundedReceiver<TcpStream>;

/// Binds the port, 0 for a free one.
pub(crate) fn listen(host: IpAddr, port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(SocketAddr::new(host, port))?;
    rustix::net::listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// One end for each of `threads`, and the other ends.
pub(crate) fn hand_out(threads: u32) -> (Vec<UnboundedSender<TcpStream>>, Vec<Connections>) {
    (0..threads).map(|_| unbounded_channel()).unzip()
}

/// Accepts until the listener fails for good, on a thread of its own.
pub(crate) fn start(listener: TcpListener, to: Vec<UnboundedSender<TcpStream>>) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name("arm-accept".to_owned()).spawn(move || accept(&listener, &to))
}

fn accept(listener: &TcpListener, to: &[UnboundedSender<TcpStream>]) {
    for next in to.iter().cycle() {
        let connection = loop {
            match listener.accept() {
                Ok((connection, _peer)) => break connection,
                Err(_no_file_left_or_gone_already) => thread::sleep(OUT_OF_FILES),
            }
        };
        // A thread that serves connections ends only with the process.
        let _ = next.send(connection);
    }
}

/// Serves what is handed out, each connection in a task of its own, until the other end is closed.
pub(crate) async fn serve_all<F>(mut connections: Connections, serve: impl Fn(tokio::net::TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    while let Some(connection) = connections.recv().await {
        if let Ok(socket) = ready(connection) {
            tokio::spawn(serve(socket));
        }
    }
}

/// Small answers leave at once: with Nagle's algorithm one could wait 40 ms for the peer's delayed acknowledgement.
fn ready(connection: TcpStream) -> io::Result<tokio::net::TcpStream> {
    connection.set_nodelay(true)?;
    connection.set_nonblocking(true)?;
    tokio::net::TcpStream::from_std(connection)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn a_connection_is_served_without_delay_of_small_answers() {
        let listener = listen(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let _entered = runtime.enter();
        assert!(ready(listener.accept().unwrap().0).unwrap().nodelay().unwrap());
    }

    #[test]
    fn connections_are_handed_out_in_turn() {
        let listener = listen(Ipv4Addr::LOCALHOST.into(), 0).unwrap();
        let address = listener.local_addr().unwrap();
        let (senders, mut receivers) = hand_out(2);
        start(listener, senders).unwrap();
        let clients: Vec<_> = (0..4).map(|_| TcpStream::connect(address).unwrap()).collect();
        for client in &clients {
            let next = receivers[0].blocking_recv().unwrap();
            assert_eq!(next.peer_addr().unwrap(), client.local_addr().unwrap());
            receivers.swap(0, 1);
        }
    }
}
