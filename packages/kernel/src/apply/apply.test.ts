import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChandleryError, isError, type JsonObject } from '@chandlery/api';
import { World } from './test-world.ts';

const spec = (value: JsonObject): JsonObject => ({ spec: value });

function conflictOf(action: () => unknown): ChandleryError {
  try {
    action();
  } catch (error) {
    if (isError(error, 'Conflict')) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: 'expected a conflict' });
}

describe('applyServerSide', () => {
  it('creates the object and owns what was applied', () => {
    const world = new World().apply('a', {
      metadata: { labels: { x: '1' } },
      spec: { replicas: 1, strategy: { type: 'R' } },
    });
    assert.deepEqual(world.content, {
      metadata: { labels: { x: '1' } },
      spec: { replicas: 1, strategy: { type: 'R' } },
    });
    assert.deepEqual(world.owners, { a: ['.metadata.labels.x', '.spec.replicas', '.spec.strategy.type'] });
    assert.deepEqual(world.live?.metadata.managedFields, [
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:x': {} } },
          'f:spec': { 'f:replicas': {}, 'f:strategy': { 'f:type': {} } },
        },
      },
    ]);
  });

  it('changes nothing, not even a time, when the same is applied again', () => {
    const world = new World().apply('a', spec({ replicas: 1, containers: [{ name: 'x' }, { name: 'y' }] }));
    const { live } = world;
    world.apply('a', spec({ containers: [{ name: 'y' }, { name: 'x' }], replicas: 1 }));
    assert.equal(world.live, live);
    assert.equal(world.changed, false);
  });

  it('moves the time when only a value changes', () => {
    const world = new World().apply('a', spec({ replicas: 1 })).apply('a', spec({ replicas: 2 }));
    assert.equal(world.live?.metadata.managedFields?.[0]?.time, '2026-01-01T00:00:01Z');
    assert.equal(world.changed, true);
  });

  it('removes what is no longer applied', () => {
    const world = new World()
      .apply('a', {
        metadata: { labels: { x: '1', y: '2' } },
        spec: { size: 'big', strategy: { type: 'R', surge: 1 }, tags: ['p', 'q'] },
      })
      .apply('a', { metadata: { labels: { y: '2' } }, spec: { strategy: { type: 'R' }, tags: ['q'] } });
    assert.deepEqual(world.content, {
      metadata: { labels: { y: '2' } },
      spec: { strategy: { type: 'R' }, tags: ['q'] },
    });
  });

  it('removes structs and maps of which nothing is left', () => {
    const world = new World()
      .apply('a', { metadata: { labels: { x: '1' } }, spec: { strategy: { type: 'R' }, replicas: 1, tags: ['a'] } })
      .apply('a', spec({ replicas: 1 }));
    assert.deepEqual(world.content, spec({ replicas: 1 }));
  });

  it('shares ownership of equal values, and keeps them until the last owner gives up', () => {
    const world = new World().apply('a', spec({ replicas: 1, size: 's' })).apply('b', spec({ size: 's' }));
    assert.deepEqual(world.owners, { a: ['.spec.replicas', '.spec.size'], b: ['.spec.size'] });
    world.apply('a', spec({ replicas: 1 }));
    assert.deepEqual(world.content, spec({ replicas: 1, size: 's' }));
    world.apply('b', spec({}));
    assert.deepEqual(world.content, spec({ replicas: 1 }));
    assert.deepEqual(world.owners, { a: ['.spec.replicas'], b: ['.spec'] });
  });

  it('vanishes as a manager when nothing is applied any more', () => {
    const world = new World()
      .apply('a', spec({ replicas: 1 }))
      .apply('b', spec({ size: 's' }))
      .apply('b', {});
    assert.deepEqual(world.owners, { a: ['.spec.replicas'] });
    const { live } = world;
    world.apply('b', {});
    assert.equal(world.live, live);
  });

  it('refuses to change what another applier owns', () => {
    const world = new World().apply('a', spec({ replicas: 1 }));
    const error = conflictOf(() => world.apply('b', spec({ replicas: 2 })));
    assert.equal(error.message, 'Apply failed with 1 conflict: conflict with "a": .spec.replicas');
    assert.deepEqual(error.details.causes, [
      { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' },
    ]);
  });

  it('groups several conflicts by manager', () => {
    const world = new World()
      .update('up', spec({ size: 's' }))
      .apply('a', spec({ replicas: 1, containers: [{ name: 'web', image: '1' }] }))
      .update(
        'kubelet',
        { spec: { size: 's', replicas: 1, containers: [{ name: 'web', image: '1' }] }, status: { phase: 'x' } },
        { subresource: 'status' },
      );
    const error = conflictOf(() =>
      world.apply('b', {
        spec: { size: 't', replicas: 2, containers: [{ name: 'web', image: '2' }] },
        status: { phase: 'y' },
      }),
    );
    assert.equal(
      error.message,
      [
        'Apply failed with 4 conflicts: conflicts with "a":',
        '- .spec.containers[name="web"].image',
        '- .spec.replicas',
        'conflicts with "kubelet" with subresource "status" using example.com/v1:',
        '- .status.phase',
        'conflicts with "up" using example.com/v1:',
        '- .spec.size',
      ].join('\n'),
    );
    assert.equal(error.details.causes?.length, 4);
  });

  it('takes fields over by force', () => {
    const world = new World()
      .apply('a', spec({ replicas: 1, size: 's' }))
      .apply('b', spec({ replicas: 2 }), { force: true });
    assert.deepEqual(world.owners, { a: ['.spec.size'], b: ['.spec.replicas'] });
    assert.deepEqual(world.content, spec({ replicas: 2, size: 's' }));
  });

  it('does not undo what was taken by force when the loser leaves it out', () => {
    const world = new World()
      .apply('a', spec({ replicas: 1, size: 's' }))
      .apply('b', spec({ replicas: 2 }), { force: true })
      .apply('a', spec({ size: 's' }));
    assert.deepEqual(world.content, spec({ replicas: 2, size: 's' }));
  });

  it('lets two managers add and remove items of one list', () => {
    const world = new World()
      .apply('a', spec({ containers: [{ name: 'x', image: '1' }] }))
      .apply('b', spec({ containers: [{ name: 'y', image: '1' }] }));
    assert.deepEqual(
      world.content,
      spec({
        containers: [
          { name: 'x', image: '1' },
          { name: 'y', image: '1' },
        ],
      }),
    );
    world.apply('a', spec({ replicas: 1 }));
    assert.deepEqual(world.content, spec({ containers: [{ name: 'y', image: '1' }], replicas: 1 }));
  });

  it('keeps a shared item and removes only the fields that one of its owners gave up', () => {
    const world = new World()
      .apply('a', spec({ containers: [{ name: 'x', image: '1' }] }))
      .apply('b', spec({ containers: [{ name: 'x', args: ['-v'] }] }))
      .apply('a', spec({ replicas: 1 }));
    assert.deepEqual(world.content, spec({ containers: [{ name: 'x', args: ['-v'] }], replicas: 1 }));
  });

  it('removes an item as a whole when others only changed parts of it', () => {
    const world = new World()
      .apply('a', spec({ containers: [{ name: 'x' }, { name: 'y' }] }))
      .update('u', spec({ containers: [{ name: 'x', image: 'late' }, { name: 'y' }] }))
      .apply('a', spec({ containers: [{ name: 'y' }] }));
    assert.deepEqual(world.content, spec({ containers: [{ name: 'y' }] }));
    assert.deepEqual(Object.keys(world.owners), ['a']);
  });

  it('merges nested keyed lists and sets', () => {
    const world = new World()
      .apply('a', spec({ containers: [{ name: 'x', ports: [{ port: 80 }] }], tags: ['p'] }))
      .apply('b', spec({ containers: [{ name: 'x', ports: [{ port: 80, protocol: 'UDP' }] }], tags: ['q'] }))
      .apply('a', spec({ containers: [{ name: 'x' }], tags: ['p'] }));
    assert.deepEqual(
      world.content,
      spec({ containers: [{ name: 'x', ports: [{ port: 80, protocol: 'UDP' }] }], tags: ['p', 'q'] }),
    );
  });

  it('replaces atomic lists and maps, in conflict or by force', () => {
    const world = new World().apply('a', spec({ steps: ['1'], selector: { a: '1' } }));
    const body = spec({ steps: ['1', '2'], selector: { b: '1' } });
    assert.match(conflictOf(() => world.apply('b', body)).message, /2 conflicts/);
    assert.deepEqual(world.apply('b', body, { force: true }).content, body);
    assert.deepEqual(Object.keys(world.owners), ['b']);
  });

  it('leaves fields to updaters: the autoscaler story', () => {
    const world = new World()
      .apply('gitops', spec({ replicas: 1, size: 's' }))
      .update('autoscaler', spec({ replicas: 5, size: 's' }));
    assert.deepEqual(world.owners, { gitops: ['.spec.size'], 'autoscaler Update': ['.spec.replicas'] });
    assert.match(
      conflictOf(() => world.apply('gitops', spec({ replicas: 1, size: 's' }))).message,
      /"autoscaler" using example.com\/v1: .spec.replicas/,
    );
    world.apply('gitops', spec({ size: 's' }));
    assert.deepEqual(world.content, spec({ replicas: 5, size: 's' }));
  });

  it('gives an untracked object to before-first-apply', () => {
    const world = new World();
    world.live = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', uid: 'u' },
      spec: { replicas: 1, size: 's' },
    };
    assert.match(
      conflictOf(() => world.apply('a', spec({ replicas: 2 }))).message,
      /"before-first-apply" using example.com\/v1: .spec.replicas/,
    );
    world.apply('a', spec({ size: 's' }));
    assert.deepEqual(world.owners, {
      a: ['.spec.size'],
      'before-first-apply Update': ['.spec', '.spec.replicas', '.spec.size'],
    });
    assert.equal(world.live?.metadata.uid, 'u');
  });

  it('keeps an applier the same over versions of the kind', () => {
    const world = new World()
      .apply('a', spec({ replicas: 1, size: 's' }))
      .apply('a', spec({ replicas: 1 }), { apiVersion: 'example.com/v2' });
    assert.deepEqual(world.content, spec({ replicas: 1 }));
    assert.deepEqual(
      world.live?.metadata.managedFields?.map(entry => entry.apiVersion),
      ['example.com/v2'],
    );
  });

  it('ignores what the endpoint does not write', () => {
    const main = { scope: { except: ['status'] } } as const;
    const status = { scope: { only: ['status'] }, subresource: 'status' } as const;
    const world = new World().apply('a', { spec: { replicas: 1 }, status: { phase: 'lie' } }, main);
    assert.deepEqual(world.content, spec({ replicas: 1 }));
    world.apply('a', { metadata: { labels: { no: 'no' } }, spec: { replicas: 9 }, status: { phase: 'true' } }, status);
    assert.deepEqual(world.content, { spec: { replicas: 1 }, status: { phase: 'true' } });
    assert.deepEqual(world.owners, { a: ['.spec.replicas'], 'a status': ['.status.phase'] });
    world.apply('a', spec({ size: 's' }), main);
    assert.deepEqual(world.content, { spec: { size: 's' }, status: { phase: 'true' } });
  });

  it('does not let a body touch what the server sets', () => {
    const world = new World().apply('a', { metadata: { creationTimestamp: null }, spec: { replicas: 1 } });
    assert.ok(world.live);
    Object.assign(world.live.metadata, { uid: 'u', creationTimestamp: 't', resourceVersion: '5', generation: 1 });
    const { live } = world;
    world.apply('a', {
      metadata: { creationTimestamp: null, uid: 'other', resourceVersion: '5' },
      spec: { replicas: 1 },
    });
    assert.equal(world.live, live);
  });

  const refused: readonly { why: string; body: JsonObject; apiVersion?: string }[] = [
    { why: 'managedFields in the body', body: { metadata: { managedFields: [] } } },
    { why: 'duplicates in sets', body: spec({ tags: ['a', 'a'] }) },
    { why: 'duplicates in keyed lists', body: spec({ containers: [{ name: 'a' }, { name: 'a' }] }) },
    { why: 'items without keys', body: spec({ containers: [{ image: 'a' }] }) },
  ];
  for (const { why, body } of refused) {
    it(`rejects ${why}`, () =>
      assert.throws(
        () => new World().apply('a', body),
        error => isError(error, 'BadRequest'),
      ));
  }

  it('lets kubectl take over what it applied on the client side', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const before = spec({ replicas: 1, size: 's' });
    const world = new World().update('kubectl-client-side-apply', {
      metadata: { annotations: { [annotation]: JSON.stringify(before) } },
      ...before,
    });
    assert.throws(
      () => world.apply('other', spec({ replicas: 2 })),
      error => isError(error, 'Conflict'),
    );
    world.apply('kubectl', spec({ replicas: 2, size: 's' }));
    assert.deepEqual(world.owners.kubectl, ['.spec.replicas', '.spec.size']);
    const remembered = JSON.parse(world.live?.metadata.annotations?.[annotation] ?? '{}') as JsonObject;
    assert.deepEqual(remembered.spec, { replicas: 2, size: 's' });
    const { live } = world;
    assert.equal(world.apply('kubectl', spec({ replicas: 2, size: 's' })).live, live);
  });
});
