import {
  type Desired,
  defineProvider,
  type KubeObject,
  kubeconfigFiles,
  type ServiceContext,
  userError,
} from '@chandlery/sdk';
import { type Sample, type SampleConfig, sampleConfigs, sampleItems, samples } from './kinds.ts';

/** The image of the version that the tenant asks for. */
function imageOf({ spec }: Sample, { spec: config }: SampleConfig): string {
  const found = config.versions.find(({ version }) => version === spec.version);
  if (found !== undefined) return found.image;
  const offered = config.versions.map(({ version }) => version).sort();
  throw userError(`version "${spec.version}" is not offered; choose one of: ${offered.join(', ')}`);
}

/** The domain service: one process per tenant on the workload cluster, which works on the tenant's control plane. */
function domainService(sample: Sample, { config, instanceNamespace, mcp }: ServiceContext<SampleConfig>): KubeObject[] {
  const labels = { app: 'sample' };
  const metadata = { name: 'sample', namespace: instanceNamespace };
  const container = {
    name: 'sample',
    image: imageOf(sample, config),
    env: [
      { name: 'GREETING', value: sample.spec.greeting },
      { name: 'KUBECONFIG', value: '/etc/control-plane/kubeconfig' },
    ],
    volumeMounts: [{ name: 'control-plane', mountPath: '/etc/control-plane', readOnly: true }],
  };
  const volumes = [{ name: 'control-plane', secret: { secretName: 'control-plane' } }];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: instanceNamespace } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'control-plane', namespace: instanceNamespace },
      data: encoded(kubeconfigFiles(mcp.kubeconfig)),
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { automountServiceAccountToken: false, containers: [container], volumes },
        },
      },
    },
  ];
}

/** As Secrets want it. */
const encoded = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));

/** What every Sample is made of. */
function desired(sample: Sample, context: ServiceContext<SampleConfig>): readonly Desired[] {
  return [
    { cluster: 'mcp', object: sampleItems.crd },
    ...domainService(sample, context).map(object => ({ cluster: 'workload' as const, object })),
  ];
}

const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

export const provider = defineProvider<Sample, SampleConfig>({
  api: samples,
  config: sampleConfigs,
  clusters: {
    mcp: {
      permissions: [
        {
          rules: [
            { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: everything },
            { apiGroups: ['sample.example.com'], resources: ['*'], verbs: everything },
          ],
        },
      ],
    },
    workload: {
      permissions: [
        {
          rules: [
            { apiGroups: [''], resources: ['namespaces', 'secrets'], verbs: everything },
            { apiGroups: ['apps'], resources: ['deployments'], verbs: everything },
          ],
        },
      ],
    },
  },
  blockedBy: [sampleItems],
  service: { desired },
});
