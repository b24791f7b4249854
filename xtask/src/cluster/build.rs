//! The cluster's own programs, built from their Go modules in `tests/cluster/modules` and kept in a cache folder outside
//! the build's own, so that only a machine's first run pays. A change of a module or of Go's version builds anew.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use sha2::{Digest as _, Sha256};

use crate::{Fault, program, root};

/// A module and what is built from it.
struct Module {
    /// Its folder, and the name of what is built.
    name: &'static str,
    /// The required module whose version names the result.
    version_of: Option<&'static str>,
    packages: &'static [&'static str],
}

/// What Go keeps of its compilations while the modules are built: they share much.
const COMPILED: &str = "compiled";
const KUBERNETES: &str = "k8s.io/kubernetes";
const MODULES: [Module; 7] = [
    Module { name: "pause", version_of: None, packages: &["."] },
    Module { name: "etcd", version_of: Some("go.etcd.io/etcd/server/v3"), packages: &["."] },
    Module {
        name: "kubernetes",
        version_of: Some(KUBERNETES),
        packages: &[
            "k8s.io/kubernetes/cmd/kube-apiserver",
            "k8s.io/kubernetes/cmd/kube-controller-manager",
            "k8s.io/kubernetes/cmd/kube-proxy",
            "k8s.io/kubernetes/cmd/kube-scheduler",
            "k8s.io/kubernetes/cmd/kubectl",
            "k8s.io/kubernetes/cmd/kubelet",
        ],
    },
    Module {
        name: "registry",
        version_of: Some("github.com/distribution/distribution/v3"),
        packages: &["github.com/distribution/distribution/v3/cmd/registry"],
    },
    Module { name: "helm3", version_of: Some("helm.sh/helm/v3"), packages: &["helm.sh/helm/v3/cmd/helm"] },
    Module { name: "argocd", version_of: Some("github.com/argoproj/argo-cd/v3"), packages: &["."] },
    Module { name: "helm4", version_of: Some("helm.sh/helm/v4"), packages: &["helm.sh/helm/v4/cmd/helm"] },
];

/// Where each module's programs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binaries(Vec<(String, PathBuf)>);

impl Binaries {
    /// Builds what the cache lacks.
    pub fn ready() -> Result<Self, Fault> {
        let go = program::run("go", &["env", "GOVERSION"])
            .map_err(|fault| Fault::Failed(format!("the test cluster is built with Go: {fault}")))?;
        let cache = cache()?;
        fs::create_dir_all(&cache).map_err(|error| Fault::file(&cache, error))?;
        let lock = cache.join("lock");
        let held = fs::File::create(&lock).map_err(|error| Fault::file(&lock, error))?;
        held.lock().map_err(|error| Fault::file(&lock, error))?;
        let built = MODULES.iter().map(|module| Ok((module.name.to_owned(), build(module, go.trim(), &cache)?)));
        let built = built.collect::<Result<_, Fault>>().map(Self)?;
        let _ = fs::remove_dir_all(cache.join(COMPILED)); // gigabytes, and of no use to what is built
        Ok(built)
    }

    /// The folders of some modules' programs, with their names.
    pub fn folders(&self, names: &[&str]) -> Vec<(String, PathBuf)> {
        self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).cloned().collect()
    }

    /// The folder of one module's programs.
    pub fn folder(&self, name: &str) -> Option<&Path> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, folder)| folder.as_path())
    }
}

/// The folder that a module's programs are in; built there first where it is missing.
fn build(module: &Module, go: &str, cache: &Path) -> Result<PathBuf, Fault> {
    let source = root().join("tests/cluster/modules").join(module.name);
    let version = module.version_of.map(|path| version(&source, path)).transpose()?.unwrap_or_default();
    let target = cache.join(key(module.name, &version, &fingerprint(&source, module, go)?));
    if target.is_dir() {
        return Ok(target);
    }
    eprintln!("   building {} {version}", module.name);
    let start = Instant::now();
    let partial = target.with_extension("partial");
    let mut command = Command::new("go");
    command.args(["build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", &link_flags(module, &version)]);
    command.arg("-o").arg(format!("{}/", partial.display())).args(module.packages);
    command.current_dir(&source).env("CGO_ENABLED", "0").env("GOWORK", "off").env("GOCACHE", cache.join(COMPILED));
    program::output(&mut command)?;
    fs::rename(&partial, &target).map_err(|error| Fault::file(&target, error))?;
    eprintln!("   built {} in {:.0} s", module.name, start.elapsed().as_secs_f64());
    Ok(target)
}

