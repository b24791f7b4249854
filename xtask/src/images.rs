//! Container images of the product's programs.

pub(crate) mod archive;
mod tar;

pub(crate) use tar::Tree;
