//! Which connection takes the next call. In: what became of each connection. Out: a choice, by the pool's policy. A place
//! whose connection failed before it served anything rests for a while, longer each time. Pure: knows no socket.

use soak_sample::PoolPolicy;

use crate::{clock::Moment, free_set::FreeSet};

/// The first and the longest rest after a failure, nanoseconds.
const FIRST_REST: u64 = 1_000_000;
const LONGEST_REST: u64 = 1_000_000_000;

/// Where the next call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// To this connection.
    Use(u32),
    /// To a connection that is to be opened in this place.
    Open(u32),
    /// Nowhere: there is no connection, and none may be tried yet.
    Down,
    /// Nowhere: all slots are busy.
    Full,
}

/// Whether a connection is worth reopening at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// It answered.
    Served,
    /// It never did.
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Empty,
    Resting(Moment),
    Opening,
    Open,
}

#[derive(Debug, Clone)]
struct Place {
    state: State,
    rest: u64,
}

/// The places for connections.
#[derive(Debug)]
pub(crate) struct Pool {
    policy: PoolPolicy,
    places: Vec<Place>,
    /// Open, with a free slot.
    ready: FreeSet,
    /// Being opened, with a free slot.
    opening: FreeSet,
    empty: FreeSet,
    /// Places with a connection, open or being opened.
    alive: u32,
    resting: u32,
    cursor: u32,
}

impl Pool {
    /// Room for this many connections, none open.
    pub(crate) fn new(policy: PoolPolicy, connections: u32) -> Self {
        let mut empty = FreeSet::new(connections);
        (0..connections).for_each(|place| empty.insert(place));
        let places = vec![Place { state: State::Empty, rest: FIRST_REST }; connections as usize];
        let (ready, opening) = (FreeSet::new(connections), FreeSet::new(connections));
        Self { policy, places, ready, opening, empty, alive: 0, resting: 0, cursor: 0 }
    }

    /// Where the next call goes.
    #[inline]
    pub(crate) fn choose(&mut self) -> Choice {
        let ready = match self.policy {
            PoolPolicy::AsNeeded => self.ready.first(),
            PoolPolicy::Eager => self.ready.next_from(self.cursor),
        };
        if let Some(place) = ready {
            self.cursor = place + 1;
            return Choice::Use(place);
        }
        if let Some(place) = self.opening.first() {
            return Choice::Use(place);
        }
        match self.empty.first() {
            Some(place) => Choice::Open(place),
            None if self.alive == 0 => Choice::Down,
            None => Choice::Full,
        }
    }

    /// The next place to open before any call asks for it: all when eager, one when as needed.
    pub(crate) fn to_open_early(&self) -> Option<u32> {
        match self.policy {
            PoolPolicy::AsNeeded if self.alive + self.resting > 0 => None,
            PoolPolicy::AsNeeded | PoolPolicy::Eager => self.empty.first(),
        }
    }

    /// A connection is being opened.
    pub(crate) fn opening(&mut self, place: u32) {
        self.leave(place);
        self.enter(place, State::Opening);
    }

    /// A connection is open.
    pub(crate) fn opened(&mut self, place: u32) {
        self.leave(place);
        self.enter(place, State::Open);
    }

    /// Whether the place's connection has a free slot.
    #[inline]
    pub(crate) fn has_free(&mut self, place: u32, free: u32) {
        let set = match self.places[place as usize].state {
            State::Open => &mut self.ready,
            State::Opening => &mut self.opening,
            State::Empty | State::Resting(_) => return,
        };
        if free > 0 {
            set.insert(place);
        } else {
            set.remove(place);
        }
    }

    /// The place's connection is gone.
    pub(crate) fn closed(&mut self, place: u32, past: Past, now: Moment) {
        self.leave(place);
        let slot = &mut self.places[place as usize];
        match past {
            Past::Served => {
                slot.rest = FIRST_REST;
                self.enter(place, State::Empty);
            }
            Past::Failed => {
                let until = now.plus(slot.rest);
                slot.rest = (slot.rest * 2).min(LONGEST_REST);
                self.enter(place, State::Resting(until));
            }
        }
    }

    /// Makes the places usable again whose rest is over.
    pub(crate) fn wake(&mut self, now: Moment) {
        if self.resting == 0 {
            return;
        }
        for place in 0..self.places.len() {
            if let State::Resting(until) = self.places[place].state
                && until <= now
            {
                let place = u32::try_from(place).unwrap_or(u32::MAX);
                self.leave(place);
                self.enter(place, State::Empty);
            }
        }
    }

