//! Flow control of one stream or one connection: what the peer may still send, and what may be sent to it. Pure.

use super::{frame::MAX_31, violation::Violation};

/// What the peer may still send. Room is given back in batches: once half of the window has been used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiveWindow {
    left: u32,
    used: u32,
}

impl ReceiveWindow {
    /// A whole window, bytes.
    pub const fn new(size: u32) -> Self {
        Self { left: size, used: 0 }
    }

    /// Takes `len` bytes in; returns the room to give back now, or 0.
    ///
    /// # Errors
    /// More than the window had left.
    pub fn take(&mut self, len: u32) -> Result<u32, Violation> {
        self.left =
            self.left.checked_sub(len).ok_or(Violation::FlowControl("more data than the window had room for"))?;
        self.used += len;
        if self.used < self.left {
            return Ok(0);
        }
        let credit = std::mem::take(&mut self.used);
        self.left += credit;
        Ok(credit)
    }
}

/// What may be sent to the peer. It falls below zero when the peer shrinks a window that is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendWindow(i64);

impl SendWindow {
    /// A window, bytes.
    pub const fn new(size: u32) -> Self {
        Self(size as i64)
    }

    /// How many of `wanted` bytes may go now.
    pub fn room(self, wanted: usize) -> usize {
        usize::try_from(self.0).unwrap_or(0).min(wanted)
    }

    /// `len` bytes have gone.
    pub fn spend(&mut self, len: usize) {
        self.0 -= i64::try_from(len).unwrap_or(i64::MAX);
    }

    /// The peer gives `change` bytes of room, or takes them.
    ///
    /// # Errors
    /// A window over 2³¹−1.
    pub fn change(&mut self, change: i64) -> Result<(), Violation> {
        self.0 += change;
        if self.0 > i64::from(MAX_31) {
            return Err(Violation::FlowControl("a window over 2³¹−1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_back_once_half_is_used() {
        let mut window = ReceiveWindow::new(100);
        assert_eq!(window.take(49), Ok(0));
        assert_eq!(window.take(1), Ok(50));
        assert_eq!(window.take(100), Ok(100));
        assert_eq!(window.take(101), Err(Violation::FlowControl("more data than the window had room for")));
    }

    #[test]
    fn a_send_window_may_be_negative_and_never_over_its_limit() {
        let mut window = SendWindow::new(10);
        assert_eq!(window.room(20), 10);
        window.spend(4);
        assert_eq!(window.change(-10), Ok(()));
        assert_eq!(window.room(20), 0);
        assert_eq!(window.change(5), Ok(()));
        assert_eq!(window.room(20), 1);
        assert!(window.change(i64::from(MAX_31)).is_err());
    }
}
