//! Starts a program so that nothing of it can be left behind, whatever becomes of `soak`. In: a command, its groups and
//! CPUs; out: its process, and how it ended. Three processes in a row: the executor, a supervisor that outlives it by
//! the moment it takes to end the program's whole tree, and a stage that joins groups and becomes the program.

mod handle;
mod input;
mod order;
mod signals;
mod stage;
mod supervisor;
mod tree;

pub use handle::{LaunchError, Launched, Launcher};
pub use order::{Ended, Event, LaunchOrder, Refusal, Step};
pub use stage::run as run_stage;
pub use supervisor::run as run_supervisor;
