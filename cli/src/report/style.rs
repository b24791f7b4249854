//! The style of the page, and the policy that lets a browser apply this style and load nothing else. Pure.

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// The style sheet.
pub const SHEET: &str = include_str!("style.css");

/// The content security policy: this one style sheet, no script, nothing from elsewhere.
pub fn policy() -> String {
    let sum = STANDARD.encode(Sha256::digest(SHEET));
    format!("default-src 'none'; style-src 'sha256-{sum}'; base-uri 'none'; form-action 'none'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_loads_nothing() {
        for word in ["@import", "url(", "expression", "</", "\r"] {
            assert!(!SHEET.contains(word), "{word}");
        }
    }
}
