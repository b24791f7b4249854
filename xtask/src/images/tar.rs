//! A tar file whose bytes depend on nothing but what is put in: no times, one owner, entries in the order of their names.
//! In: paths, modes and contents. Out: bytes in the ustar format.

use std::collections::BTreeMap;

const BLOCK: usize = 512;

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Folder { mode: u32 },
    File { mode: u32, content: Vec<u8> },
}

/// Files that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(BTreeMap<String, Entry>);

impl Tree {
    /// Puts a file at a path without a leading slash; its folders come with it.
    pub fn file(mut self, path: &str, mode: u32, content: Vec<u8>) -> Self {
        self.parents(path);
        self.0.insert(path.to_owned(), Entry::File { mode, content });
        self
    }

    /// Puts a folder.
    pub fn folder(mut self, path: &str, mode: u32) -> Self {
        self.parents(path);
        self.0.insert(path.to_owned(), Entry::Folder { mode });
        self
    }

    /// The bytes.
    pub fn tar(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (path, entry) in &self.0 {
            let (content, header) = match entry {
                Entry::Folder { mode } => (&[][..], header(&format!("{path}/"), *mode, 0, Kind::Folder)),
                Entry::File { mode, content } => (&content[..], header(path, *mode, content.len(), Kind::File)),
            };
            out.extend(header);
            out.extend(content);
            out.resize(out.len().next_multiple_of(BLOCK), 0);
        }
        out.resize(out.len() + 2 * BLOCK, 0);
        out
    }

    fn parents(&mut self, path: &str) {
        for (at, _) in path.match_indices('/') {
            self.0.entry(path[..at].to_owned()).or_insert(Entry::Folder { mode: 0o755 });
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    File,
    Folder,
}

/// A header block. Paths here are short: what does not fit into the name field is cut by none of our callers.
fn header(path: &str, mode: u32, size: usize, kind: Kind) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    put(&mut block, 0, path);
    put(&mut block, 100, &format!("{mode:07o}"));
    put(&mut block, 108, "0000000");
    put(&mut block, 116, "0000000");
    put(&mut block, 124, &format!("{size:011o}"));
    put(&mut block, 136, "00000000000");
    put(&mut block, 148, "        ");
    block[156] = match kind {
        Kind::File => b'0',
        Kind::Folder => b'5',
    };
    put(&mut block, 257, "ustar\0");
    put(&mut block, 263, "00");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    put(&mut block, 148, &format!("{sum:06o}\0 "));
    block
}

fn put(block: &mut [u8; BLOCK], at: usize, text: &str) {
    block[at..at + text.len()].copy_from_slice(text.as_bytes());
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    use super::*;

    fn sample() -> Tree {
        Tree::default().file("b/c/run", 0o755, vec![7; 700]).file("a", 0o644, vec![]).folder("tmp", 0o1777)
    }

    #[test]
    fn the_system_s_tar_reads_it() {
        let mut tar = Command::new("tar")
            .args(["--utc", "-tvf", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        tar.stdin.take().unwrap().write_all(&sample().tar()).unwrap();
        let output = tar.wait_with_output().unwrap();
        let listed: Vec<String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert!(output.status.success());
        assert_eq!(
            listed,
            [
                "-rw-r--r-- 0/0 0 1970-01-01 00:00 a",
                "drwxr-xr-x 0/0 0 1970-01-01 00:00 b/",
                "drwxr-xr-x 0/0 0 1970-01-01 00:00 b/c/",
                "-rwxr-xr-x 0/0 700 1970-01-01 00:00 b/c/run",
                "drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/",
            ]
        );
    }

    #[test]
    fn the_order_in_which_files_are_put_in_does_not_matter() {
        let other = Tree::default().folder("tmp", 0o1777).file("a", 0o644, vec![]).file("b/c/run", 0o755, vec![7; 700]);
        assert_eq!(sample().tar(), other.tar());
    }
}
