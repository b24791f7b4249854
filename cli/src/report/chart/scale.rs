//! A scale: values to places along an axis, linear from nothing or logarithmic, and the ticks between. Pure. What is not
//! finite has no place, nor what is not positive on a logarithmic axis; so neither is ever drawn.

use crate::tables::number;

/// Where an axis begins and ends on the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The place of the lowest value.
    pub from: f64,
    /// The place of the highest.
    pub to: f64,
}

/// Values to places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Log,
}

/// A place with its value in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The place.
    pub at: f64,
    /// The value.
    pub label: String,
}

/// Ticks that an axis has at most, about.
const TICKS: f64 = 6.0;
/// Rounding that a tick at the end of the axis may be off by.
const SLACK: f64 = 1.0 + 1e-9;

impl Scale {
    /// From 0 to this value; to 1 where it is nothing.
    pub fn linear(highest: f64, span: Span) -> Self {
        let high = if highest.is_finite() && highest > 0.0 { highest } else { 1.0 };
        Self { kind: Kind::Linear, low: 0.0, high, span }
    }

    /// From the 1, 2 or 5 below the lowest positive value to the one above the highest; 1 to 10 where there is none.
    pub fn log(values: &[f64], span: Span) -> Self {
        let usable = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = match (usable().min_by(f64::total_cmp), usable().max_by(f64::total_cmp)) {
            (Some(low), Some(high)) => (round_down(low), first_round_from(high)),
            _ => (0, 3),
        };
        let high = if high <= low { low + 1 } else { high };
        Self { kind: Kind::Log, low: round_value(low), high: round_value(high), span }
    }

    /// The highest value of the axis.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Where a value lies; nothing where it lies outside or nowhere.
    pub fn place(&self, value: f64) -> Option<f64> {
        let share = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let inside = share.is_finite() && (-1e-9..=SLACK).contains(&share);
        inside.then_some(self.span.from + share * (self.span.to - self.span.from))
    }

    /// Round values along the axis.
    pub fn ticks(&self) -> Vec<Tick> {
        let round = match self.kind {
            Kind::Linear => self.linear_ticks(),
            Kind::Log => self.log_ticks(),
        };
        let tick = |(value, label): (f64, String)| Some(Tick { at: self.place(value)?, label });
        round.into_iter().filter_map(tick).collect()
    }

    fn linear_ticks(&self) -> Vec<(f64, String)> {
        let step = first_round_from(self.high / TICKS);
        let times = (0..).map(f64::from).take_while(|times| times * round_value(step) <= self.high * SLACK);
        times.map(|times| (times * round_value(step), label(times * round_value(step), step.div_euclid(3)))).collect()
    }

    /// Each 1, 2 and 5; the powers of ten alone where the axis is long.
    fn log_ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (round_down(self.low), round_down(self.high));
        let every = if high - low > 7 { 3 } else { 1 };
        let shown = (low..=high).filter(|index| index.rem_euclid(every) == 0);
        shown.map(|index| (round_value(index), label(round_value(index), index.div_euclid(3)))).collect()
    }
}

/// The round values …, 0.5, 1, 2, 5, 10, … by their index: 0 is 1.
fn round_value(index: i32) -> f64 {
    let digit = [1.0, 2.0, 5.0][usize::try_from(index.rem_euclid(3)).unwrap_or(0)];
    match index.div_euclid(3) {
        power @ 0.. => digit * 10f64.powi(power),
        power => digit / 10f64.powi(-power),
    }
}

/// The index of the highest round value that is not above a positive one.
fn round_down(value: f64) -> i32 {
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let decade = value.log10().floor() as i32;
    let from = 3 * (decade - 1);
    (from..from + 9).take_while(|index| round_value(*index) <= value * SLACK).last().unwrap_or(from)
}

/// The index of the lowest round value that is not below a positive one.
fn first_round_from(value: f64) -> i32 {
    let below = round_down(value);
    if round_value(below) * SLACK >= value { below } else { below + 1 }
}

/// A round value: whole, or with as many decimals as its power of ten has.
fn label(value: f64, power: i32) -> String {
    match usize::try_from(-power) {
        Ok(places) if places > 0 => format!("{value:.places$}"),
        Ok(_) | Err(_) => number::rate(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span { from: 0.0, to: 100.0 };

    fn labels(scale: &Scale) -> String {
        scale.ticks().into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn linear_ticks_are_round_and_end_within_the_axis() {
        let check = |highest: f64, expected: &str| assert_eq!(labels(&Scale::linear(highest, SPAN)), expected);
        check(5400.0, "0 1,000 2,000 3,000 4,000 5,000");
        check(12_000.0, "0 2,000 4,000 6,000 8,000 10,000 12,000");
        check(0.107, "0.00 0.02 0.04 0.06 0.08 0.10");
        check(1.0, "0.0 0.2 0.4 0.6 0.8 1.0");
        check(60.0, "0 10 20 30 40 50 60");
    }

    #[test]
    fn logarithmic_ticks_are_ones_twos_and_fives_and_powers_of_ten_where_the_axis_is_long() {
        let check = |values: &[f64], expected: &str| assert_eq!(labels(&Scale::log(values, SPAN)), expected);
        check(&[0.15, 1.5], "0.1 0.2 0.5 1 2");
        check(&[0.1, 121.0], "0.1 1 10 100");
        check(&[0.004, 6_018.0], "0.01 0.1 1 10 100 1,000 10,000");
    }

    #[test]
    fn nothing_and_a_single_value_have_an_axis() {
        let check = |scale: Scale, expected: &str| assert_eq!(labels(&scale), expected);
        check(Scale::linear(f64::NAN, SPAN), "0.0 0.2 0.4 0.6 0.8 1.0");
        check(Scale::linear(0.0, SPAN), "0.0 0.2 0.4 0.6 0.8 1.0");
        check(Scale::log(&[], SPAN), "1 2 5 10");
        check(Scale::log(&[f64::NAN, 0.0, -1.0, f64::INFINITY], SPAN), "1 2 5 10");
        check(Scale::log(&[5.0], SPAN), "5 10");
        check(Scale::log(&[3.0], SPAN), "2 5");
    }

    #[test]
    fn a_value_lies_in_proportion_and_what_is_no_number_lies_nowhere() {
        let linear = Scale::linear(200.0, SPAN);
        let log = Scale::log(&[1.0, 100.0], SPAN);
        let check = |scale: Scale, value: f64, expected: Option<f64>| match (scale.place(value), expected) {
            (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-6, "{value}: {found}"),
            (found, expected) => assert_eq!(found, expected, "{value}"),
        };
        check(linear, 50.0, Some(25.0));
        check(linear, 200.0, Some(100.0));
        check(linear, 201.0, None);
        check(log, 10.0, Some(50.0));
        check(log, 0.0, None);
        check(log, -3.0, None);
        for scale in [linear, log] {
            check(scale, f64::NAN, None);
            check(scale, f64::INFINITY, None);
        }
    }

    #[test]
    fn an_axis_may_run_upwards() {
        let up = Scale::linear(10.0, Span { from: 200.0, to: 0.0 });
        assert_eq!(up.place(5.0), Some(100.0));
    }
}
