//! From a campaign's file to what will be run, or to everything that is wrong with it, all at once and each at its place.
//! In: a path. Out: the resource and its plan, or faults with line, column, field, value and what is allowed.

mod fault;
mod nearest;
mod render;
mod rules;
mod source;
mod structure;
mod tree;

use std::{collections::BTreeMap, path::Path};

use soak_campaign::plan::{Executor, Means, Plan, Refusal, plan};
use soak_crds::{SoakCampaign, with_defaults};

pub use fault::{Fault, Place};
pub use render::{Paint, faults_as_json, faults_as_text};
pub use source::Source;

use structure::Size;
use tree::Node;

/// A campaign that is accepted.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The resource with every default filled in.
    pub resource: SoakCampaign,
    /// What will be run.
    pub plan: Plan,
}

/// A file that is not accepted, and why.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// The file.
    pub source: Source,
    /// Why, in the order of the file. Never empty.
    pub faults: Vec<Fault>,
}

/// Reads a campaign's file and the files of its bodies, and plans it for an executor.
pub fn load(path: &Path, executor: Executor) -> Result<Loaded, Rejected> {
    let source = Source::read(path)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let bodies = |name: &str| source::read_body(&folder.join(name));
    check(&source.text, executor, &bodies).map_err(|faults| Rejected { source, faults })
}

/// A file that was accepted, refused after all for what this machine says against it.
pub fn reject(path: &Path, refusals: Vec<Refusal>) -> Rejected {
    let source = match Source::read(path) {
        Ok(source) => source,
        Err(rejected) => return rejected,
    };
    match tree::parse(&source.text) {
        Ok((root, _)) => {
            let faults = refusals.into_iter().map(|refusal| refused(&root, refusal)).collect();
            Rejected { source, faults: fault::in_order(faults) }
        }
        Err(faults) => Rejected { source, faults },
    }
}

/// A campaign from its text. `body` reads a body's file by the name as written.
fn check(text: &str, executor: Executor, body: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Loaded, Vec<Fault>> {
    let (root, mut faults) = tree::parse(text)?;
    let structure = structure::judge(&root);
    faults.extend(structure.faults);
    if faults.is_empty() {
        return accepted(&root, executor, body);
    }
    if structure.size == Size::WithinBounds {
        faults.extend(rules::faults(&root, &faults));
    }
    Err(fault::in_order(faults))
}

/// A resource of sound structure: rules and plan judge it together.
fn accepted(
    root: &Node,
    executor: Executor,
    body: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Loaded, Vec<Fault>> {
    let broken = rules::faults(root, &[]);
    let resource: SoakCampaign =
        serde_json::from_value(with_defaults(&root.to_json())).map_err(|error| vec![unexpected(root, &error)])?;
    let files = resource.spec.bodies.iter().filter_map(|body| body.file.clone());
    let files: BTreeMap<_, _> = files.map(|name| (name.clone(), body(&name))).collect();
    let name = resource.metadata.name.clone().unwrap_or_default();
    match plan(&resource.spec, &name, &Means { executor, files }) {
        Ok(plan) if broken.is_empty() => Ok(Loaded { resource, plan }),
        Ok(_) => Err(fault::in_order(broken)),
        Err(refusals) => {
            let refused = refusals.into_iter().map(|refusal| refused(root, refusal)).collect();
            Err(fault::in_order(fault::each_once(broken, refused)))
        }
    }
}

fn refused(root: &Node, refusal: Refusal) -> Fault {
    let Refusal { field, value, message } = refusal;
    let found = root.find(&field);
    Fault { value: value.or(found.value), place: Some(found.place), field, message, allowed: None }
}

/// The walk over the structure and the types disagree: a fault of the product's own, shown rather than hidden.
fn unexpected(root: &Node, error: &serde_json::Error) -> Fault {
    Fault::at(root.place, format!("cannot be read as a SoakCampaign: {error}"))
}

#[cfg(test)]
mod tests;
