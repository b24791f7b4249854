//! A chart as SVG: axes, guides, points. In go values and words, out comes a drawing with a title and a description for
//! those who do not see it. Pure; colours and fonts are the style sheet's.

use maud::{Markup, html};

use super::{
    mark::{Mark, Spot, px},
    scale::{Scale, Span},
};

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 260.0;
/// The places between which values are drawn, from the left.
pub const ACROSS: Span = Span { from: 58.0, to: 428.0 };
/// The places between which values are drawn: upwards.
pub const UP: Span = Span { from: 214.0, to: 14.0 };
/// What words beside a line need.
const ROOM: f64 = 110.0;
/// How far before the first broken step's point its region begins.
const MARGIN: f64 = 7.0;

/// One step of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Along the axis.
    pub x: f64,
    /// Its value.
    pub y: f64,
    /// What it is.
    pub mark: Mark,
    /// The value is a lower bound.
    pub at_least: bool,
    /// What it says in words.
    pub words: String,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name; empty where it is the only one.
    pub name: &'static str,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Its points in the order of the steps.
    pub points: Vec<Point>,
}

/// What is drawn behind the points.
#[derive(Debug, Clone, PartialEq)]
pub enum Guide {
    /// Where delivered equals offered.
    Diagonal,
    /// A step, by its place along the axis.
    Step { at: f64, class: &'static str, label: String },
    /// A value.
    Level { at: f64, label: String },
    /// Two values and what lies between.
    Band { low: f64, high: f64 },
    /// Everything from a step on.
    From { at: f64, label: &'static str },
}

/// An axis: what it shows, and its scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub title: &'static str,
    /// Its scale.
    pub scale: Scale,
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Its id; those of its title and description begin with it.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The same in a few sentences, for those who do not see it.
    pub description: String,
    /// The axis across.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// What is drawn behind.
    pub guides: Vec<Guide>,
}

impl Chart {
    /// The chart under its caption.
    pub fn figure(&self) -> Markup {
        let named: Vec<&Series> = self.series.iter().filter(|series| !series.name.is_empty()).collect();
        html! {
            figure {
                (self.drawing())
                figcaption {
                    (self.title)
                    @for series in named {
                        " "
                        span.series-name {
                            svg.key.(series.class) viewBox="0 0 24 10" width="24" height="10" aria-hidden="true" {
                                path class="line" d="M0 5L24 5" {}
                            }
                            " " (series.name)
                        }
                    }
                }
            }
        }
    }

    fn drawing(&self) -> Markup {
        let (title, description) = (format!("{}-title", self.id), format!("{}-desc", self.id));
        let empty = self.series.iter().all(|series| series.points.is_empty());
        html! {
            svg.chart id=(self.id) role="img" viewBox={"0 0 " (WIDTH) " " (HEIGHT)}
                aria-labelledby={(title) " " (description)} {
                title id=(title) { (self.title) }
                desc id=(description) { (self.description) }
                @for guide in &self.guides { (self.region(guide)) }
                (self.axes())
                @for guide in &self.guides { (self.line(guide)) }
                @for series in &self.series { (self.series(series)) }
                @if empty {
                    text.none x=(px(f64::midpoint(ACROSS.from, ACROSS.to))) y=(px(f64::midpoint(UP.from, UP.to))) {
                        "n/a: no step has this number"
                    }
                }
            }
        }
    }

    fn axes(&self) -> Markup {
        html! {
            g.axis {
                @for tick in self.y.scale.ticks() {
                    path.grid d=(across(tick.at)) {}
                    text.y x=(px(ACROSS.from - 6.0)) y=(px(tick.at + 3.5)) { (tick.label) }
                }
                @for tick in self.x.scale.ticks() {
                    path.tick d={"M" (px(tick.at)) " " (px(UP.from)) "v4"} {}
                    text.x x=(px(tick.at)) y=(px(UP.from + 16.0)) { (tick.label) }
                }
                path.frame d={"M" (px(ACROSS.from)) " " (px(UP.to)) "V" (px(UP.from)) "H" (px(ACROSS.to))} {}
                text.x.title x=(px(f64::midpoint(ACROSS.from, ACROSS.to))) y=(px(HEIGHT - 10.0)) { (self.x.title) }
                text.x.title transform={"translate(12 " (px(f64::midpoint(UP.from, UP.to))) ") rotate(-90)"} {
                    (self.y.title)
                }
            }
        }
    }

