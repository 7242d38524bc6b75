import {
  allRightsOn,
  type Desired,
  defineProvider,
  deploymentOf,
  namespaceOf,
  type Observation,
  type ServiceContext,
} from '@chandlery/sdk';
import { type Hello, type HelloConfig, helloConfigs, hellos } from './kinds.ts';

type Context = ServiceContext<HelloConfig>;

const permissions = [{ rules: [allRightsOn('', 'namespaces'), allRightsOn('apps', 'deployments')] }];

/** What is desired on which cluster; nothing when the provider serves by itself. */
export function desired({ spec }: Hello, { config, instanceNamespace: namespace }: Context): readonly Desired[] {
  if (spec.runsOn === 'Provider') return [];
  const cluster = spec.runsOn === 'ControlPlane' ? 'mcp' : 'workload';
  const container = { image: config.spec.image, env: [{ name: 'GREET', value: spec.to }] };
  return [
    { cluster, object: namespaceOf(namespace) },
    { cluster, object: deploymentOf({ name: 'hello', namespace, container }) },
  ];
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
