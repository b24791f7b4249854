//! What a user must say twice before it is done: load on machines of others, and load beyond all reason. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::args::{Args, Rate};

/// The highest rate, calls per second, without a flag.
const HIGHEST_RATE: f64 = 1_000_000.0;
/// The most connections without a flag.
const MOST_CONNECTIONS: u32 = 10_000;
/// The longest step without a flag, milliseconds.
const LONGEST_MILLIS: i64 = 3_600_000;

/// Why a flag is asked for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum SafetyError {
    #[error("{0} is neither a loopback nor a private address; if it is yours to load, add --allow-public-target")]
    Public(IpAddr),
    #[error("{what} is over {ceiling}; if it is meant, add --no-ceilings")]
    Ceiling { what: String, ceiling: &'static str },
}

/// Refuses addresses that may be others'.
pub(super) fn check_address(address: SocketAddr, args: &Args) -> Result<(), SafetyError> {
    if args.allow_public_target || is_near(address.ip()) {
        return Ok(());
    }
    Err(SafetyError::Public(address.ip()))
}

/// Refuses what is beyond all reason.
pub(super) fn check_ceilings(args: &Args) -> Result<(), SafetyError> {
    if args.no_ceilings {
        return Ok(());
    }
    let over = |what: String, ceiling| Err(SafetyError::Ceiling { what, ceiling });
    if let Rate::PerSecond(rate) = args.rate
        && rate > HIGHEST_RATE
    {
        return over(format!("a rate of {rate}"), "1,000,000 calls per second");
    }
    if let Some(connections) = args.connections.filter(|connections| *connections > MOST_CONNECTIONS) {
        return over(format!("{connections} connections"), "10,000");
    }
    if args.duration.millis() > LONGEST_MILLIS {
        return over(format!("a duration of {}", args.duration), "one hour");
    }
    Ok(())
}

/// True for this machine and for networks that are somebody's own: loopback, private (RFC 1918, RFC 4193), link-local.
fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_near_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => is_near_v4(mapped),
            None => is_near_v6(address),
        },
    }
}

fn is_near_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_private() || address.is_link_local() || address.is_unspecified()
}

fn is_near_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local() || address.is_unspecified()
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn only_this_machine_and_private_networks_are_near() {
        let near = ["127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.1.1", "0.0.0.0"];
        let near_v6 = ["::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1"];
        for address in near.iter().chain(&near_v6) {
            assert!(is_near(address.parse().unwrap()), "{address}");
        }
        for address in ["8.8.8.8", "172.32.0.1", "100.64.0.1", "2001:db8::1", "::ffff:8.8.8.8", "224.0.0.1"] {
            assert!(!is_near(address.parse().unwrap()), "{address}");
        }
    }
}
