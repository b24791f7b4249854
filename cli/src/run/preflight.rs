//! What a look at this machine speaks against a campaign, before anything is started: commands that are not there, ports
//! that others hold. In go the campaign and the folder of its commands; out come refusals with the fields they concern.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use soak_campaign::plan::{FieldPath, Refusal};
use soak_crds::spec::{Arm, Local};
use soak_local::port::{self, Listener};

use crate::input::Loaded;

/// Everything that speaks against it.
pub fn refusals(loaded: &Loaded, working_folder: &Path) -> Vec<Refusal> {
    let arms = loaded.resource.spec.arms.iter().enumerate();
    arms.flat_map(|(index, arm)| {
        of_arm(&FieldPath::spec().field("arms").item(index).field("server"), arm, working_folder)
    })
    .collect()
}

fn of_arm(server: &FieldPath, arm: &Arm, working_folder: &Path) -> Vec<Refusal> {
    let Some(Local { command }) = &arm.server.local else { return Vec::new() };
    let mut refusals = Vec::new();
    if let Some(program) = command.first().filter(|program| find(program, working_folder).is_none()) {
        let place = if program.contains('/') { "beside the campaign's file" } else { "in PATH" };
        refusals.push(Refusal {
            field: server.field("local").field("command").item(0),
            value: Some(program.clone()),
            message: format!("there is no such program {place}, or it cannot be executed"),
        });
    }
    if let Some(port) = arm.server.port.and_then(|port| u16::try_from(port).ok())
        && let stranger @ Listener::Stranger { .. } = port::listener(port, &[])
    {
        refusals.push(Refusal {
            field: server.field("port"),
            value: Some(port.to_string()),
            message: format!("the port is in use by {stranger}; end it, or give the server another port"),
        });
    }
    refusals
}

/// The program that a word names, as the kernel's own search finds it.
fn find(program: &str, working_folder: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(working_folder.join(program)).filter(|path| executable(path));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|path| executable(path))
}

fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_the_path_or_beside_the_campaign() {
        let folder = tempfile::tempdir().unwrap();
        let cart = folder.path().join("cart");
        fs::write(&cart, "").unwrap();
        assert_eq!(find("./cart", folder.path()), None);
        fs::set_permissions(&cart, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(find("./cart", folder.path()).is_some());
        assert!(find("sh", folder.path()).is_some());
        assert_eq!(find("no-such-program-here", folder.path()), None);
        assert_eq!(find("./", folder.path()), None);
    }
}
