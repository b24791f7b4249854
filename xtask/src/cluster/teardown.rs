//! Takes the cluster away, whole or half made, and looks whether anything of it is left.

use std::{fs, io, path::Path, time::Duration};

use super::{cgroup::Hierarchies, layout::Layout, network, wait::until};
use crate::{Fault, program};

const LIMIT: Duration = Duration::from_secs(20);

/// Ends every process, and with them their namespaces, mounts and links; removes the groups and the folder.
pub(super) fn down(layout: &Layout) -> Result<(), Fault> {
    let hierarchies = Hierarchies::mounted()?;
    hierarchies.clear()?;
    network::disconnect();
    for mount in mounts(layout.root()) {
        program::run("umount", &["--lazy", &mount])?;
    }
    match fs::remove_dir_all(layout.root()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Fault::file(layout.root(), error)),
        Ok(()) | Err(_) => {}
    }
    until("removal of the cluster's link", LIMIT, || !network::is_connected())?;
    let left = left(layout, &hierarchies);
    if left.is_empty() { Ok(()) } else { Err(Fault::Failed(format!("left behind: {}", left.join(", ")))) }
}

/// What is there of a cluster.
pub(super) fn left(layout: &Layout, hierarchies: &Hierarchies) -> Vec<String> {
    let mut left: Vec<String> =
        hierarchies.processes().iter().map(|pid| format!("process {}", pid.as_raw_nonzero())).collect();
    left.extend(hierarchies.groups().into_iter().map(|group| format!("control group {}", group.display())));
    left.extend(mounts(layout.root()).into_iter().map(|mount| format!("mount {mount}")));
    if network::is_connected() {
        left.push("its network link".to_owned());
    }
    if layout.root().exists() {
        left.push(layout.root().display().to_string());
    }
    left
}

/// Mounts of this machine below a folder, the deepest first.
fn mounts(root: &Path) -> Vec<String> {
    let listed = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let places = listed.lines().filter_map(|line| line.split(' ').nth(1));
    let mut found: Vec<String> = places.filter(|place| Path::new(place).starts_with(root)).map(str::to_owned).collect();
    found.sort_by_key(|place| std::cmp::Reverse(place.len()));
    found
}
