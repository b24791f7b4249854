//! The calls in flight: a fixed number of slots, and the order in which the calls in them were due. In: calls that start,
//! leave, end or pass their time-out. Out: what each call's times were. A call that timed out keeps its slot until its
//! answer or its connection's end, but its end is nobody's business any more. Knows no clock and no socket.

use crate::{clock::Moment, protocol::CallId};

const NONE: u32 = u32::MAX;

/// A call's slot together with its turn in it, so that a later call in the same slot is not mistaken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) call: CallId,
    turn: u32,
}

/// The times of a call that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flight {
    pub(crate) due: Moment,
    /// When its first byte was given to the kernel; `None` where none was.
    pub(crate) sent: Option<Moment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Awaited,
    TimedOut,
}

#[derive(Debug, Clone)]
struct Slot {
    due: Moment,
    sent: Moment,
    /// Neighbours in the list of awaited calls by due time; `later` also links the free slots.
    earlier: u32,
    later: u32,
    turn: u32,
    state: State,
}

/// The slots.
#[derive(Debug)]
pub(crate) struct Flights {
    slots: Vec<Slot>,
    capacity: usize,
    free: u32,
    oldest: u32,
    newest: u32,
    awaited: u32,
    occupied: u32,
}

impl Flights {
    /// Room for this many calls at once. The memory is reserved here and never grows.
    pub(crate) fn new(capacity: u32) -> Self {
        let capacity = capacity as usize;
        let slots = Vec::with_capacity(capacity);
        Self { slots, capacity, free: NONE, oldest: NONE, newest: NONE, awaited: 0, occupied: 0 }
    }

    /// Calls whose answer is awaited.
    pub(crate) fn awaited(&self) -> u64 {
        u64::from(self.awaited)
    }

