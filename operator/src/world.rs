//! What the operator has of the world besides the API server: this host's time, and a way to its pods. Given from
//! outside, so that a test holds both in its hands.

use std::{
    io,
    net::SocketAddr,
    time::{SystemTime, UNIX_EPOCH},
};

use futures_util::future::BoxFuture;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

/// A connection to a pod.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The world as the operator reaches it.
pub trait World: Send + Sync + 'static {
    /// This host's time, nanoseconds since the epoch.
    fn unix_nanos(&self) -> i64;

    /// A connection to a pod's control.
    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>>;
}

/// This host and its network.
#[derive(Debug, Clone, Copy)]
pub struct Host;

impl World for Host {
    fn unix_nanos(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }

    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}
