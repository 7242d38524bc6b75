import { type Desired, defineProvider, type KubeObject, type Observation, type ServiceContext } from '@chandlery/sdk';
import { type Hello, type HelloConfig, helloConfigs, hellos } from './kinds.ts';

type Context = ServiceContext<HelloConfig>;

const everything = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const permissions = [
  {
    rules: [
      { apiGroups: [''], resources: ['namespaces'], verbs: everything },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: everything },
    ],
  },
];

/** The domain service: a process of its own, wherever it runs. */
function domainService({ spec }: Hello, { config, instanceNamespace }: Context): readonly KubeObject[] {
  const labels = { app: 'hello' };
  const container = { name: 'hello', image: config.spec.image, env: [{ name: 'GREET', value: spec.to }] };
  const template = { metadata: { labels }, spec: { automountServiceAccountToken: false, containers: [container] } };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: instanceNamespace } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'hello', namespace: instanceNamespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    },
  ];
}

/** What is wanted on which cluster; nothing when the provider serves by itself. */
export function desired(hello: Hello, context: Context): readonly Desired[] {
  const { runsOn } = hello.spec;
  if (runsOn === 'Provider') return [];
  const cluster = runsOn === 'ControlPlane' ? 'mcp' : 'workload';
  return domainService(hello, context).map(object => ({ cluster, object }));
}

/** The provider is the domain service itself: it greets in the connection Secret. */
export async function observe({ spec }: Hello): Promise<Observation> {
  const isOwn = spec.runsOn === 'Provider';
  return {
    exists: true,
    differences: [],
    isReady: true,
    ...(isOwn && { connection: { greeting: `Hello ${spec.to}` } }),
  };
}

export const provider = defineProvider<Hello, HelloConfig>({
  api: hellos,
  config: helloConfigs,
  clusters: { mcp: { permissions }, workload: { permissions } },
  service: { desired, observe },
});
