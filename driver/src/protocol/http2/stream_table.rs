//! Streams in flight, by id: a small open-addressing table. Ids are spread by a multiplicative hash: left in their order
//! they would stand in one long row, which every removal would have to walk. Allocates only while it grows.

/// Streams by id.
#[derive(Debug)]
pub struct StreamTable<T> {
    places: Vec<Option<(u32, T)>>,
    len: usize,
}

impl<T> StreamTable<T> {
    /// A table with room for `count` streams before it must grow.
    pub fn with_room(count: usize) -> Self {
        let mut places = Vec::new();
        places.resize_with((count * 2).next_power_of_two().max(8), || None);
        Self { places, len: 0 }
    }

    /// How many streams there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Where a stream would stand, were it alone: the upper bits of its id times 2³²/φ.
    fn home(&self, id: u32) -> usize {
        (id.wrapping_mul(0x9e37_79b1) >> (32 - self.places.len().trailing_zeros())) as usize
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    fn place_of(&self, id: u32) -> Option<usize> {
        let mut place = self.home(id);
        while let Some((other, _)) = &self.places[place] {
            if *other == id {
                return Some(place);
            }
            place = self.after(place);
        }
        None
    }

    /// Adds a stream; its id is not in the table.
    pub fn insert(&mut self, id: u32, stream: T) {
        if (self.len + 1) * 2 > self.places.len() {
            self.grow();
        }
        let mut place = self.home(id);
        while self.places[place].is_some() {
            place = self.after(place);
        }
        self.places[place] = Some((id, stream));
        self.len += 1;
    }

    fn grow(&mut self) {
        let wider = Self::with_room(self.places.len());
        for (id, stream) in std::mem::replace(self, wider).places.into_iter().flatten() {
            self.insert(id, stream);
        }
    }

    /// The stream `id`.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        let place = self.place_of(id)?;
        self.places[place].as_mut().map(|(_, stream)| stream)
    }

    /// Takes the stream `id` out, and moves up those that had to stand behind it.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let mut gap = self.place_of(id)?;
        let (_, stream) = self.places[gap].take()?;
        self.len -= 1;
        let mut place = self.after(gap);
        while let Some((other, _)) = &self.places[place] {
            let mask = self.places.len() - 1;
            let distance = place.wrapping_sub(self.home(*other)) & mask;
            if distance >= (place.wrapping_sub(gap) & mask) {
                self.places.swap(gap, place);
                gap = place;
            }
            place = self.after(place);
        }
        Some(stream)
    }

    /// All streams, with their ids.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        self.places.iter_mut().flatten().map(|(id, stream)| (*id, stream))
    }

    /// Takes out all streams above `last`, and hands each to `each`.
    pub fn remove_above(&mut self, last: u32, mut each: impl FnMut(T)) {
        let above: Vec<u32> = self.iter_mut().map(|(id, _)| id).filter(|id| *id > last).collect();
        above.into_iter().filter_map(|id| self.remove(id)).for_each(&mut each);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_behaves_like_a_map(steps in prop::collection::vec((0u32..200, any::<bool>()), 0..400)) {
            let mut table = StreamTable::with_room(2);
            let mut map = BTreeMap::new();
            for (i, (half, insert)) in steps.into_iter().enumerate() {
                let id = half * 2 + 1;
                if insert && !map.contains_key(&id) {
                    table.insert(id, i);
                    map.insert(id, i);
                } else {
                    prop_assert_eq!(table.remove(id), map.remove(&id));
                }
                prop_assert_eq!(table.len(), map.len());
            }
            let mut left: Vec<_> = table.iter_mut().map(|(id, value)| (id, *value)).collect();
            left.sort_unstable();
            prop_assert_eq!(left, map.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn streams_above_the_last_are_taken_out() {
        let mut table = StreamTable::with_room(8);
        (0..8).for_each(|i| table.insert(i * 2 + 1, i));
        let mut out = Vec::new();
        table.remove_above(9, |i| out.push(i));
        out.sort_unstable();
        assert_eq!((out, table.len()), (vec![5, 6, 7], 5));
    }
}