/// Where the sources of a module that one of ours requires are.
pub(super) fn source(module: &str, required: &str) -> Result<PathBuf, Fault> {
    let folder = root().join("tests/cluster/modules").join(module);
    let mut command = Command::new("go");
    command.args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", required]).current_dir(folder).env("GOWORK", "off");
    Ok(PathBuf::from(program::output(&mut command)?.trim()))
}

fn cache() -> Result<PathBuf, Fault> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let base = base.ok_or_else(|| Fault::Failed("neither XDG_CACHE_HOME nor HOME is set".to_owned()))?;
    Ok(base.join("soak/cluster"))
}

fn version(source: &Path, path: &str) -> Result<String, Fault> {
    let file = source.join("go.mod");
    let text = fs::read_to_string(&file).map_err(|error| Fault::file(&file, error))?;
    required(&text, path).ok_or_else(|| Fault::Failed(format!("{}: requires no {path}", file.display())))
}

/// The version of a module that a `go.mod` requires.
fn required(text: &str, path: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "require");
        let (first, version) = (words.next()?, words.next()?);
        (first == path && version.starts_with('v')).then(|| version.to_owned())
    })
}

/// What a result depends on besides its version, in twelve letters.
fn fingerprint(source: &Path, module: &Module, go: &str) -> Result<String, Fault> {
    let mut hash = Sha256::new();
    hash.update(go);
    module.packages.iter().for_each(|package| hash.update(package));
    for name in ["go.mod", "go.sum", "main.go"] {
        let file = source.join(name);
        if file.exists() {
            hash.update(fs::read(&file).map_err(|error| Fault::file(&file, error))?);
        }
    }
    Ok(base16ct::lower::encode_string(&hash.finalize()[..6]))
}

fn key(name: &str, version: &str, fingerprint: &str) -> String {
    [name, version, fingerprint].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Kubernetes' programs are told their version when they are linked; without it they say 0.0.0.
fn link_flags(module: &Module, version: &str) -> String {
    let mut flags = "-s -w".to_owned();
    if module.version_of == Some(KUBERNETES) {
        let mut parts = version.trim_start_matches('v').split('.');
        let (major, minor) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        for package in ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"] {
            for (name, value) in [("gitVersion", version), ("gitMajor", major), ("gitMinor", minor)] {
                flags.push_str(&[" -X ", package, ".", name, "=", value].concat());
            }
        }
    }
    flags
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_is_required() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(required(text, "a.b/c").as_deref(), expected);
        check("module x\n\nrequire a.b/c v1.2.3\n", Some("v1.2.3"));
        check("require (\n\ta.b/c/d v9.9.9\n\ta.b/c v1.2.3 // indirect\n)", Some("v1.2.3"));
        check("replace a.b/c => ../c\n\ntool a.b/c\n", None);
    }

    #[test]
    fn every_module_is_there_and_its_version_can_be_read() {
        for module in &MODULES {
            let source = root().join("tests/cluster/modules").join(module.name);
            assert!(source.join("go.mod").is_file(), "{}", module.name);
            if let Some(path) = module.version_of {
                assert!(version(&source, path).unwrap().starts_with('v'));
            }
        }
    }

    #[test]
    fn kubernetes_is_told_its_version() {
        let flags = link_flags(&MODULES[2], "v1.34.4");
        assert!(flags.contains(" -X k8s.io/component-base/version.gitVersion=v1.34.4"), "{flags}");
        assert!(flags.contains("version.gitMinor=34"), "{flags}");
        assert_eq!(link_flags(&MODULES[1], "v3.6.16"), "-s -w");
    }
}
