//! An OCI image archive: layers, a configuration and the documents that name them by digest. In: an image's parts.
//! Out: bytes that depend on nothing else, and the digest under which a cluster knows the image.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::tar::Tree;

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";

/// The parts of an image.
#[derive(Debug, Clone)]
pub(crate) struct Image {
    /// The repository, without tag.
    pub name: String,
    pub tag: String,
    pub entrypoint: Vec<String>,
    /// The user and the group that its process is.
    pub user: &'static str,
    pub labels: Vec<(&'static str, String)>,
    pub layers: Vec<Tree>,
}

/// An archive and what it is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archive {
    pub bytes: Vec<u8>,
    /// `sha256:` and 64 letters: the manifest's.
    pub digest: String,
}

/// A document or layer of an archive.
pub(crate) struct Blob {
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Blob {
    /// Bytes of a media type.
    pub fn new(kind: &'static str, bytes: Vec<u8>) -> Self {
        Self { kind, bytes }
    }

    /// A JSON document of a media type.
    pub fn document(kind: &'static str, value: &Value) -> Self {
        Self::new(kind, value.to_string().into_bytes())
    }

    fn digest(&self) -> String {
        format!("sha256:{}", sha256(&self.bytes))
    }

    fn descriptor(&self) -> Value {
        json!({"mediaType": self.kind, "digest": self.digest(), "size": self.bytes.len()})
    }
}

/// The archive of an image.
pub(crate) fn archive(image: &Image) -> Archive {
    let layers: Vec<Blob> = image.layers.iter().map(|layer| Blob::new(LAYER, layer.tar())).collect();
    let config = Blob::document(CONFIG, &configuration(image, &layers));
    pack((&image.name, &image.tag), config, layers)
}

/// The archive of a configuration and its layers, whatever they hold, under a name and a tag.
pub(crate) fn pack((name, tag): (&str, &str), config: Blob, layers: Vec<Blob>) -> Archive {
    let described: Vec<Value> = layers.iter().map(Blob::descriptor).collect();
    let manifest = Blob::document(
        MANIFEST,
        &json!({"schemaVersion": 2, "mediaType": MANIFEST, "config": config.descriptor(), "layers": described}),
    );
    let index = Blob::document(INDEX, &index((name, tag), &manifest));
    let digest = manifest.digest();
    let mut tree = Tree::default()
        .file("oci-layout", 0o644, json!({"imageLayoutVersion": "1.0.0"}).to_string().into_bytes())
        .file("index.json", 0o644, index.bytes);
    for blob in layers.into_iter().chain([config, manifest]) {
        tree = tree.file(&format!("blobs/sha256/{}", sha256(&blob.bytes)), 0o644, blob.bytes);
    }
    Archive { bytes: tree.tar(), digest }
}

fn configuration(image: &Image, layers: &[Blob]) -> Value {
    let labels: serde_json::Map<String, Value> =
        image.labels.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let layers: Vec<String> = layers.iter().map(Blob::digest).collect();
    json!({
        "architecture": architecture(),
        "os": "linux",
        "config": {"User": image.user, "Entrypoint": image.entrypoint, "WorkingDir": "/", "Labels": labels},
        "rootfs": {"type": "layers", "diff_ids": layers},
        "history": image.layers.iter().map(|_| json!({"created": "1970-01-01T00:00:00Z"})).collect::<Vec<_>>(),
    })
}

fn index((name, tag): (&str, &str), manifest: &Blob) -> Value {
    let mut described = manifest.descriptor();
    described["platform"] = json!({"architecture": architecture(), "os": "linux"});
    described["annotations"] = json!({
        "io.containerd.image.name": format!("{name}:{tag}"),
        "org.opencontainers.image.ref.name": tag,
    });
    json!({"schemaVersion": 2, "mediaType": INDEX, "manifests": [described]})
}

/// The machine's kind in the words of the image specification.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(content: u8) -> Image {
        Image {
            name: "soak.local/x".to_owned(),
            tag: "1".to_owned(),
            entrypoint: vec!["/x".to_owned()],
            user: "65532:65532",
            labels: vec![("a", "b".to_owned())],
            layers: vec![Tree::default().file("x", 0o755, vec![content])],
        }
    }

    #[test]
    fn the_same_parts_give_the_same_bytes_and_other_parts_another_digest() {
        assert_eq!(archive(&image(1)), archive(&image(1)));
        assert_ne!(archive(&image(1)).digest, archive(&image(2)).digest);
    }

    #[test]
    fn the_digest_is_that_of_the_manifest_in_the_archive() {
        let archive = archive(&image(1));
        let name = archive.digest.replace("sha256:", "blobs/sha256/");
        let found = archive.bytes.windows(name.len()).any(|window| window == name.as_bytes());
        assert!(found, "no {name} in the archive");
    }
}
