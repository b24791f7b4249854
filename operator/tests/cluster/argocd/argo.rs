//! Argo CD's repository server and application controller on this machine, with a namespace of their own on the cluster.

use std::{
    env, fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio, id},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::place::{Place, run};

const HEALTH: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/argocd/health.lua"));
/// The configuration that Argo CD wants to find, empty or not.
const SETTINGS: [&str; 5] = [
    "argocd-rbac-cm",
    "argocd-cmd-params-cm",
    "argocd-tls-certs-cm",
    "argocd-ssh-known-hosts-cm",
    "argocd-gpg-keys-cm",
];
const SYNC_WITHIN: Duration = Duration::from_secs(60);

/// Ends, and takes what it put on the cluster with it, when dropped.
pub struct Argo {
    namespace: String,
    definitions: PathBuf,
    programs: Vec<Child>,
    files: tempfile::TempDir,
}

impl Argo {
    /// Starts it with one application: what the repository has, in the place's namespace. `None` where it is not named.
    pub fn start(place: &Place, repository: &Path) -> Option<Self> {
        let named = env::var_os("SOAK_ARGOCD").zip(env::var_os("SOAK_ARGOCD_CRDS"));
        let Some((program, definitions)) = named else {
            assert!(env::var_os("CI").is_none(), "SOAK_ARGOCD and SOAK_ARGOCD_CRDS name no Argo CD");
            eprintln!("SKIPPED: SOAK_ARGOCD and SOAK_ARGOCD_CRDS name no Argo CD");
            return None;
        };
        let files = tempfile::tempdir().unwrap();
        let namespace = format!("soak-argocd-{}", id());
        let mut argo = Self { namespace, definitions: definitions.into(), programs: Vec::new(), files: files };
        for file in ["application-crd.yaml", "appproject-crd.yaml", "applicationset-crd.yaml"] {
            argo.definition("apply", file);
        }
        run("kubectl", &["create", "namespace", &argo.namespace], "").unwrap();
        let objects = argo.settings().into_iter().chain([argo.application(place, repository)]);
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects.collect::<Vec<_>>()});
        run("kubectl", &["apply", "--server-side", "-f", "-"], &list.to_string()).unwrap();
        argo.run_programs(Path::new(&program));
        Some(argo)
    }

    /// Whether the application is in this state.
    pub fn is(&self, sync: &str, health: &str) -> bool {
        let status = &self.application_now()["status"];
        status["sync"]["status"] == sync && status["health"]["status"] == health
    }

    /// Has it compare git and the cluster now.
    pub fn refresh(&self) {
        let annotation = "argocd.argoproj.io/refresh=hard";
        self.kubectl(&["annotate", "--overwrite", "application", "campaigns", annotation]);
    }

    /// Has it apply everything again, and waits until it has.
    pub fn sync(&self) {
        let operation = json!({"operation": {
            "initiatedBy": {"username": "test"},
            "sync": {"revision": "main", "prune": true},
        }});
        self.kubectl(&["patch", "application", "campaigns", "--type=merge", "--patch", &operation.to_string()]);
        let start = Instant::now();
        loop {
            let now = self.application_now();
            let phase = now["status"]["operationState"]["phase"].clone();
            if now["operation"].is_null() && phase != "Running" {
                assert_eq!(phase, "Succeeded", "{now}");
                return;
            }
            assert!(start.elapsed() < SYNC_WITHIN, "not synced: {now}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn application_now(&self) -> Value {
        serde_json::from_str(&self.kubectl(&["get", "application", "campaigns", "-o", "json"])).unwrap()
    }

    fn kubectl(&self, arguments: &[&str]) -> String {
        run("kubectl", &[&["--namespace", &self.namespace], arguments].concat(), "").unwrap()
    }

    fn definition(&self, verb: &str, file: &str) {
        let file = self.definitions.join(file);
        let file = file.to_str().unwrap();
        let arguments: &[&str] = if verb == "apply" {
            &["apply", "--server-side", "-f", file]
        } else {
            &["delete", "--ignore-not-found", "--wait=false", "-f", file]
        };
        run("kubectl", arguments, "").unwrap();
    }

    /// What Argo CD reads of the cluster: how to judge a campaign's health, a project, and the cluster itself.
    fn settings(&self) -> Vec<Value> {
        let object = |kind: &str, name: &str, data: Value, labels: Value| {
            let field = if kind == "Secret" { "stringData" } else { "data" };
            json!({
                "apiVersion": "v1", "kind": kind,
                "metadata": {"name": name, "namespace": self.namespace, "labels": labels},
                field: data,
            })
        };
        let part = json!({"app.kubernetes.io/part-of": "argocd"});
        let health = json!({"resource.customizations.health.soak.dev_SoakCampaign": HEALTH});
        let mut all = vec![
            object("ConfigMap", "argocd-cm", health, part.clone()),
            object("Secret", "argocd-secret", json!({"server.secretkey": "only for this test"}), part.clone()),
        ];
        all.extend(SETTINGS.iter().map(|name| object("ConfigMap", name, json!({}), part.clone())));
        let (server, access) = cluster();
        let named = json!({"argocd.argoproj.io/secret-type": "cluster"});
        let cluster = json!({"name": "here", "server": server, "config": access.to_string()});
        all.push(object("Secret", "cluster-here", cluster, named));
        all.push(json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
            "metadata": {"name": "default", "namespace": self.namespace},
            "spec": {
                "sourceRepos": ["*"],
                "destinations": [{"server": "*", "namespace": "*"}],
                "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
            },
        }));
        all
    }

    fn application(&self, place: &Place, repository: &Path) -> Value {
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "campaigns", "namespace": self.namespace},
            "spec": {
                "project": "default",
                "source": {"repoURL": format!("file://{}", repository.display()), "targetRevision": "main", "path": "."},
                "destination": {"server": cluster().0, "namespace": place.namespace},
                "syncPolicy": {"automated": {"prune": true, "selfHeal": true}},
            },
        })
    }

    fn run_programs(&mut self, program: &Path) {
        let [redis, server, metrics, other] = ports();
        let files = self.files.path().to_owned();
        let mut store = Command::new("redis-server");
        store.args(["--bind", "127.0.0.1", "--save", "", "--port", &redis.to_string()]).arg("--dir").arg(&files);
        self.spawn(store, "redis", &files);
        let redis = format!("--redis=127.0.0.1:{redis}");
        let mut repositories = Command::new(program);
        repositories.args(["argocd-repo-server", &redis, "--disable-tls", "--address=127.0.0.1"]);
        repositories.args([format!("--port={server}"), format!("--metrics-port={metrics}")]);
        self.spawn(repositories, "repo-server", &files);
        let mut controller = Command::new(program);
        controller.args(["argocd-application-controller", &redis, "--repo-server-plaintext", "--app-resync=10"]);
        controller.arg(format!("--namespace={}", self.namespace));
        controller.arg(format!("--repo-server=127.0.0.1:{server}")).arg(format!("--metrics-port={other}"));
        self.spawn(controller, "controller", &files);
    }

    fn spawn(&mut self, mut command: Command, name: &str, files: &Path) {
        let log = fs::File::create(files.join(format!("{name}.log"))).unwrap();
        command.env("ARGOCD_GPG_ENABLED", "false").env("TMPDIR", files).env("HOME", files);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).current_dir(files);
        self.programs.push(command.spawn().unwrap_or_else(|error| panic!("{name}: {error}")));
    }
}

