//! How a driver process is found: the line with its port that it writes once its control answers. It must not ask twice.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::{driver_control::DriverControl, ready::loopback};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadyLine {
    ready: bool,
    port: u16,
}

/// The control of a driver that is ready; `None` while it is not.
pub(crate) fn control(stdout: &Path, token: &str) -> Option<DriverControl> {
    let text = fs::read_to_string(stdout).ok()?;
    let whole = text.lines().next().filter(|_| text.contains('\n'))?;
    let line: ReadyLine = serde_json::from_str(whole).ok()?;
    let control = DriverControl::new(loopback(line.port), token.to_owned());
    (line.ready && control.healthy()).then_some(control)
}
