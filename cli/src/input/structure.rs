//! Whether a tree fits the resource's schema: fields that exist, types, bounds, patterns, names that are unique.
//! In: a root and the schema. Out: every fault. Knows no rule between fields.

mod allowed;
mod scalar;
mod schema;

use serde_json::Value;
use soak_campaign::plan::FieldPath;

use super::{
    Fault,
    nearest::nearest,
    tree::{Entry, Kind, Node},
};
use allowed::{allowed, list};

/// What the walk over a tree found.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// Everything that does not fit the schema.
    pub faults: Vec<Fault>,
    /// Whether the lists are short enough for rules that go over them.
    pub size: Size,
}

/// Whether every list is as short as the schema wants it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    #[default]
    WithinBounds,
    TooLarge,
}

/// Judges a tree by the resource's schema. Another kind of resource gives that fault alone.
pub(super) fn judge(root: &Node) -> Structure {
    let schema = schema::root();
    let head = FieldPath::default();
    let mut structure = Structure::default();
    for name in ["apiVersion", "kind"] {
        structure.field(root, name, schema, &head);
    }
    if structure.faults.is_empty() || !matches!(root.kind, Kind::Map(_)) {
        structure = Structure::default();
        structure.node(root, schema, &head);
    }
    structure
}

impl Structure {
    fn node(&mut self, node: &Node, schema: &Value, path: &FieldPath) {
        if schema["x-kubernetes-preserve-unknown-fields"] == Value::Bool(true) {
            return;
        }
        match (&node.kind, schema["type"].as_str()) {
            (Kind::Map(entries), Some("object")) => self.map(node, entries, schema, path),
            (Kind::List(items), Some("array")) => self.list(node, items, schema, path),
            (kind, _) => {
                if let Some(message) = scalar::fault(kind, schema) {
                    self.add(node, schema, path, message);
                }
            }
        }
    }

    fn add(&mut self, node: &Node, schema: &Value, path: &FieldPath, message: impl Into<String>) {
        let fault = Fault::at(node.place, message).allowing(allowed(schema));
        self.faults.push(Fault { field: path.clone(), value: node.written(), ..fault });
    }

    fn map(&mut self, node: &Node, entries: &[Entry], schema: &Value, path: &FieldPath) {
        let Some(fields) = schema["properties"].as_object() else { return };
        for Entry { key, key_place, node } in entries {
            let Some(field) = fields.get(key) else {
                let names = || fields.keys().map(String::as_str);
                let fault = Fault::at(*key_place, unknown(key, names())).allowing(list(names()));
                self.faults.push(Fault { field: path.field(key), ..fault });
                continue;
            };
            self.node(node, field, &path.field(key));
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.field_is_there(node, name, schema, path);
        }
    }

    fn field_is_there(&mut self, node: &Node, name: &str, schema: &Value, path: &FieldPath) {
        if node.entry(name).is_none() {
            let fault = Fault::at(node.place, "is missing").allowing(allowed(&schema["properties"][name]));
            self.faults.push(Fault { field: path.field(name), ..fault });
        }
    }

    /// One field of a map, present and sound.
    fn field(&mut self, node: &Node, name: &str, schema: &Value, path: &FieldPath) {
        match node.entry(name) {
            Some(entry) => self.node(&entry.node, &schema["properties"][name], &path.field(name)),
            None => self.field_is_there(node, name, schema, path),
        }
    }

    fn list(&mut self, node: &Node, items: &[Node], schema: &Value, path: &FieldPath) {
        let count = items.len() as u64;
        let too_few = schema["minItems"].as_u64().is_some_and(|least| count < least);
        let too_many = schema["maxItems"].as_u64().is_some_and(|most| count > most);
        if too_many {
            self.size = Size::TooLarge;
        }
        if too_few || too_many {
            let items = if count == 1 { "item" } else { "items" };
            self.add(node, schema, path, format!("has {count} {items}"));
        }
        for (index, item) in items.iter().enumerate() {
            self.node(item, &schema["items"], &path.item(index));
        }
        self.unique(items, schema, path);
    }

    fn unique(&mut self, items: &[Node], schema: &Value, path: &FieldPath) {
        let key = schema["x-kubernetes-list-map-keys"][0].as_str();
        let identity = |item: &'_ Node| match (schema["x-kubernetes-list-type"].as_str(), key) {
            (Some("set"), _) => item.written().map(|value| (item.place, value)),
            (Some("map"), Some(key)) => {
                item.entry(key).and_then(|entry| entry.node.written().map(|value| (entry.node.place, value)))
            }
            _ => None,
        };
        let known: Vec<_> = items.iter().map(identity).collect();
        for (index, own) in known.iter().enumerate() {
            let Some((place, value)) = own else { continue };
            let earlier = known[..index].iter().flatten().find(|(_, earlier)| earlier == value);
            if let Some((first, _)) = earlier {
                let item = path.item(index);
                let field = key.map_or_else(|| item.clone(), |key| item.field(key));
                let fault = Fault::at(*place, format!("is there twice: first in line {}", first.line));
                let fault = fault.allowing("each one once");
                self.faults.push(Fault { field, value: Some(value.clone()), ..fault });
            }
        }
    }
}

fn unknown<'a>(key: &str, fields: impl Iterator<Item = &'a str>) -> String {
    match nearest(key, fields) {
        Some(meant) => format!("is not a field; did you mean {meant}?"),
        None => "is not a field".to_owned(),
    }
}
