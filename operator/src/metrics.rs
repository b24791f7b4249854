//! What the operator counts of itself, as Prometheus reads it. No label names a campaign: series do not grow with them.

use prometheus_client::{encoding::text::encode, metrics::counter::Counter, metrics::gauge::Gauge, registry::Registry};

/// The counters.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Looks at campaigns.
    pub looks: Counter,
    /// Looks that failed; another followed.
    pub failed_looks: Counter,
    /// Statuses written.
    pub status_writes: Counter,
    /// 1 while this operator carries campaigns out.
    pub leader: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("soak_operator");
        let (looks, failed_looks, status_writes, leader) =
            (Counter::default(), Counter::default(), Counter::default(), Gauge::default());
        registry.register("reconciles", "Looks at campaigns", looks.clone());
        registry.register("reconcile_errors", "Looks at campaigns that failed", failed_looks.clone());
        registry.register("status_writes", "Statuses written", status_writes.clone());
        registry.register("leader", "1 while this operator carries campaigns out", leader.clone());
        Self { registry, looks, failed_looks, status_writes, leader }
    }
}

impl Metrics {
    /// As text, in the `OpenMetrics` format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Metrics;

    #[test]
    fn every_counter_is_told() {
        let metrics = Metrics::default();
        metrics.looks.inc();
        let text = metrics.text();
        for line in
            ["soak_operator_reconciles_total 1", "soak_operator_reconcile_errors_total 0", "soak_operator_leader 0"]
        {
            assert!(text.contains(line), "{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
