//! What must hold of the load that a cluster has seen, whatever happened to the operators.

use std::collections::BTreeSet;

use soak_campaign::step::StepKey;

use crate::cluster::Cluster;

/// No order was carried out twice, none was placed too late, no two at the same time; and no pod is left.
pub fn sound(cluster: &Cluster, context: &str) {
    let mut carried = cluster.hosts.carried();
    carried.sort_by_key(|carried| carried.order.start_unix_nanos);
    let ids: BTreeSet<&str> = carried.iter().map(|carried| carried.order.id.as_str()).collect();
    assert_eq!(ids.len(), carried.len(), "{context}: an order was carried out twice");
    for one in &carried {
        assert!(one.placed <= one.order.start_unix_nanos, "{context}: {} was placed too late", one.order.id);
    }
    for pair in carried.windows(2) {
        let (one, next) = (&pair[0], &pair[1]);
        assert!(one.until <= next.order.start_unix_nanos, "{context}: {} met {}", one.order.id, next.order.id);
    }
    assert!(cluster.api.all("pods").is_empty(), "{context}: pods are left");
}

/// Every step was loaded exactly once, in the first part of the first attempt.
pub fn in_one_piece(cluster: &Cluster, steps: usize, context: &str) {
    let carried = cluster.hosts.carried();
    let keys: Vec<StepKey> = carried.iter().map(|it| StepKey::from_order_id(&it.order.id).unwrap()).collect();
    assert_eq!(keys.len(), steps, "{context}: {keys:?}");
    let whole = keys.iter().all(|key| (key.part.attempt.attempt, key.part.part) == (1, 1));
    assert!(whole, "{context}: {keys:?}");
}
