//! Programs of others that the tests run beside the product's own. In: what is installed. As root on Debian or Ubuntu what is
//! missing is installed, with its services kept from starting; else it is named, and the tests that need it are skipped.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::Fault;

/// A program and the Debian package that has it.
const PROGRAMS: [(&str, &str); 5] = [
    ("nginx", "nginx-light"),
    ("wrk", "wrk"),
    ("h2load", "nghttp2-client"),
    ("nghttpd", "nghttp2-server"),
    ("python3", "python3"),
];
/// What the test cluster runs besides what it builds.
const OF_CLUSTER: [(&str, &str); 9] = [
    ("containerd", "containerd"),
    ("runc", "runc"),
    ("/usr/lib/cni/bridge", "containernetworking-plugins"),
    ("iptables", "iptables"),
    ("ip", "iproute2"),
    ("openssl", "openssl"),
    ("git", "git"),
    ("redis-server", "redis-server"),
    ("skopeo", "skopeo"),
];
/// What speaks to a registry.
const OF_PUBLISHING: [(&str, &str); 1] = [("skopeo", "skopeo")];
/// While this exists and says no, packages do not start the services they bring.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// Installs what the tests of this machine lack, or says what is skipped.
pub fn run() -> Result<(), Fault> {
    match install(&PROGRAMS) {
        Err(fault) if env::var_os("CI").is_none() => {
            eprintln!("   tests that need them are skipped: {fault}");
            Ok(())
        }
        done => done,
    }
}

/// Installs what the test cluster lacks; a fault where that cannot be.
pub fn for_cluster() -> Result<(), Fault> {
    install(&OF_CLUSTER)
}

/// Installs what publishing lacks; a fault where that cannot be.
pub fn for_publishing() -> Result<(), Fault> {
    install(&OF_PUBLISHING)
}

fn install(programs: &[(&str, &str)]) -> Result<(), Fault> {
    let missing: Vec<_> = programs.iter().filter(|(program, _)| !is_installed(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|(_, package)| *package).collect::<Vec<_>>();
    if !rustix::process::geteuid().is_root() || !is_installed("apt-get") {
        return Err(Fault::Failed(format!("not installed: {}", names.join(" "))));
    }
    eprintln!("   installing {}", names.join(" "));
    let quiet = Quiet::services();
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], names.as_slice()].concat())?;
    drop(quiet);
    Ok(())
}

fn apt(arguments: &[&str]) -> Result<(), Fault> {
    let mut command = Command::new("apt-get");
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).stdout(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("apt-get {} ended with {status}", arguments.join(" ")))),
        Err(error) => Err(Fault::Failed(format!("apt-get cannot be run: {error}"))),
    }
}

fn is_installed(program: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/usr/local/sbin"].map(Into::into);
    env::split_paths(&paths).chain(system).any(|folder| folder.join(program).is_file())
}

/// Keeps packages from starting their services while it lives; leaves a policy of the machine's own alone.
struct Quiet {
    ours: bool,
}

impl Quiet {
    fn services() -> Self {
        let ours = !Path::new(POLICY).exists()
            && fs::write(POLICY, "#!/bin/sh\nexit 101\n").is_ok()
            && fs::set_permissions(POLICY, fs::Permissions::from_mode(0o755)).is_ok();
        Self { ours }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = fs::remove_file(POLICY)
        {
            eprintln!("   {POLICY} is left behind: {error}");
        }
    }
}
