import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { endpointSets } from '../../domains/mesh/src/kinds/endpoint-set.ts';
import { allowCalls, setService } from '../../test/conformance/xds/support/declare-service.ts';
import {
  type MeshLandscape,
  namespace,
  portName,
  startMeshLandscape,
  tenant,
} from '../../test/conformance/xds/support/mesh-landscape.ts';
import { allServices, put, putAccounts, putResources, serviceName, type Target } from './declare.ts';
import type { BenchCloud, Size } from './test-cloud.ts';

/** Times in milliseconds until the last proxy has received a change, sorted. */
export interface ChangeTimes {
  /** From the write of an EndpointSet by a client: the mesh alone. */
  readonly written: readonly number[];
  /** From the change in the cloud, with polls. */
  readonly polled: readonly number[];
  /** From the change in the cloud, with events. */
  readonly notified: readonly number[];
  /** With polls, from the response of the cloud that has the change. */
  readonly afterPoll: readonly number[];
  /** Requests of queues in a minute, when nothing happens. */
  readonly eventRequestsPerMinute: number;
}

export const pollSeconds = 5;
/** Polls are the safety net. */
const pollSecondsWithEvents = 3600;
const quietMs = 10_000;
const namedPort = [{ name: 'http', port: 80 }];

/** Streams of real clients, which report who has received a change. */
class Proxies implements AsyncDisposable {
  readonly #connections = new AsyncDisposableStack();
  readonly #waiting = new Set<number>();
  #received = Promise.withResolvers<number>();
  #responses = 0;
  readonly #count: number;

  static async connect(mesh: MeshLandscape, size: Size): Promise<Proxies> {
    const proxies = new Proxies(size.proxies);
    const names = allServices(size).map(service => portName(service));
    const tls = await mesh.certificate({ account: 'web' });
    for (let no = 0; no < size.proxies; no += 1) {
      const connection = await mesh.connect({ account: 'web', nodeId: `web-${no}`, dialect: 'grpc' }, tls);
      proxies.#connections.use(connection);
      connection
        .open({ only: 'endpoints', autoAck: true, onResponse: () => proxies.#receive(no) })
        .send({ typeUrl: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment', names });
    }
    await eventually(() => proxies.#responses >= size.proxies, { what: 'first responses', timeoutMs: 120_000 });
    return proxies;
  }

  private constructor(count: number) {
    this.#count = count;
  }

  /** Resolves with the time when all have received a response from now on. */
  all(): Promise<number> {
    this.#received = Promise.withResolvers<number>();
    for (let no = 0; no < this.#count; no += 1) this.#waiting.add(no);
    return this.#received.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connections.disposeAsync();
  }

  #receive(no: number): void {
    this.#responses += 1;
    if (this.#waiting.delete(no) && this.#waiting.size === 0) this.#received.resolve(Date.now());
  }
}

/** Measures a landscape in a process of its own, with proxies that are streams of this one. */
export async function measureChanges(size: Size, cloud: BenchCloud): Promise<ChangeTimes> {
  const env = { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints: { google: cloud.url } }) };
  await using mesh = await startMeshLandscape({ env });
  const target = { client: mesh.client, namespace };
  await mesh.certificate({ account: 'books' });
  for (const name of allServices(size)) await setService(mesh.client, { name, ports: namedPort });
  await putResources(target, size);
  await putAccounts(target, size, { pollSeconds, hasEvents: false });
  await allowCalls(mesh.client, { name: 'books', from: ['web'], to: 'books' });
  const services = allServices(size);
  await using proxies = await Proxies.connect(mesh, size);
  await untilServed(mesh, services.at(-1) ?? '', size.machines / size.services);
  await sleep(pollSeconds * 1000);

  const written = await sample(size, async no => {
    const received = proxies.all();
    const startMs = Date.now();
    await putDirect(target, no + 1);
    return (await received) - startMs;
  });
  const afterPoll: number[] = [];
  const polled = await sample(size, async no => {
    const received = proxies.all();
    const startMs = Date.now();
    const servedMs = await cloud.change({ project: projectOf(no, size), stopped: [no + 1], hasEvent: false });
    const endMs = await received;
    afterPoll.push(endMs - servedMs);
    return endMs - startMs;
  });
  await putAccounts(target, size, { pollSeconds: pollSecondsWithEvents, hasEvents: true });
  await sleep(quietMs);
  const before = await cloud.counts();
  await sleep(quietMs);
  const { eventRequests } = await cloud.counts();
  const notified = await sample(size, async no => {
    const received = proxies.all();
    const startMs = Date.now();
    await cloud.change({ project: projectOf(no, size), stopped: [no + 1 + size.samples], hasEvent: true });
    return (await received) - startMs;
  });
  return {
    ...{ written, polled, notified, afterPoll: afterPoll.toSorted((a, b) => a - b) },
    eventRequestsPerMinute: ((eventRequests - before.eventRequests) * 60_000) / quietMs,
  };
}

const projectOf = (no: number, { accounts }: Size): number => (no * 7) % accounts;

/** Writes an EndpointSet for a service of the first account, beside those of the cloud. */
const putDirect = (target: Target, no: number) => {
  const { apiVersion, kind } = endpointSets;
  const endpoints = [{ ip: `10.250.${no >> 8}.${no & 255}`, port: 80, portName: 'http' }];
  return put(target, endpointSets.ref, {
    ...{ apiVersion, kind, metadata: { name: 'direct' } },
    spec: { service: serviceName(0, 0), serviceAccount: 'books', endpoints },
  });
};

async function sample({ samples }: Size, once: (no: number) => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let no = 0; no < samples; no += 1) {
    times.push(await once(no));
    await sleep(200);
  }
  return times.sort((a, b) => a - b);
}

async function untilServed(mesh: MeshLandscape, service: string, count: number): Promise<void> {
  const path = `/mesh/v1/meshes/${tenant}/services/${namespace}/${service}/endpoints`;
  await eventually(
    async () =>
      (await mesh.landscape.request(path)).json<{ endpoints: readonly object[] }>().endpoints.length === count,
    { what: 'endpoints of the last account', timeoutMs: 180_000, pauseMs: 500 },
  );
}
