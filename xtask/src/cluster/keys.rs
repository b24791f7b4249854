//! Who may talk to the API server, and how they know it: an authority, a certificate, a key that signs service accounts'
//! tokens, and one bearer token a user. Made anew for every cluster; `openssl` does the arithmetic.

use std::{fs, io::Read as _, path::Path};

use crate::{Fault, program};

use super::layout::{CONTROL_PLANE, FIRST_SERVICE, Layout};

/// A user that is known by a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub name: String,
    /// The group that the user is in; empty for none.
    pub group: &'static str,
}

impl User {
    pub fn new(name: impl Into<String>, group: &'static str) -> Self {
        Self { name: name.into(), group }
    }
}

/// The authority's certificate and the users' tokens.
#[derive(Debug)]
pub(super) struct Keys {
    authority: String,
    users: Vec<(User, String)>,
}

impl Keys {
    /// Makes everything; the files for the API server lie in the layout's folder of keys.
    pub fn make(layout: &Layout, users: Vec<User>) -> Result<Self, Fault> {
        let folder = layout.keys();
        fs::create_dir_all(&folder).map_err(|error| Fault::file(&folder, error))?;
        certify(&folder)?;
        let users: Vec<_> = users.into_iter().map(|user| Ok((user, token()?))).collect::<Result<_, Fault>>()?;
        let lines = users.iter().map(|(user, token)| {
            let User { name, group } = user;
            format!("{token},{name},{name},\"{group}\"\n")
        });
        let file = folder.join("tokens.csv");
        fs::write(&file, lines.collect::<String>()).map_err(|error| Fault::file(&file, error))?;
        let file = folder.join("ca.crt");
        let authority = fs::read(&file).map_err(|error| Fault::file(&file, error))?;
        Ok(Self { authority: base64(&authority), users })
    }

    /// The configuration with which a user reaches the API server.
    pub fn kubeconfig(&self, user: &str) -> String {
        let token = self.users.iter().find(|(other, _)| other.name == user).map_or("", |(_, token)| token);
        let Self { authority, .. } = self;
        format!(
            "apiVersion: v1
kind: Config
clusters:
- name: soak
  cluster: {{server: \"https://{CONTROL_PLANE}:6443\", certificate-authority-data: {authority}}}
users:
- name: \"{user}\"
  user: {{token: {token}}}
contexts:
- name: soak
  context: {{cluster: soak, user: \"{user}\"}}
current-context: soak
"
        )
    }
}

fn certify(folder: &Path) -> Result<(), Fault> {
    let path = |name: &str| folder.join(name).display().to_string();
    let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "365"];
    let (ca_key, ca) = (path("ca.key"), path("ca.crt"));
    let (api_key, api) = (path("api.key"), path("api.crt"));
    let names = format!(
        "subjectAltName=IP:{CONTROL_PLANE},IP:{FIRST_SERVICE},IP:127.0.0.1,DNS:kubernetes,DNS:kubernetes.default,\
         DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
    );
    let new = [&["req", "-x509"], curve.as_slice()].concat();
    openssl(&new, &["-subj", "/CN=soak-cluster", "-keyout", &ca_key, "-out", &ca])?;
    // Without it the certificate is an authority's, and clients that keep to the standard refuse the server.
    let own = ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", &names];
    let signed = [&["-subj", "/CN=kube-apiserver", "-CA", &ca, "-CAkey", &ca_key], own.as_slice()].concat();
    openssl(&new, &[signed.as_slice(), ["-keyout", &api_key, "-out", &api].as_slice()].concat())?;
    let (key, public) = (path("accounts.key"), path("accounts.pub"));
    openssl(&["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], &["-out", &key])?;
    openssl(&["pkey", "-in", &key], &["-pubout", "-out", &public])
}

fn openssl(what: &[&str], with: &[&str]) -> Result<(), Fault> {
    program::run("openssl", &[what, with].concat()).map(drop)
}

fn token() -> Result<String, Fault> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    let read = fs::File::open(source).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Fault::file(source, error))?;
    Ok(base16ct::lower::encode_string(&bytes))
}

fn base64(bytes: &[u8]) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
}
