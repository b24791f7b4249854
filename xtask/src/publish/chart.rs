//! The chart as it is published: its files as they are but for the values, which name the images by digest. In: the
//! chart's folder. Out: an OCI archive as `helm pull` reads it, whose bytes depend on nothing else.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder};
use serde_json::json;

use crate::{
    Fault,
    images::{
        Tree,
        archive::{Archive, Blob, pack},
    },
};

/// Its name in a registry.
pub(super) const NAME: &str = "charts/soak";
const CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";
const CONTENT: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const VALUES: &str = "values.yaml";

/// Packs the chart of a folder.
pub(super) fn package(
    folder: &Path,
    version: &str,
    registry: &str,
    digests: &[(&str, &str)],
) -> Result<Archive, Fault> {
    let mut tree = Tree::default();
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let mut content = fs::read(&path).map_err(|error| Fault::file(&path, error))?;
        if name == VALUES {
            content = values(&String::from_utf8_lossy(&content), registry, digests)?.into_bytes();
        }
        tree = tree.file(&format!("soak/{name}"), 0o644, content);
    }
    let config =
        json!({"name": "soak", "version": version, "appVersion": version, "apiVersion": "v2", "type": "application"});
    let content = compressed(&tree.tar()).map_err(|error| Fault::file(folder, error))?;
    Ok(pack((NAME, version), Blob::document(CONFIG, &config), vec![Blob::new(CONTENT, content)]))
}

/// The values with each image's repository and digest in its place.
fn values(text: &str, registry: &str, digests: &[(&str, &str)]) -> Result<String, Fault> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (name, digest) in digests {
        let start = format!("  {name}: {{repository: ");
        let mut of_image = lines.iter_mut().filter(|line| line.starts_with(&start));
        let (Some(line), None) = (of_image.next(), of_image.next()) else {
            return Err(Fault::Failed(format!("{VALUES} of the chart has not one line {start}…")));
        };
        *line = format!("{start}{registry}/{name}, tag: \"\", digest: \"{digest}\"}}");
    }
    Ok(lines.join("\n") + "\n")
}

fn compressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut out = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    out.write_all(bytes)?;
    out.finish()
}

/// Every file under a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| Fault::file(&folder, error))? {
            let path = entry.map_err(|error| Fault::file(&folder, error))?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    Ok(found)
}
