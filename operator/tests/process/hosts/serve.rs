//! The control of driver and witness over HTTP on one connection: requests in, answers out, with the faults that were
//! placed. The clocks of both hosts differ from the operator's.

use std::{io, net::SocketAddr, sync::Arc};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, Request, Response,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde_json::json;
use soak_sample::{ArmReport, Clock, LeverQuestion};
use tokio::io::DuplexStream;

use super::{Control, Hosts, driver::Done};
use crate::faults::{Life, Side, Suffered};

/// The driver's clock less the operator's, nanoseconds.
pub const DRIVER_AHEAD: i64 = 3_000_000;
/// The witness's.
pub const WITNESS_AHEAD: i64 = -2_000_000;

type Answer = (u16, Bytes);

/// Serves one connection.
pub async fn serve(stream: DuplexStream, to: SocketAddr, hosts: Arc<Hosts>, life: Arc<Life>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (hosts, life) = (Arc::clone(&hosts), Arc::clone(&life));
        async move { hosts.exchange(to, request, &life).await }
    });
    // A connection that was cut ends here.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl Hosts {
    async fn exchange(
        &self,
        to: SocketAddr,
        request: Request<Incoming>,
        life: &Life,
    ) -> io::Result<Response<Full<Bytes>>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let token = parts.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !self.allows(to, token.trim_start_matches("Bearer ")) {
            return Ok(response((401, Bytes::from("this token may not order"))));
        }
        let path = parts.uri.path().to_owned();
        life.must_live().await;
        let writes = parts.method != Method::GET && path != "/levers";
        if !writes {
            return Ok(response(self.answer(to, &parts.method, &path, &body)));
        }
        let number = self.faults.count(format!("{} {path}", parts.method));
        if let Some(answer) = failed(self.faults.write(number, Side::Before, life).await)? {
            return Ok(response(answer));
        }
        let answer = self.answer(to, &parts.method, &path, &body);
        Ok(response(failed(self.faults.write(number, Side::After, life).await)?.unwrap_or(answer)))
    }

    fn allows(&self, to: SocketAddr, token: &str) -> bool {
        self.inner().hosts.get(&to).is_some_and(|host| host.token.is_of(token))
    }

    fn answer(&self, to: SocketAddr, method: &Method, path: &str, body: &[u8]) -> Answer {
        let words: Vec<&str> = path.trim_matches('/').split('/').collect();
        let now = self.clock.unix_nanos();
        let mut inner = self.inner();
        let inner = &mut *inner;
        let Some(host) = inner.hosts.get_mut(&to) else { return (404, Bytes::new()) };
        match &mut host.control {
            Control::Driver(driver) => {
                let now = now + DRIVER_AHEAD;
                driver.hears(now);
                match (method.as_str(), words.as_slice()) {
                    ("GET", ["clock"]) => document(&Clock { unix_nanos: now }),
                    ("GET", ["orders"]) => document(&driver.held(now)),
                    ("PUT", ["orders", _]) => done(driver.place(serde_json::from_slice(body).unwrap(), now)),
                    ("GET", ["orders", id, "window"]) => match driver.finished(id, now) {
                        Ok(order) => document(&self.samples.driver(&order)),
                        Err(why) => done(why),
                    },
                    ("DELETE", ["orders", id]) => {
                        let (became, carried) = driver.forget(id, now);
                        inner.carried.extend(carried);
                        done(became)
                    }
                    ("POST", ["stop"]) => {
                        inner.carried.extend(driver.end(now));
                        document(&json!("stopped"))
                    }
                    other => panic!("{other:?} is not known"),
                }
            }
            Control::Witness(witness) => {
                let now = now + WITNESS_AHEAD;
                match (method.as_str(), words.as_slice()) {
                    ("GET", ["clock"]) => document(&Clock { unix_nanos: now }),
                    ("PUT", ["watches", _]) => done(witness.place(serde_json::from_slice(body).unwrap())),
                    ("GET", ["watches", id]) => witness.report(id, now).map_or((404, Bytes::new()), |it| document(&it)),
                    ("GET", ["watches", id, "window"]) => match witness.finished(id, now) {
                        Ok(watch) => self.samples.witness(&watch).map_or((410, Bytes::new()), |it| document(&it)),
                        Err(why) => done(why),
                    },
                    ("DELETE", ["watches", id]) => done(witness.forget(id)),
                    ("POST", ["levers"]) => self.levers(&serde_json::from_slice(body).unwrap()),
                    other => panic!("{other:?} is not known"),
                }
            }
        }
    }

    fn levers(&self, question: &LeverQuestion) -> Answer {
        let report: ArmReport = self.samples.levers(question);
        document(&report)
    }
}

fn failed(suffered: Suffered) -> io::Result<Option<Answer>> {
    match suffered {
        Suffered::Nothing => Ok(None),
        Suffered::Cut => Err(io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer")),
        Suffered::Answer(code) => Ok(Some((code, Bytes::from("not now")))),
    }
}

fn done(done: Done) -> Answer {
    let (code, words) = match done {
        Done::New => (201, "new"),
        Done::Same => (200, "known"),
        Done::Gone => (200, "forgotten"),
        Done::Other => (409, "another one has this id"),
        Done::Running => (409, "it has not finished"),
        Done::Unknown => (404, "not known"),
    };
    (code, Bytes::from(words))
}

fn document<T: Serialize>(value: &T) -> Answer {
    (200, Bytes::from(serde_json::to_vec(value).unwrap()))
}

fn response((code, body): Answer) -> Response<Full<Bytes>> {
    Response::builder().status(code).body(Full::new(body)).unwrap()
}
