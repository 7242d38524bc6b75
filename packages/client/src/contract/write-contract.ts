import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { freshName, type Widget, type World } from './test-world.ts';

/** Creating, reading and replacing. */
export function describeWriting(world: () => World): void {
  describe('creating', () => {
    test('answers what is stored, and reading answers the same', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { color: 'red' } });
      assert.deepEqual(made.spec, { color: 'red', size: 1 });
      const { uid, resourceVersion, generation, creationTimestamp, namespace } = made.metadata;
      assert.ok(uid && resourceVersion && creationTimestamp);
      assert.deepEqual([generation, namespace], [1, world().namespace]);
      assert.deepEqual(await client.get(at(made)), made);
    });

    test('takes the name from the object and finds one by prefix', async () => {
      const { client, widgets } = world();
      const nameless: Widget = { ...world().widget(''), metadata: { generateName: 'prefix-' } };
      const [first, second] = await Promise.all([client.create(widgets, nameless), client.create(widgets, nameless)]);
      assert.match(first.metadata.name ?? '', /^prefix-.+/);
      assert.notEqual(first.metadata.name, second.metadata.name);
      const name = freshName();
      const named = await client.create({ ...widgets, name }, world().widget(name));
      assert.equal(named.metadata.name, name);
    });

    test('leaves what it was given alone, and gives what the caller may change', async () => {
      const { client, at } = bound(world());
      const given = world().widget(freshName(), { spec: { parts: [{ name: 'a' }] } });
      const copy = structuredClone(given);
      const made = await client.create(world().widgets, given);
      assert.deepEqual(given, copy);
      made.spec = { color: 'blue', parts: [] };
      made.metadata.labels = { changed: 'yes' };
      const read = await client.get<Widget>(at(made));
      assert.deepEqual([read.spec?.parts, read.metadata.labels], [[{ name: 'a' }], undefined]);
      read.spec = {};
      assert.deepEqual((await client.get<Widget>(at(made))).spec?.parts, [{ name: 'a' }]);
    });

    test('without a status: only the status sub-resource writes it', async () => {
      const made = await world().make({ status: { phase: 'Made up' } });
      assert.equal(made.status, undefined);
    });

    test('dry changes nothing', async () => {
      const { client, widgets } = world();
      const name = freshName();
      const shown = await client.create(widgets, world().widget(name, { spec: {} }), { isDryRun: true });
      assert.deepEqual(shown.spec, { size: 1 });
      await assert.rejects(client.get(world().at(name)), { code: 'NotFound' });
    });

    test('rejects fields that the kind does not have, where that is asked for', async () => {
      const { client, widgets } = world();
      const misspelt = { ...world().widget(freshName()), spce: { size: 1 } };
      const strict = client.create(widgets, misspelt, { fieldValidation: 'Strict' });
      await assert.rejects(strict, error => isError(error, 'BadRequest', 'Invalid') && error.message.includes('spce'));
      const made = await client.create(widgets, misspelt, { fieldValidation: 'Ignore' });
      assert.equal('spce' in made, false);
    });

    test('is rejected for good reasons', async () => {
      const { client, widgets } = world();
      const made = await world().make();
      const again = world().widget(made.metadata.name ?? '');
      await assert.rejects(client.create(widgets, again), { code: 'AlreadyExists' });
      const elsewhere = { ...widgets, namespace: freshName() };
      await assert.rejects(client.create(elsewhere, world().widget('a')), { code: 'NotFound' });
      await assert.rejects(client.create({ ...widgets, plural: 'gadgets' }, again), { code: 'NotFound' });
      await assert.rejects(client.create({ ...widgets, version: 'v9' }, again), { code: 'NotFound' });
      // Kubernetes calls it a bad request for kinds of its own, and invalid for others.
      const isRefused = (error: unknown): boolean => isError(error, 'BadRequest', 'Invalid');
      await assert.rejects(client.create(widgets, { ...again, kind: 'Gadget' }), isRefused);
      const wrong = world().widget('Not A Name');
      await assert.rejects(client.create(widgets, wrong), { code: 'Invalid' });
    });

    test('names the invalid field', async () => {
      const wrong = world().make({ spec: { size: -1, color: 'pink' } });
      await assert.rejects(wrong, error => {
        assert.ok(isError(error, 'Invalid'));
        const fields = (error.details.causes ?? []).map(cause => cause.field);
        return fields.includes('spec.size') && fields.includes('spec.color');
      });
    });
  });

  describe('reading', () => {
    test('finds nothing where nothing is, and says what it looked for', async () => {
      const { client, widgets, configMaps } = world();
      await assert.rejects(client.get(world().at('missing')), error => {
        assert.ok(isError(error, 'NotFound'));
        return error.details.name === 'missing' && error.details.kind === 'widgets';
      });
      await assert.rejects(client.get({ ...widgets, plural: 'gadgets', name: 'a' }), { code: 'NotFound' });
      await assert.rejects(client.get({ ...widgets, group: 'no.such.group', name: 'a' }), { code: 'NotFound' });
      await assert.rejects(client.get({ ...configMaps, name: 'missing' }), { code: 'NotFound' });
    });

    test('is cancelled by its signal', async () => {
      const { client, widgets } = world();
      const reason = new Error('enough');
      const options = { signal: AbortSignal.abort(reason) };
      await assert.rejects(client.get(world().at('a'), options), reason);
      await assert.rejects(client.create(widgets, world().widget(freshName()), options), reason);
    });
  });

  describe('replacing', () => {
    test('counts generations of the specification alone', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 1 } });
      const labelled = await client.update(at(made), { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } });
      assert.deepEqual([labelled.metadata.generation, labelled.metadata.labels], [1, { a: 'b' }]);
      const grown = await client.update<Widget>(at(made), { ...labelled, spec: { size: 2 } });
      assert.deepEqual([grown.metadata.generation, grown.spec?.size], [2, 2]);
      assert.deepEqual([grown.metadata.uid, grown.metadata.name], [made.metadata.uid, made.metadata.name]);
    });

    test('of something by itself changes nothing', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      assert.equal((await client.update(at(made), made)).metadata.resourceVersion, made.metadata.resourceVersion);
    });

    test('of what has changed meanwhile is a conflict', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 1 } });
      await client.update(at(made), { ...made, spec: { size: 2 } });
      await assert.rejects(client.update(at(made), { ...made, spec: { size: 3 } }), { code: 'Conflict' });
      assert.equal((await client.get<Widget>(at(made))).spec?.size, 2);
    });

    test('lets one of many writers win at a time', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 0 } });
      const add = async (): Promise<void> => {
        for (;;) {
          const live = await client.get<Widget>(at(made));
          live.spec = { size: (live.spec?.size ?? 0) + 1 };
          const lost = await client.update(at(made), live).then(
            () => false,
            (error: unknown) => isError(error, 'Conflict') || assert.fail(String(error)),
          );
          if (!lost) return;
        }
      };
      await Promise.all(Array.from({ length: 8 }, add));
      assert.equal((await client.get<Widget>(at(made))).spec?.size, 8);
    });

    test('of a custom object needs a resourceVersion, of a built-in one does not', async () => {
      const { client, at, configMaps } = bound(world());
      const made = await world().make();
      const { resourceVersion: _, ...metadata } = made.metadata;
      await assert.rejects(client.update(at(made), { ...made, metadata }), { code: 'Invalid' });
      const name = freshName();
      const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } };
      await client.create(configMaps, configMap);
      const changed = await client.update({ ...configMaps, name }, { ...configMap, data: { a: '2' } });
      assert.deepEqual(changed.data, { a: '2' });
    });

    test('dry changes nothing', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 1 } });
      const shown = await client.update<Widget>(at(made), { ...made, spec: { size: 2 } }, { isDryRun: true });
      assert.equal(shown.spec?.size, 2);
      assert.deepEqual(await client.get(at(made)), made);
    });

    test('is rejected for good reasons', async () => {
      const { client, at } = bound(world());
      const made = await world().make();
      // With a uid it would be a conflict: that object is not there, but perhaps another.
      const { resourceVersion = '' } = made.metadata;
      const missing = world().widget('missing', { metadata: { resourceVersion } });
      await assert.rejects(client.update(world().at('missing'), missing), { code: 'NotFound' });
      await assert.rejects(client.update(world().at('other'), made), { code: 'BadRequest' });
      await assert.rejects(client.update<Widget>(at(made), { ...made, spec: { size: -1 } }), { code: 'Invalid' });
    });
  });

  describe('sub-resources', () => {
    test('status has a writer of its own', async () => {
      const { client, at } = bound(world());
      const made = await world().make({ spec: { size: 1 } });
      const name = made.metadata.name ?? '';
      const both = { ...made, spec: { size: 5 }, status: { phase: 'Ready' } };
      const ready = await client.update<Widget>(world().at(name, 'status'), both);
      assert.deepEqual([ready.spec?.size, ready.status?.phase, ready.metadata.generation], [1, 'Ready', 1]);
      const grown = await client.update<Widget>(at(made), { ...ready, spec: { size: 5 }, status: { phase: 'Lost' } });
      assert.deepEqual([grown.spec?.size, grown.status?.phase, grown.metadata.generation], [5, 'Ready', 2]);
      assert.deepEqual(await client.get(world().at(name, 'status')), grown);
      await assert.rejects(client.update(world().at(name, 'status'), made), { code: 'Conflict' });
    });

    test('scale shows and sets replicas', async () => {
      const { client } = world();
      const made = await world().make({ spec: { replicas: 2 } });
      const ref = world().at(made.metadata.name ?? '', 'scale');
      const scale = await client.get<Widget>(ref);
      assert.deepEqual([scale.kind, scale.spec?.replicas, scale.metadata.name], ['Scale', 2, made.metadata.name]);
      const more = await client.update<Widget>(ref, { ...scale, spec: { replicas: 3 } });
      assert.equal(more.spec?.replicas, 3);
      const most = await client.patch<Widget>(ref, { type: 'merge', body: { spec: { replicas: 4 } } });
      assert.equal(most.spec?.replicas, 4);
      assert.equal((await client.get<Widget>(world().at(made.metadata.name ?? ''))).spec?.replicas, 4);
      await assert.rejects(client.update(ref, { ...scale, spec: { replicas: 9 } }), { code: 'Conflict' });
    });

    test('that a kind does not have are not found', async () => {
      const made = await world().make();
      await assert.rejects(world().client.get(world().at(made.metadata.name ?? '', 'approval')), { code: 'NotFound' });
    });
  });
}

/** The parts of a world that most tests name, with an address for objects. */
export function bound(world: World) {
  const { client, configMaps, widgets } = world;
  return { client, configMaps, widgets, at: ({ metadata }: Widget) => world.at(metadata.name ?? '') };
}
