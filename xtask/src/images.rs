//! `cargo xtask images`: a container image of each program that runs in a pod. One program an image beside glibc's few
//! libraries, no shell, no root. In: the sources. Out: OCI archives whose bytes depend on the sources and the tools alone,
//! and a file of values that names them by digest.

pub(crate) mod archive;
mod base;
mod build;
mod check;
mod product;
mod tar;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{Fault, root};
use archive::archive;
use product::{PRODUCTS, Product};
pub(crate) use tar::Tree;

/// How images are made.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Builds everything a second time, in another folder, and fails where a byte differs.
    #[arg(long, conflicts_with = "from")]
    check: bool,
    /// Takes the programs from this folder instead of building them: for trying, not for publishing.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
    /// Only these images.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(PRODUCTS.map(|product| product.name)))]
    names: Vec<String>,
}

/// An image that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    product: &'static Product,
    archive: archive::Archive,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Images {
    pub archives: Vec<PathBuf>,
    /// The chart's values that name the images by digest.
    pub values: PathBuf,
}

/// Makes what is asked for, and says what it is known by.
pub fn run(args: &Args) -> Result<(), Fault> {
    let is_asked = |product: &&Product| args.names.is_empty() || args.names.iter().any(|name| name == product.name);
    let products: Vec<&'static Product> = PRODUCTS.iter().filter(is_asked).collect();
    let made = made(&products, args.from.as_deref())?;
    let written = write(&made)?;
    for (file, one) in written.archives.iter().zip(&made) {
        println!("{} {}", file.display(), one.archive.digest);
    }
    println!("{}", written.values.display());
    if args.check { check::again(&products, &made) } else { Ok(()) }
}

/// Builds and writes every image.
pub(crate) fn make() -> Result<Images, Fault> {
    write(&made(&all(), None)?)
}

/// Every image's name and archive, of programs in a folder or built.
pub(crate) fn archives(from: Option<&Path>) -> Result<Vec<(&'static str, archive::Archive)>, Fault> {
    Ok(made(&all(), from)?.into_iter().map(|Made { product, archive }| (product.name, archive)).collect())
}

fn all() -> Vec<&'static Product> {
    PRODUCTS.iter().collect()
}

fn made(products: &[&'static Product], from: Option<&Path>) -> Result<Vec<Made>, Fault> {
    assemble(products, |product| match from {
        Some(folder) => Ok(folder.join(product.program)),
        None => build::program(product, &build::Place::first()),
    })
}

fn write(made: &[Made]) -> Result<Images, Fault> {
    let folder = target().join("images");
    fs::create_dir_all(&folder).map_err(|error| Fault::file(&folder, error))?;
    let archives = made.iter().map(|one| {
        let file = folder.join(format!("{}.tar", one.product.name));
        fs::write(&file, &one.archive.bytes).map_err(|error| Fault::file(&file, error))?;
        Ok(file)
    });
    let archives = archives.collect::<Result<_, Fault>>()?;
    let file = folder.join("values.yaml");
    fs::write(&file, values(made)).map_err(|error| Fault::file(&file, error))?;
    Ok(Images { archives, values: file })
}

/// An image of each program, which `program` finds or builds.
fn assemble(
    products: &[&'static Product],
    program: impl Fn(&Product) -> Result<PathBuf, Fault>,
) -> Result<Vec<Made>, Fault> {
    let base = base::layer()?;
    let each = products.iter().map(|product| {
        let file = program(product)?;
        base::check(&file)?;
        let content = fs::read(&file).map_err(|error| Fault::file(&file, error))?;
        Ok(Made { product, archive: archive(&product.image(content, base.clone())) })
    });
    each.collect()
}

/// The chart's values that name the images.
fn values(made: &[Made]) -> String {
    let mut text = "# Written by `cargo xtask images`: what it made, by digest.\nimages:\n".to_owned();
    for Made { product, archive } in made {
        let (name, repository, digest) = (product.name, product.repository(), &archive.digest);
        text.extend(["  ", name, ":\n    repository: ", &repository, "\n    digest: ", digest, "\n"]);
    }
    text
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(Path::new(&folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_name_each_image_by_its_digest() {
        let archive = archive::Archive { bytes: Vec::new(), digest: "sha256:1".to_owned() };
        let made = [Made { product: &PRODUCTS[0], archive }];
        let expected = "images:\n  operator:\n    repository: soak.dev/operator\n    digest: sha256:1\n";
        assert!(values(&made).ends_with(expected), "{}", values(&made));
    }
}
