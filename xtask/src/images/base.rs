//! The layer under every program: the dynamic loader and glibc's few libraries as this machine has them, a user, and a
//! `/tmp`. The same for every image, so that nodes store it once.

use std::{fs, path::Path, process::Command};

use super::{product::USER, tar::Tree};
use crate::{Fault, program};

/// Everything that a program may need.
const LIBRARIES: [&str; 3] = ["libc.so.6", "libm.so.6", "libgcc_s.so.1"];
/// The loader's name and the path that programs name it by.
#[cfg(target_arch = "x86_64")]
const LOADER: (&str, &str) = ("ld-linux-x86-64.so.2", "lib64/ld-linux-x86-64.so.2");
#[cfg(target_arch = "aarch64")]
const LOADER: (&str, &str) = ("ld-linux-aarch64.so.1", "lib/ld-linux-aarch64.so.1");
/// Their terms, where the machine has them.
const TERMS: [&str; 2] = ["usr/share/doc/libc6/copyright", "usr/share/doc/libgcc-s1/copyright"];

/// The layer.
pub(super) fn layer() -> Result<Tree, Fault> {
    let (id, group) = USER.split_once(':').unwrap_or((USER, USER));
    let mut tree = Tree::default()
        .file("etc/passwd", 0o644, format!("soak:x:{id}:{group}:soak:/:/sbin/nologin\n").into_bytes())
        .file("etc/group", 0o644, format!("soak:x:{group}:\n").into_bytes())
        .folder("tmp", 0o1777);
    let known = program::output(Command::new("ldconfig").arg("-p").env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin"))?;
    for name in LIBRARIES {
        let path = found(&known, name)?;
        tree = tree.file(path.trim_start_matches('/'), 0o755, read(Path::new(path))?);
    }
    let (name, path) = LOADER;
    tree = tree.file(path, 0o755, read(Path::new(found(&known, name)?))?);
    for path in TERMS {
        let file = Path::new("/").join(path);
        if file.exists() {
            tree = tree.file(path, 0o644, read(&file)?);
        }
    }
    Ok(tree)
}

/// A program that needs a library which the layer lacks is refused here and not by a pod.
pub(super) fn check(file: &Path) -> Result<(), Fault> {
    let told = program::run("readelf", &["--dynamic", "--wide", &file.display().to_string()])?;
    let missing: Vec<&str> = needed(&told).filter(|name| !LIBRARIES.contains(name) && *name != LOADER.0).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join(", ");
    Err(Fault::Failed(format!(
        "{}: needs {missing}, which the base layer lacks (xtask, images/base.rs)",
        file.display()
    )))
}

/// The libraries that `readelf` names.
fn needed(told: &str) -> impl Iterator<Item = &str> {
    let lines = told.lines().filter(|line| line.contains("(NEEDED)"));
    lines.filter_map(|line| line.split_once('[')?.1.split_once(']')).map(|(name, _)| name)
}

/// Where the loader finds a library of this machine's kind: `ldconfig` names its own kind's first.
fn found<'a>(known: &'a str, name: &str) -> Result<&'a str, Fault> {
    let mut lines = known.lines().filter(|line| line.split_whitespace().next() == Some(name));
    let path = lines.find_map(|line| Some(line.split_once(" => ")?.1.trim()));
    path.ok_or_else(|| Fault::Failed(format!("{name} is not on this machine: images are built where glibc is")))
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(path).map_err(|error| Fault::file(path, error))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_found_by_its_whole_name() {
        let known =
            "\tlibc.so.6.1 (x) => /a\n\tlibc.so.6 (libc6,x86-64) => /lib/x/libc.so.6\n\tlibc.so.6 (libc6) => /b\n";
        assert_eq!(found(known, "libc.so.6").unwrap(), "/lib/x/libc.so.6");
        assert!(found(known, "libm.so.6").is_err());
    }

    #[test]
    fn what_a_program_needs_is_read_from_its_dynamic_section() {
        let told =
            " 0x1 (NEEDED)  Shared library: [libz.so.1]\n 0x1 (NEEDED) Shared library: [libc.so.6]\n 0xc (INIT) 0x1";
        assert_eq!(needed(told).collect::<Vec<_>>(), ["libz.so.1", "libc.so.6"]);
    }

    #[test]
    fn this_very_program_needs_nothing_that_the_layer_lacks() {
        check(&std::env::current_exe().unwrap()).unwrap();
    }
}
