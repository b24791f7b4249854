//! Watches: every change since a version, one JSON line each, bookmarks where they are wanted, the end after the time
//! asked for; `410 Gone` in the stream where the version is too old.

use std::{io, sync::Arc, time::Duration};

use futures_util::stream::{self, Stream};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::{
    Response,
    body::{Bytes, Frame},
};
use serde_json::{Value, json};
use tokio::{
    sync::watch::Receiver,
    time::{Instant, sleep_until},
};

use super::{
    Api,
    store::Refusal,
    verbs::{Answer, Asked},
};

/// Time between two bookmarks.
const BOOKMARK: Duration = Duration::from_secs(60);

struct Watch {
    api: Arc<Api>,
    asked: Asked,
    seen: u64,
    changed: Receiver<u64>,
    ended: Receiver<u64>,
    until: Instant,
    bookmark: Instant,
}

/// A watch as a stream without a known end.
pub fn answer(api: &Arc<Api>, asked: &Asked) -> Answer {
    let number = |name: &str| asked.query.get(name).and_then(|value| value.parse::<u64>().ok());
    let watch = Watch {
        api: Arc::clone(api),
        asked: asked.clone(),
        seen: number("resourceVersion").unwrap_or_default(),
        changed: api.changed.subscribe(),
        ended: api.ended.subscribe(),
        until: Instant::now() + Duration::from_secs(number("timeoutSeconds").unwrap_or(3600)),
        bookmark: Instant::now() + BOOKMARK,
    };
    let body = StreamBody::new(lines(watch)).boxed_unsync();
    Response::builder().header("content-type", "application/json").body(body).unwrap()
}

fn lines(watch: Watch) -> impl Stream<Item = io::Result<Frame<Bytes>>> {
    stream::unfold(Some(watch), |watch| async move {
        let (lines, watch) = watch?.next().await?;
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Some((Ok(Frame::data(Bytes::from(lines.join("\n") + "\n"))), watch))
    })
}

impl Watch {
    /// The next lines, and the watch unless it ends with them.
    async fn next(mut self) -> Option<(Vec<Value>, Option<Self>)> {
        loop {
            if self.seen < self.api.lock().compacted {
                let message = format!("too old resource version: {}", self.seen);
                let gone = Refusal { code: 410, reason: "Expired", message };
                return Some((vec![json!({"type": "ERROR", "object": gone.status()})], None));
            }
            let lines = self.new_lines();
            if !lines.is_empty() {
                return Some((lines, Some(self)));
            }
            tokio::select! {
                _ = self.changed.changed() => {}
                _ = self.ended.changed() => return None,
                () = sleep_until(self.until) => return None,
                () = sleep_until(self.bookmark) => {
                    self.bookmark = Instant::now() + BOOKMARK;
                    if let Some(line) = self.told_version() {
                        return Some((vec![line], Some(self)));
                    }
                }
            }
        }
    }

    fn new_lines(&mut self) -> Vec<Value> {
        let store = self.api.lock();
        let new = store.changes.iter().skip(store.changes.partition_point(|change| change.version <= self.seen));
        let wanted = new.filter(|change| {
            let namespace = self.asked.namespace.as_ref().is_none_or(|wanted| change.key.namespace == *wanted);
            change.key.resource == self.asked.resource && namespace && self.asked.selects(&change.object)
        });
        let lines = wanted.map(|change| json!({"type": change.kind, "object": change.object})).collect();
        self.seen = store.version;
        lines
    }

    fn told_version(&self) -> Option<Value> {
        let wanted = self.asked.query.get("allowWatchBookmarks").is_some_and(|value| value == "true");
        let kind = match self.asked.resource.as_str() {
            "pods" => ("v1", "Pod"),
            _ => ("soak.dev/v1alpha1", "SoakCampaign"),
        };
        let object =
            json!({"apiVersion": kind.0, "kind": kind.1, "metadata": {"resourceVersion": self.seen.to_string()}});
        wanted.then(|| json!({"type": "BOOKMARK", "object": object}))
    }
}
