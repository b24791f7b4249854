//! What is seen of a campaign: its pods, grouped by part, and the orders that its driver holds. In go the cluster and
//! what is remembered; out comes `Observed` for the engine. It asks and reads; it changes nothing but what it remembers.

mod pods;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{Api, ListParams};
use soak_campaign::step::{ObservedOrder, ObservedPart, OrderState, ProcessState};
use soak_sample::HeldOrder;

pub use pods::state;
pub(crate) use pods::{PartPods, Place, arm_ports, group, identity, image_id, is_guaranteed, lives, node, pod_ip};

use crate::{
    desk::Desk,
    names::{Base, CAMPAIGN},
    remote::{Remote, RemoteError},
};

/// The port of driver's and witness's control; the second where an arm listens on the first.
pub(crate) const CONTROL_PORTS: [u16; 2] = [9900, 9910];

/// The pods of a campaign, by part, in the order of the plan.
pub(crate) async fn campaign_pods(pods: &Api<Pod>, base: &Base) -> Result<Vec<PartPods>, kube_client::Error> {
    let wanted = ListParams::default().labels(&format!("{CAMPAIGN}={}", base.label()));
    Ok(group(pods.list(&wanted).await?.items))
}

/// The part at hand: of several, whose pods are there, the first in the order of the plan. Pods of an attempt that goes
/// on and that are not there have ended: no pod goes without a reason, and what ran in it is not taken up in mid-ramp.
pub(crate) async fn part(
    desk: &mut Desk,
    found: &[PartPods],
    driver: Option<&Remote>,
    now: i64,
) -> Option<ObservedPart> {
    let Some(first) = found.first() else {
        let gone = ProcessState::Absent;
        return desk.open_part().map(|key| ObservedPart { key, arm: gone.clone(), driver: gone, orders: Vec::new() });
    };
    let key = pods::last_kept(desk, first)?;
    let arm = pods::state(first.arm.as_ref());
    let state = pods::state(first.driver.as_ref());
    let (driver_state, orders) = match (&state, driver) {
        (ProcessState::Ready { .. }, Some(driver)) => match orders(driver).await {
            Ok(orders) => {
                desk.silent = None;
                (state, orders)
            }
            Err(error) => (silent(desk, &error, now), Vec::new()),
        },
        _ => (state, Vec::new()),
    };
    Some(ObservedPart { key, arm, driver: driver_state, orders })
}

/// It lives and does not answer: since the first time that it did not.
fn silent(desk: &mut Desk, error: &RemoteError, now: i64) -> ProcessState {
    let (since_unix_nanos, words) = desk.silent.get_or_insert_with(|| (now, error.to_string())).clone();
    ProcessState::Unknown { words, since_unix_nanos }
}

async fn orders(driver: &Remote) -> Result<Vec<ObservedOrder>, RemoteError> {
    let held: Vec<HeldOrder> = driver.read("/orders").await?.unwrap_or_default();
    Ok(held.into_iter().map(observed).collect())
}

fn observed(held: HeldOrder) -> ObservedOrder {
    let HeldOrder { id, state, start_unix_nanos, end_unix_nanos, error } = held;
    let state = match state {
        soak_sample::OrderState::Armed => OrderState::Armed,
        soak_sample::OrderState::Running => OrderState::Running,
        soak_sample::OrderState::Finished => OrderState::Finished,
        soak_sample::OrderState::Failed => {
            OrderState::Failed { words: error.unwrap_or_else(|| "it does not say why".to_owned()) }
        }
    };
    ObservedOrder { id, state, start_unix_nanos, end_unix_nanos }
}
