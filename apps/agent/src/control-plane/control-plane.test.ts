import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { deletedStatus, type InstanceStatus } from '../model/instance-status.ts';
import { listedInstance } from '../test-control-plane.ts';
import { ControlPlane, type DesiredList } from './control-plane.ts';
import { DesiredState } from './desired-state.ts';
import { Reporter } from './reporter.ts';

const open = (url: string): ControlPlane =>
  new ControlPlane({ url, product: 'dinosaurs', clusterId: 'c1', token: 't' });

test('a token is not sent to another machine in clear text', async () => {
  for (const url of ['http://fleet.example.com', 'ftp://127.0.0.1', 'fleet'])
    assert.throws(() => open(url), { code: 'InvalidValue' }, url);
  for (const url of ['http://127.0.0.1:1', 'https://fleet.example.com']) await open(url)[Symbol.asyncDispose]();
});

/** Lists what it is given, one response after the other, and then nothing new. */
function desiredFrom(responses: readonly (DesiredList | Error)[]) {
  const changed: string[] = [];
  let asked = 0;
  const list = async (_: unknown, signal: AbortSignal): Promise<DesiredList | undefined> => {
    const response = responses[asked++];
    if (response instanceof Error) throw response;
    if (response === undefined) await new Promise(resolve => signal.addEventListener('abort', resolve));
    return response;
  };
  const desired = new DesiredState({ controlPlane: { list }, onChange: id => changed.push(id), logger: silentLogger });
  return { desired, changed, isThrough: () => asked > responses.length };
}
const listOf = (revision: string, ...items: readonly object[]): DesiredList => ({
  kind: 'ManagedDinosaurList',
  revision,
  items: items as JsonObject[],
});

test('what is desired survives a control plane that is away, and items that cannot be read spoil no others', async () => {
  const broken = { ...listedInstance({ id: 'a', version: '2' }), metadata: {} };
  const { desired, changed, isThrough } = desiredFrom([
    listOf('1', listedInstance({ id: 'a', version: '1' }), listedInstance({ id: 'b' })),
    new Error('away'),
    listOf('2', broken, listedInstance({ id: 'b', version: '2' })),
  ]);
  const stop = new AbortController();
  const following = desired.follow(stop.signal);
  await eventually(isThrough);
  stop.abort();
  await following;
  assert.deepEqual(changed, ['a', 'b', 'b']);
  assert.deepEqual([desired.get('a')?.versions.product, desired.get('b')?.versions.product], ['1', '2']);
});

const status = (message: string): InstanceStatus => ({
  ...deletedStatus,
  condition: { status: 'False', reason: 'Installing', message },
});

test('reports are sent in batches, only when something changed, and until they are taken', async () => {
  const sent: Record<string, string>[] = [];
  let failures = 1;
  const reporter = new Reporter({
    send: async statuses => {
      if (failures-- > 0) throw new Error('away');
      sent.push(Object.fromEntries([...statuses].map(([id, { condition }]) => [id, condition.message])));
    },
    logger: silentLogger,
    debounceMs: 5,
  });
  const stop = new AbortController();
  const running = reporter.run(stop.signal);
  reporter.report('a', status('1'));
  reporter.report('b', status('1'));
  await eventually(() => sent.length === 1);
  reporter.report('a', status('1'));
  reporter.report('b', status('2'));
  await eventually(() => sent.length === 2);
  reporter.forget('b');
  reporter.resync();
  await eventually(() => sent.length === 3);
  stop.abort();
  await running;
  assert.deepEqual(sent, [{ a: '1', b: '1' }, { b: '2' }, { a: '1' }]);
});
