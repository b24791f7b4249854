//! What was taken back: the old number struck through, beside its reason and what stands in its place. Pure.

use soak_campaign::{status::TakenBack, verdict::Capacity};
use soak_crds::status::{CapacityStatus, WithdrawnStatus};

use super::{
    grid::{Grid, Side},
    number,
};

/// What was taken back, a row each.
pub fn grid(withdrawn: &[WithdrawnStatus]) -> Grid {
    let mut grid = Grid::new([
        ("run", Side::Left),
        ("step", Side::Right),
        ("was", Side::Right),
        ("reason", Side::Left),
        ("in its place", Side::Left),
        ("when", Side::Left),
    ]);
    for taken in withdrawn {
        let WithdrawnStatus { run, step, at, was, reason, superseded_by } = taken;
        grid.row([
            run.clone(),
            step.map_or_else(|| "all".to_owned(), |step| format!("{}/s", number::whole(step))),
            was.as_ref().map_or_else(|| number::NOT_KNOWN.to_owned(), struck),
            reason.clone(),
            superseded_by.clone().unwrap_or_else(|| "nothing".to_owned()),
            at.clone(),
        ]);
    }
    grid
}

/// One withdrawal in a sentence.
pub fn sentence(taken: &TakenBack) -> String {
    let what = match taken.step {
        Some(step) => format!("the step of {}/s", number::whole(step)),
        None => "the whole run".to_owned(),
    };
    let was = taken.was.map(|was| format!(" (was {})", struck(&rounded(was)))).unwrap_or_default();
    let place = taken.words.superseded_by.as_ref().map(|place| format!("; in its place: {place}")).unwrap_or_default();
    format!("{what} was withdrawn{was}: {}{place}", taken.words.reason)
}

fn struck(was: &CapacityStatus) -> String {
    let bound = if was.at_least { "at least " } else { "" };
    format!("~~{bound}{}/s~~", number::whole(was.per_second))
}

#[allow(clippy::cast_possible_truncation, reason = "rates lie far within 64 bits; the cast saturates")]
fn rounded(capacity: Capacity) -> CapacityStatus {
    CapacityStatus { per_second: capacity.per_second.round() as i64, at_least: capacity.at_least }
}

#[cfg(test)]
mod tests {
    use soak_campaign::table::Withdrawn;

    use super::*;

    #[test]
    fn the_old_number_is_struck_through_beside_reason_and_successor() {
        let words = Withdrawn { reason: "wrong body".to_owned(), superseded_by: Some("rest-tiny-r4".to_owned()) };
        let was = Some(Capacity { per_second: 925.4, at_least: true });
        let step = TakenBack { step: Some(1200), at_unix_nanos: 0, words, was };
        let expected =
            "the step of 1,200/s was withdrawn (was ~~at least 925/s~~): wrong body; in its place: rest-tiny-r4";
        assert_eq!(sentence(&step), expected);
        let words = Withdrawn { reason: "wrong body".to_owned(), superseded_by: None };
        let run = TakenBack { step: None, was: None, words, ..step };
        assert_eq!(sentence(&run), "the whole run was withdrawn: wrong body");
    }
}
