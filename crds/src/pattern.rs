//! The patterns that texts of the API must match, each with the words a user is told in place of it.

use crate::units;

/// Names of arms, levers, comparisons and the like: they become parts of file and object names.
pub(crate) const NAME: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
/// Names of environment variables.
pub(crate) const VARIABLE: &str = "^[A-Za-z_][A-Za-z0-9_.]*$";
/// Container images.
pub(crate) const IMAGE: &str = "^[A-Za-z0-9][-A-Za-z0-9._/:@]*$";
/// URL paths with their query.
pub(crate) const PATH: &str = "^/[!-~]*$";
/// Folders of a server.
pub(crate) const FOLDER: &str = "^/[^:]+$";
/// Names of HTTP header lines.
pub(crate) const HEADER: &str = "^[a-z0-9!#$%&'*+.^_|~-]+$";
/// Values of HTTP header lines, content types included.
pub(crate) const HEADER_VALUE: &str = "^[ -~]*$";
/// Names of gRPC services with their package.
pub(crate) const SERVICE: &str = "^[A-Za-z_][A-Za-z0-9_]*([.][A-Za-z_][A-Za-z0-9_]*)*$";
/// Names of gRPC methods.
pub(crate) const METHOD: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
/// Base64 with padding.
pub(crate) const BASE64: &str = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";
/// Names of runs.
pub(crate) const RUN: &str = "^[a-z0-9][-+._a-z0-9]*$";

const NAMED: [(&str, &str); 11] = [
    (NAME, "a name of lower-case letters, digits and dashes, such as rest-h1"),
    (VARIABLE, "the name of an environment variable, such as JAVA_OPTS"),
    (IMAGE, "a container image, such as registry.example.com/cart:1.4"),
    (PATH, "a path that begins with a slash, such as /cart?size=1"),
    (FOLDER, "an absolute folder, such as /var/cache"),
    (HEADER, "the name of a header in lower case, such as x-tenant"),
    (HEADER_VALUE, "printable ASCII characters"),
    (SERVICE, "a gRPC service with its package, such as shop.v1.Cart"),
    (METHOD, "a gRPC method, such as AddItem"),
    (BASE64, "base64 with its padding, such as aGVsbG8="),
    (RUN, "the name of a run, such as rest-h1-realistic-r1"),
];

/// What a text that must match `pattern` is, in words: `a span of time such as 110s`. Known are the schema's patterns.
pub fn pattern_in_words(pattern: &str) -> Option<&'static str> {
    NAMED.into_iter().chain(units::patterns()).find(|(known, _)| *known == pattern).map(|(_, words)| words)
}