impl Drop for Argo {
    fn drop(&mut self) {
        if thread::panicking() {
            for name in ["repo-server", "controller"] {
                let said = fs::read_to_string(self.files.path().join(format!("{name}.log"))).unwrap_or_default();
                let lines: Vec<&str> = said.lines().rev().take(15).collect();
                eprintln!("{name}:\n{}", lines.into_iter().rev().collect::<Vec<_>>().join("\n"));
            }
        }
        for program in &mut self.programs {
            let _ = program.kill();
            let _ = program.wait();
        }
        let _ = run("kubectl", &["delete", "namespace", &self.namespace, "--wait=false"], "");
        for file in ["application-crd.yaml", "appproject-crd.yaml", "applicationset-crd.yaml"] {
            self.definition("delete", file);
        }
    }
}

/// The cluster's address, and how the kubeconfig gets into it.
fn cluster() -> (String, Value) {
    let view = run("kubectl", &["config", "view", "--raw", "--minify", "--flatten", "-o", "json"], "").unwrap();
    let view: Value = serde_json::from_str(&view).unwrap();
    let (cluster, user) = (&view["clusters"][0]["cluster"], &view["users"][0]["user"]);
    let access = json!({"bearerToken": user["token"].as_str().unwrap_or_default(), "tlsClientConfig": {
        "caData": cluster["certificate-authority-data"],
        "certData": user["client-certificate-data"],
        "keyData": user["client-key-data"],
    }});
    (cluster["server"].as_str().unwrap().to_owned(), access)
}

/// Free ports of loopback.
fn ports() -> [u16; 4] {
    let held = [(); 4].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}
