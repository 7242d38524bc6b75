import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import fc from 'fast-check';
import { Calls } from '../calls/calls.ts';
import type { Change, ChangesQuery, Store } from '../store/store.ts';
import { startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import type { RevisionChoice } from './read-revisions.ts';
import { coalescingMs, isWorthKeeping, maxRevisionsPerObject, type TimedVersion } from './retention.ts';
import { readVersionFacts } from './version-facts.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const user = { username: 'tester', groups: ['system:masters'] };

const revisionsOf = async (plane: TestKernel, resource: string, name: string, namespace = 'default') => {
  const target = await plane.target(resource, { name, namespace });
  return (await new Calls(plane.deps, user).revisions(target, { limit: 100 })).items;
};

const at = async (plane: TestKernel, choice: RevisionChoice, name = 'a'): Promise<KubeObject> => {
  const target = await plane.target('configmaps', { name });
  return (await new Calls(plane.deps, user).revision(target, choice)).object;
};

const served = (plane: TestKernel, plural: string): Promise<unknown> =>
  eventually(() => plane.kernel.target('onboarding', { group: 'example.org', version: 'v1', plural }), {
    what: plural,
  });

const setColour = (plane: TestKernel, colour: string, name = 'a') =>
  plane.change('configmaps', name, live => {
    live['data'] = { colour };
  });

const rejectsWith = (work: Promise<unknown>, code: string): Promise<void> =>
  assert.rejects(work, (error: unknown) => isError(error, code));

describe('the revisions of an object', () => {
  test('are listed newest first, with their times, after the history of watches is gone', async () => {
    await using plane = await startTestKernel();
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    const start = plane.clock.now().getTime();
    plane.clock.advance(day);
    await setColour(plane, 'green');
    plane.clock.advance(day);
    await setColour(plane, 'blue');
    await plane.deps.revisions.keeper.catchUp();
    await plane.store.compact(await plane.store.currentRevision());
    const items = await revisionsOf(plane, 'configmaps', 'a');
    assert.deepEqual(
      items.map(({ served, type, at: time, isCurrent }) => [served.object['data'], type, time - start, isCurrent]),
      [
        [{ colour: 'blue' }, 'updated', 2 * day, true],
        [{ colour: 'green' }, 'updated', day, false],
        [{ colour: 'red' }, 'created', 0, false],
      ],
    );
    for (const { served } of items) assert.equal(served.object.metadata.resourceVersion, String(served.revision));
  });

  test('can be read by number and by time', async () => {
    await using plane = await startTestKernel();
    const created = await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    const start = plane.clock.now().getTime();
    plane.clock.advance(day);
    const changed = await setColour(plane, 'green');
    for (const [choice, colour] of [
      [{ revision: created.revision }, 'red'],
      [{ revision: changed.revision }, 'green'],
      [{ atMs: start }, 'red'],
      [{ atMs: start + day - 1 }, 'red'],
      [{ atMs: start + day }, 'green'],
      [{ atMs: start + 9 * day }, 'green'],
    ] as const)
      assert.deepEqual((await at(plane, choice))['data'], { colour }, JSON.stringify(choice));
    await rejectsWith(at(plane, { atMs: start - 1000 }), 'NotFound');
    await rejectsWith(at(plane, { revision: created.revision - 1 }), 'NotFound');
    await rejectsWith(at(plane, { revision: changed.revision + 1 }), 'Expired');
  });

  test('outlive the object, and expire', async () => {
    await using plane = await startTestKernel();
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    const start = plane.clock.now().getTime();
    plane.clock.advance(day);
    await plane.delete('configmaps', 'a');
    assert.deepEqual(
      (await revisionsOf(plane, 'configmaps', 'a')).map(({ type }) => type),
      ['deleted', 'created'],
    );
    assert.deepEqual((await at(plane, { atMs: start }))['data'], { colour: 'red' });
    await rejectsWith(at(plane, { atMs: start + day }), 'NotFound');
    plane.clock.advance(7 * day - minute);
    await plane.deps.revisions.keeper.trim();
    assert.equal((await revisionsOf(plane, 'configmaps', 'a')).length, 2);
    plane.clock.advance(2 * minute);
    await plane.deps.revisions.keeper.trim();
    await rejectsWith(revisionsOf(plane, 'configmaps', 'a'), 'NotFound');
  });

  test('of changes of the status are coalesced, those of the desired state are not', async () => {
    await using plane = await startTestKernel();
    await plane.create('apiextensions.k8s.io/v1/customresourcedefinitions', testCrd('boats'));
    await served(plane, 'boats');
    const boats = 'example.org/v1/boats';
    await plane.create(boats, { metadata: { name: 'marie' }, spec: { sails: 1 } });
    for (let round = 0; round < 30; round++) {
      plane.clock.advance(minute);
      await plane.change(boats, 'marie', live => void (live.status = { round }), { endpoint: 'status' });
    }
    await plane.change(boats, 'marie', live => void (live.spec = { sails: 2 }));
    await plane.change(boats, 'marie', live => void (live.spec = { sails: 3 }));
    const items = await revisionsOf(plane, boats, 'marie');
    assert.ok(items.length >= 5 && items.length <= 7, String(items.length));
    assert.deepEqual(
      items.slice(0, 3).map(({ served }) => served.object.spec),
      [{ sails: 3 }, { sails: 2 }, { sails: 1 }],
    );
    assert.deepEqual(items[2]?.served.object.status, { round: 29 });
  });

  test('are not kept of secrets, leases and events, nor where the landscape or a CRD says so', async () => {
    await using plane = await startTestKernel();
    await plane.create('secrets', { metadata: { name: 'a' }, stringData: { password: 'hunter2' } });
    await plane.change('secrets', 'a', live => void (live['data'] = { password: 'bmV3' }));
    for (const resource of ['secrets', 'events', 'coordination.k8s.io/v1/leases', 'endpoints'])
      await rejectsWith(revisionsOf(plane, resource, 'a'), 'MethodNotAllowed');
    const page = await plane.store.revisions.page({
      key: { cluster: 'onboarding', resource: '/secrets', namespace: 'default', name: 'a' },
      limit: 10,
    });
    assert.deepEqual(page.items, []);
    const crd = testCrd('boats');
    const annotations = { 'core.chandlery.io/revision-days': '0' };
    await plane.create('apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...crd,
      metadata: { ...crd.metadata, annotations },
    });
    await served(plane, 'boats');
    await rejectsWith(revisionsOf(plane, 'example.org/v1/boats', 'a'), 'MethodNotAllowed');
    await using off = await startTestKernel({ revisionDays: 0 });
    await off.create('configmaps', { metadata: { name: 'a' } });
    await rejectsWith(revisionsOf(off, 'configmaps', 'a'), 'MethodNotAllowed');
  });

  test('of an earlier namespace of the same name are not shown in the next one', async () => {
    await using plane = await startTestKernel();
    const inHarbour = { namespace: 'harbour' };
    await plane.create('namespaces', { metadata: { name: 'harbour' } });
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { of: 'the first tenant' } }, inHarbour);
    await plane.delete('configmaps', 'a', {}, inHarbour);
    await plane.delete('namespaces', 'harbour');
    await plane.gone('namespaces', 'harbour');
    await rejectsWith(revisionsOf(plane, 'configmaps', 'a', 'harbour'), 'NotFound');
    await plane.create('namespaces', { metadata: { name: 'harbour' } });
    await rejectsWith(revisionsOf(plane, 'configmaps', 'a', 'harbour'), 'NotFound');
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { of: 'the second' } }, inHarbour);
    await plane.change('configmaps', 'a', live => void (live['data'] = { of: 'the second still' }), inHarbour);
    assert.deepEqual(
      (await revisionsOf(plane, 'configmaps', 'a', 'harbour')).map(({ served }) => served.object['data']),
      [{ of: 'the second still' }, { of: 'the second' }],
    );
  });

  test('have the times at which they were written, whichever process keeps them', async () => {
    await using plane = await startTestKernel();
    const { keeper } = plane.deps.revisions;
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    const start = plane.clock.now().getTime();
    // Within the same second, which is what owners of fields note.
    await setColour(plane, 'green');
    await keeper.catchUp();
    await keeper.stop();
    plane.clock.advance(day);
    await keeper.start();
    await keeper.catchUp();
    plane.clock.advance(day);
    await setColour(plane, 'blue');
    assert.deepEqual(
      (await revisionsOf(plane, 'configmaps', 'a')).map(({ served, at: time }) => [
        served.object['data'],
        time - start,
      ]),
      [
        [{ colour: 'blue' }, 2 * day],
        [{ colour: 'green' }, 0],
        [{ colour: 'red' }, 0],
      ],
    );
  });

  test('of an earlier object of the same name are not shown to who made the next one, where names can be chosen', async () => {
    await using plane = await startTestKernel();
    const label = (value: string) => (live: KubeObject) =>
      void (live.metadata.labels = { ...live.metadata.labels, value });
    const first = await plane.create('namespaces', { metadata: { name: 'harbour' } });
    await plane.change('namespaces', 'harbour', label('first'));
    await plane.delete('namespaces', 'harbour');
    await plane.gone('namespaces', 'harbour');
    const last = await revisionsOf(plane, 'namespaces', 'harbour');
    assert.equal(last.at(0)?.type, 'deleted');
    assert.equal(last.at(-1)?.type, 'created', 'who may still read the name sees what was deleted');
    await plane.create('namespaces', { metadata: { name: 'harbour' } });
    await plane.change('namespaces', 'harbour', label('second'));
    const items = await revisionsOf(plane, 'namespaces', 'harbour');
    assert.deepEqual(
      items.map(({ served, type }) => [served.object.metadata.labels?.['value'], type]),
      [
        ['second', 'updated'],
        [undefined, 'created'],
      ],
    );
    const target = await plane.target('namespaces', { name: 'harbour' });
    await rejectsWith(new Calls(plane.deps, user).revision(target, { revision: first.revision }), 'NotFound');
  });

  test('are kept although a version in between is damaged: compaction waits for that', async () => {
    const damaged = new Set<number>();
    const assertSound = (revisions: readonly (number | undefined)[]): void => {
      if (revisions.some(revision => revision !== undefined && damaged.has(revision)))
        throw new ChandleryError('StoreDamaged', 'the stored object is damaged');
    };
    const wrap = (store: Store): Store =>
      new Proxy(store, {
        get(_, name) {
          if (name === 'changes')
            return async (query: ChangesQuery) => {
              const page = await store.changes(query);
              assertSound(page.changes.map(({ revision }) => revision));
              return page;
            };
          if (name === 'before')
            return async (change: Change) => {
              assertSound([change.previousRevision]);
              return store.before(change);
            };
          const value: unknown = Reflect.get(store, name);
          return typeof value === 'function' ? (value.bind(store) as unknown) : value;
        },
      });
    await using plane = await startTestKernel({ wrap });
    const { keeper } = plane.deps.revisions;
    await keeper.stop();
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    const { revision } = await setColour(plane, 'green');
    await setColour(plane, 'blue');
    await plane.create('configmaps', { metadata: { name: 'b' }, data: { colour: 'red' } });
    await setColour(plane, 'green', 'b');
    damaged.add(revision);
    await keeper.start();
    await keeper.catchUp();
    const kept = async (name: string) => {
      const key = { cluster: 'onboarding', resource: '/configmaps', namespace: 'default', name };
      return (await plane.store.revisions.page({ key, limit: 10 })).items.length;
    };
    assert.deepEqual([await kept('a'), await kept('b')], [0, 1], 'what cannot be read is not kept, what can be is');
  });

  test('are as many as there is room for one object', async () => {
    await using plane = await startTestKernel();
    await plane.create('configmaps', { metadata: { name: 'a' } });
    for (let round = 0; round < maxRevisionsPerObject + 20; round++) await setColour(plane, String(round));
    const key = { cluster: 'onboarding', resource: '/configmaps', namespace: 'default', name: 'a' };
    await plane.deps.revisions.keeper.catchUp();
    const { items } = await plane.store.revisions.page({ key, limit: 1000 });
    assert.equal(items.length, maxRevisionsPerObject);
  });
});

