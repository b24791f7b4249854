//! The programs that run in pods, each the only one of its image.

use super::{archive::Image, tar::Tree};

/// A program and its image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Product {
    /// The image's name, as the chart's values have it.
    pub name: &'static str,
    pub package: &'static str,
    pub program: &'static str,
    /// What it is, for people.
    about: &'static str,
}

pub(super) const PRODUCTS: [Product; 4] = [
    Product {
        name: "operator",
        package: "soak-operator",
        program: "soak-operator",
        about: "Carries campaigns out on a cluster",
    },
    Product { name: "driver", package: "soak-driver", program: "soak-driver", about: "Makes load at the asked pace" },
    Product {
        name: "witness",
        package: "soak-witness",
        program: "soak-witness",
        about: "Reads the truth about an arm's process from the kernel",
    },
    Product { name: "arm", package: "soak-arms", program: "soak-arm", about: "The product's own servers under test" },
];

/// Nobody in particular: the number that images without root use.
pub(super) const USER: &str = "65532:65532";

impl Product {
    /// The image's repository.
    pub fn repository(&self) -> String {
        format!("soak.dev/{}", self.name)
    }

    /// The image of the program's bytes above a base.
    pub fn image(&self, content: Vec<u8>, base: Tree) -> Image {
        let label = |name: &'static str, value: &str| (name, value.to_owned());
        Image {
            name: self.repository(),
            tag: env!("CARGO_PKG_VERSION").to_owned(),
            entrypoint: vec![format!("/{}", self.program)],
            user: USER,
            labels: vec![
                label("org.opencontainers.image.title", self.program),
                label("org.opencontainers.image.description", self.about),
                label("org.opencontainers.image.version", env!("CARGO_PKG_VERSION")),
                label("org.opencontainers.image.licenses", "Apache-2.0"),
            ],
            layers: vec![base, Tree::default().file(self.program, 0o755, content)],
        }
    }
}
