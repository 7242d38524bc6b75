import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { updateRow } from '../../registry/orders-registry.ts';
import { startTestOrders } from '../../test-orders.ts';
import { startBlobWorker } from '../blobs/blob-worker.ts';
import { startRetention } from './start-retention.ts';

const actor = { username: 'ann', tenant: 'default' };
const hourMs = 3_600_000;

async function* text(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

test('old versions, unfinished uploads and secrets go when they are due, and nothing else', async () => {
  const clock = new ManualClock();
  await using orders = await startTestOrders({
    clock,
    settings: { historyRetentionMs: 5 * hourMs, uploadExpiryMs: 2 * hourMs },
  });
  const { registry, deps, actions } = orders;
  /** Starts the workers after the clock has moved: due records are found at the start. */
  const runUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
    await using _retention = startRetention(deps);
    await using _blobs = startBlobWorker(deps);
    await eventually(condition);
  };
  const service = await actions.services.create(actor, { description: 'one' });
  await registry.commit([updateRow({ table: 'services', row: service, spec: { description: 'two' } })]);
  const { id } = await actions.artifacts.createPending(actor, {}, 10);
  await actions.artifacts.appendPiece(id, { offset: 0, uploadLength: undefined, bytes: text('abc'), length: 3 });
  const complete = await actions.artifacts.createWithContent(actor, {}, { bytes: text('abc'), length: 3 });
  const expiresAt = new Date(clock.now().getTime() + hourMs).toISOString();
  await actions.secrets.set(actor, { name: 's', type: 'raw', value: 'v', expiresAt });
  const secret = actions.secrets.find('default', { name: 's', type: 'raw' });
  assert.ok(secret);
  assert.equal(await actions.secrets.readValue(secret), 'v');

  clock.advance(hourMs);
  assert.equal(actions.secrets.find('default', { name: 's', type: 'raw' }), undefined, 'at once, whoever removes it');
  await runUntil(() => registry.secrets.size === 0);
  assert.equal(await actions.secrets.readValue(secret), undefined);
  assert.equal(registry.artifacts.size, 2);

  clock.advance(hourMs);
  await runUntil(async () => registry.artifacts.get(id) === undefined && (await deps.uploads.ids()).length === 0);
  assert.equal(await deps.blobs.has(complete.status.digest ?? ''), true);
  assert.ok([...registry.history.by('table', 'services')].length === 1);

  clock.advance(3 * hourMs);
  await runUntil(() => [...registry.history.by('table', 'services')].length === 0);
});

test('blobs and uploads without records are found at the start', async () => {
  await using orders = await startTestOrders();
  const { deps, actions } = orders;
  const row = await actions.artifacts.createWithContent(actor, {}, { bytes: text('kept'), length: 4 });
  await using staged = await deps.blobs.stage(text('orphan'));
  await staged.keep();
  await deps.uploads.append('00000000-0000-4000-8000-000000000000', text('orphan'));
  await using _worker = startBlobWorker(deps);
  await eventually(async () => !(await deps.blobs.has(staged.digest)) && (await deps.uploads.ids()).length === 0);
  assert.equal(await deps.blobs.has(row.status.digest ?? ''), true);
});

test('bytes that come back while they are being removed stay', async () => {
  await using orders = await startTestOrders();
  const { deps, actions } = orders;
  await using _worker = startBlobWorker(deps);
  for (let round = 0; round < 20; round++) {
    const row = await actions.artifacts.createWithContent(actor, {}, { bytes: text('same'), length: 4 });
    const [again] = await Promise.all([
      actions.artifacts.createWithContent(actor, {}, { bytes: text('same'), length: 4 }),
      actions.artifacts.remove(row),
    ]);
    assert.equal(await deps.blobs.has(again.status.digest ?? ''), true, `round ${round}`);
    await actions.artifacts.remove(again);
  }
});
