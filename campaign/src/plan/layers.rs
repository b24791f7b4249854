//! Settings in layers, the most particular first: a lever's, an arm's, the campaign's. A value that is picked keeps the
//! way to the field where the user wrote it. Refusals are collected here, each once.

use super::{FieldPath, Refusal};

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written<V> {
    pub value: V,
    pub at: FieldPath,
}

/// The same structure written at several places, the most particular first.
#[derive(Debug, Clone)]
pub(super) struct Layers<'a, T>(pub Vec<(FieldPath, &'a T)>);

impl<T> Layers<'_, T> {
    /// The most particular value of a field.
    pub fn pick<V>(&self, field: &str, get: impl Fn(&T) -> Option<V>) -> Option<Written<V>> {
        self.0.iter().find_map(|(at, layer)| Some(Written { value: get(layer)?, at: at.field(field) }))
    }
}

impl<'a, T> Layers<'a, T> {
    /// These layers with a more particular one on top, where there is one.
    pub fn under(&self, top: Option<(FieldPath, &'a T)>) -> Self {
        Self(top.into_iter().chain(self.0.iter().cloned()).collect())
    }
}

/// Refusals, each told once however often it is found.
#[derive(Debug, Default)]
pub(super) struct Refusals(Vec<Refusal>);

impl Refusals {
    /// Adds one.
    pub fn add(&mut self, field: &FieldPath, value: Option<String>, message: impl Into<String>) {
        let refusal = Refusal { field: field.clone(), value, message: message.into() };
        if !self.0.contains(&refusal) {
            self.0.push(refusal);
        }
    }

    /// Adds one about a value as it was written.
    pub fn about<V: ToString>(&mut self, written: &Written<V>, message: impl Into<String>) {
        self.add(&written.at, Some(written.value.to_string()), message);
    }

    /// A count from a signed field: refused and taken as 1 where it is not positive.
    pub fn count<V: ToString + Copy + TryInto<u32>>(&mut self, written: &Written<V>) -> u32 {
        let count = written.value.try_into().ok().filter(|count| *count > 0);
        count.unwrap_or_else(|| {
            self.about(written, "must be at least 1");
            1
        })
    }

    /// Nothing where none was added.
    pub fn into_result(self) -> Result<(), Vec<Refusal>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}
