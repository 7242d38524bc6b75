import { setTimeout as sleep } from 'node:timers/promises';
import { fleetCluster, fleetKinds, fleetNamespace } from '@chandlery/fleet/kinds';
import { defaultRegionSize } from '../fleet-document.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { startBenchAgent } from './bench-agent.ts';
import { clientOf, ReadyTimes } from './ready-times.ts';

/** Orders so many instances at the same moment. Returns how long each took to become ready with agents that answer at once. */
export function orderAtOnce(world: FleetWorld, count: number): Promise<readonly number[]> {
  return withAgents(world, 0, order => Promise.all(Array.from({ length: count }, (_, number) => order(number))));
}

/**
 * Orders twice as many instances as shall be in flight, at the rate at which agents make them ready. Returns how long those of the
 * second half took, which met the full number.
 */
export function orderSteadily(
  world: FleetWorld,
  { inFlight, installMs }: { readonly inFlight: number; readonly installMs: number },
): Promise<readonly number[]> {
  return withAgents(world, installMs, async order => {
    const paced = async (_: unknown, number: number): Promise<number> => {
      await sleep((number * installMs) / inFlight);
      return order(number);
    };
    const latencies = await Promise.all(Array.from({ length: 2 * inFlight }, paced));
    return latencies.slice(inFlight);
  });
}

type Order = (number: number) => Promise<number>;

async function withAgents(
  world: FleetWorld,
  installMs: number,
  work: (order: Order) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  for (let cluster = 0; cluster < defaultRegionSize(world.size); cluster++)
    stack.use(await startBenchAgent(world, cluster, installMs));
  const client = stack.use(clientOf(world, fleetCluster));
  const ref = { ...fleetKinds.instances.ref, namespace: fleetNamespace };
  const times = stack.use(
    await ReadyTimes.watch(client, ref, ({ status }) => (status as { state?: string } | undefined)?.state === 'ready'),
  );
  const run = Date.now().toString(36);
  return await work(number => orderOne(world, times, `r${run}-${number}`));
}

async function orderOne({ pool, customer }: FleetWorld, times: ReadyTimes, name: string): Promise<number> {
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
