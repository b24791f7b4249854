//! What every run has given, in immutable ConfigMaps, and the index last: from then on the results are whole.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::ConfigMap;
use soak_campaign::{
    status::{JudgedRun, judged_runs},
    step::{PartKey, PodFacts},
};
use soak_crds::spec::Withdrawal;

use super::{ApplyError, Hands};
use crate::{
    build::{config_map, index, result_documents},
    desk::Desk,
};

impl Hands<'_> {
    /// Writes what is not written yet. A withdrawal is followed by another index, and by other results of its run.
    pub(crate) async fn write_results(&self) -> Result<(), ApplyError> {
        let Desk { base, plan, ledger, .. } = &*self.desk;
        let index_name = base.index(ledger.withdrawals.len());
        if self.store.has(&index_name).await? {
            return Ok(());
        }
        let mut current = BTreeSet::new();
        for (place, judged) in judged_runs(plan, ledger).iter().enumerate() {
            let own = |(_, withdrawal): &&(i64, Withdrawal)| withdrawal.run == judged.run.0;
            let name = base.result(place, ledger.withdrawals.iter().filter(own).count());
            self.write_run(&name, judged).await?;
            current.insert(name);
        }
        let is_current = |map: &ConfigMap| map.metadata.name.as_ref().is_some_and(|name| current.contains(name));
        let mut maps = self.store.of_role("plan").await?;
        maps.extend(self.store.of_role("record").await?);
        maps.extend(self.store.of_role("result").await?.into_iter().filter(is_current));
        maps.sort_by(|one, two| one.metadata.name.cmp(&two.metadata.name));
        let documents = index(&plan.name, plan, &maps)?;
        Ok(self.store.keep(&config_map(base, index_name, "index", documents)).await?)
    }

    async fn write_run(&self, name: &str, judged: &JudgedRun) -> Result<(), ApplyError> {
        let Some((run, key)) = self.desk.run(&judged.run).zip(judged.key()) else { return Ok(()) };
        let attempt = self.desk.ledger.attempt(&key);
        let of_attempt = |part: &PartKey| part.attempt == key;
        let pods: Vec<&PodFacts> = self.desk.pods.iter().filter(|facts| of_attempt(&facts.part)).collect();
        let documents = result_documents(run, judged, attempt, &pods)?;
        Ok(self.store.keep(&config_map(&self.desk.base, name.to_owned(), "result", documents)).await?)
    }
}
