//! Who a process is: id, start, parent, command line, program. In: a root and a process id; out: what the kernel says
//! of it. Knows nothing of arms and levers.

use std::{collections::HashMap, fs, io::Read, os::unix::ffi::OsStrExt};

use sha2::{Digest, Sha256};
use soak_sample::ProcessReading;

use crate::{
    CpuList, ReadError, Root,
    root::{self, malformed},
};

/// What `/proc/PID/stat` says of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Start, clock ticks since boot: tells a process from a later one of the same id.
    pub start_ticks: u64,
    /// The kernel's letter for its state; `Z` and `X` have ended.
    pub state: char,
}

impl Process {
    /// Reads one process.
    pub fn read(root: &Root, pid: u32) -> Result<Self, ReadError> {
        let path = root.process(pid).join("stat");
        parse_stat(&root::text(&path)?).ok_or_else(|| malformed(&path, "the state of a process"))
    }

    /// Every process of the machine that can be seen, in no order. One that ends meanwhile is left out.
    pub fn all(root: &Root) -> Result<Vec<Self>, ReadError> {
        let folder = root.path("/proc");
        let entries = fs::read_dir(&folder).map_err(|source| ReadError::Unreadable { path: folder, source })?;
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Ok(pids.filter_map(|pid| Self::read(root, pid).ok()).collect())
    }

    /// False once it has ended and only awaits its parent's notice.
    pub fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Its identity as windows keep it.
    pub fn reading(&self) -> ProcessReading {
        ProcessReading { pid: self.pid, start_ticks: self.start_ticks }
    }
}

/// The processes below one, itself left out: children, their children and so on, parents before children.
pub fn descendants(root: &Root, of: u32) -> Result<Vec<Process>, ReadError> {
    if let Some(found) = by_children_files(root, of) {
        return Ok(found);
    }
    let mut children: HashMap<u32, Vec<Process>> = HashMap::new();
    for process in Process::all(root)? {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = children.remove(&of).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let below = children.remove(&process.pid).unwrap_or_default();
        found.extend(below);
        next += 1;
    }
    Ok(found)
}

/// As `descendants`, by the kernel's lists of children; `None` on a kernel that has none.
fn by_children_files(root: &Root, of: u32) -> Option<Vec<Process>> {
    if !root.process(of).join(format!("task/{of}/children")).exists() {
        return None;
    }
    let mut found: Vec<Process> = Vec::new();
    let mut parent = of;
    let mut next = 0;
    loop {
        found.extend(children(root, parent).into_iter().filter_map(|pid| Process::read(root, pid).ok()));
        let Some(process) = found.get(next) else {
            return Some(found);
        };
        parent = process.pid;
        next += 1;
    }
}

/// The children of every thread of a process; none where it has ended.
fn children(root: &Root, pid: u32) -> Vec<u32> {
    let lists = threads(root, pid).into_iter().filter_map(|tid| {
        let path = root.process(pid).join(format!("task/{tid}/children"));
        root::text(&path).ok()
    });
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// The threads of a process, by id; none where it has ended.
pub(crate) fn threads(root: &Root, pid: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(root.process(pid).join("task")) else {
        return Vec::new();
    };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// The command line as the process was executed with, or as it has rewritten it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Program and arguments. One text, blanks included, where the process has put a title in their place.
    pub words: Vec<String>,
}

impl CommandLine {
    /// Reads a process's command line. A kernel thread's and an ended process's is empty.
    pub fn read(root: &Root, pid: u32) -> Result<Self, ReadError> {
        let bytes = root::bytes(&root.process(pid).join("cmdline"))?;
        Ok(Self { words: split_at_zeros(&bytes) })
    }

    /// The title that the process has put over its arguments, if it has: servers that fork do so.
    pub fn title(&self) -> Option<&str> {
        match self.words.as_slice() {
            [only] if only.contains(' ') => Some(only),
            _ => None,
        }
    }
}

/// The program that a process runs, as a path; `None` where this user may not see it.
pub fn program(root: &Root, pid: u32) -> Option<Vec<u8>> {
    Some(fs::read_link(root.process(pid).join("exe")).ok()?.as_os_str().as_bytes().to_vec())
}

/// The sha256 of the program that a process runs, in hexadecimal: of the file that was executed, also where another
/// has been put in its place since.
pub fn program_sha256(root: &Root, pid: u32) -> Result<String, ReadError> {
    let path = root.process(pid).join("exe");
    let unreadable = |source| ReadError::Unreadable { path: path.clone(), source };
    let mut file = fs::File::open(&path).map_err(unreadable)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece).map_err(unreadable)? {
            0 => return Ok(base16ct::lower::encode_string(&hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}

/// The CPUs on which a thread may run.
pub fn cpus_allowed(root: &Root, pid: u32, tid: u32) -> Result<CpuList, ReadError> {
    let path = root.process(pid).join(format!("task/{tid}/status"));
    let text = root::text(&path)?;
    let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.and_then(|list| list.trim().parse().ok()).ok_or_else(|| malformed(&path, "a list of CPUs"))
}

/// Texts that each end with a zero; zeros at the end, where a title was shorter than what it covers, add none.
pub(crate) fn split_at_zeros(bytes: &[u8]) -> Vec<String> {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let mut words: Vec<String> =
        bytes[..end].split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    if end == 0 {
        words.clear();
    }
    words
}

/// The fields behind the name, which may itself hold blanks and brackets: the last `)` ends it.
fn parse_stat(text: &str) -> Option<Process> {
    let (pid, _) = text.split_once(' ')?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid: pid.parse().ok()?,
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        start_ticks: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::{CommandLine, Process, parse_stat, split_at_zeros};

    #[test]
    fn a_name_with_blanks_and_brackets_does_not_shift_the_fields() {
        let text =
            "42 (a) b) (c) S 7 42 42 0 -1 4194304 99 0 0 0 1 2 0 0 20 0 1 0 95611 3133440 407 18446744073709551615";
        let expected = Process { pid: 42, parent: 7, start_ticks: 95611, state: 'S' };
        assert_eq!(parse_stat(text), Some(expected));
    }

    #[test]
    fn a_stat_that_is_cut_short_is_no_process() {
        assert_eq!(parse_stat("42 (a) S 7"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_command_line_is_split_at_its_zeros() {
        let check = |bytes: &[u8], expected: &[&str]| assert_eq!(split_at_zeros(bytes), expected);
        check(b"a\0b c\0", &["a", "b c"]);
        check(b"a\0\0b\0", &["a", "", "b"]);
        check(b"title of the process\0\0\0\0", &["title of the process"]);
        check(b"", &[]);
        check(b"\0\0", &[]);
    }

    #[test]
    fn one_text_with_blanks_is_a_title() {
        let title = |words: &[&str]| {
            let line = CommandLine { words: words.iter().map(|&word| word.to_owned()).collect() };
            line.title().map(str::to_owned)
        };
        assert_eq!(title(&["nginx: worker process"]), Some("nginx: worker process".to_owned()));
        assert_eq!(title(&["nginx"]), None);
        assert_eq!(title(&["nginx", "-g daemon off;"]), None);
    }
}
