//! The facts that head the tables: program, plan, machine, isolation. Pure.

use soak_campaign::plan::Plan;
use soak_local::ledger::{CampaignFile, ExecutorFacts, Facts, IsolationFacts, MachineFacts};
use soak_sample::{CgroupVersion, Machine};

use super::number;

/// The facts that all runs of a campaign share, a line each.
pub fn campaign(campaign: &CampaignFile) -> Vec<String> {
    let CampaignFile { started, facts, plan, .. } = campaign;
    let mut lines = vec![
        format!("started {started}; plan sha256 {}; {}", plan.hash, order(plan)),
        program(facts),
        format!("machine: {}", machine(&facts.machine)),
        format!("isolation: {}", isolation(&facts.executor)),
        "latency: from the time a call was due, over all calls due; ≥ where the rank falls among calls without an answer"
            .to_owned(),
    ];
    lines.extend(campaign.source.as_ref().map(|source| format!("campaign: {}", source.display())));
    lines
}

/// Lines as a list.
pub fn listed(lines: &[String]) -> String {
    lines.iter().flat_map(|line| ["- ", line, "\n"]).collect()
}

/// The machine in one line.
pub fn machine(machine: &Machine) -> String {
    let known = |value: Option<String>| value.unwrap_or_else(|| number::NOT_KNOWN.to_owned());
    let smt = match machine.smt {
        Some(true) => "SMT on",
        Some(false) => "SMT off",
        None => "SMT n/a",
    };
    let mut parts = vec![
        known(machine.cpu_model.clone()),
        format!("CPUs {}", cpus(&machine.cpus_allowed)),
        smt.to_owned(),
        format!("governor {}", known(machine.governor.clone())),
        known(machine.memory_bytes.map(number::memory)),
        format!("Linux {} {}", machine.kernel, machine.architecture),
        match machine.cgroups {
            Some(CgroupVersion::V1) => "cgroup v1".to_owned(),
            Some(CgroupVersion::V2) => "cgroup v2".to_owned(),
            None => "no cgroup".to_owned(),
        },
        format!("clock {}", known(machine.clocksource.clone())),
    ];
    if machine.virtual_machine == Some(true) {
        parts.push("virtual machine".to_owned());
    }
    parts.join(", ")
}

/// What keeps arm and driver apart, and what does not.
pub fn isolation(executor: &ExecutorFacts) -> String {
    match executor {
        ExecutorFacts::Machine(facts) => of_processes(&facts.isolation),
        ExecutorFacts::Cluster { .. } => "arm and driver in pods of their own, limits by the kubelet".to_owned(),
    }
}

fn of_processes(facts: &IsolationFacts) -> String {
    let enforced = facts.enforced;
    let quota = match facts.quota_period_micros {
        Some(micros) => format!("CPU quota over {} ms", number::rate(micros as f64 / 1000.0)),
        None => "no CPU quota: not permitted here".to_owned(),
    };
    let memory = if enforced.memory { "memory limit" } else { "no memory limit: not permitted here" };
    let cpus = if enforced.cpuset { "CPUs by cgroup" } else { "CPUs by affinity" };
    format!("{quota}; {memory}; {cpus}")
}

/// CPUs with ranges drawn together: `0–3, 8`.
pub fn cpus(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            Some(_) | None => ranges.push((cpu, cpu)),
        }
    }
    let text = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}–{last}"),
    };
    if ranges.is_empty() {
        number::NOT_KNOWN.to_owned()
    } else {
        ranges.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

fn program(facts: &Facts) -> String {
    let Facts { soak_version, executor, .. } = facts;
    match executor {
        ExecutorFacts::Machine(MachineFacts { soak_sha256, arms_build_inputs_sha256, .. }) => {
            let built = format!("preset arms built from sha256 {arms_build_inputs_sha256}");
            format!("soak {soak_version}, sha256 {soak_sha256}; {built}")
        }
        ExecutorFacts::Cluster { cluster } => format!(
            "soak {soak_version} on a cluster: namespace {}, ConfigMaps labelled soak.dev/campaign={}; copied by {}",
            cluster.namespace, cluster.results, cluster.copied_by
        ),
    }
}

fn order(plan: &Plan) -> String {
    let order = match plan.order_seed {
        Some(seed) => format!("random order of runs, seed {seed}"),
        None => "runs in the order as written".to_owned(),
    };
    format!("{} of {}; {order}", count(plan.replicates, "replicate"), count(plan.arms.len(), "arm"))
}

/// What was executed, whether a program or an image.
pub fn executed(digest: &str) -> String {
    let is_program = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_program { format!("executed sha256 {digest}") } else { format!("executed image {digest}") }
}

/// A number with its noun.
pub fn count(number: impl TryInto<i64>, one: &str) -> String {
    match number.try_into().unwrap_or(i64::MAX) {
        1 => format!("1 {one}"),
        more => format!("{} {one}s", number::whole(more)),
    }
}

#[cfg(test)]
mod tests {
    use super::cpus;

    #[test]
    fn neighbouring_cpus_are_drawn_together() {
        let check = |list: &[u32], expected: &str| assert_eq!(cpus(list), expected);
        check(&[0, 1, 2, 3, 8], "0–3, 8");
        check(&[1], "1");
        check(&[], "n/a");
    }
}
