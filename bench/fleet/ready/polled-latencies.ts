import { fleetCluster } from '@chandlery/fleet/kinds';
import type { FleetWorld } from '../fleet-world.ts';
import { polledInstances, startPollingManager } from './polling-manager.ts';
import { clientOf, ReadyTimes } from './ready-times.ts';

/** Orders so many instances at the same moment from a manager that polls. Returns how long each took to become ready. */
export async function polledLatencies(world: FleetWorld, count: number): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const client = stack.use(clientOf(world, fleetCluster));
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