describe('which versions stay', () => {
  const versions = fc
    .array(fc.record({ waitMs: fc.nat(3 * coalescingMs), isSpec: fc.boolean() }), { minLength: 1, maxLength: 60 })
    .map(steps => {
      let generation = 1;
      let time = 0;
      return steps.map(({ waitMs, isSpec }): TimedVersion => {
        time += waitMs;
        if (isSpec) generation++;
        return { generation: String(generation), at: time };
      });
    });
  const keptOf = (all: readonly TimedVersion[]): readonly TimedVersion[] =>
    all.filter((version, index) => {
      const next = all[index + 1];
      return next === undefined || isWorthKeeping(version, next);
    });

  test('the last of every generation and of every stretch of time does, and little else', () => {
    fc.assert(
      fc.property(versions, all => {
        const kept = keptOf(all);
        assert.deepEqual(
          new Set(kept.map(({ generation }) => generation)),
          new Set(all.map(({ generation }) => generation)),
        );
        for (const version of all) {
          const stretch = Math.floor(version.at / coalescingMs);
          assert.ok(kept.some(({ at: time }) => Math.floor(time / coalescingMs) === stretch));
        }
        const most = new Set(all.map(({ generation, at: time }) => `${generation} ${Math.floor(time / coalescingMs)}`));
        assert.ok(kept.length <= most.size);
      }),
    );
  });
});

describe('the facts of a version', () => {
  test('are those of its metadata, whatever texts the object holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(99), fc.nat(59), (text, generation, second) => {
        const time = `2026-11-19T01:02:${String(second).padStart(2, '0')}Z`;
        const metadata = {
          name: text,
          labels: { app: 'x', generation: '5' },
          annotations: { [text]: ',"generation":7 2029-01-01T00:00:00Z","fieldsType":"FieldsV1"' },
          generation,
          managedFields: [
            { manager: text, operation: 'Update', time: '2026-11-19T01:02:00Z', fieldsType: 'FieldsV1' },
            { manager: text, operation: 'Update', time, fieldsType: 'FieldsV1' },
          ],
        };
        const bytes = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'A', metadata, spec: {} }));
        assert.deepEqual(readVersionFacts({ bytes, splice: 0 }), {
          generation: String(generation),
          writtenAt: Date.parse(time),
        });
      }),
    );
  });
});
