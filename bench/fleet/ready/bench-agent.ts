import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlane } from '../../../apps/agent/src/control-plane/control-plane.ts';
import type { InstanceStatus } from '../../../apps/agent/src/model/instance-status.ts';
import { type ManagedInstance, readManagedInstance } from '../../../apps/agent/src/model/managed-instance.ts';
import { clusterId } from '../fleet-document.ts';
import { type FleetWorld, tokenFor } from '../fleet-world.ts';

const readyStatus = ({ versions }: ManagedInstance): InstanceStatus => ({
  condition: { status: 'True', reason: '', message: '' },
  versions,
  routes: [],
  adminUrl: undefined,
  endpoints: [],
});
const waitSeconds = 30;

/** The agent of one cluster, by the real agent's client: what is wanted there is ready after `installMs`. Returns how to stop it. */
export async function startBenchAgent(world: FleetWorld, cluster: number, installMs: number): Promise<AsyncDisposable> {
  const { landscape } = world;
  const identity = { username: `agent-${cluster}`, roles: ['fleetshard_operator'], cluster_id: clusterId(cluster) };
  const controlPlane = new ControlPlane({
    url: landscape.url,
    caPem: landscape.ca,
    product: 'dinosaurs',
    clusterId: clusterId(cluster),
    token: await tokenFor(landscape, identity),
  });
  const stop = new AbortController();
  const running = reportReady(controlPlane, { installMs, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await controlPlane[Symbol.asyncDispose]();
    },
  };
}

async function reportReady(
  controlPlane: ControlPlane,
  { installMs, signal }: { readonly installMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const operatorVersions = (await controlPlane.readProgram(signal))?.operatorVersions ?? [];
  const cluster = { isReady: true, reason: '', message: '', operatorVersions, capacity: undefined };
  await controlPlane.reportCluster(cluster, 'dinosaur');
  const reported = new Set<string>();
  let revision: string | undefined;
  while (!signal.aborted) {
    const list = await controlPlane.list({ revision, waitSeconds: revision === undefined ? 0 : waitSeconds }, signal);
    if (list === undefined) continue;
    revision = list.revision;
    const fresh = list.items.map(readManagedInstance).filter(({ id }) => !reported.has(id));
    for (const { id } of fresh) reported.add(id);
    const statuses = new Map(fresh.map(instance => [instance.id, readyStatus(instance)]));
    if (fresh.length === 0) continue;
    if (installMs === 0) await controlPlane.reportInstances(statuses, 'dinosaur');
    else void sleep(installMs).then(() => controlPlane.reportInstances(statuses, 'dinosaur'));
  }
}
