//! Builds everything a second time from a copy of the sources in a folder of another name and length, and compares bytes.

use std::{fs, path::Path};

use super::{Made, assemble, build, product::Product, target};
use crate::{Fault, program, root};

/// Fails with the images that differ.
pub(super) fn again(products: &[&'static Product], first: &[Made]) -> Result<(), Fault> {
    let folder = target().join("images-built-once-more");
    let place = build::Place { sources: folder.join("sources"), target: folder.join("made") };
    copy(&root(), &place.sources)?;
    let second = assemble(products, |product| build::program(product, &place))?;
    let differ = differing(first, &second);
    if differ.is_empty() {
        eprintln!("   the same bytes from two builds in two folders");
        return fs::remove_dir_all(&folder).map_err(|error| Fault::file(&folder, error));
    }
    let (names, folder) = (differ.join(", "), folder.display());
    Err(Fault::Failed(format!("two builds of the same sources differ: {names}; the second is in {folder}")))
}

fn differing(first: &[Made], second: &[Made]) -> Vec<&'static str> {
    let pairs = first.iter().zip(second);
    pairs.filter(|(one, other)| one.archive != other.archive).map(|(one, _)| one.product.name).collect()
}

/// Copies the files that git knows or would take.
fn copy(from: &Path, to: &Path) -> Result<(), Fault> {
    if to.exists() {
        fs::remove_dir_all(to).map_err(|error| Fault::file(to, error))?;
    }
    let folder = from.display().to_string();
    let listed = program::run("git", &["-C", &folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    for name in listed.split('\0').filter(|name| from.join(name).is_file()) {
        let target = to.join(name);
        let parent = target.parent().unwrap_or(to);
        fs::create_dir_all(parent).map_err(|error| Fault::file(parent, error))?;
        fs::copy(from.join(name), &target).map_err(|error| Fault::file(&target, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::{archive::Archive, product::PRODUCTS};

    #[test]
    fn an_image_of_other_bytes_is_named() {
        let made = |bytes: [u8; 2]| {
            let each = bytes.iter().zip(&PRODUCTS).map(|(byte, product)| Made {
                product,
                archive: Archive { bytes: vec![*byte], digest: "sha256:1".to_owned() },
            });
            each.collect::<Vec<_>>()
        };
        assert_eq!(differing(&made([1, 2]), &made([1, 2])), Vec::<&str>::new());
        assert_eq!(differing(&made([1, 2]), &made([1, 3])), ["driver"]);
    }
}
