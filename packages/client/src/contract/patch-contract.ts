import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import type { ApplyPatch } from '../client.ts';
import { freshName, type Widget, type World } from './test-world.ts';
import { bound } from './write-contract.ts';

/** Patches in all forms. */
export function describePatching(world: () => World): void {
  describe('patching', () => {
    test('merges maps and removes by null', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { color: 'red', note: 'x' } });
      const body = { spec: { color: 'blue', note: null }, metadata: { labels: { a: 'b' } } };
      const patched = await client.patch<Widget>(at(made), { type: 'merge', body });
      assert.deepEqual([patched.spec, patched.metadata.labels], [{ color: 'blue', size: 1 }, { a: 'b' }]);
      assert.deepEqual(await client.get(at(made)), patched);
    });

    test('follows JSON patches as long as their tests hold', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { color: 'red' } });
      const step = (value: string) => [
        { op: 'test', path: '/spec/color', value },
        { op: 'replace', path: '/spec/color', value: 'green' },
      ];
      const patched = await client.patch<Widget>(at(made), { type: 'json', body: step('red') });
      assert.equal(patched.spec?.color, 'green');
      await assert.rejects(client.patch(at(made), { type: 'json', body: step('red') }), { code: 'Invalid' });
    });

    test('strategically is for built-in kinds', async () => {
      const { client, at, configMaps } = bound(world());
      const name = freshName();
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers: ['example.org/a'] } };
      await client.create(configMaps, object);
      const body = { metadata: { finalizers: ['example.org/b'] } };
      const patched = await client.patch({ ...configMaps, name }, { type: 'strategic', body });
      assert.deepEqual(patched.metadata.finalizers?.toSorted(), ['example.org/a', 'example.org/b']);
      await client.patch({ ...configMaps, name }, { type: 'merge', body: { metadata: { finalizers: null } } });
      const made = await world().make();
      await assert.rejects(client.patch(at(made), { type: 'strategic', body }), { code: 'UnsupportedMediaType' });
    });

    test('needs no resourceVersion but minds one', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      await client.patch(at(made), { type: 'merge', body: { spec: { size: 2 } } });
      const { resourceVersion = '' } = made.metadata;
      const late = { spec: { size: 3 }, metadata: { resourceVersion } };
      await assert.rejects(client.patch(at(made), { type: 'merge', body: late }), { code: 'Conflict' });
    });

    test('from many sides at once loses nothing', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      // Kubernetes itself tries five times before it gives up.
      const keys = Array.from({ length: 4 }, (_, index) => `key-${index}`);
      await Promise.all(
        keys.map(key => client.patch(at(made), { type: 'merge', body: { metadata: { labels: { [key]: 'x' } } } })),
      );
      const { labels = {} } = (await client.get(at(made))).metadata;
      assert.deepEqual(Object.keys(labels).sort(), keys);
    });

    test('reaches the status alone through its sub-resource', async () => {
      const { client } = world();
      const made = await world().make();
      const body = { status: { phase: 'Ready' }, spec: { size: 9 } };
      const patched = await client.patch<Widget>(world().at(made.metadata.name ?? '', 'status'), {
        type: 'merge',
        body,
      });
      assert.deepEqual([patched.status?.phase, patched.spec], ['Ready', made.spec]);
    });

    test('is rejected for good reasons, and dry changes nothing', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 1 } });
      const merge = (size: number) => ({ type: 'merge', body: { spec: { size } } }) as const;
      await assert.rejects(client.patch(world().at('missing'), merge(1)), { code: 'NotFound' });
      await assert.rejects(client.patch(at(made), merge(-1)), { code: 'Invalid' });
      const shown = await client.patch<Widget>(at(made), merge(2), { isDryRun: true });
      assert.equal(shown.spec?.size, 2);
      assert.deepEqual(await client.get(at(made)), made);
    });
  });
}

