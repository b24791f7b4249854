//! `kubectl soak list`: the campaigns of a namespace, or of all, and how each is going.

use std::io::{self, Write as _};

use clap::ValueEnum;
use k8s_openapi::jiff::Timestamp;
use kube_client::{Api, ResourceExt, api::ListParams};
use serde_json::json;
use soak_cli::Exit;
use soak_crds::SoakCampaign;

use crate::{
    age::age,
    cluster::Cluster,
    fault::Fault,
    line::{NONE, outcome},
    print,
};

/// Lists campaigns: arms, step, verdict, knee, age.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Those of all namespaces.
    #[arg(long, short = 'A')]
    all_namespaces: bool,
    /// Those whose labels these select, such as team=web.
    #[arg(long, short = 'l', value_name = "LABELS")]
    selector: Option<String>,
    /// Leaves the heads of the columns away.
    #[arg(long)]
    no_headers: bool,
    /// How they are printed. Default: a table.
    #[arg(long, short, value_enum)]
    output: Option<Output>,
}

/// How they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table with everything that fits a line.
    Wide,
    /// The resources as JSON.
    Json,
    /// The resources as YAML.
    Yaml,
    /// Their names alone.
    Name,
}

/// Lists them.
pub async fn run(cluster: &Cluster, args: &Args) -> Result<Exit, Fault> {
    let api: Api<SoakCampaign> = if args.all_namespaces { Api::all(cluster.client.clone()) } else { cluster.api() };
    let mut wanted = ListParams::default();
    if let Some(labels) = &args.selector {
        wanted = wanted.labels(labels);
    }
    let mut found = api.list(&wanted).await.map_err(|error| cluster.fault(error))?.items;
    found.sort_by_key(|campaign| (campaign.namespace(), campaign.name_any()));
    let text = match args.output {
        Some(Output::Json) => {
            serde_json::to_string_pretty(&listed(&found)).map_err(|e| Fault::Document(e.to_string()))? + "\n"
        }
        Some(Output::Yaml) => {
            serde_saphyr::to_string(&listed(&found)).map_err(|error| Fault::Document(error.to_string()))?
        }
        Some(Output::Name) => {
            let names: Vec<String> = found.iter().map(ResourceExt::name_any).collect();
            names.iter().flat_map(|name| ["soakcampaign.soak.dev/", name, "\n"]).collect()
        }
        Some(Output::Wide) | None if found.is_empty() => {
            let place = if args.all_namespaces {
                "any namespace".to_owned()
            } else {
                format!("namespace {}", cluster.namespace)
            };
            let _ = writeln!(io::stderr(), "No campaigns found in {place}.");
            String::new()
        }
        Some(Output::Wide) | None => {
            let rows = found.iter().map(|campaign| row(campaign, args, Timestamp::now()));
            let heads = (!args.no_headers).then(|| heads(args));
            columns(&heads.into_iter().chain(rows).collect::<Vec<_>>())
        }
    };
    print(&text)?;
    Ok(Exit::Completed)
}

fn listed(found: &[SoakCampaign]) -> serde_json::Value {
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": found})
}

fn heads(args: &Args) -> Vec<String> {
    let place = args.all_namespaces.then_some("NAMESPACE");
    let wide = (args.output == Some(Output::Wide)).then_some(["SUMMARY", "RESULTS"]);
    let heads =
        place.into_iter().chain(["NAME", "ARMS", "STEP", "VERDICT", "KNEE", "AGE"]).chain(wide.into_iter().flatten());
    heads.map(str::to_owned).collect()
}

fn row(campaign: &SoakCampaign, args: &Args, now: Timestamp) -> Vec<String> {
    let status = campaign.status.as_ref();
    let or_none = |text: Option<&String>| text.map_or(NONE, String::as_str).to_owned();
    let verdict = status.and_then(|status| status.verdict).map_or(NONE, outcome).to_owned();
    let place = args.all_namespaces.then(|| campaign.namespace().unwrap_or_default());
    let wide = (args.output == Some(Output::Wide)).then(|| {
        let told = |of: fn(&soak_crds::SoakCampaignStatus) -> Option<&String>| or_none(status.and_then(of));
        [told(|status| status.summary.as_ref()), told(|status| status.results.as_ref())]
    });
    let cells = [
        campaign.name_any(),
        or_none(status.and_then(|status| status.arm_names.as_ref())),
        or_none(status.and_then(|status| status.step.as_ref())),
        verdict,
        or_none(status.and_then(|status| status.knee_summary.as_ref())),
        age(campaign.metadata.creation_timestamp.as_ref(), now),
    ];
    place.into_iter().chain(cells).chain(wide.into_iter().flatten()).collect()
}

/// Rows whose columns begin below each other, three spaces apart as `kubectl` sets them.
fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).filter_map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}   "));
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_below_each_other() {
        let rows = [vec!["NAME".to_owned(), "AGE".to_owned()], vec!["längeres".to_owned(), "2m".to_owned()]];
        assert_eq!(columns(&rows), "NAME       AGE\nlängeres   2m\n");
        assert_eq!(columns(&[]), "");
    }

    #[test]
    fn a_row_has_a_cell_for_each_head_and_says_none_where_nothing_is_known() {
        let campaign: SoakCampaign = serde_json::from_value(json!({
            "apiVersion": "soak.dev/v1alpha1", "kind": "SoakCampaign",
            "metadata": {"name": "c", "namespace": "n", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"arms": [{"name": "a", "server": {"preset": "rest"}, "protocol": "Http1"}]},
        }))
        .unwrap();
        let now: Timestamp = "2026-01-01T00:00:30Z".parse().unwrap();
        let args = Args { all_namespaces: true, selector: None, no_headers: false, output: Some(Output::Wide) };
        let row = row(&campaign, &args, now);
        assert_eq!(row.len(), heads(&args).len());
        assert_eq!(row, ["n", "c", NONE, NONE, NONE, NONE, "30s", NONE, NONE]);
    }
}
