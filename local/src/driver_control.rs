//! The executor's side of the driver's control: orders placed, watched, fetched and acknowledged.
//! In go orders; out come states and windows. It must not decide when.

use std::{net::SocketAddr, time::Duration};

use serde::Deserialize;
use soak_sample::{DriverWindow, LoadOrder, OrderState};

use crate::http::{Answer, Call, HttpError};

/// How long the driver may take for one answer: its control thread shares a core with a worker that spins.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a driver's control did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// It does not answer.
    #[error(transparent)]
    Http(#[from] HttpError),
    /// It refuses.
    #[error("the driver refused {what}: {status} {words}")]
    Refused {
        /// What was asked.
        what: String,
        /// HTTP status.
        status: u16,
        /// Its words.
        words: String,
    },
    /// Its answer is not of the agreed shape.
    #[error("the driver's answer to {what} cannot be read: {source}")]
    Shape {
        /// What was asked.
        what: String,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// What an order has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LiveCounts {
    /// Calls due so far.
    pub due: u64,
    /// Answered well.
    pub ok: u64,
    /// Ended badly.
    pub failed: u64,
    /// Never sent.
    pub never_sent: u64,
    /// In flight now.
    pub in_flight: u64,
    /// p99 of late, nanoseconds; absent or 0 where it is not known yet.
    pub p99_nanos: Option<u64>,
}

/// An order as the driver sees it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderReport {
    /// Where it stands.
    pub state: OrderState,
    /// What it has done.
    #[serde(default)]
    pub live: LiveCounts,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
}

/// A driver process's control.
#[derive(Debug, Clone)]
pub struct DriverControl {
    to: SocketAddr,
    token: String,
}

impl DriverControl {
    /// The control at an address, to which this token is the key.
    pub fn new(to: SocketAddr, token: String) -> Self {
        Self { to, token }
    }

    /// Whether it answers.
    pub fn healthy(&self) -> bool {
        self.call("GET", "/healthz", &[]).is_ok_and(|answer| answer.status == 200)
    }

    /// Places an order. Placing it again changes nothing.
    pub fn place(&self, order: &LoadOrder) -> Result<(), ControlError> {
        let what = format!("order {}", order.id);
        let body = serde_json::to_vec(order).map_err(|source| ControlError::Shape { what: what.clone(), source })?;
        accepted(&what, self.call("PUT", &path(&order.id), &body)?).map(drop)
    }

    /// Where an order stands; `None` where the driver does not know it.
    pub fn report(&self, id: &str) -> Result<Option<OrderReport>, ControlError> {
        let answer = self.call("GET", &path(id), &[])?;
        if answer.status == 404 {
            return Ok(None);
        }
        shaped(&format!("order {id}"), answer).map(Some)
    }

    /// The window of an order that has finished.
    pub fn window(&self, id: &str) -> Result<DriverWindow, ControlError> {
        shaped(&format!("the window of {id}"), self.call("GET", &format!("{}/window", path(id)), &[])?)
    }

    /// Tells the driver that an order's window is durable. Telling it again changes nothing.
    pub fn acknowledge(&self, id: &str) -> Result<(), ControlError> {
        let answer = self.call("DELETE", &path(id), &[])?;
        if answer.status == 404 {
            return Ok(());
        }
        accepted(&format!("the receipt of {id}"), answer).map(drop)
    }

    /// Ends the running step at once and drops armed ones.
    pub fn stop(&self) -> Result<(), ControlError> {
        accepted("a stop", self.call("POST", "/stop", &[])?).map(drop)
    }

    fn call(&self, method: &str, path: &str, body: &[u8]) -> Result<Answer, HttpError> {
        Call { to: self.to, method, path, token: Some(&self.token), body, patience: PATIENCE }.send()
    }
}

fn path(id: &str) -> String {
    format!("/orders/{id}")
}

fn accepted(what: &str, answer: Answer) -> Result<Answer, ControlError> {
    if (200..300).contains(&answer.status) {
        return Ok(answer);
    }
    let words = String::from_utf8_lossy(&answer.body).chars().take(400).collect();
    Err(ControlError::Refused { what: what.to_owned(), status: answer.status, words })
}

fn shaped<T: for<'de> Deserialize<'de>>(what: &str, answer: Answer) -> Result<T, ControlError> {
    let answer = accepted(what, answer)?;
    serde_json::from_slice(&answer.body).map_err(|source| ControlError::Shape { what: what.to_owned(), source })
}
