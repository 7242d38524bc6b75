import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import fc from 'fast-check';
import { accessWith, clusterRole, clusterRoleBinding, person, user as subject } from '../access/test-objects.ts';
import { Calls } from '../calls/calls.ts';
import type { Leadership } from '../maintenance/leadership.ts';
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
  return (await new Calls(plane.deps, user).revisions({ target }, { limit: 100 })).items;
};

const at = async (plane: TestKernel, choice: RevisionChoice, name = 'a'): Promise<KubeObject> => {
  const target = await plane.target('configmaps', { name });
  return (await new Calls(plane.deps, user).revision({ target }, choice)).object;
};

const served = (plane: TestKernel, plural: string): Promise<unknown> =>
  eventually(() => plane.kernel.target('onboarding', { group: 'example.org', version: 'v1', plural }), {
    what: plural,
  });

const setColour = (plane: TestKernel, colour: string, name = 'a') =>
  plane.change('configmaps', name, live => {
    live['data'] = { colour };
  });

/** No maintenance runs: the test does a part of it by hand. */
const neverLeader: Leadership = { start: () => {}, [Symbol.asyncDispose]: () => Promise.resolve() };

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
    await using plane = await startTestKernel({ wrap, leadership: neverLeader });
    const { keeper } = plane.deps.revisions;
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
    await keeper.stop();
  });

  test('of an earlier object of the same name are not shown to who has a right on that name alone', async () => {
    await using plane = await startTestKernel();
    await plane.create('namespaces', { metadata: { name: 'harbour', labels: { of: 'the-first' } } });
    const place = await plane.target('namespaces', { name: 'harbour' });
    const [before] = await revisionsOf(plane, 'namespaces', 'harbour');
    await plane.delete('namespaces', 'harbour');
    await plane.gone('namespaces', 'harbour');
    const named = { verbs: ['get'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['harbour'] };
    const access = accessWith(
      clusterRole('one', named),
      clusterRole('all', { verbs: ['get'], apiGroups: [''], resources: ['namespaces'] }),
      clusterRoleBinding('one', 'one', subject('ann')),
      clusterRoleBinding('all', 'all', subject('root')),
    );
    const past = (name: string) => new Calls(plane.deps, person(name));
    const list = async (name: string) => (await past(name).revisions({ target: place, access }, { limit: 100 })).items;
    await rejectsWith(list('ann'), 'NotFound');
    const deleted = await list('root');
    assert.deepEqual([deleted.at(0)?.type, deleted.at(-1)?.type], ['deleted', 'created']);
    await plane.create('namespaces', { metadata: { name: 'harbour', labels: { of: 'the-second' } } });
    const labels = async (name: string) =>
      new Set((await list(name)).map(({ served: version }) => version.object.metadata.labels?.['of']));
    assert.deepEqual(await labels('ann'), new Set(['the-second']));
    assert.deepEqual(await labels('root'), new Set(['the-second', 'the-first']));
    const revision = before?.served.revision ?? assert.fail('it had a revision');
    await rejectsWith(past('ann').revision({ target: place, access }, { revision }), 'NotFound');
    const seen = await past('root').revision({ target: place, access }, { revision });
    assert.equal(seen.object.metadata.labels?.['of'], 'the-first');
  });

  test('expire, whatever time a client says that it has written them', async () => {
    await using plane = await startTestKernel();
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { colour: 'red' } });
    for (const colour of ['green', 'blue', 'black']) {
      const forge = (live: KubeObject): void => {
        live['data'] = { colour };
        for (const entry of live.metadata.managedFields ?? []) Object.assign(entry, { time: '2999-01-01T00:00:00Z' });
      };
      await plane.change('configmaps', 'a', forge, { write: { fieldManager: colour } });
    }
    const { managedFields = [] } = (await plane.get('configmaps', 'a')).metadata;
    assert.ok(managedFields.some(({ time = '' }) => time.startsWith('2999')));
    await plane.deps.revisions.keeper.catchUp();
    assert.equal((await revisionsOf(plane, 'configmaps', 'a')).length, 4);
    plane.clock.advance(8 * day);
    await plane.deps.revisions.keeper.trim();
    assert.equal((await revisionsOf(plane, 'configmaps', 'a')).length, 1);
  });

  test('of large objects are all kept, in parts that writers need not wait for long', async () => {
    await using plane = await startTestKernel({
      wrap: store => {
        const { revisions } = store;
        const keep: typeof revisions.keep = async (versions, maxPerObject) => {
          assert.ok(versions.length <= 5, String(versions.length));
          await revisions.keep(versions, maxPerObject);
        };
        Object.assign(store, { revisions: { ...revisions, keep } });
        return store;
      },
    });
    const text = 'x'.repeat(1_000_000);
    await plane.create('configmaps', { metadata: { name: 'a' }, data: { text } });
    for (let round = 0; round < 20; round++)
      await plane.change('configmaps', 'a', live => void (live['data'] = { text, round: String(round) }));
    await plane.deps.revisions.keeper.catchUp();
    assert.deepEqual(plane.failures, []);
    const key = { cluster: 'onboarding', resource: '/configmaps', namespace: 'default', name: 'a' };
    assert.equal((await plane.store.revisions.page({ key, limit: 100 })).items.length, 20);
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
