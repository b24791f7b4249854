//! From plan and ledger to what a user reads: the runs judged, the arms' results, the outcome, the status. Knows no clock
//! and no file; what only an executor knows (digests) is an argument.

mod accounted;
mod arms;
mod campaign;
mod conditions;
mod fit;
mod instant;
mod judged;
mod levers;
mod matched;
mod outcome;
mod short;
mod taking_back;
mod view;

pub use accounted::{AccountedRow, RowState, accounted};
pub use arms::protocol;
pub use campaign::campaign_judgement;
pub use conditions::{Phase, conditions, withdrawals_condition};
pub use fit::fitted;
pub use instant::rfc3339;
pub use judged::{JudgedRun, MissingRow, TakenBack, judged_runs};
pub use levers::{LeverEntry, lever_entries};
pub use matched::{matched_rates, row_at};
pub use outcome::{Ending, ending};
pub use taking_back::{WithdrawalError, Withdrawals, check_withdrawal, withdrawals, withdrawn_in_words};
pub use view::{Facts, status};
