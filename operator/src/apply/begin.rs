//! Makes the pods of a part, all or nothing, or keeps those that are there.

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{Patch, PatchParams};
use serde_json::Value;
use soak_campaign::step::{PartCause, PartKey, Processes, Record};

use super::{ApplyError, Hands};
use crate::{
    build::{Making, arm_pod, driver_pod},
    ledger::Besides,
    names::MANAGER,
    observe::{self, arm_ports, identity},
    token::sha256,
};

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
            Processes::Fresh => Box::pin(self.make(part)).await?,
        };
        let (arm, driver) = (identity(&arm), identity(&driver));
        let record = Record::PartBegan { part: part.clone(), at_unix_nanos: self.context.now(), cause, arm, driver };
        self.record(&part.attempt.run, record, Besides::Nothing).await
    }

    /// Makes both pods. Those that are there for this part already are taken as they are: no load is sent before a part
    /// is recorded, so they are fresh; and what another operator has just made is not ended.
    async fn make(&mut self, part: &PartKey) -> Result<(Pod, Pod), ApplyError> {
        let refused = |words: String| ApplyError::Start { attempt: part.attempt.clone(), words };
        let (arm, driver) = self.built(part).ok_or_else(|| refused("its server is none for a pod".to_owned()))?;
        let place = self.place_of(part);
        self.stop_but(place).await?;
        let there = self.found.iter().find(|pods| Some(pods.place) == place).cloned().unwrap_or_default();
        let made = async {
            let arm = self.there_or_made(there.arm, &arm).await?;
            Ok::<_, kube_client::Error>((arm, self.there_or_made(there.driver, &driver).await?))
        };
        match made.await {
            Ok(pods) => Ok(pods),
            Err(kube_client::Error::Api(status)) if is_refusal(status.code) => {
                self.found = observe::campaign_pods(&self.pods(), &self.desk.base).await?;
                self.stop_all().await?;
                Err(refused(status.message))
            }
            // What is made so far is taken as it is by the next look.
            Err(error) => Err(error.into()),
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

    async fn there_or_made(&self, there: Option<Pod>, pod: &Value) -> Result<Pod, kube_client::Error> {
        if let Some(there) = there {
            return Ok(there);
        }
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        self.pods().patch(name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(pod)).await
    }
}

/// What asking again does not change: forbidden by quota or policy, or not valid.
fn is_refusal(code: u16) -> bool {
    matches!(code, 400 | 403 | 422)
}
