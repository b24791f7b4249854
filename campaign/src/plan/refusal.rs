//! Why a spec cannot be planned: the field, its value, what is allowed.

use std::fmt;

/// One part of the way to a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathPart {
    /// A named field.
    Field(String),
    /// An item of a list, from 0.
    Item(usize),
}

/// The way to a field from the document's root, such as `spec.arms[1].ramp.steps.to`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(pub Vec<PathPart>);

impl FieldPath {
    /// The path of `spec`.
    pub fn spec() -> Self {
        Self::default().field("spec")
    }

    /// This path and a field below it.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        let mut parts = self.0.clone();
        parts.push(PathPart::Field(name.to_owned()));
        Self(parts)
    }

    /// This path and an item below it.
    #[must_use]
    pub fn item(&self, index: usize) -> Self {
        let mut parts = self.0.clone();
        parts.push(PathPart::Item(index));
        Self(parts)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            match part {
                PathPart::Field(name) if at == 0 => write!(f, "{name}")?,
                PathPart::Field(name) => write!(f, ".{name}")?,
                PathPart::Item(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Why a spec cannot be planned. The message says what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The field.
    pub field: FieldPath,
    /// Its value as written, where there is one.
    pub value: Option<String>,
    /// What is wrong and what is allowed, such as `must rise: 800 follows 1000`.
    pub message: String,
}
