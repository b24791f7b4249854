//! The cluster's network: a bridge in the control plane's cell, a link from it to each node and one to this machine.
//! In: who is on it. Out: `ip` commands, and their execution. No cell has a default route: nothing in it can leave.

use super::{
    cell::Waiting,
    layout::{CONTROL_PLANE, HOST, HOST_LINK, Node, SERVICES},
};
use crate::{Fault, program};

const BRIDGE: &str = "soak0";

/// Where an `ip` command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Host,
    ControlPlane,
    Node(Node),
}

/// The cells on the network.
#[derive(Debug)]
pub(super) struct Cells<'a> {
    pub control_plane: &'a Waiting,
    pub nodes: &'a [(Node, Waiting)],
}

/// Connects the cells with each other and with this machine.
pub(super) fn connect(cells: &Cells) -> Result<(), Fault> {
    let nodes: Vec<Node> = cells.nodes.iter().map(|(node, _)| *node).collect();
    for (place, words) in commands(&nodes) {
        let words: Vec<String> = words.split(' ').map(|word| named(cells, word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match cell(cells, place) {
            None => program::run("ip", &words)?,
            Some(cell) => {
                let network = format!("--net={}", cell.network().display());
                program::run("nsenter", &[&[network.as_str(), "ip"], words.as_slice()].concat())?
            }
        };
    }
    Ok(())
}

/// Removes what this machine holds of the network. The cells' own links go with the cells.
pub(super) fn disconnect() {
    let _ = program::run("ip", &["link", "delete", HOST_LINK]); // absent where nothing was up
}

/// Whether this machine holds a link of the cluster.
pub(super) fn is_connected() -> bool {
    program::run("ip", &["link", "show", HOST_LINK]).is_ok()
}

fn cell<'a>(cells: &'a Cells, place: Place) -> Option<&'a Waiting> {
    match place {
        Place::Host => None,
        Place::ControlPlane => Some(cells.control_plane),
        Place::Node(node) => cells.nodes.iter().find(|(other, _)| *other == node).map(|(_, cell)| cell),
    }
}

/// A word of a command, `@` and a cell's name replaced with the process that stands for its network.
fn named(cells: &Cells, word: &str) -> String {
    let Some(name) = word.strip_prefix('@') else {
        return word.to_owned();
    };
    let node = cells.nodes.iter().find(|(node, _)| node.name() == name).map(|(_, cell)| cell);
    node.unwrap_or(cells.control_plane).process().to_string()
}

/// Every command, in order; `@n1` and `@control-plane` stand for a cell's network.
fn commands(nodes: &[Node]) -> Vec<(Place, String)> {
    let cp = Place::ControlPlane;
    let mut all = vec![
        (cp, "link set lo up".to_owned()),
        (cp, format!("link add {BRIDGE} type bridge")),
        (cp, format!("address add {CONTROL_PLANE}/24 dev {BRIDGE}")),
        (cp, format!("link set {BRIDGE} up")),
        (Place::Host, format!("link add {HOST_LINK} type veth peer name host netns @control-plane")),
        (cp, format!("link set host master {BRIDGE} up")),
        (Place::Host, format!("address add {HOST}/24 dev {HOST_LINK}")),
        (Place::Host, format!("link set {HOST_LINK} up")),
    ];
    for node in nodes {
        let (inside, name) = (Place::Node(*node), node.name());
        all.push((cp, format!("link add {name} type veth peer name eth0 netns @{name}")));
        all.push((cp, format!("link set {name} master {BRIDGE} up")));
        all.push((inside, "link set lo up".to_owned()));
        all.push((inside, format!("address add {}/24 dev eth0", node.address())));
        all.push((inside, "link set eth0 up".to_owned()));
        // A service's address is translated on its way out, and needs a way out for that.
        all.push((inside, format!("route add {SERVICES} dev eth0")));
    }
    let places = nodes.iter().map(|node| Place::Node(*node)).chain([cp, Place::Host]);
    for place in places {
        let others = nodes.iter().filter(|node| Place::Node(**node) != place);
        all.extend(others.map(|node| (place, format!("route add {} via {}", node.pods(), node.address()))));
    }
    let through = nodes.first().into_iter().flat_map(|node| [(cp, node), (Place::Host, node)]);
    all.extend(through.map(|(place, node)| (place, format!("route add {SERVICES} via {}", node.address()))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_makes_a_default_route() {
        let nodes: Vec<Node> = Node::first(3).collect();
        assert!(commands(&nodes).iter().all(|(_, words)| !words.contains("default")));
    }

    #[test]
    fn every_pod_network_has_a_route_from_everywhere_but_its_own_node() {
        let nodes: Vec<Node> = Node::first(2).collect();
        let places = |route: &str| -> Vec<Place> {
            let all = commands(&nodes);
            all.into_iter().filter(|(_, words)| words == route).map(|(place, _)| place).collect()
        };
        let expected = [Place::Node(nodes[1]), Place::ControlPlane, Place::Host];
        assert_eq!(places("route add 198.19.1.0/24 via 198.18.0.11"), expected);
        let expected = [Place::Node(nodes[0]), Place::ControlPlane, Place::Host];
        assert_eq!(places("route add 198.19.2.0/24 via 198.18.0.12"), expected);
    }
}
