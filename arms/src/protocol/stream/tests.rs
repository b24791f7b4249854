use std::{
    sync::atomic::{AtomicUsize, Ordering},
    task::{Wake, Waker},
    time::Duration,
};

use super::*;
use crate::{
    handler::Place,
    pool::Pool,
    settings::Codec,
    work::{Echo, Format},
};

/// Messages that are all there, or that never come.
struct Messages {
    there: VecDeque<Result<Bytes, Status>>,
    open: bool,
}

impl Stream for Messages {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.there.pop_front() {
            Some(message) => Poll::Ready(Some(message)),
            None if self.open => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}

#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn messages(count: usize) -> Messages {
    let there = (0..count).map(|n| Ok(Bytes::from(format!("\n\x02{n:02}")))).collect();
    Messages { there, open: true }
}

fn echo() -> Arc<Echo> {
    Arc::new(Echo::new(Format::Protobuf, Codec::Compiled, None).unwrap())
}

fn here(messages: Messages, credits: usize) -> EchoStream<Messages> {
    EchoStream::new(messages, Arc::new(Handler::new(echo(), Place::Here)), credits)
}

/// Polls until it waits or ends: the echoes that leave together.
fn batch(stream: &mut EchoStream<Messages>, woken: &Arc<Woken>) -> Vec<String> {
    let waker = Waker::from(Arc::clone(woken));
    let mut cx = Context::from_waker(&waker);
    let mut echoes = Vec::new();
    while let Poll::Ready(Some(echo)) = Pin::new(&mut *stream).poll_next(&mut cx) {
        echoes.push(
            echo.map_or_else(|fault| fault.code().to_string(), |echo| String::from_utf8_lossy(&echo[2..]).into()),
        );
    }
    echoes
}

#[test]
fn all_that_is_ready_leaves_together_and_in_order() {
    let mut stream = here(messages(4), 256);
    assert_eq!(batch(&mut stream, &Arc::default()), ["00", "01", "02", "03"]);
    assert!(batch(&mut stream, &Arc::default()).is_empty());
}

#[test]
fn no_more_leave_together_than_there_are_credits_and_the_rest_is_not_forgotten() {
    let (mut stream, woken) = (here(messages(5), 2), Arc::<Woken>::default());
    let batches: Vec<_> = (0..3).map(|_| batch(&mut stream, &woken).len()).collect();
    assert_eq!(batches, [2, 2, 1]);
    assert_eq!(woken.0.load(Ordering::Relaxed), 2, "woken once for each batch that used all credits");
}

#[test]
fn no_more_messages_are_taken_in_than_there_are_credits() {
    let pool = Pool::start(1, &echo(), Duration::from_secs(3600)).unwrap();
    let handler = Handler::new(echo(), Place::Pool(Arc::new(pool)));
    let mut stream = EchoStream::new(messages(5), Arc::new(handler), 3);
    assert!(batch(&mut stream, &Arc::default()).is_empty());
    assert_eq!(stream.messages.there.len(), 2);
}

#[test]
fn echoes_of_a_pool_keep_the_order_of_their_messages() {
    let pool = Pool::start(4, &echo(), Duration::ZERO).unwrap();
    let handler = Handler::new(echo(), Place::Pool(Arc::new(pool)));
    let mut stream = EchoStream::new(messages(50), Arc::new(handler), 256);
    let mut echoes = Vec::new();
    while echoes.len() < 50 {
        echoes.extend(batch(&mut stream, &Arc::default()));
        std::thread::yield_now();
    }
    assert!(echoes.is_sorted(), "{echoes:?}");
}

#[test]
fn the_stream_ends_when_its_messages_end() {
    let mut stream = here(Messages { open: false, ..messages(1) }, 256);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(Pin::new(&mut stream).poll_next(&mut cx), Poll::Ready(Some(Ok(_)))));
    assert!(matches!(Pin::new(&mut stream).poll_next(&mut cx), Poll::Ready(None)));
}

#[test]
fn a_message_that_does_not_parse_is_an_invalid_argument() {
    let there = VecDeque::from([Ok(Bytes::from_static(b"\x0a\x09no"))]);
    let mut stream = here(Messages { there, open: true }, 256);
    assert_eq!(batch(&mut stream, &Arc::default()), [tonic::Code::InvalidArgument.to_string()]);
}

#[test]
fn a_broken_stream_gives_its_echoes_first_and_then_the_fault() {
    let mut broken = messages(1);
    broken.there.push_back(Err(Status::cancelled("gone")));
    let mut stream = here(broken, 256);
    assert_eq!(batch(&mut stream, &Arc::default()), ["00", &tonic::Code::Cancelled.to_string()]);
}
