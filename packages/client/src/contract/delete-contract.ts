import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshName, type World } from './test-world.ts';
import { bound } from './write-contract.ts';

const hold = { metadata: { finalizers: ['example.org/hold'] } };
const letGo = { type: 'merge', body: { metadata: { finalizers: null } } } as const;

/** Deletion and what holds it up. */
export function describeDeleting(world: () => World): void {
  describe('deleting', () => {
    test('completes at once when nothing holds the object', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      const answer = await client.delete(at(made));
      assert.deepEqual([answer.kind, answer['status']], ['Status', 'Success']);
      await assert.rejects(client.get(at(made)), { code: 'NotFound' });
      await assert.rejects(client.delete(at(made)), { code: 'NotFound' });
    });

    test('waits for finalizers', async () => {
      const { client, at } = bound(world());
      const made = await world().make(hold);
      const held = await client.delete(at(made));
      assert.ok(held.metadata.deletionTimestamp);
      assert.equal(held.metadata.uid, made.metadata.uid);
      const again = await client.delete(at(made));
      assert.equal(again.metadata.deletionTimestamp, held.metadata.deletionTimestamp);
      await assert.rejects(client.create(world().widgets, world().widget(made.metadata.name ?? '')), {
        code: 'AlreadyExists',
      });
      await client.patch(at(made), letGo);
      await assert.rejects(client.get(at(made)), { code: 'NotFound' });
    });

    test('once begun takes no new finalizers', async () => {
      const { client, at } = bound(world());
      const made = await world().make(hold);
      await client.delete(at(made));
      const body = { metadata: { finalizers: ['example.org/hold', 'example.org/more'] } };
      await assert.rejects(client.patch(at(made), { type: 'merge', body }), { code: 'Invalid' });
      await client.patch(at(made), letGo);
    });

    test('minds preconditions', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      const { uid = '', resourceVersion = '' } = made.metadata;
      const changed = await client.patch(at(made), { type: 'merge', body: { spec: { size: 7 } } });
      for (const preconditions of [{ uid: freshUid() }, { resourceVersion }, { uid, resourceVersion }])
        await assert.rejects(client.delete(at(made), { preconditions }), { code: 'Conflict' });
      const present = { uid, resourceVersion: changed.metadata.resourceVersion ?? '' };
      await client.delete(at(made), { preconditions: present });
      await assert.rejects(client.get(at(made)), { code: 'NotFound' });
    });

    test('dry changes nothing', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      await client.delete(at(made), { isDryRun: true });
      assert.deepEqual(await client.get(at(made)), made);
    });

    test('makes room for another object of the name', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      await client.delete(at(made));
      const next = await client.create(world().widgets, world().widget(made.metadata.name ?? ''));
      assert.notEqual(next.metadata.uid, made.metadata.uid);
      await assert.rejects(client.update(at(made), { ...made, spec: { size: 3 } }), { code: 'Conflict' });
    });
  });
}

const freshUid = (): string => `00000000-0000-4000-8000-${freshName().replaceAll('-', '').slice(1, 13)}`;
