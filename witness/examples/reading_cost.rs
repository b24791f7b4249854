//! What the witness costs: CPU time for each reading, and how late readings are. Watches this very process for some
//! seconds: `cargo run --release -p soak-witness --example reading_cost [SECONDS]`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use soak_witness::{Group, Lineage, Root, Sampler, Watch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: i64 = std::env::args().nth(1).map_or(Ok(5), |seconds| seconds.parse())?;
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos())?;
    let root = Root::live();
    let group = Group { cgroup: None, lineage: Lineage::Tree(std::process::id()) };
    let watch = Watch {
        order: "cost".to_owned(),
        start_unix_nanos: now + 100_000_000,
        end_unix_nanos: now + 100_000_000 + seconds * 1_000_000_000,
        arm: Some(group),
        driver: None,
        admin: None,
        heap_budget: Duration::ZERO,
    };
    let window = Sampler::start(root, watch)?.join()?;
    let spent: Vec<u64> = window.readings.iter().filter_map(|reading| reading.own_cpu_nanos).collect();
    let each =
        spent.last().zip(spent.first()).map_or(0, |(last, first)| last - first) / (spent.len() as u64 - 1).max(1);
    println!("readings {}, CPU for each {} µs", window.readings.len(), each / 1000);
    for reading in &window.readings {
        println!("late {} µs", (reading.at_unix_nanos - reading.asked_unix_nanos) / 1000);
    }
    Ok(())
}
