//! A small API server: what it answers to each method and path is set by the test; it notes what it was asked. It takes
//! merge patches of what it has, and knows no other rule of the real one.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tempfile::TempDir;

const CAMPAIGNS: &str = "/apis/soak.dev/v1alpha1/namespaces/web/soakcampaigns";

type Answers = Arc<Mutex<BTreeMap<String, (u16, Value)>>>;
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// The server, and a folder with its kubeconfig. It ends with the test's process.
pub struct Api {
    answers: Answers,
    asked: Asked,
    folder: TempDir,
}

impl Api {
    /// Starts one that has nothing and serves campaigns.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (answers, asked): (Answers, Asked) = (Arc::default(), Arc::default());
        let folder = tempfile::tempdir().unwrap();
        kubeconfig(folder.path(), listener.local_addr().unwrap());
        let known = (Arc::clone(&answers), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answers, asked) = (Arc::clone(&known.0), Arc::clone(&known.1));
                thread::spawn(move || serve(&stream, &answers, &asked));
            }
        });
        let api = Self { answers, asked, folder };
        api.campaigns(&[]);
        api
    }

    /// Answers this method and path, whatever the query.
    pub fn answer(&self, method: &str, path: &str, code: u16, body: Value) {
        self.answers.lock().unwrap().insert(format!("{method} {path}"), (code, body));
    }

    /// Has these campaigns.
    pub fn campaigns(&self, campaigns: &[Value]) {
        let list = json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaignList", "metadata": {"resourceVersion": "7"},
            "items": campaigns,
        });
        self.answer("GET", CAMPAIGNS, 200, list.clone());
        self.answer("GET", "/apis/soak.dev/v1alpha1/soakcampaigns", 200, list);
        for campaign in campaigns {
            let path = format!("{CAMPAIGNS}/{}", campaign["metadata"]["name"].as_str().unwrap());
            self.answer("GET", &path, 200, campaign.clone());
            self.answer("PATCH", &path, 200, campaign.clone());
        }
    }

    /// Has these ConfigMaps.
    pub fn maps(&self, maps: &[ConfigMap]) {
        let list =
            json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "7"}, "items": maps});
        self.answer("GET", "/api/v1/namespaces/web/configmaps", 200, list);
    }

    /// What was sent with this method.
    pub fn sent(&self, method: &str) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(line, _)| line.starts_with(method)).map(|(_, body)| body.clone()).collect()
    }

    /// A place in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `kubectl-soak` against it, in its folder.
    pub fn run(&self, words: &[&str]) -> Output {
        run(self.folder.path(), words)
    }
}

/// Runs `kubectl-soak` in a folder, with the kubeconfig that lies there.
pub fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-soak"));
    command
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("KUBECONFIG", folder.join("kubeconfig"))
        .env("HOME", folder);
    command.stdin(Stdio::null()).output().unwrap()
}

/// A kubeconfig for a server at this address.
pub fn kubeconfig(folder: &Path, address: SocketAddr) {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": format!("http://{address}")}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me", "namespace": "web"}}],
        "users": [{"name": "me", "user": {}}],
    });
    std::fs::write(folder.join("kubeconfig"), config.to_string()).unwrap();
}

/// What an API server says that refuses.
pub fn status(code: u16, reason: &str, message: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message,
        "metadata": {},
    })
}

fn serve(stream: &TcpStream, answers: &Answers, asked: &Asked) {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or_default() == 0 {
        return;
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let line = format!("{method} {}", target.split('?').next().unwrap());
    asked.lock().unwrap().push((line.clone(), serde_json::from_slice(&body).unwrap_or_default()));
    let known = answers.lock().unwrap().get(&line).cloned();
    let (code, answer) = known.unwrap_or_else(|| (404, status(404, "NotFound", &format!("{line} not found"))));
    let text = answer.to_string();
    let _ = write!(
        &*stream,
        "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
}
