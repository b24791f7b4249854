//! The product's images as pods: by digest, under the strictest standard, on the node that was asked for.

use std::{
    env, fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};
use soak_e2e::{Cluster, Namespace, until};

const LIMIT: Duration = Duration::from_secs(60);
const PORT: u16 = 8080;

/// The values that `cargo xtask images` wrote, where this run was given images.
fn images() -> Option<Value> {
    let Some(file) = env::var_os("SOAK_IMAGES") else {
        assert!(env::var_os("CI").is_none(), "SOAK_IMAGES names no images");
        eprintln!("SKIPPED: SOAK_IMAGES names no images");
        return None;
    };
    let text = fs::read_to_string(&file).unwrap();
    Some(serde_saphyr::from_str::<Value>(&text).unwrap()["images"].clone())
}

/// A pod of one container that the restricted standard admits.
fn pod(image: &Value, node: &str, arguments: &[&str]) -> Value {
    let name = format!("{}@{}", image["repository"].as_str().unwrap(), image["digest"].as_str().unwrap());
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": node},
        "spec": {
            "nodeName": node,
            "restartPolicy": "Never",
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [{
                "name": "arm",
                "image": name,
                "imagePullPolicy": "IfNotPresent",
                "args": arguments,
                "resources": {"limits": {"cpu": "200m", "memory": "64Mi"}},
                "securityContext": {
                    "allowPrivilegeEscalation": false,
                    "readOnlyRootFilesystem": true,
                    "capabilities": {"drop": ["ALL"]},
                },
            }],
        },
    })
}

fn restricted(cluster: &Cluster, what: &str) -> Namespace {
    let namespace = Namespace::new(cluster, what);
    let label = "pod-security.kubernetes.io/enforce=restricted";
    cluster.kubectl(&["label", "namespace", namespace.name(), label]).unwrap();
    namespace
}

/// The pod once its container runs; a container that cannot fails the test with its reason.
fn running(cluster: &Cluster, namespace: &Namespace, pod: &Value) -> Value {
    let name = pod["metadata"]["name"].as_str().unwrap();
    let apply = ["apply", "--server-side", "--namespace", namespace.name(), "--filename=-"];
    cluster.kubectl_with(&apply, &pod.to_string()).unwrap();
    until(&format!("pod {name} runs"), LIMIT, || {
        let pod = cluster.get(&["pod", name, "--namespace", namespace.name()]);
        let state = &pod["status"]["containerStatuses"][0]["state"];
        assert!(state.get("terminated").is_none(), "{name}: {state}");
        state.get("running").is_some().then_some(pod)
    })
}

fn nodes(cluster: &Cluster) -> Vec<String> {
    let nodes = cluster.get(&["nodes"]);
    let names = nodes["items"].as_array().unwrap().iter().map(|node| node["metadata"]["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

/// What a pod answers; nothing while it does not.
fn answer(pod: &Value, path: &str) -> Option<String> {
    let address = pod["status"]["podIP"].as_str()?;
    let mut stream = TcpStream::connect_timeout(&format!("{address}:{PORT}").parse().ok()?, LIMIT).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: arm\r\nConnection: close\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    text.starts_with("HTTP/1.1 200").then_some(text)
}

#[test]
fn on_every_node_an_arm_s_image_runs_under_the_restricted_standard_and_serves() {
    let (Some(cluster), Some(images)) = (Cluster::named(), images()) else { return };
    let namespace = restricted(&cluster, "arms");
    for node in nodes(&cluster) {
        let arguments = ["rest", "--host=0.0.0.0", &format!("--port={PORT}")];
        let pod = running(&cluster, &namespace, &pod(&images["arm"], &node, &arguments));
        until("the arm serves", LIMIT, || answer(&pod, "/healthz"));
        assert_eq!(pod["spec"]["nodeName"], node.as_str());
        assert_eq!(pod["status"]["qosClass"], "Guaranteed");
        let digest = images["arm"]["digest"].as_str().unwrap();
        let reported = pod["status"]["containerStatuses"][0]["imageID"].as_str().unwrap();
        assert!(reported.ends_with(&format!("@{digest}")), "the kubelet reports {reported}, asked was {digest}");
    }
}

#[test]
fn an_image_has_no_shell() {
    let (Some(cluster), Some(images)) = (Cluster::named(), images()) else { return };
    let namespace = restricted(&cluster, "shell");
    let node = nodes(&cluster).remove(0);
    let arguments = ["rest", "--host=0.0.0.0", &format!("--port={PORT}")];
    running(&cluster, &namespace, &pod(&images["arm"], &node, &arguments));
    let refused = cluster.kubectl(&["exec", "--namespace", namespace.name(), &node, "--", "/bin/sh", "-c", "id"]);
    assert!(refused.unwrap_err().contains("no such file or directory"));
}
