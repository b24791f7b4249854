//! Arms and their lever variants: each lever alone against the unchanged arm, then all levers of the arm together.

use soak_crds::spec::{Arm, Client, Lever, Protocol as WrittenProtocol, Ramp, SoakCampaignSpec};
use soak_sample::Protocol;

use super::{
    FieldPath, Means, PlannedArm, PlannedServer, client,
    layers::{Layers, Refusals},
    ramp::{self, SpelledRamp},
    request::{self, Question},
    server,
};

/// An arm with what its runs need.
#[derive(Debug, Clone)]
pub(super) struct SpelledArm {
    pub planned: PlannedArm,
    pub ramp: SpelledRamp,
    pub question: Question,
    /// The client's fields as they were written, without the protocol's defaults.
    pub written_client: Client,
}

/// A lever and where it was written.
type LeverAt<'a> = (FieldPath, &'a Lever);

/// Every arm, followed by its variants.
pub(super) fn spell(spec: &SoakCampaignSpec, means: &Means, refusals: &mut Refusals) -> Vec<SpelledArm> {
    let at = FieldPath::spec().field("arms");
    if spec.arms.is_empty() {
        refusals.add(&at, None, "must hold at least one arm");
    }
    let mut arms: Vec<SpelledArm> = Vec::new();
    for (index, arm) in spec.arms.iter().enumerate() {
        let at = at.item(index);
        if spec.arms[..index].iter().any(|known| known.name == arm.name) {
            refusals.add(&at.field("name"), Some(arm.name.clone()), "is the name of an earlier arm; names are unique");
        }
        arms.extend(with_variants(spec, arm, &at, means, refusals));
    }
    arms
}

fn with_variants(
    spec: &SoakCampaignSpec,
    arm: &Arm,
    at: &FieldPath,
    means: &Means,
    refusals: &mut Refusals,
) -> Vec<SpelledArm> {
    let Some(protocol) = protocol(arm.protocol) else { return Vec::new() };
    let levers = levers_of(spec, &arm.name);
    let spoken = (arm.server.preset.is_some(), protocol);
    let own = arm.server.settings.as_ref().map(|settings| (at.field("server"), settings));
    let pulled = levers.iter().filter_map(|(at, lever)| Some((at.clone(), lever.settings.as_ref()?)));
    for (at, settings) in own.into_iter().chain(pulled) {
        server::refuse_without_meaning(settings, spoken, &at, refusals);
    }
    let base = Base {
        spec,
        arm,
        at,
        protocol,
        server: server::resolve(&arm.server, &at.field("server"), means.executor, refusals),
        question: request::question(arm, protocol, at, refusals),
        ramp: ramp::spell(&ramp_layers(spec, arm, at), refusals),
    };
    let alone = levers.iter().map(std::slice::from_ref);
    let stacked = (levers.len() > 1).then_some(&levers[..]);
    std::iter::once(&[][..]).chain(alone).chain(stacked).map(|pulled| base.variant(pulled, refusals)).collect()
}

fn levers_of<'a>(spec: &'a SoakCampaignSpec, arm: &str) -> Vec<LeverAt<'a>> {
    let at = FieldPath::spec().field("levers");
    let levers = spec.levers.iter().enumerate();
    levers
        .filter(|(_, lever)| lever.arms.iter().any(|name| name == arm))
        .map(|(index, lever)| (at.item(index), lever))
        .collect()
}

fn ramp_layers<'a>(spec: &'a SoakCampaignSpec, arm: &'a Arm, at: &FieldPath) -> Layers<'a, Ramp> {
    let campaign = Layers(vec![(FieldPath::spec().field("ramp"), &spec.ramp)]);
    campaign.under(arm.ramp.as_ref().map(|ramp| (at.field("ramp"), ramp)))
}

/// What is spoken, where the driver speaks it. What it does not speak yet is refused elsewhere.
pub(super) fn protocol(written: WrittenProtocol) -> Option<Protocol> {
    match written {
        WrittenProtocol::Http1 => Some(Protocol::Http1),
        WrittenProtocol::Http2 => Some(Protocol::Http2),
        WrittenProtocol::GrpcUnary => Some(Protocol::GrpcUnary),
        WrittenProtocol::GrpcStream => Some(Protocol::GrpcStream),
        WrittenProtocol::GrpcServerStream
        | WrittenProtocol::GrpcClientStream
        | WrittenProtocol::WebSocket
        | WrittenProtocol::RSocket => None,
    }
}

/// An arm before levers.
struct Base<'a> {
    spec: &'a SoakCampaignSpec,
    arm: &'a Arm,
    at: &'a FieldPath,
    protocol: Protocol,
    server: PlannedServer,
    question: Question,
    ramp: SpelledRamp,
}

impl Base<'_> {
    /// The arm with these levers pulled; with none, the arm itself.
    fn variant(&self, levers: &[LeverAt<'_>], refusals: &mut Refusals) -> SpelledArm {
        let server =
            levers.iter().fold(self.server.clone(), |server, (at, lever)| server::pulled(&server, lever, at, refusals));
        let own = self.client_layers(levers);
        client::refuse_without_meaning(&own, self.protocol, refusals);
        let campaign = (FieldPath::spec().field("client"), &self.spec.client);
        let layers = Layers(own.0.into_iter().chain([campaign]).collect());
        let names: Vec<String> = levers.iter().map(|(_, lever)| lever.name.clone()).collect();
        let planned = PlannedArm {
            name: [self.arm.name.clone()].into_iter().chain(names.clone()).collect::<Vec<_>>().join("+"),
            variant_of: (!levers.is_empty()).then(|| self.arm.name.clone()),
            levers: names,
            server,
            protocol: self.protocol,
            client: client::resolve(&layers, self.protocol, refusals),
        };
        SpelledArm {
            planned,
            ramp: self.ramp.clone(),
            question: self.question.clone(),
            written_client: client::merged(&layers),
        }
    }

    /// The client's fields of levers and arm, the last lever first.
    fn client_layers<'b>(&'b self, levers: &[LeverAt<'b>]) -> Layers<'b, Client> {
        let arm = self.arm.client.as_ref().map(|client| (self.at.field("client"), client));
        levers.iter().fold(Layers(arm.into_iter().collect()), |layers, (at, lever)| {
            layers.under(lever.client.as_ref().map(|client| (at.field("client"), client)))
        })
    }
}
