{{- define "chandlery.name" -}}
{{- if contains "chandlery" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-chandlery" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "chandlery.selector" -}}
app.kubernetes.io/name: chandlery
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "chandlery.labels" -}}
{{ include "chandlery.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "chandlery.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.host }}https://{{ .Values.ingress.host }}
{{- else }}https://{{ include "chandlery.name" . }}.{{ .Release.Namespace }}.svc:{{ .Values.service.port }}
{{- end }}
{{- end }}
