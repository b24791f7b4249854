{{- define "soak.name" -}}
{{- printf "%s-operator" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* The name of what belongs to the cluster: two releases of a name in two namespaces have two. */ -}}
{{- define "soak.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "soak.name" .) -}}
{{- end -}}

{{- define "soak.labels" -}}
app.kubernetes.io/name: soak
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "soak.selector" -}}
app.kubernetes.io/name: soak
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{- /* An image by digest where there is one, else by tag; neither is refused. In: its name and its values. */ -}}
{{- define "soak.image" -}}
{{- if .image.digest -}}
{{ printf "%s@%s" .image.repository .image.digest }}
{{- else if .image.tag -}}
{{ printf "%s:%s" .image.repository .image.tag }}
{{- else -}}
{{- fail (printf "images.%s needs a digest or a tag" .name) -}}
{{- end -}}
{{- end -}}

{{- define "soak.keySecret" -}}
{{- .Values.keySecret | default (printf "%s-key" (include "soak.name" .)) -}}
{{- end -}}

{{- /* The namespaces whose campaigns are carried out; nothing stands for all. */ -}}
{{- define "soak.namespaces" -}}
{{- if not .Values.clusterWide -}}
{{- .Values.namespaces | default (list .Release.Namespace) | join "," -}}
{{- else if .Values.namespaces -}}
{{- fail "namespaces and clusterWide exclude each other: name namespaces, or set clusterWide for all" -}}
{{- end -}}
{{- end -}}

{{- /* What the operator is told; its own check is told the same. */ -}}
{{- define "soak.env" -}}
- {name: SOAK_NAMESPACES, value: {{ include "soak.namespaces" . | quote }}}
- {name: SOAK_LEASE, value: {{ include "soak.name" . | quote }}}
- {name: POD_NAMESPACE, value: {{ .Release.Namespace | quote }}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- {name: SOAK_LISTEN, value: "0.0.0.0:8080"}
- {name: SOAK_LOG, value: {{ printf "warn,soak_operator=%s" .Values.log | quote }}}
- {name: SOAK_ARM_IMAGE, value: {{ include "soak.image" (dict "name" "arm" "image" .Values.images.arm) | quote }}}
- {name: SOAK_DRIVER_IMAGE, value: {{ include "soak.image" (dict "name" "driver" "image" .Values.images.driver) | quote }}}
- {name: SOAK_WITNESS_IMAGE, value: {{ include "soak.image" (dict "name" "witness" "image" .Values.images.witness) | quote }}}
- name: SOAK_KEY
  valueFrom: {secretKeyRef: {name: {{ include "soak.keySecret" . }}, key: key}}
{{- end -}}

{{- define "soak.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "soak.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}
