//! Where the cgroup hierarchies are mounted. In: the mount table; out: each hierarchy with its controllers. Knows no
//! process.

use std::path::{Path, PathBuf};

use soak_sample::CgroupVersion;

use crate::{ReadError, Root};

/// One mounted cgroup hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// Old or unified.
    pub version: CgroupVersion,
    /// The controllers of an old hierarchy, as its mount options name them; empty for the unified one.
    pub controllers: Vec<String>,
    /// Where it is mounted, as the kernel names it.
    pub mount_point: PathBuf,
    /// Which cgroup is at the mount point.
    pub mounted: PathBuf,
}

impl Hierarchy {
    /// All hierarchies that are mounted.
    pub fn all(root: &Root) -> Result<Vec<Self>, ReadError> {
        Ok(root.text("/proc/self/mountinfo")?.lines().filter_map(parse_line).collect())
    }

    /// All hierarchies that a process sees mounted, in its own mount namespace.
    pub fn seen_by(root: &Root, pid: u32) -> Result<Vec<Self>, ReadError> {
        let path = root.process(pid).join("mountinfo");
        Ok(crate::root::text(&path)?.lines().filter_map(parse_line).collect())
    }

    /// The one that holds a controller. The unified one holds every controller that no old one does.
    pub fn holding<'a>(hierarchies: &'a [Self], controller: &str) -> Option<&'a Self> {
        let old = hierarchies.iter().find(|hierarchy| hierarchy.controllers.iter().any(|name| name == controller));
        old.or_else(|| hierarchies.iter().find(|hierarchy| hierarchy.version == CgroupVersion::V2))
    }

    /// The folder of a cgroup, as the kernel names it; `None` where it lies outside of what is mounted.
    pub fn folder(&self, cgroup: &Path) -> Option<PathBuf> {
        let below = cgroup.strip_prefix(&self.mounted).ok()?;
        if below.components().any(|part| part.as_os_str() == "..") {
            return None;
        }
        Some(if below.as_os_str().is_empty() { self.mount_point.clone() } else { self.mount_point.join(below) })
    }
}

/// `36 31 0:33 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu`: optional fields end with a dash.
fn parse_line(line: &str) -> Option<Hierarchy> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(3);
    let (mounted, mount_point) = (mount.next()?, mount.next()?);
    let mut system = system.split(' ');
    let (version, options) = match (system.next()?, system.next(), system.next()) {
        ("cgroup", _, Some(options)) => (CgroupVersion::V1, options),
        ("cgroup2", _, _) => (CgroupVersion::V2, ""),
        _ => return None,
    };
    let controllers = options.split(',').filter(|option| CONTROLLERS.contains(option));
    Some(Hierarchy {
        version,
        controllers: controllers.map(str::to_owned).collect(),
        mount_point: PathBuf::from(unescape(mount_point)),
        mounted: PathBuf::from(unescape(mounted)),
    })
}

/// The controllers that are read or set here.
const CONTROLLERS: [&str; 5] = ["cpu", "cpuacct", "cpuset", "memory", "freezer"];

/// Blanks, tabs, line ends and backslashes are written as three octal digits.
fn unescape(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (code, letter)| text.replace(code, letter))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use soak_sample::CgroupVersion;

    use super::{Hierarchy, parse_line};

    #[test]
    fn an_old_hierarchy_names_its_controllers() {
        let line = "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct";
        let hierarchy = parse_line(line).unwrap();
        assert_eq!(hierarchy.version, CgroupVersion::V1);
        assert_eq!(hierarchy.controllers, ["cpu", "cpuacct"]);
        assert_eq!(hierarchy.mount_point, Path::new("/sys/fs/cgroup/cpu,cpuacct"));
    }

    #[test]
    fn what_is_no_cgroup_is_passed_over() {
        assert_eq!(parse_line("22 27 0:21 / /proc rw,relatime - proc proc rw"), None);
        assert_eq!(parse_line(""), None);
        assert!(parse_line(r"41 31 0:38 / /sys/fs/my\040group rw - cgroup2 cgroup2 rw").is_some());
    }

    #[test]
    fn the_unified_hierarchy_holds_what_no_old_one_does() {
        let lines = [
            "1 0 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
            "2 0 0:2 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
        ];
        let all: Vec<Hierarchy> = lines.iter().filter_map(|line| parse_line(line)).collect();
        let version = |controller| Hierarchy::holding(&all, controller).map(|hierarchy| hierarchy.version);
        assert_eq!(version("memory"), Some(CgroupVersion::V1));
        assert_eq!(version("cpu"), Some(CgroupVersion::V2));
        assert_eq!(Hierarchy::holding(&all[..1], "cpu"), None);
    }

    #[test]
    fn a_cgroup_outside_of_what_is_mounted_has_no_folder() {
        let line = "1 0 0:1 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory";
        let hierarchy = parse_line(line).unwrap();
        let check = |cgroup: &str, expected: Option<&str>| {
            assert_eq!(hierarchy.folder(Path::new(cgroup)), expected.map(PathBuf::from), "{cgroup}");
        };
        check("/docker/abc", Some("/sys/fs/cgroup/memory"));
        check("/docker/abc/arm", Some("/sys/fs/cgroup/memory/arm"));
        check("/docker/abcdef", None);
        check("/docker/abc/../def", None);
    }
}
