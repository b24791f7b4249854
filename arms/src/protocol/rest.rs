//! JSON echo over HTTP/1.1 and HTTP/2. In: a request. Out: its body, parsed and written again, or a refusal in words.

use std::error::Error;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body, Incoming},
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
};

use super::BODY_LIMIT;
use crate::handler::{Handler, NoEcho};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The path that tells that the server is ready.
const HEALTH: &str = "/healthz";

pub(super) async fn answer(handler: &Handler, request: Request<Incoming>) -> Response<Full<Bytes>> {
    match *request.method() {
        Method::POST | Method::PUT | Method::PATCH => echo(handler, request.into_body()).await,
        Method::GET | Method::HEAD if request.uri().path() == HEALTH => refusal(StatusCode::OK, "ok"),
        Method::GET | Method::HEAD => {
            refusal(StatusCode::NOT_FOUND, "only /healthz is there to be read; POST a JSON body")
        }
        _ => {
            let mut refused = refusal(StatusCode::METHOD_NOT_ALLOWED, "POST a JSON body");
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH"));
            refused
        }
    }
}

async fn echo(handler: &Handler, body: Incoming) -> Response<Full<Bytes>> {
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return too_large();
    }
    let payload = match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => body.to_bytes(),
        Err(fault) if fault.is::<LengthLimitError>() => return too_large(),
        Err(fault) => return refusal(StatusCode::BAD_REQUEST, &format!("the body was not read: {}", root(&*fault))),
    };
    match handler.begin(payload).await {
        Ok(echo) => content(StatusCode::OK, JSON, echo),
        Err(NoEcho::Payload(fault)) => refusal(StatusCode::BAD_REQUEST, &fault.to_string()),
        Err(fault @ NoEcho::Thread) => refusal(StatusCode::INTERNAL_SERVER_ERROR, &fault.to_string()),
    }
}

fn too_large() -> Response<Full<Bytes>> {
    refusal(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body has more than {BODY_LIMIT} bytes"))
}

fn refusal(status: StatusCode, words: &str) -> Response<Full<Bytes>> {
    content(status, TEXT, Bytes::from(format!("{words}\n")))
}

fn content(status: StatusCode, kind: HeaderValue, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn root<'a>(mut fault: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    while let Some(source) = fault.source() {
        fault = source;
    }
    fault
}
