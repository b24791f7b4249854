//! Rules that several fields share.

use kube::core::Rule;

/// A span of time within limits, both written as a span.
pub(crate) fn span_between(least: &str, most: &str) -> Rule {
    Rule::new(format!("duration(self) >= duration('{least}') && duration(self) <= duration('{most}')"))
        .message(format!("must be a span of time from {least} to {most}").as_str())
}
