//! Which campaigns are drawn, and their figures as the tables of `docs/method.md`: written, and read back.

use super::simulation::{Drawn, Replicates, Spread, simulate};

/// Between these the tables stand in the document.
const BEGIN: &str = "<!-- figures of examples/false_alarms.rs: begin -->";
const END: &str = "<!-- figures of examples/false_alarms.rs: end -->";

/// Campaigns of equal arms, by what is odd about them.
const EQUAL: [(&str, Replicates, Spread); 4] = [
    ("three replicates each", Replicates::Three, Spread::Same),
    ("one replicate void in two of the arms", Replicates::TwoAndThree, Spread::Same),
    ("one run in twenty is five spreads low", Replicates::Three, Spread::Outliers),
    ("one compared arm spreads three times as wide", Replicates::Three, Spread::OneWider),
];
/// How far one arm lies above the others, in spreads.
const APART: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

/// Shares of campaigns, in the order of the tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Equal arms: claimed where one comparison is asked; of three a given one; of three any.
    pub equal: Vec<[f64; 3]>,
    /// One arm apart: found where one comparison is asked; where three are.
    pub apart: Vec<[f64; 2]>,
}

impl Figures {
    /// Draws so many campaigns for each figure.
    pub fn of(campaigns: u32, seed: u64) -> Self {
        let odds =
            |asked, replicates, spread, apart| simulate(campaigns, seed, Drawn { asked, replicates, spread, apart });
        let equal = EQUAL.map(|(_, replicates, spread)| {
            let (one, three) = (odds(1, replicates, spread, 0.0), odds(3, replicates, spread, 0.0));
            [one.given, three.given, three.any]
        });
        let found = |asked, apart| odds(asked, Replicates::Three, Spread::Same, apart).given;
        Self { equal: equal.into(), apart: APART.map(|apart| [found(1, apart), found(3, apart)]).into() }
    }

    /// The tables, with their marks.
    pub fn markdown(&self) -> String {
        let mut lines = vec![
            BEGIN.to_owned(),
            "| equal arms | claimed, of one asked | claimed, a given one of three | claimed, any of three |".to_owned(),
            "| --- | ---: | ---: | ---: |".to_owned(),
        ];
        lines.extend(EQUAL.iter().zip(&self.equal).map(|((name, ..), shares)| line(name, shares)));
        lines.extend([
            String::new(),
            "| one arm apart by | found, of one asked | found, of three asked |".to_owned(),
            "| --- | ---: | ---: |".to_owned(),
        ]);
        lines.extend(
            APART.iter().zip(&self.apart).map(|(apart, shares)| line(&format!("{apart} × the spread"), shares)),
        );
        lines.push(END.to_owned());
        lines.join("\n")
    }

    /// Reads the tables of a document; `None` where they do not stand there as written.
    #[allow(dead_code, reason = "the example only writes")]
    pub fn read(document: &str) -> Option<Self> {
        let (_, text, _) = parts(document)?;
        let shares = |name: &str| {
            let cells = text.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")))?;
            let share = |cell: &str| cell.trim().strip_suffix(" %")?.parse::<f64>().ok().map(|percent| percent / 100.0);
            cells.trim_end_matches('|').split('|').map(share).collect::<Option<Vec<f64>>>()
        };
        let equal = EQUAL.iter().map(|(name, ..)| shares(name)?.try_into().ok());
        let apart = APART.iter().map(|apart| shares(&format!("{apart} × the spread"))?.try_into().ok());
        Some(Self { equal: equal.collect::<Option<_>>()?, apart: apart.collect::<Option<_>>()? })
    }
}

fn line(name: &str, shares: &[f64]) -> String {
    let cells: Vec<_> = shares.iter().map(|share| format!("{:.1} %", share * 100.0)).collect();
    format!("| {name} | {} |", cells.join(" | "))
}

/// The document with the figures in place of those between its marks.
#[allow(dead_code, reason = "the tests only read")]
pub fn replaced(document: &str, figures: &str) -> Option<String> {
    let (before, _, after) = parts(document)?;
    Some([before, figures, after].concat())
}

/// What stands before the marks, between them, and after.
fn parts(document: &str) -> Option<(&str, &str, &str)> {
    let from = document.find(BEGIN)?;
    let to = document[from..].find(END)? + from + END.len();
    Some((&document[..from], &document[from..to], &document[to..]))
}