    fn leave(&mut self, place: u32) {
        match self.places[place as usize].state {
            State::Empty => self.empty.remove(place),
            State::Resting(_) => self.resting -= 1,
            State::Opening => {
                self.opening.remove(place);
                self.alive -= 1;
            }
            State::Open => {
                self.ready.remove(place);
                self.alive -= 1;
            }
        }
    }

    fn enter(&mut self, place: u32, state: State) {
        match state {
            State::Empty => self.empty.insert(place),
            State::Resting(_) => self.resting += 1,
            State::Opening | State::Open => self.alive += 1,
        }
        self.places[place as usize].state = state;
    }
}

#[cfg(test)]
mod tests {
    use soak_sample::PoolPolicy::{AsNeeded, Eager};

    use super::{Choice, FIRST_REST, LONGEST_REST, Past, Pool};
    use crate::clock::Moment;

    const NOW: Moment = Moment(1);

    fn open(pool: &mut Pool, place: u32) {
        pool.opening(place);
        pool.opened(place);
        pool.has_free(place, 1);
    }

    #[test]
    fn as_needed_fills_the_first_connection_before_it_opens_the_next() {
        let mut pool = Pool::new(AsNeeded, 3);
        assert_eq!(pool.to_open_early(), Some(0));
        open(&mut pool, 0);
        assert_eq!(pool.to_open_early(), None);
        assert_eq!(pool.choose(), Choice::Use(0));
        assert_eq!(pool.choose(), Choice::Use(0));
        pool.has_free(0, 0);
        assert_eq!(pool.choose(), Choice::Open(1));
        pool.opening(1);
        pool.has_free(1, 1);
        assert_eq!(pool.choose(), Choice::Use(1), "a connection being opened is filled first, too");
        pool.has_free(0, 1);
        assert_eq!(pool.choose(), Choice::Use(0));
    }

    #[test]
    fn eager_goes_round_robin_over_what_is_free() {
        let mut pool = Pool::new(Eager, 3);
        for place in 0..3 {
            assert_eq!(pool.to_open_early(), Some(place));
            open(&mut pool, place);
        }
        assert_eq!(pool.to_open_early(), None);
        let round = [pool.choose(), pool.choose(), pool.choose(), pool.choose()];
        assert_eq!(round, [Choice::Use(0), Choice::Use(1), Choice::Use(2), Choice::Use(0)]);
        pool.has_free(1, 0);
        assert_eq!(pool.choose(), Choice::Use(2));
    }

    #[test]
    fn all_busy_is_full_and_none_alive_is_down() {
        let mut pool = Pool::new(AsNeeded, 1);
        open(&mut pool, 0);
        pool.has_free(0, 0);
        assert_eq!(pool.choose(), Choice::Full);
        pool.closed(0, Past::Failed, NOW);
        assert_eq!(pool.choose(), Choice::Down);
    }

    #[test]
    fn a_connection_that_served_is_replaced_at_once_and_one_that_failed_after_a_rest() {
        let mut pool = Pool::new(Eager, 1);
        open(&mut pool, 0);
        pool.closed(0, Past::Served, NOW);
        assert_eq!(pool.choose(), Choice::Open(0));
        pool.opening(0);
        pool.closed(0, Past::Failed, NOW);
        pool.wake(NOW.plus(FIRST_REST - 1));
        assert_eq!(pool.choose(), Choice::Down);
        pool.wake(NOW.plus(FIRST_REST));
        assert_eq!(pool.choose(), Choice::Open(0));
    }

    #[test]
    fn rests_double_up_to_a_second() {
        let mut pool = Pool::new(Eager, 1);
        let mut now = NOW;
        let mut rest = FIRST_REST;
        for _ in 0..20 {
            pool.opening(0);
            pool.closed(0, Past::Failed, now);
            pool.wake(now.plus(rest - 1));
            assert_eq!(pool.choose(), Choice::Down);
            now = now.plus(rest);
            pool.wake(now);
            assert_eq!(pool.choose(), Choice::Open(0));
            rest = (rest * 2).min(LONGEST_REST);
        }
        assert_eq!(rest, LONGEST_REST);
    }
}
