//! `cargo xtask docs`: writes the pages that are made from the types; with `--check` only says whether a committed one
//! differs.

mod reference;

use crate::{Fault, generated::Committed};

const REFERENCE: &str = "docs/reference.md";

/// Writes or checks the committed pages.
pub fn run(what: Committed) -> Result<(), Fault> {
    what.file(REFERENCE, &reference::page(soak_crds::definition()), "docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_pages_are_up_to_date() {
        assert_eq!(run(Committed::Check).map_err(|fault| fault.to_string()), Ok(()));
    }
}
