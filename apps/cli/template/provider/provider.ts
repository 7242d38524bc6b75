import {
  allRightsOn,
  type Desired,
  defineProvider,
  deploymentOf,
  encodeSecret,
  findOffer,
  type KubeObject,
  kubeconfigFiles,
  namespaceOf,
  type ServiceContext,
} from '@chandlery/sdk';
import { type Sample, type SampleConfig, sampleConfigs, sampleItems, samples } from './kinds.ts';

/** The domain service: one process per tenant on the workload cluster, which works on the tenant's control plane. */
function domainService({ spec }: Sample, context: ServiceContext<SampleConfig>): readonly KubeObject[] {
  const { config, instanceNamespace: namespace, mcp } = context;
  const container = {
    image: findOffer(config.spec.versions, spec.version).image,
    env: [
      { name: 'GREETING', value: spec.greeting },
      { name: 'KUBECONFIG', value: '/etc/control-plane/kubeconfig' },
    ],
    volumeMounts: [{ name: 'control-plane', mountPath: '/etc/control-plane', readOnly: true }],
  };
  const pod = { volumes: [{ name: 'control-plane', secret: { secretName: 'control-plane' } }] };
  return [
    namespaceOf(namespace),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'control-plane', namespace },
      data: encodeSecret(kubeconfigFiles(mcp.kubeconfig)),
    },
    deploymentOf({ name: 'sample', namespace, container, pod }),
  ];
}

/** What every Sample consists of. */
function desired(sample: Sample, context: ServiceContext<SampleConfig>): readonly Desired[] {
  return [
    { cluster: 'mcp', object: sampleItems.crd },
    ...domainService(sample, context).map(object => ({ cluster: 'workload' as const, object })),
  ];
}

const onControlPlane = [
  allRightsOn('apiextensions.k8s.io', 'customresourcedefinitions'),
  allRightsOn('sample.example.com', '*'),
];
const onWorkloadCluster = [allRightsOn('', 'namespaces', 'secrets'), allRightsOn('apps', 'deployments')];

export const provider = defineProvider<Sample, SampleConfig>({
  api: samples,
  config: sampleConfigs,
  clusters: {
    mcp: { permissions: [{ rules: onControlPlane }] },
    workload: { permissions: [{ rules: onWorkloadCluster }] },
  },
  blockedBy: [sampleItems],
  service: { desired },
});