/** Server-side apply. */
export function describeApplying(world: () => World): void {
  const apply = (
    name: string,
    spec: Widget['spec'],
    options: { by: string; force?: boolean; isDryRun?: boolean },
  ): Promise<Widget> => {
    const { by: fieldManager, force = false, isDryRun = false } = options;
    const patch: ApplyPatch = { type: 'apply', body: world().widget(name, { spec: spec ?? {} }), force };
    return world().client.patch<Widget>(world().at(name), patch, { fieldManager, isDryRun });
  };

  describe('applying', () => {
    test('creates, changes, and removes what is no longer said', async () => {
      const name = freshName();
      const made = await apply(name, { color: 'red', note: 'x' }, { by: 'one' });
      assert.deepEqual(made.spec, { color: 'red', note: 'x', size: 1 });
      const changed = await apply(name, { color: 'blue' }, { by: 'one' });
      assert.deepEqual(changed.spec, { color: 'blue', size: 1 });
      const again = await apply(name, { color: 'blue' }, { by: 'one' });
      assert.equal(again.metadata.resourceVersion, changed.metadata.resourceVersion);
    });

    test('lets managers share an object, and an entry each of a list', async () => {
      const name = freshName();
      await apply(name, { color: 'red', parts: [{ name: 'a', value: '1' }] }, { by: 'one' });
      const both = await apply(name, { note: 'x', parts: [{ name: 'b', value: '2' }] }, { by: 'two' });
      assert.deepEqual(both.spec?.parts?.map(part => part.name).sort(), ['a', 'b']);
      assert.deepEqual([both.spec?.color, both.spec?.note], ['red', 'x']);
      const left = await apply(name, { note: 'x' }, { by: 'two' });
      assert.deepEqual(left.spec?.parts, [{ name: 'a', value: '1' }]);
    });

    test('applying a field of another manager is a conflict that names field and owner, unless it is forced', async () => {
      const name = freshName();
      await apply(name, { color: 'red' }, { by: 'one' });
      await assert.rejects(apply(name, { color: 'blue' }, { by: 'two' }), error => {
        assert.ok(isError(error, 'Conflict'));
        const [cause] = error.details.causes ?? [];
        assert.deepEqual([cause?.reason, cause?.field], ['FieldManagerConflict', '.spec.color']);
        return cause?.message.includes('"one"') ?? false;
      });
      const taken = await apply(name, { color: 'blue' }, { by: 'two', force: true });
      assert.equal(taken.spec?.color, 'blue');
      await assert.rejects(apply(name, { color: 'red' }, { by: 'one' }), { code: 'Conflict' });
    });

    test('applying the same value as another manager is no conflict', async () => {
      const name = freshName();
      await apply(name, { color: 'red' }, { by: 'one' });
      const shared = await apply(name, { color: 'red' }, { by: 'two' });
      const managers = shared.metadata.managedFields?.map(entry => entry.manager).sort();
      assert.deepEqual(managers, ['one', 'two']);
    });

    test('works on the status too', async () => {
      const { client } = world();
      const name = freshName();
      await apply(name, { color: 'red' }, { by: 'one' });
      const body = world().widget(name, { status: { phase: 'Ready' } });
      const ref = world().at(name, 'status');
      const ready = await client.patch<Widget>(ref, { type: 'apply', body, force: true }, { fieldManager: 'two' });
      assert.deepEqual([ready.status, ready.spec?.color], [{ phase: 'Ready' }, 'red']);
    });

    test('needs a manager, and dry changes nothing', async () => {
      const { client } = world();
      const name = freshName();
      const body = world().widget(name);
      await assert.rejects(client.patch(world().at(name), { type: 'apply', body }), { code: 'BadRequest' });
      await apply(name, { color: 'red' }, { by: 'one', isDryRun: true });
      await assert.rejects(client.get(world().at(name)), { code: 'NotFound' });
    });
  });
}
