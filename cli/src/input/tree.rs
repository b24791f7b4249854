//! YAML as a tree whose every node knows its place. In: text. Out: one document's root, and keys that are written twice.
//! Budgets keep a small file from unfolding to a large tree; words such as `yes` stay words.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, Location, Options, Spanned};
use soak_campaign::plan::{FieldPath, PathPart};

use super::{Fault, Place};

/// The most nodes that a file may unfold to.
const MAX_NODES: usize = 20_000;
/// The deepest nesting of a file.
const MAX_DEPTH: usize = 32;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub place: Place,
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Whole(i64),
    /// A number that is not written as a whole one, or beyond 64 bits; and how it is written.
    Number(f64, String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

/// What is found at the end of a path: its place and, where it is one scalar, its value as a reader knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub place: Place,
    pub value: Option<String>,
}

/// The root of the text's only document, and a fault for each key that is written twice.
pub(super) fn parse(text: &str) -> Result<(Node, Vec<Fault>), Vec<Fault>> {
    let mut documents = serde_saphyr::from_multiple_with_options::<Spanned<Raw>>(text, options())
        .map_err(|error| vec![syntax(&error)])?;
    if let Some(second) = documents.get(1) {
        let message = format!("holds {} documents", documents.len());
        return Err(vec![Fault::at(place(second.referenced), message).allowing("one campaign a file")]);
    }
    let Some(root) = documents.pop() else {
        return Err(vec![Fault::of_file("is empty").allowing("a SoakCampaign as YAML or JSON")]);
    };
    let root = Lines(text.lines().collect()).node(root);
    let mut twice = Vec::new();
    written_twice(&root, &FieldPath::default(), &mut twice);
    Ok((root, twice))
}

fn options() -> Options {
    serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_depth: MAX_DEPTH,
            max_documents: 64,
        },
    }
}

fn syntax(error: &serde_saphyr::Error) -> Fault {
    let text = error.without_snippet().to_string();
    let message = text.split(" at line ").next().unwrap_or_default().to_owned();
    let place = error.location().map(place);
    let too_much = matches!(error.without_snippet(), serde_saphyr::Error::Budget { .. })
        || message.starts_with("budget breached")
        || message.starts_with("recursion limit");
    let fault = if too_much {
        Fault::of_file("the YAML unfolds to more than a campaign holds")
            .allowing(format!("at most {MAX_NODES} values, nested at most {MAX_DEPTH} deep, aliases unfolded"))
    } else {
        Fault::of_file(format!("is not YAML: {message}"))
    };
    Fault { place, ..fault }
}

fn place(at: Location) -> Place {
    let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    Place { line: number(at.line()), column: number(at.column()), width: number(at.span().len()).max(1) }
}

fn written_twice(node: &Node, path: &FieldPath, faults: &mut Vec<Fault>) {
    match &node.kind {
        Kind::Map(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                let path = path.field(&entry.key);
                if let Some(first) = entries[..index].iter().find(|first| first.key == entry.key) {
                    let message = format!("is written twice: first in line {}", first.key_place.line);
                    let fault = Fault::at(entry.key_place, message).allowing("each field once");
                    faults.push(Fault { field: path.clone(), ..fault });
                }
                written_twice(&entry.node, &path, faults);
            }
        }
        Kind::List(items) => {
            for (index, item) in items.iter().enumerate() {
                written_twice(item, &path.item(index), faults);
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Number(..) | Kind::Text(_) => {}
    }
}

impl Node {
    /// The entry of a key, where this is a map that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|entry| entry.key == key),
            Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Number(..) | Kind::Text(_) | Kind::List(_) => None,
        }
    }

    /// The value as a reader knows it; absent for lists and maps.
    pub fn written(&self) -> Option<String> {
        match &self.kind {
            Kind::Null => Some("null".to_owned()),
            Kind::Bool(value) => Some(value.to_string()),
            Kind::Whole(value) => Some(value.to_string()),
            Kind::Number(_, written) => Some(written.clone()),
            Kind::Text(text) => Some(text.clone()),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// What the path leads to, or the last thing on the way to it.
    pub fn find(&self, path: &FieldPath) -> Found {
        let mut node = self;
        let mut key = None;
        for part in &path.0 {
            match part {
                PathPart::Field(name) => match node.entry(name) {
                    Some(entry) => (node, key) = (&entry.node, Some(entry.key_place)),
                    None => return Found { place: key.unwrap_or(node.place), value: None },
                },
                PathPart::Item(index) => match &node.kind {
                    Kind::List(items) if *index < items.len() => (node, key) = (&items[*index], None),
                    _ => return Found { place: key.unwrap_or(node.place), value: None },
                },
            }
        }
        let value = node.written();
        let place = if value.is_some() { node.place } else { key.unwrap_or(node.place) };
        Found { place, value }
    }

    /// The same as JSON; of a key that is written twice the first counts.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => (*value).into(),
            Kind::Whole(value) => (*value).into(),
            Kind::Number(value, _) => (*value).into(),
            Kind::Text(text) => text.clone().into(),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(entries) => {
                let mut map = Map::new();
                for Entry { key, node, .. } in entries {
                    map.entry(key.clone()).or_insert_with(|| node.to_json());
                }
                Value::Object(map)
            }
        }
    }
}

/// A value as the deserialiser gives it.
enum Raw {
    Scalar(Kind),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

/// The text's lines, from which a number's spelling is taken.
struct Lines<'a>(Vec<&'a str>);

impl Lines<'_> {
    fn node(&self, raw: Spanned<Raw>) -> Node {
        let kind = match raw.value {
            Raw::Scalar(Kind::Number(value, _)) => Kind::Number(value, self.written(place(raw.defined))),
            Raw::Scalar(kind) => kind,
            Raw::List(items) => Kind::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => Kind::Map(entries.into_iter().map(|entry| self.entry(entry)).collect()),
        };
        Node { place: place(raw.referenced), kind }
    }

    fn entry(&self, (key, value): (Spanned<String>, Spanned<Raw>)) -> Entry {
        Entry { key_place: place(key.referenced), key: key.value, node: self.node(value) }
    }

    fn written(&self, Place { line, column, width }: Place) -> String {
        let line = self.0.get(line.saturating_sub(1)).copied().unwrap_or_default();
        line.chars().skip(column.saturating_sub(1)).take(width).collect()
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(RawVisitor)
    }
}

/// A number whose spelling is not known yet.
fn number(value: f64) -> Kind {
    Kind::Number(value, String::new())
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Null))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Bool(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Whole(value)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(i64::try_from(value).map_or_else(|_| number(value as f64), Kind::Whole)))
    }
    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Raw::Scalar(number(value as f64)))
    }
    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Raw::Scalar(number(value as f64)))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(number(value)))
    }
    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(Kind::Text(value.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = from.next_key()? {
            entries.push((key, from.next_value()?));
        }
        Ok(Raw::Map(entries))
    }
}
