//! Which processes of an arm are the server itself, and not its wrapper. In: the arm's processes, its port; out: those
//! that listen on it, each stood for by the process that was executed. Opens no connection.

use std::{collections::BTreeSet, fs};

use crate::{CommandLine, Process, Root, process::program, root};

/// The processes whose command line and environment decide how the server behaves: those that listen on the port, or
/// where none can be seen to, the main one. A process that was forked from another of the arm and not executed anew
/// is stood for by that one.
pub fn servers(root: &Root, members: &[Process], main: u32, port: Option<u16>) -> Vec<u32> {
    let listening = port.map(|port| listeners(root, members, port)).unwrap_or_default();
    let pids = if listening.is_empty() { BTreeSet::from([main]) } else { listening };
    let executed: BTreeSet<u32> = pids.into_iter().map(|pid| executed_as(root, members, pid)).collect();
    executed.into_iter().collect()
}

/// The members that hold a socket listening on the port.
pub fn listeners(root: &Root, members: &[Process], port: u16) -> BTreeSet<u32> {
    let Some(first) = members.first() else {
        return BTreeSet::new();
    };
    let tables = ["tcp", "tcp6"].map(|table| root.process(first.pid).join("net").join(table));
    let sockets: BTreeSet<String> = tables
        .iter()
        .filter_map(|table| root::text(table).ok())
        .flat_map(|text| text.lines().filter_map(|line| listening_socket(line, port)).collect::<Vec<_>>())
        .collect();
    members.iter().map(|member| member.pid).filter(|&pid| holds_any(root, pid, &sockets)).collect()
}

/// `0: 0100007F:1F90 00000000:0000 0A … inode …`: the state 0A listens; the tenth field is the socket's number.
fn listening_socket(line: &str, port: u16) -> Option<String> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (_, local) = fields.get(1)?.rsplit_once(':')?;
    let listens = *fields.get(3)? == "0A" && u16::from_str_radix(local, 16).ok()? == port;
    listens.then(|| format!("socket:[{}]", fields.get(9).copied().unwrap_or_default()))
}

fn holds_any(root: &Root, pid: u32, sockets: &BTreeSet<String>) -> bool {
    if sockets.is_empty() {
        return false;
    }
    let Ok(files) = fs::read_dir(root.process(pid).join("fd")) else {
        return false;
    };
    let mut targets = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    targets.any(|target| target.to_str().is_some_and(|target| sockets.contains(target)))
}

/// Climbs from a forked process to the one that was executed: the parent runs the same program, and the process has the
/// same command line or only a title in its place.
fn executed_as(root: &Root, members: &[Process], pid: u32) -> u32 {
    let parent = members.iter().find(|member| member.pid == pid).map(|member| member.parent);
    match parent.filter(|&parent| members.iter().any(|member| member.pid == parent)) {
        Some(parent) if is_forked(root, pid, parent) => executed_as(root, members, parent),
        Some(_) | None => pid,
    }
}

fn is_forked(root: &Root, pid: u32, parent: u32) -> bool {
    let (Some(own), Some(parents)) = (program(root, pid), program(root, parent)) else {
        return false;
    };
    let (Ok(line), Ok(parents_line)) = (CommandLine::read(root, pid), CommandLine::read(root, parent)) else {
        return false;
    };
    own == parents && (line == parents_line || line.title().is_some())
}

#[cfg(test)]
mod tests {
    use super::listening_socket;

    #[test]
    fn only_a_socket_that_listens_on_the_port_counts() {
        let line = |local: &str, state: &str| {
            format!(
                "   0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 ffff 100 0 0 10 0"
            )
        };
        let check = |local: &str, state: &str, expected: Option<&str>| {
            assert_eq!(listening_socket(&line(local, state), 8080).as_deref(), expected, "{local} {state}");
        };
        check("0100007F:1F90", "0A", Some("socket:[4711]"));
        check("00000000000000000000000000000000:1F90", "0A", Some("socket:[4711]"));
        check("0100007F:1F91", "0A", None);
        check("0100007F:1F90", "01", None);
        assert_eq!(listening_socket("  sl  local_address rem_address   st tx_queue", 8080), None);
    }
}
