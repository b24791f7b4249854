//! Proofs of CPU and memory limits and of the CPUs. Pure. A limit holds when it is in effect on every process of the arm.

use std::collections::BTreeSet;

use soak_sample::{LeverProof, ProofSource};

use super::{Declared, Enforcement, Observed, Permitted};
use crate::{CpuList, Limits};

/// The kernel rounds a memory limit down to whole pages; the largest page size in use.
const PAGE: u64 = 65_536;

/// The proofs of a declaration's limits.
pub(super) fn prove(declared: &Declared, observed: &Observed, permitted: Permitted) -> Vec<LeverProof> {
    let cpu = declared.cpu_milli.map(|milli| {
        let seen = observed.limits.iter().map(|limits: &Limits| limits.cpu_milli);
        Limit { lever: "resources.cpu", declared: milli, show: |milli| format!("{milli}m") }.prove(
            seen,
            permitted.cpu,
            |found| found == milli,
        )
    });
    let memory = declared.memory_bytes.map(|bytes| {
        let seen = observed.limits.iter().map(|limits| limits.memory_bytes);
        Limit { lever: "resources.memory", declared: bytes, show: |bytes| format!("{bytes} bytes") }.prove(
            seen,
            permitted.memory,
            |found| found <= bytes && bytes - found < PAGE,
        )
    });
    let cpus = (!declared.cpus.is_empty()).then(|| cpus(&declared.cpus, &observed.affinity));
    [cpu, memory, cpus].into_iter().flatten().collect()
}

struct Limit {
    lever: &'static str,
    declared: u64,
    show: fn(u64) -> String,
}

impl Limit {
    /// `seen`: of each process, `None` where it has no such limit.
    fn prove(
        &self,
        seen: impl Iterator<Item = Option<u64>>,
        enforcement: Enforcement,
        holds: impl Fn(u64) -> bool,
    ) -> LeverProof {
        let seen: BTreeSet<Option<u64>> = seen.collect();
        let (observed, held, note) = match enforcement {
            Enforcement::NotPermitted => {
                (None, None, Some("not enforced: this machine does not permit it to this user"))
            }
            Enforcement::Permitted if seen.is_empty() => (None, Some(false), Some("no process could be read")),
            Enforcement::Permitted => {
                let texts: Vec<String> =
                    seen.iter().map(|limit| limit.map_or_else(|| "no limit".to_owned(), self.show)).collect();
                (Some(texts.join(", ")), Some(seen.iter().all(|limit| limit.is_some_and(&holds))), None)
            }
        };
        LeverProof {
            lever: self.lever.to_owned(),
            declared: (self.show)(self.declared),
            observed,
            source: ProofSource::Cgroup,
            held,
            note: note.map(str::to_owned),
        }
    }
}

fn cpus(declared: &[u32], affinity: &[CpuList]) -> LeverProof {
    let declared: CpuList = declared.iter().copied().collect();
    let seen: BTreeSet<String> = affinity.iter().map(ToString::to_string).collect();
    let held = !affinity.is_empty() && affinity.iter().all(|list| list.iter().all(|cpu| declared.contains(cpu)));
    LeverProof {
        lever: "cpus".to_owned(),
        declared: declared.to_string(),
        observed: (!seen.is_empty()).then(|| seen.into_iter().collect::<Vec<_>>().join("; ")),
        source: ProofSource::Affinity,
        held: Some(held),
        note: affinity.is_empty().then(|| "no thread could be read".to_owned()),
    }
}
