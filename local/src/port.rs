//! Who listens on a TCP port of this machine. In go a port, the processes of an arm and the root of a proc file system;
//! out comes whether the arm, a stranger or nobody has it. It must not open a connection.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

/// Who listens on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listener {
    /// Nobody.
    Nobody,
    /// A process of the arm, and none but the arm's.
    Arm,
    /// Somebody else: the process and its name, where they can be seen.
    Stranger {
        /// Process id.
        pid: Option<u32>,
        /// Its name.
        name: Option<String>,
    },
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => f.write_str("nobody"),
            Self::Arm => f.write_str("the arm"),
            Self::Stranger { pid: Some(pid), name: Some(name) } => write!(f, "{name} (process {pid})"),
            Self::Stranger { pid: Some(pid), name: None } => write!(f, "process {pid}"),
            Self::Stranger { pid: None, .. } => f.write_str("a process that this user cannot see"),
        }
    }
}

/// Reads who listens on `port`, where `arm` are the processes of the arm.
pub fn listener(port: u16, arm: &[u32]) -> Listener {
    Proc { root: PathBuf::from("/proc") }.listener(port, arm)
}

struct Proc {
    root: PathBuf,
}

impl Proc {
    fn listener(&self, port: u16, arm: &[u32]) -> Listener {
        let mut sockets: BTreeSet<u64> = ["tcp", "tcp6"].iter().flat_map(|table| self.listening(table, port)).collect();
        if sockets.is_empty() {
            return Listener::Nobody;
        }
        for pid in arm {
            for socket in self.sockets_of(*pid) {
                sockets.remove(&socket);
            }
        }
        if sockets.is_empty() { Listener::Arm } else { self.stranger(&sockets) }
    }

    fn listening(&self, table: &str, port: u16) -> Vec<u64> {
        let text = fs::read_to_string(self.root.join("self/net").join(table)).unwrap_or_default();
        text.lines().skip(1).filter_map(|line| listening_inode(line, port)).collect()
    }

    fn sockets_of(&self, pid: u32) -> Vec<u64> {
        let Ok(entries) = fs::read_dir(self.root.join(pid.to_string()).join("fd")) else { return Vec::new() };
        entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).filter_map(|link| inode(&link)).collect()
    }

    fn stranger(&self, sockets: &BTreeSet<u64>) -> Listener {
        let pids = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let owner = pids
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
            .find(|pid| self.sockets_of(*pid).iter().any(|socket| sockets.contains(socket)));
        let name = owner
            .and_then(|pid| fs::read_to_string(self.root.join(pid.to_string()).join("comm")).ok())
            .map(|name| name.trim_end().to_owned());
        Listener::Stranger { pid: owner, name }
    }
}

/// The socket of a line of `/proc/net/tcp` that listens on `port`.
fn listening_inode(line: &str, port: u16) -> Option<u64> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (local, state, socket) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    let (_, local_port) = local.rsplit_once(':')?;
    let matches = *state == "0A" && u16::from_str_radix(local_port, 16) == Ok(port);
    if matches { socket.parse().ok() } else { None }
}

fn inode(link: &Path) -> Option<u64> {
    link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_port_belongs_to_nobody_the_arm_or_a_stranger() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let me = std::process::id();
        assert_eq!(listener(port, &[me]), Listener::Arm);
        let Listener::Stranger { pid, name } = listener(port, &[]) else { panic!("not seen") };
        assert_eq!(pid, Some(me));
        assert!(name.is_some());
        drop(socket);
        assert_eq!(listener(port, &[me]), Listener::Nobody);
    }

    #[test]
    fn only_a_listening_line_of_that_port_counts() {
        let check = |line: &str, expected: Option<u64>| assert_eq!(listening_inode(line, 8080), expected, "{line}");
        let tail = "00000000:00000000 00:00000000 00000000  0  0 4711 1 0 100 0 0 10 0";
        check(&format!("0: 0100007F:1F90 00000000:0000 0A {tail}"), Some(4711));
        check(&format!("0: 00000000000000000000000000000000:1F90 0:0 0A {tail}"), Some(4711));
        check(&format!("0: 0100007F:1F91 00000000:0000 0A {tail}"), None);
        check(&format!("0: 0100007F:1F90 0100007F:9999 01 {tail}"), None);
        check("", None);
    }
}
