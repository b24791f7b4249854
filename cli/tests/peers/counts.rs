//! What the driver counts is what the server logs.

use std::{
    fs::{self, File},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{Folder, Server, drive, free_port, programs};

/// Waits until the count no longer grows short of `expected`, and returns it.
fn settled(expected: u64, count: impl Fn() -> u64) -> u64 {
    let patience = Instant::now() + Duration::from_secs(10);
    while count() < expected && Instant::now() < patience {
        thread::sleep(Duration::from_millis(50));
    }
    count()
}

fn assert_all_answered(outcome: &Value, scheduled: u64) {
    assert_eq!(outcome["scheduled"], scheduled, "{outcome}");
    assert_eq!(outcome["ok"], scheduled, "{outcome}");
}

#[test]
fn nginx_logs_as_many_requests_as_the_driver_counts() {
    let Some([nginx]) = programs(["nginx"]) else { return };
    let folder = Folder::new("nginx");
    let (port, log) = (free_port(), folder.0.join("access.log"));
    let config = folder.0.join("nginx.conf");
    let text = format!(
        "daemon off; worker_processes 1; pid {0}/pid; error_log {0}/error.log;\n\
         events {{ worker_connections 1024; }}\n\
         http {{ access_log {0}/access.log; client_body_temp_path {0}; proxy_temp_path {0}; fastcgi_temp_path {0};\n\
         uwsgi_temp_path {0}; scgi_temp_path {0};\n\
         server {{ listen 127.0.0.1:{port}; location / {{ return 200 \"{1}\"; }} }} }}\n",
        folder.0.display(),
        "x".repeat(1024),
    );
    fs::write(&config, text).unwrap();
    let quiet = || Stdio::from(File::create(folder.0.join("output")).unwrap());
    let mut command = Command::new(nginx);
    let _server = Server::start(command.arg("-c").arg(&config).stdout(quiet()).stderr(quiet()), port);

    let url = format!("http://127.0.0.1:{port}/counted");
    let outcome = drive(&[&url, "--rate", "1500", "--duration", "2s"]);

    assert_all_answered(&outcome, 3000);
    let logged = || fs::read_to_string(&log).unwrap_or_default().matches("/counted").count() as u64;
    assert_eq!(settled(3000, logged), 3000);
}

#[test]
fn nghttpd_logs_as_many_requests_as_the_driver_counts() {
    let Some([nghttpd]) = programs(["nghttpd"]) else { return };
    let folder = Folder::new("nghttpd");
    let port = free_port();
    fs::write(folder.0.join("counted"), "x".repeat(1024)).unwrap();
    let log = folder.0.join("log");
    let mut command = Command::new(nghttpd);
    command.args(["--no-tls", "-n1", "-v", "-a", "127.0.0.1", "-d"]).arg(&folder.0).arg(port.to_string());
    let _server = Server::start(command.stdout(File::create(&log).unwrap()).stderr(Stdio::null()), port);

    let url = format!("http://127.0.0.1:{port}/counted");
    let outcome = drive(&[&url, "--protocol", "http2", "--rate", "1000", "--duration", "2s"]);

    assert_all_answered(&outcome, 2000);
    let logged = || fs::read_to_string(&log).unwrap_or_default().matches(":path: /counted").count() as u64;
    assert_eq!(settled(2000, logged), 2000);
}