    /// True when every slot is busy, be it with calls that timed out.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.occupied as usize == self.capacity
    }

    /// Takes a slot; `None` when all are busy. Calls are started in the order in which they were due.
    #[inline]
    pub(crate) fn start(&mut self, due: Moment) -> Option<Ticket> {
        let index = self.take_free()?;
        let newest = self.newest;
        let slot = &mut self.slots[index as usize];
        slot.due = due;
        slot.sent = Moment::NEVER;
        slot.state = State::Awaited;
        slot.turn = slot.turn.wrapping_add(1);
        slot.earlier = newest;
        slot.later = NONE;
        let ticket = Ticket { call: CallId(index), turn: slot.turn };
        if newest == NONE {
            self.oldest = index;
        } else {
            self.slots[newest as usize].later = index;
        }
        self.newest = index;
        self.awaited += 1;
        self.occupied += 1;
        Some(ticket)
    }

    /// When a call was due; `None` once it has ended.
    #[inline]
    pub(crate) fn due(&self, ticket: Ticket) -> Option<Moment> {
        let slot = &self.slots[ticket.call.0 as usize];
        (slot.turn == ticket.turn && slot.state != State::Free).then_some(slot.due)
    }

    /// The call's first byte was given to the kernel.
    #[inline]
    pub(crate) fn sent(&mut self, ticket: Ticket, at: Moment) {
        let slot = &mut self.slots[ticket.call.0 as usize];
        if slot.turn == ticket.turn && slot.state != State::Free {
            slot.sent = at;
        }
    }

    /// Frees the slot of a call that ended. `None` where it had timed out before: that was its end.
    #[inline]
    pub(crate) fn end(&mut self, call: CallId) -> Option<Flight> {
        let index = call.0;
        let slot = &self.slots[index as usize];
        let state = slot.state;
        let flight = Flight { due: slot.due, sent: (slot.sent != Moment::NEVER).then_some(slot.sent) };
        match state {
            State::Free => return None,
            State::Awaited => self.unlink(index),
            State::TimedOut => {}
        }
        self.slots[index as usize].state = State::Free;
        self.slots[index as usize].later = self.free;
        self.free = index;
        self.occupied -= 1;
        (state == State::Awaited).then_some(flight)
    }

    /// Marks the oldest call as timed out if it was due before `due_before`. Returns its due time.
    pub(crate) fn time_out_oldest(&mut self, due_before: Moment) -> Option<Moment> {
        let index = self.oldest;
        if index == NONE || self.slots[index as usize].due >= due_before {
            return None;
        }
        self.unlink(index);
        let slot = &mut self.slots[index as usize];
        slot.state = State::TimedOut;
        Some(slot.due)
    }

    fn take_free(&mut self) -> Option<u32> {
        if self.free != NONE {
            let index = self.free;
            self.free = self.slots[index as usize].later;
            return Some(index);
        }
        if self.slots.len() == self.capacity {
            return None;
        }
        let index = u32::try_from(self.slots.len()).ok()?;
        let state = State::Free;
        self.slots.push(Slot { due: Moment(0), sent: Moment(0), earlier: NONE, later: NONE, turn: 0, state });
        Some(index)
    }

    #[inline]
    fn unlink(&mut self, index: u32) {
        let (earlier, later) = (self.slots[index as usize].earlier, self.slots[index as usize].later);
        if earlier == NONE {
            self.oldest = later;
        } else {
            self.slots[earlier as usize].later = later;
        }
        if later == NONE {
            self.newest = earlier;
        } else {
            self.slots[later as usize].earlier = earlier;
        }
        self.awaited -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::{Flight, Flights};
    use crate::{clock::Moment, protocol::CallId};

    #[test]
    fn a_call_ends_with_the_times_it_had() {
        let mut flights = Flights::new(2);
        let ticket = flights.start(Moment(10)).unwrap();
        assert_eq!(flights.due(ticket), Some(Moment(10)));
        flights.sent(ticket, Moment(12));
        assert_eq!(flights.end(ticket.call), Some(Flight { due: Moment(10), sent: Some(Moment(12)) }));
        assert_eq!(flights.awaited(), 0);
    }

    #[test]
    fn a_late_answer_is_swallowed_and_frees_the_slot() {
        let mut flights = Flights::new(1);
        let ticket = flights.start(Moment(10)).unwrap();
        assert_eq!(flights.time_out_oldest(Moment(10)), None);
        assert_eq!(flights.time_out_oldest(Moment(11)), Some(Moment(10)));
        assert!(flights.is_full(), "the slot stays busy");
        assert_eq!(flights.awaited(), 0);
        assert_eq!(flights.start(Moment(20)), None);
        assert_eq!(flights.end(ticket.call), None);
        assert!(flights.start(Moment(30)).is_some());
    }

    #[test]
    fn a_send_is_not_credited_to_a_later_call_in_the_slot() {
        let mut flights = Flights::new(1);
        let first = flights.start(Moment(10)).unwrap();
        flights.end(first.call);
        let second = flights.start(Moment(20)).unwrap();
        assert_eq!(flights.due(first), None);
        flights.sent(first, Moment(21));
        assert_eq!(flights.end(second.call), Some(Flight { due: Moment(20), sent: None }));
    }

    #[test]
    fn an_end_without_a_start_changes_nothing() {
        let mut flights = Flights::new(1);
        let ticket = flights.start(Moment(1)).unwrap();
        flights.end(ticket.call);
        assert_eq!(flights.end(ticket.call), None);
        assert!(!flights.is_full());
    }

    proptest! {
        #[test]
        fn slots_behave_like_a_plain_map(steps in proptest::collection::vec((0_u8..3, any::<u32>()), 1..300)) {
            let mut flights = Flights::new(8);
            let mut awaited: BTreeMap<u64, CallId> = BTreeMap::new();
            let mut timed_out: Vec<CallId> = Vec::new();
            for (now, (step, pick)) in (1_u64..).zip(steps) {
                match step {
                    0 => {
                        let full = awaited.len() + timed_out.len() == 8;
                        prop_assert_eq!(flights.is_full(), full);
                        let started = flights.start(Moment(now));
                        prop_assert_eq!(started.is_none(), full);
                        if let Some(ticket) = started {
                            awaited.insert(now, ticket.call);
                        }
                    }
                    1 => {
                        let due_before = Moment(u64::from(pick) % (now + 1));
                        let oldest = awaited.first_key_value().map(|(due, _)| Moment(*due));
                        let expected = oldest.filter(|due| *due < due_before);
                        prop_assert_eq!(flights.time_out_oldest(due_before), expected);
                        if expected.is_some() {
                            timed_out.extend(awaited.pop_first().map(|(_, call)| call));
                        }
                    }
                    _ => {
                        if let Some(call) = timed_out.pop() {
                            prop_assert_eq!(flights.end(call), None);
                        } else if let Some((due, call)) =
                            awaited.iter().nth(pick as usize % awaited.len().max(1)).map(|(d, c)| (*d, *c))
                        {
                            awaited.remove(&due);
                            prop_assert_eq!(flights.end(call).map(|flight| flight.due), Some(Moment(due)));
                        }
                    }
                }
                prop_assert_eq!(flights.awaited(), awaited.len() as u64);
            }
        }
    }
}
