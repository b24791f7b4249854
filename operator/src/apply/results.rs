//! What every run has given, in immutable ConfigMaps, and the index last: from then on the results are whole.

use soak_campaign::{
    status::{JudgedRun, judged_runs},
    step::{PartKey, PodFacts},
};

use super::{ApplyError, Hands};
use crate::build::{config_map, index, result_documents};

impl Hands<'_> {
    /// Writes what is not written yet.
    pub(crate) async fn write_results(&self) -> Result<(), ApplyError> {
        if self.store.is_sealed().await? {
            return Ok(());
        }
        for (place, judged) in judged_runs(&self.desk.plan, &self.desk.ledger).iter().enumerate() {
            self.write_run(place, judged).await?;
        }
        let mut maps = self.store.of_role("plan").await?;
        maps.extend(self.store.of_role("record").await?);
        maps.extend(self.store.of_role("result").await?);
        maps.sort_by(|one, two| one.metadata.name.cmp(&two.metadata.name));
        let documents = index(&self.desk.plan.name, &self.desk.plan, &maps)?;
        let base = &self.desk.base;
        Ok(self.store.keep(&config_map(base, base.index(), "index", documents)).await?)
    }

    async fn write_run(&self, place: usize, judged: &JudgedRun) -> Result<(), ApplyError> {
        let Some((run, key)) = self.desk.run(&judged.run).zip(judged.key()) else { return Ok(()) };
        let attempt = self.desk.ledger.attempt(&key);
        let of_attempt = |part: &PartKey| part.attempt == key;
        let pods: Vec<&PodFacts> = self.desk.pods.iter().filter(|facts| of_attempt(&facts.part)).collect();
        let documents = result_documents(run, judged, attempt, &pods)?;
        let base = &self.desk.base;
        Ok(self.store.keep(&config_map(base, base.result(place), "result", documents)).await?)
    }
}
