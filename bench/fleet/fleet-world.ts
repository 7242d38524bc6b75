import { setTimeout as sleep } from 'node:timers/promises';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { Pool } from 'undici';
import {
  benchOrganisation,
  clusterCount,
  clusterId,
  type FleetSize,
  fleetDocument,
  organisationId,
} from './fleet-document.ts';
import { seedFleet } from './seed-fleet.ts';

/** The real server on a store with instances, and tokens for it. */
export interface FleetWorld extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly size: FleetSize;
  /** As many connections as requests at a time. */
  readonly pool: Pool;
  /** A user who orders. */
  readonly customer: string;
  /** A user of the last organisation, and the agent of the last cluster: nothing is ordered there. */
  readonly member: string;
  readonly agent: string;
  readonly agentPath: string;
}

/** Requests at a time. */
export const concurrency = 16;

/** A start reads all rows; on a busy machine that takes a while. */
const readyTimeoutMs = 300_000;
/** Longer than the bench. */
const tokenSeconds = 24 * 3600;

/** Configures a product, fills the store behind the server's back, and starts the server again. */
export async function startFleetWorld(size: FleetSize, dataDir: string): Promise<FleetWorld> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape({ readyTimeoutMs, dataDir }));
  await configureFleet(landscape, size);
  await landscape.stop();
  await seedFleet(landscape.dataDir, size);
  await landscape.restart();
  await waitForInstances(landscape, size.instances);
  const last = clusterCount(size) - 1;
  const agentOrder = { username: 'agent', roles: ['fleetshard_operator'], cluster_id: clusterId(last) };
  const world = {
    landscape,
    size,
    pool: stack.use(new DisposablePool(landscape.url, { connect: { ca: landscape.ca }, connections: concurrency })),
    customer: await tokenFor(landscape, { username: 'carl', organisation: benchOrganisation }),
    member: await tokenFor(landscape, { username: 'user-0', organisation: organisationId(last) }),
    agent: await tokenFor(landscape, agentOrder),
    agentPath: `/api/dinosaurs_mgmt/v1/agent-clusters/${clusterId(last)}`,
  };
  const all = stack.move();
  return { ...world, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Waits until the service manager has a row for each instance of the store: making them is not what is measured. */
async function waitForInstances(landscape: TestLandscape, expected: number): Promise<void> {
  for (let known = 0; known < expected; await sleep(500)) {
    const response = await landscape.request('/v1/service_instances?max_items=0');
    known = response.json<{ num_items: number }>().num_items;
  }
}

/** Puts the document of a fleet of this size into force. */
export async function configureFleet(landscape: TestLandscape, size: FleetSize): Promise<void> {
  const body = fleetDocument(size);
  const done = await landscape.request('/api/fleet_mgmt/v1/configuration', { method: 'PUT', body });
  if (done.status !== 200) throw new Error(done.text);
}

class DisposablePool extends Pool implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

export async function tokenFor(landscape: TestLandscape, order: object): Promise<string> {
  const body = { ...order, expiration_seconds: tokenSeconds };
  const answer = await landscape.request('/api/fleet_mgmt/v1/tokens', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json<{ token: string }>().token;
}
