//! How a step is drawn: by what its number is worth. The shape tells, not the colour alone. Pure.

use maud::{Markup, html};
use soak_campaign::{table::Row, verdict::Verdict};

/// What a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// It keeps the knee's bounds.
    Kept,
    /// It does not.
    PastKnee,
    /// A floor: something else than the arm was the limit.
    Floor,
    /// The first step after the warm-up.
    FirstStep,
    /// It breaks a bound that a later step keeps.
    Outlier,
    /// It cannot be judged.
    Void,
    /// It was taken back.
    Withdrawn,
}

/// A place on a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A coordinate as it is written.
pub fn px(value: f64) -> String {
    format!("{value:.1}")
}

impl Mark {
    /// The mark of a row; none for the warm-up, which is not drawn.
    pub fn of(row: &Row) -> Option<Self> {
        if row.warmup {
            return None;
        }
        if row.withdrawn.is_some() {
            return Some(Self::Withdrawn);
        }
        Some(match row.verdict {
            Some(Verdict::Clean | Verdict::AtKnee) => Self::Kept,
            Some(Verdict::PastKnee) => Self::PastKnee,
            Some(Verdict::Contaminated | Verdict::ClientLimited | Verdict::HostLimited | Verdict::ShapeLimited) => {
                Self::Floor
            }
            Some(Verdict::FirstStep) => Self::FirstStep,
            Some(Verdict::Outlier) => Self::Outlier,
            Some(Verdict::Void) | None => Self::Void,
        })
    }

    /// Whether a line may lead through it.
    pub fn counts(self) -> bool {
        match self {
            Self::Kept | Self::PastKnee => true,
            Self::Floor | Self::FirstStep | Self::Outlier | Self::Void | Self::Withdrawn => false,
        }
    }

    /// What it means.
    pub fn words(self) -> &'static str {
        match self {
            Self::Kept => "clean or at the knee",
            Self::PastKnee => "past the knee",
            Self::Floor => "limited or contaminated: a floor, never a capacity",
            Self::FirstStep => "first step: shown, never used",
            Self::Outlier => "outlier: shown, not a knee",
            Self::Void => "void: cannot be judged",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Its shape around a spot.
    pub fn shape(self, spot: Spot) -> Markup {
        let Spot { x, y } = spot;
        let path = |points: &[(f64, f64)]| {
            let place = |(at, (dx, dy)): (usize, &(f64, f64))| {
                let verb = if at == 0 { "M" } else { "L" };
                format!("{verb}{} {}", px(x + dx), px(y + dy))
            };
            points.iter().enumerate().map(place).collect::<String>()
        };
        let circle = |class: &str| html! { circle class=(class) cx=(px(x)) cy=(px(y)) r="3.5" {} };
        let line = |points: &[(f64, f64)]| html! { path class="open" d=(path(points)) {} };
        let closed = |class: &str, points: &[(f64, f64)]| html! { path class=(class) d=({path(points) + "Z"}) {} };
        match self {
            Self::Kept => circle("full"),
            Self::FirstStep => circle("open"),
            Self::PastKnee => closed("full", &[(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)]),
            Self::Floor => closed("open", &[(0.0, -5.0), (4.5, 3.5), (-4.5, 3.5)]),
            Self::Outlier => closed("open", &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)]),
            Self::Void => html! {
                (line(&[(-4.0, -4.0), (4.0, 4.0)])) (line(&[(-4.0, 4.0), (4.0, -4.0)]))
            },
            Self::Withdrawn => html! { (circle("open")) (line(&[(-6.0, 0.0), (6.0, 0.0)])) },
        }
    }
}

/// What the marks of these rows mean, each that occurs once.
pub fn legend(rows: &[Row]) -> Markup {
    let mut marks: Vec<Mark> = rows.iter().filter_map(Mark::of).collect();
    marks.sort_unstable();
    marks.dedup();
    html! {
        ul.legend {
            @for mark in marks {
                li {
                    svg class="a key" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" {
                        (mark.shape(Spot { x: 8.0, y: 8.0 }))
                    }
                    " " (mark.words())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use soak_campaign::table::Withdrawn;

    use super::*;

    #[test]
    fn a_row_is_marked_by_what_its_number_is_worth() {
        let check = |verdict: Option<Verdict>, expected: Mark| {
            assert_eq!(Mark::of(&Row { verdict, ..Row::default() }), Some(expected));
        };
        check(Some(Verdict::Clean), Mark::Kept);
        check(Some(Verdict::AtKnee), Mark::Kept);
        check(Some(Verdict::PastKnee), Mark::PastKnee);
        check(Some(Verdict::HostLimited), Mark::Floor);
        check(Some(Verdict::ClientLimited), Mark::Floor);
        check(Some(Verdict::ShapeLimited), Mark::Floor);
        check(Some(Verdict::Contaminated), Mark::Floor);
        check(Some(Verdict::FirstStep), Mark::FirstStep);
        check(Some(Verdict::Outlier), Mark::Outlier);
        check(Some(Verdict::Void), Mark::Void);
        check(None, Mark::Void);
    }

    #[test]
    fn the_warm_up_is_not_drawn_and_what_was_withdrawn_is_marked_so_whatever_its_verdict() {
        assert_eq!(Mark::of(&Row { warmup: true, ..Row::default() }), None);
        let row = Row { verdict: Some(Verdict::Clean), withdrawn: Some(Withdrawn::default()), ..Row::default() };
        assert_eq!(Mark::of(&row), Some(Mark::Withdrawn));
    }

    #[test]
    fn each_mark_has_a_shape_of_its_own() {
        let all =
            [Mark::Kept, Mark::PastKnee, Mark::Floor, Mark::FirstStep, Mark::Outlier, Mark::Void, Mark::Withdrawn];
        let shapes: std::collections::BTreeSet<String> =
            all.iter().map(|mark| mark.shape(Spot { x: 8.0, y: 8.0 }).into_string()).collect();
        assert_eq!(shapes.len(), all.len());
    }
}
