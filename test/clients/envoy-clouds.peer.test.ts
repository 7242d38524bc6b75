// Envoys behind one service: on a machine of Azure, on two of Google Cloud, and in a Kubernetes cluster. Time of the
// clouds' controllers is that of the story: ten minutes without an API take seconds.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, findEnvoy } from '@chandlery/testing';
import { namespace, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { CallLoad } from './support/call-load.ts';
import { type MachineMesh, startMachineMesh } from './support/machine-mesh.ts';
import { callPlainly } from './support/plain-workload.ts';
import { TwoClouds, zone } from './support/two-clouds.ts';

const found = await findEnvoy();
const callsPerPhase = 300;
const minuteMs = 60_000;
/** Where nothing is promised, because machines end without notice. */
const maxFailedShare = 0.001;
const callsAfterLoss = 10_000;
/** The landscape must not read clouds itself: this port is closed. */
const nowhere = 'http://127.0.0.1:9';

interface Shown {
  readonly endpoints: readonly { readonly ip: string; readonly health: string }[];
  readonly staleProviders: readonly { readonly reason: string }[];
}

describe('Machines of two clouds and a cluster behind one service', {
  skip: found.path === undefined && found.reason,
}, () => {
  const stack = new AsyncDisposableStack();
  let clouds: TwoClouds;
  let world: MachineMesh;
  before(async () => {
    clouds = await TwoClouds.start();
    world = stack.use(
      await startMachineMesh({
        ...{ binary: found.path ?? '', count: 4 },
        landscape: {
          env: { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints: { azure: nowhere, google: nowhere } }) },
        },
        declare: (mesh, machine, index) => clouds.declare(mesh, machine, index),
      }),
    );
    stack.use(clouds);
    await shows('healthy', 'healthy', 'healthy');
    const isServed = async (): Promise<boolean> =>
      (await callPlainly('1.1', { ...world.books, path: '/', authority: `books.${namespace}` })).status === 200;
    await eventually(isServed, { timeoutMs: 30_000, what: 'books to be served' });
  });
  after(() => stack.disposeAsync());

  const show = async (): Promise<Shown> => {
    const path = `/mesh/v1/meshes/${tenant}/services/${namespace}/books/endpoints`;
    return (await world.mesh.landscape.request(path)).json<Shown>();
  };
  const healths = async (): Promise<string> => (await show()).endpoints.map(({ health }) => health).join();
  /** By address: the machine of Azure, that of Google, that of the cluster, the second one of Google. */
  const shows = (...wanted: string[]): Promise<boolean> =>
    clouds.until(
      async () => ((await healths()) === wanted.join() ? true : undefined),
      `endpoints that are ${wanted.join(', ')}`,
    );
  const isOld = (wanted: RegExp | undefined): Promise<boolean> =>
    clouds.until(
      async () => {
        const reasons = (await show()).staleProviders.map(({ reason }) => reason).join();
        return (wanted === undefined ? reasons === '' : wanted.test(reasons)) || undefined;
      },
      `endpoints that are ${wanted === undefined ? 'current' : `old: ${wanted.source}`}`,
    );
  const load = (concurrency = 2): CallLoad => new CallLoad({ ...world.books, path: '/', concurrency });

  test('no call fails while a machine is drained, stopped and started again', async () => {
    await using calls = load();
    await calls.more(callsPerPhase);
    clouds.set(0, 'draining');
    await shows('draining', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    await world.machines[0]?.envoy.kill();
    clouds.set(0, 'stopped');
    await shows('unhealthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    // Its address is known again before it serves.
    clouds.set(0, 'starting');
    await clouds.pass(minuteMs);
    assert.equal(await healths(), 'unhealthy,healthy,healthy');
    await calls.more(callsPerPhase);
    await world.machines[0]?.restartEnvoy();
    clouds.set(0, 'healthy');
    await shows('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, 0, calls.failures);
  });

  test('no call fails while the service scales out, and in again', async () => {
    await using calls = load();
    await calls.more(callsPerPhase);
    clouds.set(3, 'healthy');
    await shows('healthy', 'healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    clouds.set(3, 'draining');
    await shows('healthy', 'healthy', 'healthy', 'draining');
    await calls.more(callsPerPhase);
    clouds.set(3, 'gone');
    await shows('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, 0, calls.failures);
  });

  test('no call fails while a region cannot be read', async () => {
    await using calls = load();
    clouds.google.setUnreachable([zone]);
    await isOld(/europe-west1/);
    assert.match((await clouds.accountStatus('google')).message ?? '', /cannot be read in europe-west1/);
    await clouds.pass(10 * minuteMs);
    assert.equal(await healths(), 'healthy,healthy,healthy');
    await calls.more(callsPerPhase);
    clouds.google.setUnreachable([]);
    await isOld(undefined);
    assert.equal(calls.failed, 0, calls.failures);
  });

  test('no call fails while an API is down for ten minutes, and what has changed meanwhile shows afterwards', async () => {
    await using calls = load();
    await calls.more(callsPerPhase);
    const lostAtMs = clouds.nowMs;
    let requests = 0;
    clouds.azure.intercept(() => {
      requests += 1;
      return { status: 500, body: {} };
    });
    await isOld(/Azure answered 500/);
    const failing = await clouds.accountStatus('azure');
    assert.deepEqual([failing.status, failing.reason], ['False', 'CloudUnreachable']);
    assert.match(failing.message ?? '', /its last known endpoints are kept/);
    const sinceMs = Date.parse(failing.lastTransitionTime ?? '');
    assert.ok(sinceMs >= lostAtMs - 1000 && sinceMs <= clouds.nowMs, `since ${failing.lastTransitionTime}`);
    // The mesh cannot know this until the API responds again.
    clouds.set(0, 'draining');
    await clouds.pass(10 * minuteMs);
    assert.equal(await healths(), 'healthy,healthy,healthy');
    assert.deepEqual(await clouds.accountStatus('azure'), failing, 'it says since when');
    assert.ok(requests >= 4 && requests <= 8, `${requests} requests in ten minutes: pauses grow to five minutes`);
    await calls.more(callsPerPhase);
    clouds.azure.intercept(undefined);
    await shows('draining', 'healthy', 'healthy');
    await isOld(undefined);
    assert.equal((await clouds.accountStatus('azure')).status, 'True');
    await calls.more(callsPerPhase);
    clouds.set(0, 'healthy');
    await shows('healthy', 'healthy', 'healthy');
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, 0, calls.failures);
  });

  test('fewer than 0.1 % of the calls fail when a region is lost with its machines', async () => {
    await using calls = load(4);
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, 0, calls.failures);
    clouds.google.setUnreachable([zone]);
    await world.machines[1]?.envoy.kill();
    await isOld(/europe-west1/);
    // Its endpoint is kept, and proxies avoid it.
    assert.equal((await show()).endpoints.length, 3);
    await calls.more(callsAfterLoss);
    assert.ok(calls.failed < calls.calls * maxFailedShare, `${calls.failures} of ${calls.calls} calls failed`);
    await world.machines[1]?.restartEnvoy();
    clouds.google.setUnreachable([]);
    await isOld(undefined);
    await shows('healthy', 'healthy', 'healthy');
    const before = calls.failed;
    await calls.more(callsPerPhase);
    assert.equal(calls.failed, before, calls.failures);
  });
});
