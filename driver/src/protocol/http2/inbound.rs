//! One answer as it comes in: header blocks and data lengths to "how far it is and whether it is sound". Knows no frame
//! and no call.

use super::{hpack::Fields, violation::Violation, window::ReceiveWindow};

/// Whether a frame is its stream's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// The peer has ended its side.
    Yes,
    /// More may come.
    No,
}

/// An answer that HTTP does not allow (RFC 9113, section 8.1.1). It fails its call, not the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// What a body of announced length is checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRule {
    /// It is as long as announced.
    AsAnnounced,
    /// There is none, whatever is announced (an answer to HEAD).
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Body,
}

/// One answer so far.
#[derive(Debug, Clone, Copy)]
pub struct Inbound {
    phase: Phase,
    rule: BodyRule,
    status: u16,
    grpc_status: Option<u8>,
    announced: Option<u64>,
    received: u64,
    window: ReceiveWindow,
}

impl Inbound {
    /// Nothing yet.
    pub const fn new(rule: BodyRule, window: u32) -> Self {
        Self {
            phase: Phase::Head,
            rule,
            status: 0,
            grpc_status: None,
            announced: None,
            received: 0,
            window: ReceiveWindow::new(window),
        }
    }

    /// The final HTTP status; 0 before there is one.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The grpc-status, once there is one.
    pub const fn grpc_status(&self) -> Option<u8> {
        self.grpc_status
    }

    /// Takes a header block: interim head, final head or trailers.
    ///
    /// # Errors
    /// One that is not allowed there.
    pub fn head(&mut self, fields: &Fields, last: Last) -> Result<(), Malformed> {
        if fields.malformed {
            return Err(Malformed);
        }
        match (self.phase, fields.status) {
            (Phase::Head, Some(102..=199 | 100)) if last == Last::No => return Ok(()),
            (Phase::Head, Some(status @ 200..=999)) => self.start(status, fields),
            (Phase::Body, None) if last == Last::Yes => {}
            (Phase::Head | Phase::Body, _) => return Err(Malformed),
        }
        if fields.grpc_status.is_some() {
            self.grpc_status = fields.grpc_status;
        }
        self.check_end(last)
    }

    fn start(&mut self, status: u16, fields: &Fields) {
        self.phase = Phase::Body;
        self.status = status;
        self.announced = match self.rule {
            BodyRule::AsAnnounced if status != 304 => fields.content_length,
            BodyRule::AsAnnounced | BodyRule::None => None,
        };
    }

    /// Takes `len` bytes of body.
    ///
    /// # Errors
    /// Data before the head, more than announced, less at the end, or where there must be none.
    pub fn data(&mut self, len: usize, last: Last) -> Result<(), Malformed> {
        self.received += len as u64;
        let none_allowed = self.rule == BodyRule::None && self.received > 0;
        let too_much = self.announced.is_some_and(|announced| self.received > announced);
        if self.phase == Phase::Head || none_allowed || too_much {
            return Err(Malformed);
        }
        self.check_end(last)
    }

    fn check_end(&self, last: Last) -> Result<(), Malformed> {
        let short = self.announced.is_some_and(|announced| self.received < announced);
        if last == Last::Yes && short { Err(Malformed) } else { Ok(()) }
    }

    /// Takes `flow` bytes, padding included, out of the window; returns the room to give back now, or 0.
    ///
    /// # Errors
    /// More than the window had left.
    pub fn take(&mut self, flow: u32) -> Result<u32, Violation> {
        self.window.take(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16) -> Fields {
        Fields { status: Some(status), ..Fields::default() }
    }

    fn after(rule: BodyRule, fields: &Fields, last: Last) -> (Inbound, Result<(), Malformed>) {
        let mut answer = Inbound::new(rule, 65_535);
        let result = answer.head(fields, last);
        (answer, result)
    }

    #[test]
    fn interim_heads_are_passed_over() {
        let (mut answer, interim) = after(BodyRule::AsAnnounced, &status(103), Last::No);
        assert_eq!((interim, answer.status()), (Ok(()), 0));
        assert_eq!(answer.head(&status(204), Last::Yes), Ok(()));
        assert_eq!(answer.status(), 204);
    }

    #[test]
    fn heads_that_are_not_allowed_are_malformed() {
        let check = |fields: Fields, last| {
            assert_eq!(after(BodyRule::AsAnnounced, &fields, last).1, Err(Malformed), "{fields:?}");
        };
        check(status(100), Last::Yes);
        check(status(101), Last::No);
        check(status(99), Last::No);
        check(Fields::default(), Last::No);
        check(Fields { malformed: true, ..status(200) }, Last::No);
        check(Fields { content_length: Some(1), ..status(200) }, Last::Yes);
    }

    #[test]
    fn trailers_end_the_stream_and_carry_no_status() {
        let trailers = Fields { grpc_status: Some(5), ..Fields::default() };
        let check = |fields: &Fields, last, expected| {
            let (mut answer, _) = after(BodyRule::AsAnnounced, &status(200), Last::No);
            assert_eq!(answer.head(fields, last), expected);
            answer
        };
        assert_eq!(check(&trailers, Last::Yes, Ok(())).grpc_status(), Some(5));
        check(&trailers, Last::No, Err(Malformed));
        check(&status(200), Last::Yes, Err(Malformed));
    }

    #[test]
    fn a_body_is_as_long_as_announced() {
        let check = |rule, lens: &[usize], expected| {
            let fields = Fields { content_length: Some(5), ..status(200) };
            let (mut answer, _) = after(rule, &fields, Last::No);
            let mut result = Ok(());
            for (i, len) in lens.iter().enumerate() {
                let last = if i + 1 == lens.len() { Last::Yes } else { Last::No };
                result = result.and(answer.data(*len, last));
            }
            assert_eq!(result, expected, "{lens:?}");
        };
        check(BodyRule::AsAnnounced, &[2, 3], Ok(()));
        check(BodyRule::AsAnnounced, &[2, 4], Err(Malformed));
        check(BodyRule::AsAnnounced, &[4], Err(Malformed));
        check(BodyRule::None, &[0], Ok(()));
        check(BodyRule::None, &[1], Err(Malformed));
        assert_eq!(Inbound::new(BodyRule::AsAnnounced, 9).data(1, Last::No), Err(Malformed));
    }
}
