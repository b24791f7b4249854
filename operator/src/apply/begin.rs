//! Makes the pods of a part, all or nothing, or keeps those that are there; and ends them.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::{
    ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::Value;
use soak_campaign::step::{PartCause, PartKey, Processes, Record};
use tokio::time::{Instant, sleep};

use super::{ApplyError, Hands};
use crate::{
    build::{Making, arm_pod, driver_pod},
    ledger::Besides,
    names::MANAGER,
    observe::{self, arm_ports, identity},
    token::sha256,
};

/// How long pods that were ended may take to be gone, before the next look.
const GONE_WITHIN: Duration = Duration::from_secs(20);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(250);

impl Hands<'_> {
    /// Makes the pods of a part, or keeps those of the part before, and records that it began.
    pub(super) async fn begin(
        &mut self,
        part: &PartKey,
        processes: Processes,
        cause: PartCause,
    ) -> Result<(), ApplyError> {
        let (arm, driver) = match processes {
            Processes::Kept => {
                let kept = self.found.first().and_then(|pods| Some((pods.arm.clone()?, pods.driver.clone()?)));
                kept.ok_or_else(|| ApplyError::NotYet("the pods to keep are gone".to_owned()))?
            }
            Processes::Fresh => {
                self.stop_all().await?;
                self.make(part).await?
            }
        };
        let (arm, driver) = (identity(&arm), identity(&driver));
        let record = Record::PartBegan { part: part.clone(), at_unix_nanos: self.context.now(), cause, arm, driver };
        self.record(&part.attempt.run, record, Besides::Nothing).await
    }

    async fn make(&mut self, part: &PartKey) -> Result<(Pod, Pod), ApplyError> {
        let refused = |words: String| ApplyError::Start { attempt: part.attempt.clone(), words };
        let (arm, driver) = self.built(part).ok_or_else(|| refused("its server is none for a pod".to_owned()))?;
        let made = async {
            let arm = self.apply_pod(&arm).await?;
            Ok::<_, kube_client::Error>((arm, self.apply_pod(&driver).await?))
        };
        match made.await {
            Ok(pods) => Ok(pods),
            Err(error) => {
                self.stop_all().await?;
                match error {
                    kube_client::Error::Api(status) if is_refusal(status.code) => Err(refused(status.message)),
                    error => Err(error.into()),
                }
            }
        }
    }

    /// The objects of both pods.
    fn built(&self, part: &PartKey) -> Option<(Value, Value)> {
        let place = self.place_of(part)?;
        let arm = self.desk.arm_of(&part.attempt.run)?;
        let token_sha256 = sha256(self.token(place));
        let making = Making {
            base: &self.desk.base,
            namespace: self.campaign.metadata.namespace.as_deref()?,
            owner: (self.campaign.metadata.name.as_deref()?, self.campaign.metadata.uid.as_deref()?),
            run: place.0,
            part,
            images: &self.context.config.images,
            token_sha256: &token_sha256,
        };
        // A digest that the kubelet reported with its repository can be asked for; what was loaded by hand cannot.
        let pinned = self.desk.pinned(&arm.name).map(|fact| fact.image_id.as_str());
        let pinned = pinned.filter(|image| image.contains('@'));
        Some((arm_pod(&making, arm, arm_ports(&arm.server)?, pinned)?, driver_pod(&making, arm)))
    }

    async fn apply_pod(&self, pod: &Value) -> Result<Pod, kube_client::Error> {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        self.pods().patch(name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(pod)).await
    }

    /// Ends every pod of the campaign, load first, and waits until they are gone.
    pub(crate) async fn stop_all(&mut self) -> Result<(), ApplyError> {
        if let Some(driver) = self.driver() {
            // A driver that does not answer is ended in a moment.
            let _ = driver.ask::<_, Value>("/stop", &()).await;
        }
        let until = Instant::now() + GONE_WITHIN;
        loop {
            self.found = observe::campaign_pods(&self.pods(), &self.desk.base).await?;
            let left: Vec<Pod> =
                self.found.iter().flat_map(|part| [&part.driver, &part.arm]).flatten().cloned().collect();
            if left.is_empty() {
                return Ok(());
            }
            for pod in left.iter().filter(|pod| pod.metadata.deletion_timestamp.is_none()) {
                self.delete(&pod.name_any()).await?;
            }
            if Instant::now() >= until {
                let names: Vec<String> = left.iter().map(Pod::name_any).collect();
                return Err(ApplyError::NotYet(format!("{} end slowly", names.join(", "))));
            }
            sleep(LOOK).await;
        }
    }

    async fn delete(&self, name: &str) -> Result<(), kube_client::Error> {
        match self.pods().delete(name, &DeleteParams::default()).await {
            Ok(_) => Ok(()),
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What asking again does not change: forbidden by quota or policy, or not valid.
fn is_refusal(code: u16) -> bool {
    matches!(code, 400 | 403 | 422)
}
