//! Compiles the message types without protoc, and computes the identity of the arms: a hash of everything they are
//! built from. Both are handed to the crate through the environment and `OUT_DIR`.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use prost::Message as _;
use sha2::{Digest as _, Sha256};

type Fault = Box<dyn std::error::Error>;

fn main() -> Result<(), Fault> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    compile_messages(&out)?;
    let identity = identity()?;
    println!("cargo::rustc-env=SOAK_ARMS_BUILD_INPUTS_SHA256={identity}");
    Ok(())
}

/// Generated types for the compiled codec, and the descriptor for the dynamic one. The same types are written as JSON.
fn compile_messages(out: &Path) -> Result<(), Fault> {
    let descriptors = protox::compile(["echo.proto"], ["proto"])?;
    fs::write(out.join("echo.descriptors"), descriptors.encode_to_vec())?;
    let optional =
        "#[serde(default, deserialize_with = \"crate::payload::present\", skip_serializing_if = \"Option::is_none\")]";
    let mut config = prost_build::Config::new();
    config
        .out_dir(out)
        .type_attribute(".", "#[derive(serde::Serialize, serde::Deserialize)]\n#[serde(deny_unknown_fields)]")
        .field_attribute("soak.echo.v1.Message.payload", optional)
        .field_attribute("soak.echo.v1.Payload.buyer", optional)
        .field_attribute("soak.echo.v1.Party.address", optional);
    config.compile_fds(descriptors)?;
    Ok(())
}

/// SHA-256 of the sources, the message description, the manifests, the locked dependencies, the compiler and its options.
fn identity() -> Result<String, Fault> {
    let mut inputs = BTreeMap::new();
    for tree in ["src", "proto"] {
        read_tree(Path::new(tree), &mut inputs)?;
    }
    for file in ["build.rs", "Cargo.toml", "../Cargo.toml", "../.cargo/config.toml"] {
        read_file(Path::new(file), &mut inputs)?;
    }
    inputs.insert("Cargo.lock".to_owned(), locked_dependencies()?.into_bytes());
    inputs.insert("rustc".to_owned(), Command::new(env::var("RUSTC")?).arg("-vV").output()?.stdout);
    for option in ["TARGET", "OPT_LEVEL", "DEBUG", "CARGO_ENCODED_RUSTFLAGS"] {
        println!("cargo::rerun-if-env-changed={option}");
        inputs.insert(option.to_owned(), without_places(&env::var(option).unwrap_or_default()).into_bytes());
    }
    Ok(hash(&inputs))
}

/// Compiler options, but for those that name the folder of this build so that nothing else does.
fn without_places(options: &str) -> String {
    let kept = options.split('\u{1f}').filter(|option| !option.starts_with("--remap-path-prefix="));
    kept.collect::<Vec<_>>().join("\u{1f}")
}

fn hash(inputs: &BTreeMap<String, Vec<u8>>) -> String {
    let mut hasher = Sha256::new();
    for (name, content) in inputs {
        for part in [name.as_bytes(), content] {
            hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn read_tree(folder: &Path, inputs: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { read_tree(&path, inputs)? } else { read_file(&path, inputs)? }
    }
    Ok(())
}

/// A file that is not there counts as empty: a packaged crate has no workspace around it.
fn read_file(path: &Path, inputs: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(fault) => return Err(fault),
    };
    println!("cargo::rerun-if-changed={}", path.display());
    inputs.insert(path.display().to_string(), content);
    Ok(())
}

/// The lock file's packages that the arms depend on, directly or not, tests' own left out at the first step.
fn locked_dependencies() -> Result<String, Fault> {
    let path = Path::new("../Cargo.lock");
    if !path.exists() {
        return Ok(String::new());
    }
    println!("cargo::rerun-if-changed={}", path.display());
    let lock = fs::read_to_string(path)?;
    let packages: BTreeMap<&str, Vec<&str>> =
        lock.split("[[package]]").skip(1).fold(BTreeMap::new(), |mut all, text| {
            all.entry(name_of(text)).or_insert_with(Vec::new).push(text);
            all
        });
    let mut wanted: Vec<String> = direct_dependencies()?;
    let mut seen = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for text in packages.get(name.as_str()).into_iter().flatten() {
            wanted.extend(dependencies_of(text));
        }
    }
    let used = packages.iter().filter(|(name, _)| seen.contains(**name));
    Ok(used.flat_map(|(_, texts)| texts.iter().copied()).collect())
}

fn name_of(package: &str) -> &str {
    package.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or_default().trim_matches('"')
}

fn dependencies_of(package: &str) -> impl Iterator<Item = String> {
    let listed = package.lines().map(str::trim).filter(|line| line.starts_with('"'));
    listed.filter_map(|line| line.trim_matches(['"', ',']).split(' ').next().map(str::to_owned))
}

/// The names under `[dependencies]` and `[build-dependencies]` of this crate's manifest.
fn direct_dependencies() -> io::Result<Vec<String>> {
    let manifest = fs::read_to_string("Cargo.toml")?;
    let mut section = "";
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if matches!(section, "[dependencies]" | "[build-dependencies]") {
            names.extend(line.split(['.', ' ', '=']).next().filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    Ok(names)
}
