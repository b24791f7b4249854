//! One thing that is wrong with a file: where, what was written, what is allowed.

use soak_campaign::plan::{FieldPath, PathPart};

/// A place in a text, counted in characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
    /// Characters that belong to it, on that line.
    pub width: usize,
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where; absent where the file could not be read at all.
    pub place: Option<Place>,
    /// The field; empty for the file itself.
    pub field: FieldPath,
    /// The value as written, where it is one scalar.
    pub value: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What is allowed, where the message does not say so.
    pub allowed: Option<String>,
}

impl Fault {
    /// A fault of the file as a whole.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self { place: None, field: FieldPath::default(), value: None, message: message.into(), allowed: None }
    }

    /// A fault at a place that belongs to no field.
    pub fn at(place: Place, message: impl Into<String>) -> Self {
        Self { place: Some(place), ..Self::of_file(message) }
    }

    /// This fault with what is allowed.
    #[must_use]
    pub fn allowing(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }
}

/// Faults in the order of the file.
pub(super) fn in_order(mut faults: Vec<Fault>) -> Vec<Fault> {
    faults.sort_by_key(|fault| fault.place);
    faults
}

/// Two judgements of the same campaign as one: what both say about a field is said once, and a rule over a whole list
/// gives way to a refusal that names the item.
pub(super) fn each_once(broken: Vec<Fault>, refused: Vec<Fault>) -> Vec<Fault> {
    let names_item = |rule: &Fault, refusal: &Fault| {
        let (list, item) = (&rule.field.0, &refusal.field.0);
        item.starts_with(list) && matches!(item.get(list.len()), Some(PathPart::Item(_)))
    };
    let said = |refusal: &Fault| broken.iter().any(|rule| rule.field == refusal.field);
    let refused: Vec<Fault> = refused.into_iter().filter(|refusal| !said(refusal)).collect();
    let vague = |rule: &Fault| refused.iter().any(|refusal| names_item(rule, refusal));
    let mut all: Vec<Fault> = broken.into_iter().filter(|rule| !vague(rule)).collect();
    all.extend(refused);
    all
}
