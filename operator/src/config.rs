//! What the operator is told by its Deployment, as environment variables. In: a way to ask for one; out: the settings, or
//! which variable is wrong.

use std::net::SocketAddr;

/// A variable that is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable {name} {what}")]
pub struct ConfigError {
    /// Its name.
    pub name: &'static str,
    /// What is wrong.
    pub what: String,
}

/// The operator's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The namespaces whose campaigns are carried out; empty: all.
    pub namespaces: Vec<String>,
    /// The namespace of the operator itself.
    pub own_namespace: String,
    /// The name of this operator's pod: what it is known by among several.
    pub own_name: String,
    /// The Lease whose holder leads.
    pub lease: String,
    /// Where health and metrics are served.
    pub listen: SocketAddr,
    /// The key of drivers' and witnesses' tokens.
    pub key: String,
    /// The product's own images.
    pub images: Images,
}

/// The product's own images, by digest where they are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    /// The preset arms.
    pub arm: String,
    /// The driver.
    pub driver: String,
    /// The witness.
    pub witness: String,
}

impl Config {
    /// The settings, from a way to ask for a variable.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let text = |name: &'static str| {
            let found = variable(name).filter(|value| !value.is_empty());
            found.ok_or(ConfigError { name, what: "is not set".to_owned() })
        };
        let namespaces = variable("SOAK_NAMESPACES").unwrap_or_default();
        let key = text("SOAK_KEY")?;
        if key.len() < 32 {
            return Err(ConfigError { name: "SOAK_KEY", what: "is shorter than 32 characters".to_owned() });
        }
        Ok(Self {
            namespaces: namespaces
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            own_namespace: text("POD_NAMESPACE")?,
            own_name: text("POD_NAME")?,
            lease: text("SOAK_LEASE")?,
            listen: text("SOAK_LISTEN")?.parse().map_err(|_| wrong("SOAK_LISTEN", "is not an address with a port"))?,
            key,
            images: Images {
                arm: text("SOAK_ARM_IMAGE")?,
                driver: text("SOAK_DRIVER_IMAGE")?,
                witness: text("SOAK_WITNESS_IMAGE")?,
            },
        })
    }
}

impl Config {
    /// The namespaces that are looked at; one that is absent stands for all.
    pub fn watched(&self) -> Vec<Option<&str>> {
        match self.namespaces.as_slice() {
            [] => vec![None],
            some => some.iter().map(|name| Some(name.as_str())).collect(),
        }
    }
}

fn wrong(name: &'static str, what: &str) -> ConfigError {
    ConfigError { name, what: what.to_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        let value = match name {
            "SOAK_NAMESPACES" => "one, two,",
            "POD_NAMESPACE" => "soak",
            "POD_NAME" => "soak-operator-1",
            "SOAK_LEASE" => "soak-operator",
            "SOAK_LISTEN" => "0.0.0.0:8080",
            "SOAK_KEY" => "0123456789abcdef0123456789abcdef",
            "SOAK_ARM_IMAGE" | "SOAK_DRIVER_IMAGE" | "SOAK_WITNESS_IMAGE" => "r/i@sha256:00",
            _ => return None,
        };
        Some(value.to_owned())
    }

    #[test]
    fn every_variable_is_read() {
        let config = Config::read(variable).unwrap();
        assert_eq!(config.namespaces, ["one", "two"]);
        assert_eq!(config.own_namespace, "soak");
        assert_eq!(config.watched(), [Some("one"), Some("two")]);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let check = |name: &'static str, value: Option<&str>| {
            let read = Config::read(|asked| if asked == name { value.map(str::to_owned) } else { variable(asked) });
            assert_eq!(read.unwrap_err().name, name);
        };
        check("POD_NAMESPACE", None);
        check("POD_NAME", None);
        check("SOAK_LEASE", Some(""));
        check("SOAK_KEY", Some("short"));
        check("SOAK_LISTEN", Some("8080"));
        check("SOAK_DRIVER_IMAGE", Some(""));
    }
}
