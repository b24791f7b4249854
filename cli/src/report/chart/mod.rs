//! The charts of a run. In: its rows, what they mean, in which words; out: figures. Pure; every number drawn stands in the
//! run's table too.

mod drawing;
mod hold;
mod mark;
mod points;
mod ramp;
mod scale;

use maud::{Markup, html};
use soak_campaign::status::JudgedRun;

use drawing::Chart;
use hold::Hold;
use ramp::Ramp;

/// The charts of a run, and what their marks mean. `id` begins the id of each.
pub fn of_run(run: &JudgedRun, id: &str, meaning: &str) -> Markup {
    let charts: Vec<Chart> = match run.drift {
        Some(_) => Hold { id, rows: &run.rows, meaning }.charts().into(),
        None => Ramp { id, rows: &run.rows, judgement: &run.judgement, meaning }.charts().into(),
    };
    html! {
        div.charts { @for chart in &charts { (chart.figure()) } }
        (mark::legend(&run.rows))
    }
}
