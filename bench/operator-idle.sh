#!/usr/bin/env bash
# What the operator costs while there is nothing to do: with 1,000 finished campaigns, its memory, and what the API server
# was asked to write over ten minutes.
#
#   KUBECONFIG=… SOAK_IMAGES=target/images/values.yaml bench/operator-idle.sh [CAMPAIGNS] [SECONDS]
#
# Wanted: kubectl, helm, jq; a cluster with room for the operator and nothing else going on. It makes a namespace of its own
# and removes it. The finished campaigns are given their status by hand before the operator starts.
set -euo pipefail
cd "$(dirname "$0")/.."
campaigns=${1:-1000}
seconds=${2:-600}
namespace=soak-idle-$$
helm=${HELM:-helm}
work=$(mktemp -d)
trap 'kubectl delete namespace "$namespace" --wait=false >/dev/null 2>&1; rm -rf "$work"' EXIT

kubectl apply --server-side --force-conflicts -f crds/soakcampaigns.yaml >/dev/null
kubectl create namespace "$namespace" >/dev/null
jq -n --argjson n "$campaigns" --arg namespace "$namespace" '{apiVersion: "v1", kind: "List", items: [range($n) | {
  apiVersion: "soak.dev/v1alpha1", kind: "SoakCampaign", metadata: {name: "done-\(.)", namespace: $namespace},
  spec: {arms: [{name: "a", server: {preset: "rest"}, protocol: "Http1"}]}}]}' >"$work/list.json"
kubectl create -f "$work/list.json" >/dev/null
kubectl get soakcampaigns -n "$namespace" -o json | jq '.items[].status = {
  started: "2026-01-01T00:00:00Z", startedGeneration: 1, observedGeneration: 1, verdict: "Pass", results: "gone",
  conditions: [{type: "Finished", status: "True", observedGeneration: 1, reason: "Pass", message: "completed",
    lastTransitionTime: "2026-01-01T00:00:00Z"}]}' >"$work/finished.json"
kubectl replace --subresource=status -f "$work/finished.json" >/dev/null
"$helm" install soak chart --namespace "$namespace" --values "$SOAK_IMAGES" \
  --set crds.install=false,rbac.aggregate=false --wait --timeout=180s >/dev/null
sleep 30

# Requests that write, by resource.
writes() {
  kubectl get --raw /metrics | awk '/^apiserver_request_total/ && /verb="(POST|PUT|PATCH|APPLY|DELETE)"/' |
    sed -E 's/.*resource="([^"]*)".*subresource="([^"]*)".* ([0-9.e+]+)$/\1\/\2 \3/' |
    awk '{sum[$1] += $2} END {for (name in sum) print name, sum[name]}' | sort
}
memory() {
  local pod node
  pod=$(kubectl get pods -n "$namespace" -l app.kubernetes.io/component=operator -o json)
  node=$(jq -r '.items[0].spec.nodeName' <<<"$pod")
  kubectl get --raw "/api/v1/nodes/$node/proxy/stats/summary" |
    jq --arg namespace "$namespace" '[.pods[] | select(.podRef.namespace == $namespace) | .containers[].memory.workingSetBytes] | add / 1048576 * 10 | round / 10'
}

writes >"$work/before"
sleep "$seconds"
writes >"$work/after"
echo "# operator, idle, $(date -u +%F)"
echo
echo "$campaigns finished campaigns, $seconds s; Kubernetes $(kubectl version -o json | jq -r .serverVersion.gitVersion), Linux $(uname -r)."
echo
echo "Memory of the operator's container (working set): $(memory) MiB."
echo
echo "Writes that the API server counted in that time, whoever asked (Leases are the nodes', the controllers' and the operator's own):"
echo
echo "| resource | writes |"
echo "| :--- | ---: |"
join -a2 -e0 -o 0,1.2,2.2 "$work/before" "$work/after" | awk '{if ($3 - $2 > 0) print "| " $1 " | " $3 - $2 " |"}'
