{{- define "soak.name" -}}
{{- printf "%s-operator" .Release.Name | trunc 50 | trimSuffix "-" -}}
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

{{- define "soak.namespaces" -}}
{{- .Values.namespaces | default (list .Release.Namespace) | join "," -}}
{{- end -}}
