//! Builds one program for its image, so that the same sources give the same bytes in any folder. Each is built alone: what
//! another program asks of a shared crate does not reach it.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{product::Product, target};
use crate::{Fault, program, root};

const PROFILE: &str = "image";

/// Where sources are and where cargo puts what it makes of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub sources: PathBuf,
    pub target: PathBuf,
}

impl Place {
    /// The workspace itself.
    pub fn first() -> Self {
        Self { sources: root(), target: target() }
    }
}

/// Builds a program; its file.
pub(super) fn program(product: &Product, place: &Place) -> Result<PathBuf, Fault> {
    let Product { package, program, .. } = product;
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--locked", "--quiet", "--profile", PROFILE, "--package", package, "--bin", program]);
    command.arg("--target-dir").arg(&place.target).current_dir(&place.sources).stdin(Stdio::null());
    command.env("CARGO_ENCODED_RUSTFLAGS", flags(place, &homes()?)).env("SOURCE_DATE_EPOCH", "0");
    command.env("CARGO_INCREMENTAL", "0").env_remove("RUSTFLAGS").env_remove("RUSTC_WRAPPER");
    match command.status() {
        Ok(status) if status.success() => Ok(place.target.join(PROFILE).join(program)),
        Ok(status) => Err(Fault::Failed(format!("{program}: cargo build ended with {status}"))),
        Err(error) => Err(Fault::Failed(format!("cargo cannot be run: {error}"))),
    }
}

/// Folders of this machine's tools whose paths a program must not carry.
fn homes() -> Result<Vec<(PathBuf, &'static str)>, Fault> {
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")));
    let rust = program::run("rustc", &["--print=sysroot"])?;
    Ok(cargo.map(|path| (path, "/cargo")).into_iter().chain([(rust.trim().into(), "/rust")]).collect())
}

/// The compiler's flags, in the form in which cargo takes several. Of two prefixes that fit, the last one is used.
fn flags(place: &Place, homes: &[(PathBuf, &str)]) -> String {
    let places = [(&place.sources, "/soak"), (&place.target, "/target")];
    let homes = homes.iter().map(|(from, to)| (from, *to));
    let each = homes.chain(places).map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    each.collect::<Vec<_>>().join("\u{1f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_folder_inside_the_sources_is_named_after_them() {
        let place = Place { sources: "/a".into(), target: "/a/target".into() };
        let flags = flags(&place, &[("/home/.cargo".into(), "/cargo")]);
        let expected = ["/home/.cargo=/cargo", "/a=/soak", "/a/target=/target"];
        let each: Vec<&str> =
            flags.split('\u{1f}').map(|flag| flag.trim_start_matches("--remap-path-prefix=")).collect();
        assert_eq!(each, expected);
    }
}
