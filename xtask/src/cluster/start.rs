//! Starts the cluster: binaries, keys, cells, network, and then the waiting until every node is ready.

use std::{fs, path::Path, time::Duration};

use super::{
    build::Binaries,
    cell::Waiting,
    cgroup::Hierarchies,
    control_plane,
    keys::{Keys, User},
    layout::{Layout, Node},
    load, network, node, status, teardown,
    wait::until,
};
use crate::{
    Fault,
    images::{
        Tree,
        archive::{Image, archive},
    },
};

const ADMINISTRATOR: &str = "soak-admin";
const LIMIT: Duration = Duration::from_secs(120);

/// Starts `count` nodes and waits for them. What an earlier cluster left is removed first.
pub(super) fn up(layout: &Layout, count: u8, binaries: &Binaries) -> Result<(), Fault> {
    teardown::down(layout)?;
    let nodes: Vec<Node> = Node::first(count).collect();
    let keys = Keys::make(layout, users(&nodes))?;
    start_cells(&nodes, (layout, binaries, &keys))?;
    // Last of all the files: a cluster that has it was started whole.
    let kubeconfig = layout.kubeconfig();
    fs::write(&kubeconfig, keys.kubeconfig(ADMINISTRATOR)).map_err(|error| Fault::file(&kubeconfig, error))?;
    link_programs(layout, binaries)?;
    bring_pause(layout, binaries, &nodes)?;
    let logs = format!("the logs are in {}/*/var/log/soak", layout.root().display());
    until(&format!("{count} ready nodes ({logs})"), LIMIT, || status::ready_nodes(layout).len() == nodes.len())?;
    until("the default service account", LIMIT, || status::has_service_account(layout))
}

fn users(nodes: &[Node]) -> Vec<User> {
    let mut users = vec![
        User::new(ADMINISTRATOR, "system:masters"),
        User::new(control_plane::CONTROLLERS, ""),
        User::new(control_plane::SCHEDULER, ""),
        User::new(node::PROXY, ""),
    ];
    users.extend(nodes.iter().map(|node| node::user(*node)));
    users
}

fn start_cells(nodes: &[Node], from: (&Layout, &Binaries, &Keys)) -> Result<(), Fault> {
    let (layout, binaries, keys) = from;
    let hierarchies = Hierarchies::mounted()?;
    let control_plane = control_plane::cell(layout, binaries, keys)?.start()?;
    let mut cells: Vec<(Node, Waiting)> = Vec::new();
    for node in nodes {
        let cgroup = hierarchies.make_pods(&node.name())?;
        cells.push((*node, node::cell(*node, &cgroup, from)?.start()?));
    }
    network::connect(&network::Cells { control_plane: &control_plane, nodes: &cells })?;
    control_plane.go()?;
    cells.into_iter().try_for_each(|(_, cell)| cell.go())
}

/// Puts links to kubectl and both Helms where the tests find them.
fn link_programs(layout: &Layout, binaries: &Binaries) -> Result<(), Fault> {
    let folder = layout.programs();
    fs::create_dir_all(&folder).map_err(|error| Fault::file(&folder, error))?;
    for (name, module, file) in
        [("kubectl", "kubernetes", "kubectl"), ("helm3", "helm3", "helm"), ("helm4", "helm4", "helm")]
    {
        let Some(source) = binaries.folder(module) else { continue };
        let link = folder.join(name);
        std::os::unix::fs::symlink(source.join(file), &link).map_err(|error| Fault::file(&link, error))?;
    }
    Ok(())
}

/// Makes the image that holds a pod's namespaces, and brings it to the nodes.
fn bring_pause(layout: &Layout, binaries: &Binaries, nodes: &[Node]) -> Result<(), Fault> {
    let program = binaries.folder("pause").unwrap_or(Path::new("")).join("pause");
    let content = fs::read(&program).map_err(|error| Fault::file(&program, error))?;
    let (name, tag) = node::PAUSE_IMAGE.split_once(':').unwrap_or((node::PAUSE_IMAGE, "latest"));
    let image = Image {
        name: name.to_owned(),
        tag: tag.to_owned(),
        entrypoint: vec!["/pause".to_owned()],
        user: "65532:65532",
        labels: Vec::new(),
        layers: vec![Tree::default().file("pause", 0o755, content)],
    };
    let file = layout.root().join("pause.tar");
    fs::write(&file, archive(&image).bytes).map_err(|error| Fault::file(&file, error))?;
    let images = load::images(&file)?;
    for node in nodes {
        until(&format!("containerd of {}", node.name()), LIMIT, || status::has_containerd(layout, *node))?;
        load::import(layout, *node, &file, &images)?;
    }
    Ok(())
}
