import { freePorts, startTestLandscape } from '@chandlery/testing';
import { type Caller, createCaller } from '../caller.ts';
import { binding, create, createAccount, createCluster, groupPath, rbacPath } from '../objects.ts';
import { definitions } from './definitions.ts';

/** What the server's main thread did for a request. */
export interface Cost {
  /** Processor time of the main thread. */
  readonly cpuMs: number;
  /** The longest time it worked without a break. */
  readonly longestMs: number;
  readonly rss: number;
  /** What is in use of the heap and beside it. */
  readonly usedBytes: number;
}

/** A landscape, and in it a tenant who administers one logical cluster and nothing else. */
export interface HostileWorld extends AsyncDisposable {
  readonly admin: Caller;
  readonly tenant: Caller;
  /** Costs since the last question. */
  readCost(): Promise<Cost>;
  /** As {@link readCost}, after a garbage collection. */
  collect(): Promise<Cost>;
  /** The server's output so far. */
  output(): string;
}

export const cluster = 'shop';

/** Starts it. */
export async function startHostileWorld(): Promise<HostileWorld> {
  const [meterPort = 0] = await freePorts(1);
  const preload = new URL('./turn-meter.ts', import.meta.url).href;
  const landscape = await startTestLandscape({
    env: { NODE_OPTIONS: `--expose-gc --import=${preload}`, CHANDLERY_TEST_METER_PORT: String(meterPort) },
  });
  const admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, cluster);
  const { token } = await createAccount(admin, cluster, 'tenant');
  const subject = { kind: 'ServiceAccount', name: 'tenant', namespace: 'default' } as const;
  await create(
    admin,
    `${rbacPath(cluster)}/clusterrolebindings`,
    binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [subject]),
  );
  const tenant = createCaller(landscape, { token });
  const crds = groupPath(cluster, 'apiextensions.k8s.io/v1/customresourcedefinitions');
  for (const definition of definitions) await create(tenant, crds, definition);
  const ask = async (path: string): Promise<Cost> =>
    (await (await fetch(`http://127.0.0.1:${meterPort}${path}`)).json()) as Cost;
  return {
    admin,
    tenant,
    readCost: () => ask('/'),
    collect: () => ask('/collect'),
    output: () => landscape.process.output(),
    async [Symbol.asyncDispose]() {
      await tenant[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await landscape[Symbol.asyncDispose]();
    },
  };
}
