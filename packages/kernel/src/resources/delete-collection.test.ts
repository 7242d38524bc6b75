import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestKernel, testWrite } from '../test-kernel.ts';
import { deleteCollection } from './delete-collection.ts';
import type { OpenList } from './read.ts';

async function namesOf({ items, rest }: OpenList): Promise<(string | undefined)[]> {
  const all = [...items];
  if (rest !== undefined) for await (const piece of rest) all.push(...piece);
  return all.map(({ object }) => object.metadata.name);
}

test('a collection of several pieces is deleted as selected, and listed as it was', async () => {
  await using plane = await startTestKernel();
  // Two pieces of about a mebibyte.
  const data = { text: 'x'.repeat(300_000) };
  for (let index = 0; index < 6; index++) {
    await plane.create('configmaps', {
      metadata: { name: `map-${index}`, labels: { goes: String(index !== 3) } },
      data,
    });
  }
  const target = await plane.target('configmaps');
  const request = { labelSelector: 'goes=true', limit: 2 };
  const remaining = async () => (await plane.list('configmaps')).map(({ metadata }) => metadata.name);

  const dry = await deleteCollection(plane.deps, target, { ...testWrite, dryRun: true }, { request, options: {} });
  assert.equal((await namesOf(dry)).length, 5);
  assert.equal((await remaining()).length, 6);

  const deleted = await deleteCollection(plane.deps, target, testWrite, { request, options: {} });
  assert.ok(deleted.rest !== undefined, 'the list comes in pieces');
  assert.deepEqual(await namesOf(deleted), ['map-0', 'map-1', 'map-2', 'map-4', 'map-5']);
  assert.deepEqual(await remaining(), ['map-3']);
});
