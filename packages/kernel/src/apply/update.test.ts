import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, ManagedFieldsEntry } from '@chandlery/api';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { World } from './test-world.ts';

const spec = (value: JsonObject): JsonObject => ({ spec: value });
const json = (entries: unknown): JsonObject[] => JSON.parse(JSON.stringify(entries)) as JsonObject[];
const sending = (managedFields: unknown, value: JsonObject): JsonObject => ({
  metadata: { managedFields: json(managedFields) },
  spec: value,
});

describe('trackUpdate', () => {
  it('gives everything to the creator, containers included', () => {
    const world = new World().update('a', {
      metadata: { labels: { x: '1' }, uid: 'u' },
      spec: { replicas: 1, tags: ['p'], containers: [{ name: 'c' }] },
    });
    assert.deepEqual(world.owners, {
      'a Update': [
        '.metadata.labels',
        '.metadata.labels.x',
        '.spec',
        '.spec.containers',
        '.spec.containers[name="c"]',
        '.spec.containers[name="c"].name',
        '.spec.replicas',
        '.spec.tags',
        '.spec.tags[="p"]',
      ],
    });
  });

  it('moves changed fields to the writer and drops removed ones', () => {
    const world = new World()
      .update('a', spec({ replicas: 1, size: 's', limits: { x: '1' } }))
      .update('b', spec({ replicas: 2, limits: { x: '1', y: '2' } }));
    assert.deepEqual(world.owners, {
      'a Update': ['.spec', '.spec.limits', '.spec.limits.x'],
      'b Update': ['.spec.limits.y', '.spec.replicas'],
    });
  });

  it('leaves the entries alone when nothing changes', () => {
    const world = new World().update('a', spec({ replicas: 1 }));
    const entries = world.live?.metadata.managedFields;
    world.update('b', spec({ replicas: 1 }));
    assert.equal(world.live?.metadata.managedFields, entries);
    world.update('b', { metadata: { resourceVersion: '7', generation: 3, uid: 'x' }, ...spec({ replicas: 1 }) });
    assert.equal(world.live?.metadata.managedFields, entries);
  });

  it('takes fields from appliers too', () => {
    const world = new World()
      .apply('a', spec({ replicas: 1, size: 's' }))
      .update('b', spec({ replicas: 2, size: 's' }));
    assert.deepEqual(world.owners, { a: ['.spec.size'], 'b Update': ['.spec.replicas'] });
  });

  it('keeps writers of a sub-resource apart', () => {
    const world = new World()
      .update('a', { spec: { replicas: 1 }, status: { phase: 'x' } }, { scope: { except: ['status'] } })
      .update(
        'a',
        { spec: { replicas: 1 }, status: { phase: 'y' } },
        { scope: { only: ['status'] }, subresource: 'status' },
      );
    assert.deepEqual(world.owners, { 'a Update': ['.spec', '.spec.replicas'], 'a Update status': ['.status.phase'] });
  });

  it('puts appliers first, then sorts by time and name', () => {
    const world = new World()
      .update('z', spec({ replicas: 1 }))
      .update('b', spec({ replicas: 1, size: 's' }))
      .apply('y', spec({ limits: { a: '1' } }))
      .apply('x', spec({ limits: { a: '1' } }));
    assert.deepEqual(Object.keys(world.owners), ['y', 'x', 'z Update', 'b Update']);
  });

  it('folds the oldest of more than ten updaters into ancient-changes', () => {
    const limits: Record<string, string> = {};
    const world = new World().apply('applier', spec({ size: 's' }));
    for (let i = 0; i < 12; i++) {
      limits[`k${i}`] = 'v';
      world.update(`m${i}`, spec({ size: 's', limits: { ...limits } }));
    }
    const names = Object.keys(world.owners);
    assert.deepEqual(names, [
      'applier',
      'ancient-changes Update',
      ...Array.from({ length: 9 }, (_, i) => `m${i + 3} Update`),
    ]);
    assert.deepEqual(world.owners['ancient-changes Update'], [
      '.spec.limits',
      '.spec.limits.k0',
      '.spec.limits.k1',
      '.spec.limits.k2',
    ]);
    assert.equal(world.live?.metadata.managedFields?.[1]?.time, '2026-01-01T00:00:03Z');
  });

  it('has one bucket of ancient changes for each version', () => {
    const limits: Record<string, string> = {};
    const world = new World();
    for (let i = 0; i < 13; i++) {
      limits[`k${i}`] = 'v';
      world.update(`m${i}`, spec({ limits: { ...limits } }), { apiVersion: `example.com/v${i % 2}` });
    }
    const ancient = world.live?.metadata.managedFields?.filter(entry => entry.manager === 'ancient-changes') ?? [];
    assert.deepEqual(ancient.map(entry => entry.apiVersion).sort(), ['example.com/v0', 'example.com/v1']);
    assert.equal(world.live?.metadata.managedFields?.length, 10);
  });

  describe('with managedFields in the body', () => {
    const start = (): World =>
      new World().apply('a', spec({ replicas: 1 })).update('b', spec({ replicas: 1, size: 's' }));

    it('keeps them when they come back unchanged, are absent, empty or malformed', () => {
      const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
      const bodies: unknown[] = [
        start().live?.metadata.managedFields,
        [],
        [{ manager: 'm' }],
        [entry, { ...entry, fieldsV1: { spec: {} } }],
        [{ ...entry, fieldsType: 'V2' }],
        [entry],
        [{}, {}],
      ];
      for (const managedFields of bodies) {
        const world = start();
        const before = world.owners;
        assert.deepEqual(world.update('c', sending(managedFields, { replicas: 1, size: 's' })).owners, before);
      }
    });

    it('clears them by [{}], and tracks again only after an apply', () => {
      const world = start().update('c', sending([{}], { replicas: 1, size: 't' }));
      assert.equal('managedFields' in (world.live?.metadata ?? {}), false);
      world.update('c', spec({ replicas: 3, size: 't' }));
      assert.deepEqual(world.owners, {});
      world.apply('c', spec({ replicas: 3 }));
      assert.deepEqual(Object.keys(world.owners), ['c', 'before-first-apply Update']);
    });

    it('takes edited ones, made canonical', () => {
      const edited = {
        manager: 'e',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:size': {}, 'f:replicas': { '.': {} }, 'x:y': {} } },
      };
      const world = start().update('c', sending([edited], { replicas: 1, size: 't' }));
      assert.deepEqual(world.owners, { e: ['.spec.replicas'], 'c Update': ['.spec.size'] });
      assert.equal(JSON.stringify(world.live?.metadata.managedFields?.[0]?.fieldsV1), '{"f:spec":{"f:replicas":{}}}');
    });

    it('ignores them through a sub-resource', () => {
      const world = start();
      const before = world.owners;
      assert.deepEqual(
        world.update('c', sending([{}], { replicas: 1, size: 's' }), { subresource: 'status' }).owners,
        before,
      );
    });
  });

  it('supports the migration from client-side to server-side apply that kubectl does by JSON patch', () => {
    const world = new World().update('kubectl-client-side-apply', spec({ replicas: 1, size: 's' }));
    const [entry] = world.live?.metadata.managedFields ?? [];
    const migrated: ManagedFieldsEntry[] = [{ ...entry, manager: 'kubectl', operation: 'Apply' }];
    const patch = [{ op: 'replace', path: '/metadata/managedFields', value: migrated }];
    const patched = applyJsonPatch(json([world.live])[0] ?? {}, patch) as JsonObject;
    world.update('kubectl', { metadata: patched.metadata, spec: patched.spec });
    assert.deepEqual(Object.keys(world.owners), ['kubectl']);
    world.apply('kubectl', spec({ replicas: 2 }));
    assert.deepEqual(world.content, spec({ replicas: 2 }));
    assert.deepEqual(world.owners, { kubectl: ['.spec.replicas'] });
  });

  it('tolerates duplicates and items without identity', () => {
    const world = new World().update('a', spec({ tags: ['x', 'x'], replicas: 1 }));
    assert.deepEqual(world.owners, { 'a Update': ['.spec', '.spec.replicas', '.spec.tags', '.spec.tags[="x"]'] });
    const before = world.owners;
    world.update('b', spec({ tags: ['x', 'x'], containers: [{ image: 'no name' }, { name: 'x' }] }));
    assert.deepEqual(world.owners, before);
  });
});
