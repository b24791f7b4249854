//! A payload before it is written: records of named, numbered fields. Knows neither of the formats.

/// One field's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Text.
    Text(String),
    /// A whole number, never 0: protobuf does not write a 0.
    Whole(u32),
    /// A number with a fraction.
    Real(f64),
    /// Always true: protobuf does not write a false.
    Yes,
    /// A nested record.
    One(Record),
    /// A list of nested records.
    Many(Vec<Record>),
}

/// A field: its number in protobuf, its name in JSON, its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub number: u32,
    pub name: &'static str,
    pub value: Value,
}

/// Fields in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Record(pub Vec<Field>);

impl Record {
    /// A record whose fields are numbered from 1 in the order given.
    pub(super) fn numbered(fields: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        Self((1..).zip(fields).map(|(number, (name, value))| Field { number, name, value }).collect())
    }

    /// How many scalar values it holds, at any depth.
    pub(super) fn leaves(&self) -> u32 {
        self.0.iter().map(|field| field.value.leaves()).sum()
    }
}

impl Value {
    fn leaves(&self) -> u32 {
        match self {
            Self::Text(_) | Self::Whole(_) | Self::Real(_) | Self::Yes => 1,
            Self::One(record) => record.leaves(),
            Self::Many(records) => records.iter().map(Record::leaves).sum(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}