    /// What a guide fills.
    fn region(&self, guide: &Guide) -> Markup {
        match guide {
            Guide::From { at, .. } => {
                let Some(x) = self.x.scale.place(*at) else { return html! {} };
                let x = (x - MARGIN).max(ACROSS.from);
                html! { rect.past x=(px(x)) y=(px(UP.to)) width=(px(ACROSS.to - x)) height=(px(UP.from - UP.to)) {} }
            }
            Guide::Band { low, high } => {
                let (Some(low), Some(high)) = (self.y.scale.place(*low), self.y.scale.place(*high)) else {
                    return html! {};
                };
                html! {
                    rect.plateau x=(px(ACROSS.from)) y=(px(high)) width=(px(ACROSS.to - ACROSS.from))
                        height=(px((low - high).max(1.0))) {}
                }
            }
            Guide::Diagonal | Guide::Step { .. } | Guide::Level { .. } => html! {},
        }
    }

    /// What a guide draws, with its words.
    fn line(&self, guide: &Guide) -> Markup {
        match guide {
            Guide::Diagonal => self.diagonal(),
            Guide::Step { at, class, label } => {
                let Some(x) = self.x.scale.place(*at) else { return html! {} };
                html! {
                    path.guide.(class) d={"M" (px(x)) " " (px(UP.from)) "V" (px(UP.to))} {}
                    (beside(x, class, label))
                }
            }
            Guide::Level { at, label } => {
                let Some(y) = self.y.scale.place(*at) else { return html! {} };
                html! {
                    path.guide.level d=(across(y)) {}
                    text.label x=(px(ACROSS.from + 6.0)) y=(px(y - 4.0)) { (label) }
                }
            }
            Guide::From { label, .. } => {
                html! { text.label.end x=(px(ACROSS.to - 4.0)) y=(px(UP.from - 8.0)) { (label) } }
            }
            Guide::Band { .. } => html! {},
        }
    }

    /// From nothing to where the first of both axes ends.
    fn diagonal(&self) -> Markup {
        let end = self.x.scale.high().min(self.y.scale.high());
        let (Some(x), Some(y)) = (self.x.scale.place(end), self.y.scale.place(end)) else { return html! {} };
        html! { path.guide.diagonal d={"M" (px(ACROSS.from)) " " (px(UP.from)) "L" (px(x)) " " (px(y))} {} }
    }

    fn series(&self, series: &Series) -> Markup {
        let placed = || series.points.iter().filter_map(|point| Some((point, self.spot(point)?)));
        let counting: Vec<Spot> = placed().filter(|(point, _)| point.mark.counts()).map(|(_, spot)| spot).collect();
        html! {
            g.series.(series.class) {
                @if counting.len() > 1 { path.line d=(through(&counting)) {} }
                @for (point, spot) in placed() {
                    g.point {
                        title { (point.words) }
                        (point.mark.shape(spot))
                        @if point.at_least {
                            path.floor d={"M" (px(spot.x)) " " (px(spot.y - 4.0)) "v-9m-3 3l3 -3l3 3"} {}
                        }
                    }
                }
            }
        }
    }

    fn spot(&self, point: &Point) -> Option<Spot> {
        Some(Spot { x: self.x.scale.place(point.x)?, y: self.y.scale.place(point.y)? })
    }
}

fn across(y: f64) -> String {
    format!("M{} {}H{}", px(ACROSS.from), px(y), px(ACROSS.to))
}

fn through(spots: &[Spot]) -> String {
    let verb = |at: usize| if at == 0 { "M" } else { "L" };
    spots.iter().enumerate().map(|(at, spot)| [verb(at), &px(spot.x), " ", &px(spot.y)].concat()).collect()
}

/// Words beside a vertical line: those of the knee before it, those of the first broken step behind, so that they never
/// meet; where the drawing ends there, on the other side and in a line of their own.
fn beside(x: f64, class: &str, label: &str) -> Markup {
    let before = class == "knee";
    let room = if before { x - ACROSS.from } else { ACROSS.to - x };
    let fits = room > ROOM;
    let left = before == fits;
    let (x, y) = (if left { x - 5.0 } else { x + 5.0 }, if fits { 12.0 } else { 26.0 });
    html! { text.label.end[left] x=(px(x)) y=(px(UP.to + y)) { (label) } }
}
