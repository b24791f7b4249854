//! The resource's rules, applied in process and put at their place in the file.

use soak_campaign::plan::{FieldPath, PathPart};
use soak_crds::{BrokenRule, broken_rules};

use super::{Fault, tree::Node};

/// The rules that a tree breaks. Where `structure` already has a fault at or below a field, its rules say nothing new;
/// rules that could not be decided are left to the structure's faults, which are why.
pub(super) fn faults(root: &Node, structure: &[Fault]) -> Vec<Fault> {
    let broken = broken_rules(&root.to_json(), None).into_iter();
    let is_known = |fault: &Fault| structure.iter().any(|known| known.field.0.starts_with(&fault.field.0));
    let undecided_matter = structure.is_empty();
    broken
        .filter(|rule| rule.decided || undecided_matter)
        .map(|rule| fault(root, rule))
        .filter(|fault| !is_known(fault))
        .collect()
}

fn fault(root: &Node, rule: BrokenRule) -> Fault {
    let field = path(&rule.field);
    let found = root.find(&field);
    Fault { place: Some(found.place), value: found.value, field, message: rule.message, allowed: None }
}

/// A path from its text, such as `spec.arms[0].server`.
fn path(text: &str) -> FieldPath {
    let parts = text.split(['.', '[']).filter(|part| !part.is_empty());
    FieldPath(
        parts
            .map(|part| match part.strip_suffix(']').and_then(|index| index.parse().ok()) {
                Some(index) => PathPart::Item(index),
                None => PathPart::Field(part.to_owned()),
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_back_as_it_was_written() {
        for text in ["", "spec", "spec.arms[0]", "spec.arms[12].ramp.steps.rates[3]"] {
            assert_eq!(path(text).to_string(), text);
        }
    }
}
