//! Ends pods, load first: those that were seen, by their uids, and no others; and waits until they are gone.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::{
    ResourceExt as _,
    api::{DeleteParams, Preconditions},
};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{ApplyError, Hands};
use crate::observe::{self, PartPods, Place};

/// How long pods that were ended may take to be gone, before the next look.
const GONE_WITHIN: Duration = Duration::from_secs(20);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(250);

impl Hands<'_> {
    /// Ends every pod of the campaign that was seen. What another operator has made since is not ended.
    pub(super) async fn stop_all(&mut self) -> Result<(), ApplyError> {
        self.stop_but(None).await
    }

    /// Ends every pod that was seen, but those at this place that live.
    pub(super) async fn stop_but(&mut self, kept: Option<Place>) -> Result<(), ApplyError> {
        let ended: Vec<Pod> = self.found.iter().flat_map(|part| others(part, kept)).cloned().collect();
        let at_hand = self.found.first().is_some_and(|pods| Some(pods.place) != kept);
        if let Some(driver) = self.driver().filter(|_| at_hand) {
            // A driver that does not answer is ended in a moment.
            let _ = driver.ask::<_, Value>("/stop", &()).await;
        }
        for pod in ended.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none()) {
            self.delete(pod).await?;
        }
        let until = Instant::now() + GONE_WITHIN;
        while !ended.is_empty() {
            self.found = observe::campaign_pods(&self.pods(), &self.desk.base).await?;
            let there = self.found.iter().flat_map(|part| others(part, None));
            let left: Vec<String> =
                there.filter(|pod| ended.iter().any(|one| one.uid() == pod.uid())).map(Pod::name_any).collect();
            if left.is_empty() {
                break;
            }
            if Instant::now() >= until {
                return Err(ApplyError::NotYet(format!("{} end slowly", left.join(", "))));
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Deletes this pod, and no later one of its name.
    async fn delete(&self, pod: &Pod) -> Result<(), kube_client::Error> {
        let this = Preconditions { uid: pod.uid(), ..Preconditions::default() };
        match self.pods().delete(&pod.name_any(), &DeleteParams::default().preconditions(this)).await {
            Ok(_) => Ok(()),
            Err(kube_client::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The pods of a part but those at this place that live.
fn others(part: &PartPods, kept: Option<Place>) -> impl Iterator<Item = &Pod> {
    let stays = move |pod: &&Pod| Some(part.place) == kept && observe::lives(pod);
    [&part.driver, &part.arm].into_iter().flatten().filter(move |pod| !stays(pod))
}
