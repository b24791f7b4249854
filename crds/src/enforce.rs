//! The schema's defaults and rules applied in process, as the API server applies them on admission.
//! In comes a resource as JSON that fits the schema's structure; out go the rules it breaks.

use std::sync::LazyLock;

use kube::core::cel::{CompiledSchema, ErrorKind, ValidationError, apply_defaults, compile_schema, validate_compiled};
use serde_json::Value;

use crate::definition::schema;

static RULES: LazyLock<CompiledSchema> = LazyLock::new(|| compile_schema(schema()));

/// A rule that a resource breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRule {
    /// The field, such as `spec.arms[0].server`; empty for the resource itself.
    pub field: String,
    /// What is allowed.
    pub message: String,
    /// False where the rule could not be decided because the resource does not fit the schema's structure.
    pub decided: bool,
}

/// The resource with the schema's defaults filled in.
pub fn with_defaults(resource: &Value) -> Value {
    apply_defaults(schema(), resource)
}

/// Every rule that the resource breaks; with `old`, the rules on changes too. Defaults are filled in first.
pub fn broken_rules(resource: &Value, old: Option<&Value>) -> Vec<BrokenRule> {
    let broken = validate_compiled(&RULES, resource, old).err();
    broken.into_iter().flatten().map(BrokenRule::from).collect()
}

impl From<ValidationError> for BrokenRule {
    fn from(error: ValidationError) -> Self {
        Self {
            field: error.field_path.trim_start_matches('.').to_owned(),
            message: error.message,
            decided: error.kind == ErrorKind::ValidationFailure,
        }
    }
}
