//! From rows to verdicts on steps, runs and campaigns. Every verdict carries its evidence in numbers and its bound.
//! Knows no clock and no file; what was not observed is unknown, never fine.

mod campaign;
mod compare;
mod drift;
mod evidence;
mod extend;
mod judgement;
mod lever;
mod limit;
pub mod noise;
mod question;
mod replicate;
mod run;
mod slo;
mod standing;
mod step;
pub mod student;
mod void;
mod withdraw;

use soak_crds::spec::JudgeBounds;

pub use campaign::{CampaignJudgement, fingerprint, fingerprint_hash, judge_campaign};
pub use compare::{Comparison, Matched, unclaimed_words};
pub use drift::{Drift, drift};
pub use extend::extend;
pub use judgement::{Capacity, Evidence, Knee, Plateau, RunJudgement, Verdict, Worth};
pub use lever::LeverWorth;
pub use noise::Ratio;
pub use question::{Answer, Answered, ratio_words};
pub use replicate::{ArmJudgement, Replicate, RunResult};
pub use run::median;
pub use slo::slo_capacity;
pub use withdraw::{withdraw, withdrawn_run};

use crate::table::{Row, Signals};

/// Judges one run: gives each row its verdict and evidence, and says what the run means. `signals` go with `rows` one to
/// one; without any the table is from outside and its columns are all that is known.
pub fn judge_run(mut rows: Vec<Row>, signals: &[Signals], bounds: &JudgeBounds) -> (Vec<Row>, RunJudgement) {
    step::judge(&mut rows, signals, bounds);
    let judgement = run::judge(&rows, bounds);
    (rows, judgement)
}
