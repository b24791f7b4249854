//! `cargo xtask tidy`: what the compiler does not check. Import direction, purity, sizes, module headers, licences.
//! In: the workspace's files and `cargo metadata`. Out: every finding, at once.

mod code;
mod direction;
mod licence;
mod metadata;
mod purity;
mod shape;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::{Fault, root};
use code::Code;
use metadata::Metadata;

/// One thing that is not tidy.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// A file with its line, or a crate.
    at: String,
    /// What is wrong and what is allowed.
    what: String,
}

impl Finding {
    fn new(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self { at: at.into(), what: what.into() }
    }

    fn in_line(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self::new(format!("{file}:{line}"), what)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

/// Looks at everything. Fault: every finding, a line each.
pub fn run() -> Result<(), Fault> {
    let metadata = Metadata::read()?;
    let mut findings = direction::findings(&metadata);
    findings.extend(licence::findings(&metadata));
    for member in metadata.members() {
        for path in sources(&root().join(member.folder).join("src"))? {
            let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            let text = fs::read_to_string(&path).map_err(|error| Fault::file(&path, error))?;
            let code = Code::new(&text);
            findings.extend(shape::findings(&name, &text, &code));
            findings.extend(purity::findings(&name, &code));
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = findings.iter().map(|finding| format!("\n  {finding}")).collect();
    Err(Fault::Failed(format!("{} not tidy:{}", lines.len(), lines.concat())))
}

/// Every Rust file below a folder that is not a test alone, in order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| Fault::file(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    for path in paths {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        match (path.is_dir(), name) {
            (_, "tests") => {}
            (true, _) => files.extend(sources(&path)?),
            (false, name) if path.extension().is_some_and(|ext| ext == "rs") && !name.ends_with("_tests") => {
                files.push(path);
            }
            (false, _) => {}
        }
    }
    Ok(files)
}
