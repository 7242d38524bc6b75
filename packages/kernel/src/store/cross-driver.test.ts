import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgres, tempFolder } from '@chandlery/testing';
import { put, write } from './contract/helpers.ts';
import { openStore } from './open-store.ts';
import type { SnapshotObject, Store } from './store.ts';

async function contentsOf(store: Store): Promise<unknown[]> {
  const objects: SnapshotObject[] = [];
  for await (const batch of (await store.snapshot()).objects) objects.push(...batch);
  return objects.map(({ value, ...rest }) => ({
    ...rest,
    text: Buffer.from(value.bytes).toString(),
    splice: value.splice,
  }));
}

test('a snapshot moves from SQLite to PostgreSQL and back without a change', async () => {
  await using postgres = await startPostgres({ fsync: false });
  await using folder = await tempFolder();
  await using source = await openStore({ type: 'sqlite', folder: folder.join('source') });
  await using middle = await openStore({ type: 'postgres', url: postgres.url });
  await using target = await openStore({ type: 'sqlite', folder: folder.join('target') });
  for (let batch = 0; batch < 3; batch++) {
    const names = Array.from({ length: 400 }, (_, index) => `n${index % 7}/${batch}-${index}`);
    await write(
      source,
      ...names.map(name => put(name, { terms: [batch, 2 ** 52 + 7], unique: [`${name}"\\`], expiresAt: batch + 1 })),
    );
  }
  await write(
    source,
    put('n1/0-1', { text: 'changed', in: { cluster: 'x', resource: 'g/r' } }),
    put('n1/0-1', { text: 'ü' }),
  );
  await middle.load(await source.snapshot());
  await target.load(await middle.snapshot());
  const expected = await contentsOf(source);
  assert.equal(expected.length, 1201);
  assert.deepEqual(await contentsOf(middle), expected);
  assert.deepEqual(await contentsOf(target), expected);
  assert.equal(await target.currentRevision(), await source.currentRevision());
});
