import { freePorts, startTestLandscape } from '@chandlery/testing';
import {
  type ScriptedBroker,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { type Caller, createCaller } from '../caller.ts';
import { binding, create, createAccount, createCluster, expectStatus, groupPath, rbacPath } from '../objects.ts';
import { definitions } from './definitions.ts';

/** What the server's main thread did for a request. */
export interface Cost {
  /** Processor time of the main thread. */
  readonly cpuMs: number;
  /** The longest time it worked without a break. */
  readonly maxMs: number;
  readonly rss: number;
  /** What is in use of the heap and beside it. */
  readonly usedBytes: number;
}

/** A landscape, and in it a tenant who administers one logical cluster and nothing else. */
export interface HostileWorld extends AsyncDisposable {
  readonly admin: Caller;
  readonly tenant: Caller;
  /** A platform of the service manager, which may use the plans of a broker. */
  readonly platform: Caller;
  readonly brokerId: string;
  /** The broker itself, which can be made to misbehave. */
  readonly broker: Pick<ScriptedBroker, 'url' | 'misbehave' | 'behave'>;
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
  const broker = await startScriptedBroker({ auth: { type: 'basic', username: 'u', password: 'p' } });
  const { brokerId, platformHeaders } = await registerBroker(admin, broker);
  const platform = createCaller(landscape, { headers: platformHeaders });
  const ask = async (path: string): Promise<Cost> =>
    (await (await fetch(`http://127.0.0.1:${meterPort}${path}`)).json()) as Cost;
  return {
    admin,
    tenant,
    platform,
    brokerId,
    broker,
    readCost: () => ask('/'),
    collect: () => ask('/collect'),
    output: () => landscape.process.output(),
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]();
      await tenant[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await landscape[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    },
  };
}

interface Created {
  readonly id: string;
  readonly items: readonly { readonly id: string }[];
  readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
}

/** A broker whose plan is public, and a platform that uses it. */
async function registerBroker(operator: Caller, { url }: ScriptedBroker) {
  const credentials = { basic: { username: 'u', password: 'p' } };
  const registered = await operator.send('/v1/service_brokers', {
    body: { name: 'shop', broker_url: url, credentials },
  });
  const { id: brokerId } = expectStatus(registered, 201).json<Created>();
  const plans = await operator.send(
    `/v1/service_plans?fieldQuery=${encodeURIComponent("catalog_id eq 'database-sync'")}`,
  );
  const [plan] = expectStatus(plans, 200).json<Created>().items;
  expectStatus(await operator.send('/v1/visibilities', { body: { service_plan_id: plan?.id } }), 201);
  const made = await operator.send('/v1/platforms', { body: { name: 'hostile', type: 'kubernetes' } });
  const { username, password } = expectStatus(made, 201).json<Created>().credentials.basic;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return { brokerId, platformHeaders: { authorization } };
}
