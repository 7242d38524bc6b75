import type { KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import type { Provider } from '../../kinds/index.ts';
import type { ProviderClass } from './provider-class.ts';
import { commonContainer, commonFlags, commonPod, healthPort } from './provider-container.ts';
import { annotationsOf, labelsOf, namesOf } from './provider-names.ts';

/** On clusters whose pods share one network, the node assigns the numbers of these ports. */
const dynamicPortsAnnotation = 'clusters.chandlery.io/dynamic-ports';
const webhookVolume = 'webhook-tls';
const webhookFolder = '/tmp/k8s-webhook-server/serving-certs';

export interface RunOptions {
  readonly environment: string;
  /** Whether there is a Secret with certificates for the provider's webhooks. */
  readonly hasWebhookTls: boolean;
}

/** The Deployment that keeps a provider running. */
export function buildRunDeployment(
  providerClass: ProviderClass,
  provider: Provider,
  { environment, hasWebhookTls }: RunOptions,
): KubeObject {
  const { name = '' } = provider.metadata;
  const labels = labelsOf(providerClass, name, 'controller');
  const names = namesOf(providerClass, name);
  const spec = {
    serviceAccountName: names.run,
    ...commonPod(provider),
    ...spreadOf(provider, labels),
    containers: [containerOf(provider, environment)],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: names.run, namespace: systemNamespace, labels, annotations: annotationsOf(provider) },
    spec: {
      replicas: provider.spec.runReplicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: podAnnotations(provider) },
        spec: hasWebhookTls ? withWebhookTls(spec, names.webhookTls) : spec,
      },
    },
  };
}

function containerOf(provider: Provider, environment: string): Record<string, unknown> {
  const { spec } = provider;
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  return {
    name: 'provider',
    ...commonContainer(provider),
    args: [
      ...spec.runCommand,
      ...commonFlags(provider, environment),
      ...leaderFlags(provider),
      ...metricsFlags(provider),
    ],
    ports: portsOf(provider),
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2 },
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
  };
}

const leaderFlags = ({ spec }: Provider): readonly string[] => (spec.runReplicas > 1 ? ['--leader-elect=true'] : []);

const metricsFlags = ({ spec: { metrics } }: Provider): readonly string[] =>
  metrics.disabled ? [] : [`--metrics-bind-address=:${metrics.port}`, '--metrics-secure=false'];

const portsOf = ({ spec: { metrics } }: Provider) => [
  { name: 'health', containerPort: healthPort, protocol: 'TCP' },
  ...(metrics.disabled ? [] : [{ name: 'metrics', containerPort: metrics.port, protocol: 'TCP' }]),
];

function podAnnotations(provider: Provider): Record<string, string> {
  const { metrics } = provider.spec;
  if (metrics.disabled) return { ...annotationsOf(provider), [dynamicPortsAnnotation]: 'health' };
  return {
    ...annotationsOf(provider),
    [dynamicPortsAnnotation]: 'metrics,health',
    'prometheus.io/scrape': 'true',
    'prometheus.io/path': metrics.path,
    'prometheus.io/port': String(metrics.port),
  };
}

function spreadOf({ spec }: Provider, matchLabels: Readonly<Record<string, string>>): Record<string, unknown> {
  const constraints = spec.topologySpreadConstraints ?? [];
  if (constraints.length === 0) return {};
  return {
    topologySpreadConstraints: constraints.map(constraint => ({ ...constraint, labelSelector: { matchLabels } })),
  };
}

interface PodSpec extends Record<string, unknown> {
  volumes?: readonly unknown[];
  containers: readonly (Record<string, unknown> & { volumeMounts?: readonly unknown[] })[];
}

function withWebhookTls(spec: PodSpec, secretName: string): PodSpec {
  const mount = { name: webhookVolume, mountPath: webhookFolder, readOnly: true };
  return {
    ...spec,
    volumes: [...(spec.volumes ?? []), { name: webhookVolume, secret: { secretName } }],
    containers: spec.containers.map(container => ({
      ...container,
      volumeMounts: [...(container.volumeMounts ?? []), mount],
    })),
  };
}
