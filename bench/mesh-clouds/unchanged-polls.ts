import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, startTestPlane } from '@chandlery/testing';
import { startCloudControllers } from '../../domains/mesh/src/controllers/cloud-accounts/start-cloud-controllers.ts';
import { createGoogleCloud } from '../../domains/mesh/src/endpoints/clouds/google/google-cloud.ts';
import { createEndpointSetEndpoints } from '../../domains/mesh/src/endpoints/endpoint-sets/endpoint-set-endpoints.ts';
import { cloudAccounts } from '../../domains/mesh/src/kinds/clouds/cloud-account.ts';
import { googleResources } from '../../domains/mesh/src/kinds/clouds/google-resource.ts';
import { endpointSets } from '../../domains/mesh/src/kinds/endpoint-set.ts';
import type { EndpointsProvider } from '../../domains/mesh/src/ports/endpoints.ts';
import { putAccounts, putResources } from './declare.ts';
import type { BenchCloud, Size } from './test-cloud.ts';

/** What polls of accounts cost while nothing changes. Per poll. */
export interface PollCost {
  readonly cpuMs: number;
  readonly allocatedKb: number;
  readonly receivedKb: number;
  readonly requests: number;
}

const pollSeconds = 5;
/** Of the sampling of allocations, in bytes. */
const samplingInterval = 16_384;

/** Measures the controllers in this process, and a bare poll of the same responses: request, parse, forget. */
export async function measureUnchangedPolls(
  size: Size,
  cloud: BenchCloud,
): Promise<{ readonly ours: PollCost; readonly bare: PollCost; readonly firstReadMs: number }> {
  const kinds = [endpointSets.declaration, cloudAccounts.declaration, googleResources.declaration];
  await using plane = await startTestPlane({ kinds });
  const target = { client: plane.client, namespace: 'default' };
  await putResources(target, size);
  await putAccounts(target, size, { pollSeconds, hasEvents: false });
  await using provider = createEndpointSetEndpoints({ client: plane.client });
  const { accounts, machines, rounds } = size;
  const startedMs = performance.now();
  const controllers = startCloudControllers({
    ...{ client: plane.client, clouds: [createGoogleCloud({ endpoint: cloud.url })] },
    mayUseServerCredentials: () => false,
  });
  const isRead = (): boolean => countEndpoints(provider) === accounts * machines;
  await eventually(isRead, { what: 'all endpoints', timeoutMs: 120_000, pauseMs: 50 });
  const firstReadMs = performance.now() - startedMs;
  // Statuses are written after the first read.
  await sleep(pollSeconds * 1000);
  const ours = await measure(cloud, () => sleep(rounds * pollSeconds * 1000));
  await controllers[Symbol.asyncDispose]();
  const bare = await measure(cloud, () => pollBarely(cloud.url, size));
  return { ours, bare, firstReadMs };
}

async function pollBarely(url: string, { accounts, rounds }: Size): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    for (let account = 0; account < accounts; account += 1) {
      const response = await fetch(`${url}/compute/v1/projects/bench-${account}/aggregated/instances`);
      await response.json();
    }
}

async function measure(cloud: BenchCloud, run: () => Promise<void>): Promise<PollCost> {
  using session = new DisposableSession();
  const before = await cloud.counts();
  await session.start();
  const cpu = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(cpu);
  const allocated = await session.stop();
  const after = await cloud.counts();
  const polls = after.requests - before.requests;
  return {
    cpuMs: (user + system) / 1000 / polls,
    allocatedKb: allocated / 1024 / polls,
    receivedKb: (after.bytes - before.bytes) / 1024 / polls,
    requests: polls,
  };
}

/** Samples what is allocated, also what is collected meanwhile. */
class DisposableSession implements Disposable {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('HeapProfiler.startSampling', {
      ...{ samplingInterval, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true },
    });
  }

  /** Bytes. */
  async stop(): Promise<number> {
    const { profile } = await this.#session.post('HeapProfiler.stopSampling');
    return sizeOf(profile.head);
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }
}

/** What a function and those that it has called have allocated. */
const sizeOf = ({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

function countEndpoints(provider: EndpointsProvider): number {
  return [...provider.listServices()].reduce((count, service) => {
    const [namespace = '', name = ''] = service.split('/');
    return count + provider.listEndpointsForService({ namespace, name }).length;
  }, 0);
}
