//! A namespace with an operator of its own, one test at a time: campaigns of two operators would wait for each other's
//! nodes.

use std::{
    env,
    io::Write as _,
    process::{self, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
pub const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../chart");
const DEFINITION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crds/soakcampaigns.yaml");

/// The namespace; it and all in it go when this is dropped.
pub struct Place {
    pub namespace: String,
    values: String,
    _turn: MutexGuard<'static, ()>,
}

impl Place {
    /// Installs an operator; `None` where no cluster or no image is named.
    pub fn install(what: &str) -> Option<Self> {
        Self::install_beside(what, &[])
    }

    /// Installs an operator that looks at these namespaces too.
    pub fn install_beside(what: &str, others: &[&str]) -> Option<Self> {
        let place = Self::empty(what)?;
        place.install_definition();
        let all = [&[place.namespace.as_str()], others].concat().join(",");
        let set = format!("crds.install=false,rbac.aggregate=false,log=debug,namespaces={{{all}}}");
        place.helm("install", CHART, &set, &[]).unwrap();
        Some(place)
    }

    /// Applies the definition, whoever has applied it before.
    pub fn install_definition(&self) {
        self.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", DEFINITION]).unwrap();
    }

    /// A namespace without an operator; `None` where no cluster or no image is named.
    pub fn empty(what: &str) -> Option<Self> {
        let values = values()?;
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Self { namespace: format!("soak-op-{what}-{}", process::id()), values, _turn: turn };
        run("kubectl", &["create", "namespace", &place.namespace], "").unwrap();
        let enforce = "pod-security.kubernetes.io/enforce=restricted";
        run("kubectl", &["label", "namespace", &place.namespace, enforce], "").unwrap();
        Some(place)
    }

    /// Has Helm install or upgrade the release `soak` from a chart, with these values and flags, and waits for it.
    pub fn helm(&self, verb: &str, chart: &str, set: &str, flags: &[&str]) -> Result<String, String> {
        let common = ["--values", &self.values, "--set", set, "--wait", "--timeout=120s"];
        self.run_helm(&[&[verb, "soak", chart], common.as_slice(), flags].concat())
    }

    /// Runs Helm in the namespace.
    pub fn run_helm(&self, arguments: &[&str]) -> Result<String, String> {
        let helm = env::var("HELM").unwrap_or_else(|_| "helm".to_owned());
        run(&helm, &[arguments, &["--namespace", &self.namespace]].concat(), "")
    }

    /// Runs `kubectl` in the namespace.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String, String> {
        run("kubectl", &[&["--namespace", &self.namespace], arguments].concat(), "")
    }

    /// Runs `kubectl` in the namespace with an input.
    pub fn kubectl_with(&self, arguments: &[&str], input: &str) -> Result<String, String> {
        run("kubectl", &[&["--namespace", &self.namespace], arguments].concat(), input)
    }

    /// Applies objects of any kind.
    pub fn apply_objects(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        run("kubectl", &["apply", "-f", "-"], &list.to_string()).unwrap();
    }

    /// What `kubectl get` says.
    pub fn get(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.kubectl(&[&["get", "-o", "json"], arguments].concat()).unwrap()).unwrap()
    }

    /// Applies a campaign of this name with these fields.
    pub fn apply(&self, name: &str, fields: &Value) {
        self.apply_in(&self.namespace, name, fields);
    }

    /// Applies it in a namespace.
    pub fn apply_in(&self, namespace: &str, name: &str, fields: &Value) {
        let arguments = ["--namespace", namespace, "apply", "-f", "-"];
        run("kubectl", &arguments, &campaign(name, fields).to_string()).unwrap();
    }

    /// A campaign's status.
    pub fn status(&self, name: &str) -> Value {
        self.get(&["soakcampaign", name])["status"].clone()
    }

    /// A condition of a campaign.
    pub fn condition(&self, name: &str, type_: &str) -> Option<Value> {
        let status = self.status(name);
        status["conditions"].as_array()?.iter().find(|condition| condition["type"] == type_).cloned()
    }

    /// Waits until a campaign is over; its status.
    #[track_caller]
    pub fn finished(&self, name: &str) -> Value {
        let is_over = || self.condition(name, "Finished").filter(|condition| condition["status"] == "True");
        self.until("the campaign is over", Duration::from_secs(240), is_over);
        self.status(name)
    }

    /// Asks until there is an answer; after the limit fails the test with what the operator said.
    #[track_caller]
    pub fn until<T>(&self, what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            if start.elapsed() > limit {
                let said = self.kubectl(&["logs", "deployment/soak-operator", "--tail=30"]);
                let pods = self.kubectl(&["get", "pods,soakcampaigns", "-o", "wide"]);
                panic!("not within {limit:?}: {what}\n{}\n{}", pods.unwrap_or_default(), said.unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(300));
        }
    }
}

