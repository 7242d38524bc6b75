import { type Client, formatYaml } from '@chandlery/client';
import { silentLogger } from '@chandlery/platform';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ServiceContext } from '../definition/service.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { externalNameOf, instanceIdOf, instanceNamespaceOf } from '../model/names.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import { unavailable } from '../reconcile/unavailable.ts';

export interface TestContextOptions<C extends ConfigObject> {
  readonly object: ServiceObject;
  readonly config: C;
  /** Default: the name of the configuration. */
  readonly provider?: string;
  /** Default: clusters without a server, with a kubeconfig of an unreachable address. */
  readonly mcp?: ClusterConnection;
  readonly workload?: ClusterConnection;
  readonly platform?: Client;
  /** Default: the first second of 2030. */
  readonly now?: Date;
}

/** A context for tests of pure functions, without any cluster. */
export function testContext<C extends ConfigObject>(options: TestContextOptions<C>): ServiceContext<C> {
  const { object, config, provider = config.metadata.name ?? '', now = new Date('2030-01-01T00:00:00Z') } = options;
  const { namespace = 'default', name = '' } = object.metadata;
  return {
    provider,
    config,
    instanceId: instanceIdOf({ namespace, name }),
    instanceNamespace: instanceNamespaceOf(object.kind, { namespace, name }),
    externalName: externalNameOf(object),
    mcp: options.mcp ?? nowhere('mcp'),
    workload: options.workload ?? nowhere('workload'),
    platform: options.platform ?? nowhere('platform').client,
    signal: new AbortController().signal,
    now,
    logger: silentLogger,
  };
}

const nowhere = (id: string): ClusterConnection => ({
  id,
  kubeconfig: kubeconfigOf(id),
  client: new Proxy({} as Client, { get: () => () => unavailable('workload') }),
});

const kubeconfigOf = (name: string): string =>
  formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server: `https://${name}.invalid` } }],
    users: [{ name, user: { token: 'a-token' } }],
  });
