import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, findEnvoy } from '@chandlery/testing';
import { namespace, tenant } from '../conformance/xds/support/mesh-landscape.ts';
import { CallLoad } from './support/call-load.ts';
import { type MachineMesh, startMachineMesh } from './support/machine-mesh.ts';
import { callPlainly } from './support/plain-workload.ts';

const found = await findEnvoy();

/** Share of all calls, when one of three Envoys is killed under load. */
const maxFailedShare = 0.001;
/** A machine that answers each third call would not stay out of so many. */
const callsInARow = 500;
const callsBefore = 2_000;
const callsAfter = 10_000;
const concurrency = 8;

describe('One of three machines dies under load', { skip: found.path === undefined && found.reason }, () => {
  let world: MachineMesh;
  before(async () => {
    world = await startMachineMesh({ binary: found.path ?? '', count: 3 });
    const isServed = async (): Promise<boolean> =>
      (await callPlainly('1.1', { ...world.books, path: '/', authority: `books.${namespace}` })).status === 200;
    await eventually(isServed, { timeoutMs: 30_000, what: 'books to be served' });
  });
  after(() => world?.[Symbol.asyncDispose]());

  const load = (): CallLoad => new CallLoad({ ...world.books, path: '/', concurrency });

  test('fewer than 0.1 % of the calls fail when its Envoy is killed', async () => {
    await using calls = load();
    await calls.more(callsBefore);
    assert.equal(calls.failed, 0, calls.failures);
    await world.machines[0]?.envoy.kill();
    await calls.more(callsAfter);
    assert.ok(calls.failed < calls.calls * maxFailedShare, `${calls.failures} of ${calls.calls} calls failed`);
  });

  test('the mesh marks it unhealthy, and healthy again when its Envoy is back', async () => {
    const healths = async (): Promise<Record<string, string>> => {
      const { mesh } = world;
      const answer = await mesh.landscape.request(`/mesh/v1/meshes/${tenant}/services/${namespace}/books/endpoints`);
      const { endpoints } = answer.json<{ endpoints: readonly { source: string; health: string }[] }>();
      return Object.fromEntries(endpoints.map(({ source, health }) => [source, health]));
    };
    const become = (health: string): Promise<boolean> =>
      eventually(async () => (await healths())['books-1'] === health, {
        timeoutMs: 90_000,
        what: `it to be ${health}`,
      });
    await become('unhealthy');
    await world.machines[0]?.restartEnvoy();
    await become('healthy');
    assert.deepEqual([...new Set(Object.values(await healths()))], ['healthy']);
  });

  test('calls go to the others when the workload behind an Envoy has ended, and the Envoy has not', async () => {
    await using calls = load();
    await calls.successes(callsInARow);
    const earlier = calls.failed;
    await world.machines[1]?.workload[Symbol.asyncDispose]();
    await eventually(() => calls.failed > earlier, { what: 'a call to it' });
    await calls.successes(callsInARow);
  });
});
