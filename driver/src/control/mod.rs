//! A driver process's control: orders in over HTTP on loopback or a pod's address, states and windows out. Runs on a
//! thread of its own and never touches a worker's sockets; it must not decide what is ordered.
//!
//! | request | answer |
//! | --- | --- |
//! | `GET /healthz` | 200; needs no token |
//! | `PUT /orders/ID` with a `LoadOrder` | 201; the same again 200; another under that id 409; wrong 400 |
//! | `GET /orders/ID` | `{state, live, error}`; 404 where it is not known |
//! | `GET /orders/ID/window` | a `DriverWindow`; 409 before it has finished |
//! | `DELETE /orders/ID` | a finished order is forgotten, an armed one dropped; 409 while it runs |
//! | `POST /stop` | ends the running step at once and drops armed ones |

mod book;
mod serve;
mod token;

pub use serve::{ControlError, Options, serve};
pub use token::{TokenError, TokenHash};