/// The values that name the images; `None`, with words, where no cluster or no image is named.
fn values() -> Option<String> {
    let values = env::var("SOAK_IMAGES").ok().filter(|_| env::var_os("KUBECONFIG").is_some());
    if values.is_none() {
        assert!(env::var_os("CI").is_none(), "KUBECONFIG and SOAK_IMAGES name no cluster and images");
        eprintln!("SKIPPED: KUBECONFIG and SOAK_IMAGES name no cluster and images");
    }
    values
}

/// A second namespace of a test; it goes when this is dropped.
pub struct Room {
    pub name: String,
}

impl Room {
    /// Makes it; `None` where no cluster is named.
    pub fn make(what: &str) -> Option<Self> {
        values()?;
        let room = Self { name: format!("soak-op-{what}-{}", process::id()) };
        run("kubectl", &["create", "namespace", &room.name], "").unwrap();
        Some(room)
    }

    /// Whether campaigns have pods in it.
    pub fn has_pods(&self) -> bool {
        let pods = ["--namespace", &self.name, "get", "pods", "--output=name"];
        !run("kubectl", &pods, "").unwrap_or_default().trim().is_empty()
    }

    /// Has it go, and all in it.
    pub fn delete(&self) {
        run("kubectl", &["delete", "namespace", &self.name, "--wait=false"], "").unwrap();
    }

    /// Whether it is gone.
    pub fn is_gone(&self) -> bool {
        run("kubectl", &["get", "namespace", &self.name], "").is_err()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = run("kubectl", &["delete", "namespace", &self.name, "--ignore-not-found", "--wait=false"], "");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let gone = run("kubectl", &["delete", "namespace", &self.namespace, "--timeout=60s"], "");
        if let Err(words) = gone {
            eprintln!("namespace {} is left behind: {words}", self.namespace);
        }
    }
}

pub fn run(program: &str, arguments: &[&str], input: &str) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// A campaign of this name with these fields over a short one that fits two shared CPUs.
pub fn campaign(name: &str, fields: &Value) -> Value {
    let mut spec = json!({
        "arms": [{"name": "rest-h1", "protocol": "Http1", "server": {
            "preset": "rest",
            "resources": {"cpu": "200m", "memory": "128Mi"},
            "settings": {"workerThreads": 1, "work": {"kind": "Spin", "micros": 1000}},
        }}],
        "client": {"connections": 32, "idle": "Sleep", "cpu": "500m", "drain": "1s"},
        "ramp": {
            "warmup": {"rate": 50, "duration": "3s"},
            "steps": {"from": 50, "to": 300, "by": 50},
            "stepDuration": "5s",
        },
        // Two nodes share two CPUs with whatever else runs there: what a driver's lateness is worth is not tested here.
        "judge": {"sendErrorMicros": 1_000_000, "hostWaitPercent": 100, "hostIdlePercent": 0},
        "replicates": 1,
    });
    spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({
        "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign", "metadata": {"name": name}, "spec": spec,
    })
}
