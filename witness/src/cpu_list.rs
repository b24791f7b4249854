//! Lists of CPUs as the kernel writes them: `0-3,8,10-11`.

use std::{collections::BTreeSet, fmt, str::FromStr};

/// A set of CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuList {
    cpus: BTreeSet<u32>,
}

/// A text is not a list of CPUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a list of CPUs such as 0-3,8")]
pub struct CpuListError {
    text: String,
}

/// The highest CPU number taken for real; a list is a kernel's text, but also what a user may write.
const HIGHEST: u32 = 65_535;

impl CpuList {
    /// The CPUs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.cpus.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// Whether a CPU is in it.
    pub fn contains(&self, cpu: u32) -> bool {
        self.cpus.contains(&cpu)
    }

    /// The CPUs as a vector, ascending.
    pub fn to_vec(&self) -> Vec<u32> {
        self.iter().collect()
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        Self { cpus: cpus.into_iter().collect() }
    }
}

impl FromStr for CpuList {
    type Err = CpuListError;
    fn from_str(text: &str) -> Result<Self, CpuListError> {
        let wrong = || CpuListError { text: text.to_owned() };
        let number = |text: &str| text.parse::<u32>().ok().filter(|&cpu| cpu <= HIGHEST).ok_or_else(wrong);
        let mut cpus = BTreeSet::new();
        for piece in text.trim().split(',').filter(|piece| !piece.is_empty()) {
            let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(wrong());
            }
            cpus.extend(first..=last);
        }
        Ok(Self { cpus })
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while let Some(next) = cpus.next_if_eq(&(last + 1)) {
                last = next;
            }
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::btree_set, prelude::*};

    use super::CpuList;

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        let check = |text: &str, expected: &[u32]| {
            assert_eq!(text.parse::<CpuList>().unwrap().to_vec(), expected, "{text}");
        };
        check("0-1\n", &[0, 1]);
        check("0,2-4,9", &[0, 2, 3, 4, 9]);
        check("", &[]);
        for wrong in ["3-1", "a", "1-", "-1", "0-4294967295", "1 2"] {
            assert!(wrong.parse::<CpuList>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_list_survives_the_round_trip(cpus in btree_set(0u32..300, 0..40)) {
            let list: CpuList = cpus.iter().copied().collect();
            prop_assert_eq!(list.to_string().parse::<CpuList>().unwrap(), list);
        }
    }
}
