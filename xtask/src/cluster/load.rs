//! Brings image archives to every node, and tags each by its digest, so that a pod can name it as one that was pulled.

use std::{fs, path::Path};

use serde_json::Value;

use super::layout::{Layout, Node};
use crate::{Fault, program};

/// An image as an archive's index names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The repository with its tag.
    pub name: String,
    pub digest: String,
}

impl Named {
    /// The name by digest.
    pub fn by_digest(&self) -> String {
        let after_host = self.name.rfind('/').map_or(0, |at| at + 1);
        let tag = self.name[after_host..].find(':').map_or(self.name.len(), |at| after_host + at);
        format!("{}@{}", &self.name[..tag], self.digest)
    }
}

/// Imports an archive on every node. Returns the names by digest.
pub(super) fn load(layout: &Layout, archive: &Path) -> Result<Vec<String>, Fault> {
    let images = images(archive)?;
    for node in layout.nodes() {
        import(layout, node, archive, &images)?;
    }
    Ok(images.iter().map(Named::by_digest).collect())
}

/// Imports an archive on one node.
pub(super) fn import(layout: &Layout, node: Node, archive: &Path, images: &[Named]) -> Result<(), Fault> {
    let socket = layout.containerd(node);
    let ctr = |arguments: &[&str]| {
        let socket = socket.display().to_string();
        program::run("ctr", &[&["--address", &socket, "--namespace", "k8s.io", "images"], arguments].concat())
    };
    ctr(&["import", &archive.display().to_string()])?;
    for image in images {
        ctr(&["tag", "--force", &image.name, &image.by_digest()])?;
    }
    Ok(())
}

/// The images that an archive holds.
pub(super) fn images(archive: &Path) -> Result<Vec<Named>, Fault> {
    fs::metadata(archive).map_err(|error| Fault::file(archive, error))?;
    let index = program::run("tar", &["-xOf", &archive.display().to_string(), "index.json"])?;
    let found = named(&index);
    if found.is_empty() {
        return Err(Fault::Failed(format!("{}: its index names no image", archive.display())));
    }
    Ok(found)
}

fn named(index: &str) -> Vec<Named> {
    let index: Value = serde_json::from_str(index).unwrap_or_default();
    let listed = index["manifests"].as_array();
    let each = listed.into_iter().flatten().filter_map(|manifest| {
        let name = manifest["annotations"]["io.containerd.image.name"].as_str()?;
        Some(Named { name: name.to_owned(), digest: manifest["digest"].as_str()?.to_owned() })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_by_digest_has_no_tag_and_keeps_a_port() {
        let check = |name: &str, expected: &str| {
            let named = Named { name: name.to_owned(), digest: "sha256:1".to_owned() };
            assert_eq!(named.by_digest(), expected);
        };
        check("soak.local/arm:1", "soak.local/arm@sha256:1");
        check("soak.local/arm", "soak.local/arm@sha256:1");
        check("198.18.0.1:5000/arm:1.2", "198.18.0.1:5000/arm@sha256:1");
        check("198.18.0.1:5000/arm", "198.18.0.1:5000/arm@sha256:1");
    }

    #[test]
    fn an_index_without_names_has_no_image() {
        assert_eq!(named("{}"), []);
        let index = r#"{"manifests":[{"digest":"sha256:1","annotations":{"io.containerd.image.name":"a:1"}}]}"#;
        assert_eq!(named(index), [Named { name: "a:1".to_owned(), digest: "sha256:1".to_owned() }]);
    }
}
