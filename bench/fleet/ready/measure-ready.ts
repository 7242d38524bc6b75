import { fleetKinds, fleetNamespace } from '@chandlery/fleet/kinds';
import { quantile } from '../../kernel/statistics.ts';
import type { Row } from '../../runtime/report.ts';
import { clusterCount, clustersPerRegion } from '../fleet-document.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { startInstantAgent } from './instant-agent.ts';
import { polledInstances, startPollingManager } from './polling-manager.ts';
import { clientOf, ReadyTimes } from './ready-times.ts';

/** What the server may add to the time that the agent takes. */
const maxAddedMs = 1000;
const onboarding = 'onboarding';

/** Orders so many instances at once, with agents that answer at once, and the same from a manager that polls. */
export async function measureReady(world: FleetWorld, count: number): Promise<readonly Row[]> {
  const ours = await readyLatencies(world, count);
  const polled = await polledLatencies(world, count);
  const row = (share: number): Row => ({
    what: `create to ready, p${share * 100}`,
    unit: 'ms',
    ours: quantile(ours, share),
    baseline: quantile(polled, share),
  });
  const p99 = quantile(ours, 0.99);
  return [row(0.5), { ...row(0.99), aim: { text: `at most ${maxAddedMs} ms`, isMet: p99 <= maxAddedMs } }];
}

async function readyLatencies(world: FleetWorld, count: number): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  // The default region's clusters are the first.
  const agentCount = Math.min(clustersPerRegion, clusterCount(world.size));
  for (let cluster = 0; cluster < agentCount; cluster++) stack.use(await startInstantAgent(world, cluster));
  const client = stack.use(clientOf(world, onboarding));
  const ref = { ...fleetKinds.instances.ref, namespace: fleetNamespace };
  const times = stack.use(
    await ReadyTimes.watch(client, ref, ({ status }) => (status as { state?: string } | undefined)?.state === 'ready'),
  );
  const run = Date.now().toString(36);
  return await Promise.all(Array.from({ length: count }, (_, number) => order(world, times, `r${run}-${number}`)));
}

async function order({ pool, customer }: FleetWorld, times: ReadyTimes, name: string): Promise<number> {
  const started = performance.now();
  const response = await pool.request({
    method: 'POST',
    path: '/api/dinosaurs_mgmt/v1/dinosaurs?async=true',
    headers: { authorization: `Bearer ${customer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const text = await response.body.text();
  if (response.statusCode !== 202) throw new Error(`${response.statusCode} ${text}`);
  return (await times.of((JSON.parse(text) as { id: string }).id)) - started;
}

async function polledLatencies(world: FleetWorld, count: number): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(clientOf(world, onboarding));
  const { ref, isReady, make } = polledInstances;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ref.namespace } };
  await client.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace);
  const times = stack.use(await ReadyTimes.watch(client, ref, isReady));
  stack.use(startPollingManager(client));
  const latency = async (name: string): Promise<number> => {
    const started = performance.now();
    await client.create(ref, make(name));
    return (await times.of(name)) - started;
  };
  return await Promise.all(Array.from({ length: count }, (_, number) => latency(`p${number}`)));
}
