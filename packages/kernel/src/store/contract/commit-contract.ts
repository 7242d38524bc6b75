import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Commit } from '../store.ts';
import { keyOf, type OpenStore, put, rejectsWith, remove, textOf, write } from './helpers.ts';

/** Single objects and atomic commits. */
export function commitContract(open: OpenStore): void {
  test('an empty store is at revision 0 and knows nothing', async () => {
    await using opened = await open();
    const { store } = opened;
    assert.equal(await store.currentRevision(), 0);
    assert.equal(await store.compactedRevision(), 0);
    assert.equal(await store.get(keyOf('a')), undefined);
    assert.deepEqual(await store.collections(), []);
    await store.check();
  });

  test('a written object comes back as it was written, with its revisions', async () => {
    await using opened = await open();
    const { store } = opened;
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await store.commit({ writes: [{ ...put('ns/ä☃𝄞'), value: { bytes, splice: 7 } }] });
    const object = await store.get(keyOf('ns/ä☃𝄞'));
    assert.deepEqual(object?.key, keyOf('ns/ä☃𝄞'));
    assert.deepEqual(Uint8Array.from(object?.value.bytes ?? []), bytes);
    assert.deepEqual([object?.value.splice, object?.revision, object?.createdRevision], [7, 1, 1]);
  });

  test('values may be empty and may be large', async () => {
    await using opened = await open();
    const { store } = opened;
    const large = 'x'.repeat(3_000_000);
    await write(store, put('empty', { text: '' }), put('large', { text: large }));
    assert.equal(textOf(await store.get(keyOf('empty'))), '');
    assert.equal(textOf(await store.get(keyOf('large'))), large);
  });

  test('an update keeps the creation revision, a new incarnation does not', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { text: 'one' }));
    await write(store, put('a', { text: 'two' }));
    const updated = await store.get(keyOf('a'));
    assert.deepEqual([textOf(updated), updated?.revision, updated?.createdRevision], ['two', 2, 1]);
    await write(store, remove('a'));
    assert.equal(await store.get(keyOf('a')), undefined);
    await write(store, put('a', { text: 'three' }));
    const recreated = await store.get(keyOf('a'));
    assert.deepEqual([recreated?.revision, recreated?.createdRevision], [4, 4]);
  });

  test('objects that differ in any part of the key are different objects', async () => {
    await using opened = await open();
    const { store } = opened;
    const keys = [
      keyOf('n/a'),
      keyOf('n/b'),
      keyOf('m/a'),
      keyOf('a'),
      keyOf('n/a', { cluster: 'other' }),
      keyOf('n/a', { resource: 'apps/things' }),
    ];
    await store.commit({ writes: keys.map((key, index) => ({ ...put('x', { text: String(index) }), key })) });
    const texts = await Promise.all(keys.map(async key => textOf(await store.get(key))));
    assert.deepEqual(texts, ['0', '1', '2', '3', '4', '5']);
  });

  const refusals: readonly { why: string; commit: Commit; kind: string; name: string }[] = [
    {
      why: 'absent, but there',
      commit: { writes: [put('a', { expect: { type: 'absent' } })] },
      kind: 'exists',
      name: 'a',
    },
    {
      why: 'present, but not',
      commit: { writes: [put('b', { expect: { type: 'present' } })] },
      kind: 'missing',
      name: 'b',
    },
    {
      why: 'another revision',
      commit: { writes: [put('a', { expect: { type: 'revision', revision: 1 } })] },
      kind: 'revision',
      name: 'a',
    },
    {
      why: 'a revision of nothing',
      commit: { writes: [put('b', { expect: { type: 'revision', revision: 1 } })] },
      kind: 'missing',
      name: 'b',
    },
    { why: 'deleting nothing', commit: { writes: [remove('b')] }, kind: 'missing', name: 'b' },
    {
      why: 'deleting whatever, but nothing is there',
      commit: { writes: [remove('b', { type: 'any' })] },
      kind: 'missing',
      name: 'b',
    },
    {
      why: 'deleting an old revision',
      commit: { writes: [remove('a', { type: 'revision', revision: 1 })] },
      kind: 'revision',
      name: 'a',
    },
    {
      why: 'a check on another object: present',
      commit: { writes: [put('c')], checks: [{ key: keyOf('b'), expect: { type: 'present' } }] },
      kind: 'missing',
      name: 'b',
    },
    {
      why: 'a check on another object: absent',
      commit: { writes: [put('c')], checks: [{ key: keyOf('a'), expect: { type: 'absent' } }] },
      kind: 'exists',
      name: 'a',
    },
    {
      why: 'a check on an unknown collection',
      commit: { writes: [put('c')], checks: [{ key: keyOf('a', { cluster: 'x' }), expect: { type: 'present' } }] },
      kind: 'missing',
      name: 'a',
    },
    {
      why: 'one of three writes',
      commit: { writes: [put('c'), put('a', { expect: { type: 'absent' } }), put('d')] },
      kind: 'exists',
      name: 'a',
    },
  ];
  for (const { why, commit, kind, name } of refusals) {
    test(`a commit is rejected as a whole when an expectation fails: ${why}`, async () => {
      await using opened = await open();
      const { store } = opened;
      await write(store, put('a', { text: 'old' }));
      await write(store, put('a', { text: 'now' }));
      const failed = (commit.checks ?? commit.writes).find(({ key }) => key.name === name);
      const { cluster, resource, namespace } = failed?.key ?? keyOf(name);
      const details = { kind, name: [cluster, resource, namespace, name].join('|') };
      await rejectsWith(store.commit(commit), 'PreconditionFailed', details);
      assert.equal(await store.currentRevision(), 2);
      assert.equal(textOf(await store.get(keyOf('a'))), 'now');
      assert.equal(await store.get(keyOf('c')), undefined);
      assert.equal((await store.list({ resource: '/things' })).items.length, 1);
      assert.deepEqual(await store.collections(), [{ cluster: 'main', resource: '/things' }]);
      // The next commit takes the next revision: the rejected one has not used any up.
      assert.deepEqual((await store.commit({ writes: [put('z')] })).revisions, [3]);
    });
  }

  test('expectations that hold let the commit pass', async () => {
    await using opened = await open();
    const { store } = opened;
    const a = await write(store, put('a', { expect: { type: 'absent' } }));
    await write(store, put('b', { expect: { type: 'any' } }));
    const { revisions } = await store.commit({
      writes: [
        put('a', { expect: { type: 'revision', revision: a } }),
        put('b', { expect: { type: 'present' } }),
        put('c', { expect: { type: 'absent' } }),
      ],
      checks: [{ key: keyOf('nothing'), expect: { type: 'absent' } }],
    });
    assert.deepEqual(revisions, [3, 4, 5]);
    assert.deepEqual((await store.commit({ writes: [remove('a', { type: 'any' }), remove('b')] })).revisions, [6, 7]);
  });

  test('a commit without writes checks and takes no revision', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a'));
    const check = { key: keyOf('a'), expect: { type: 'revision', revision: 1 } } as const;
    assert.deepEqual(await store.commit({ writes: [], checks: [check] }), { revisions: [] });
    assert.deepEqual(await store.commit({ writes: [] }), { revisions: [] });
    await write(store, put('a'));
    await rejectsWith(store.commit({ writes: [], checks: [check] }), 'PreconditionFailed', { kind: 'revision' });
    assert.equal(await store.currentRevision(), 2);
  });

  test('a commit that writes one key twice is rejected', async () => {
    await using opened = await open();
    await rejectsWith(opened.store.commit({ writes: [put('a'), put('a')] }), 'InternalError');
    assert.equal(await opened.store.currentRevision(), 0);
  });

  test('of concurrent creations of one object exactly one wins', async () => {
    await using opened = await open();
    const { store } = opened;
    const attempts = Array.from({ length: 40 }, (_, index) =>
      store.commit({ writes: [put('a', { text: String(index), expect: { type: 'absent' } }), put(`other-${index}`)] }),
    );
    const results = await Promise.allSettled(attempts);
    const won = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
    assert.equal(won.length, 1);
    assert.equal(textOf(await store.get(keyOf('a'))), String(won[0]));
    assert.equal((await store.list({ resource: '/things' })).items.length, 2);
    assert.equal(await store.currentRevision(), 2);
  });

  test('concurrent counters lose no increment', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('counter', { text: '0' }));
    const increment = async (): Promise<void> => {
      for (;;) {
        const object = await store.get(keyOf('counter'));
        const text = String(Number(textOf(object)) + 1);
        const expect = { type: 'revision', revision: object?.revision ?? 0 } as const;
        const isDone = await store.commit({ writes: [put('counter', { text, expect })] }).then(
          () => true,
          () => false,
        );
        if (isDone) return;
      }
    };
    await Promise.all(Array.from({ length: 12 }, increment));
    assert.equal(textOf(await store.get(keyOf('counter'))), '12');
    assert.equal(await store.currentRevision(), 13);
  });

  test('concurrent commits take consecutive revisions each, and none twice', async () => {
    await using opened = await open();
    const { store } = opened;
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        store.commit({ writes: Array.from({ length: (index % 3) + 1 }, (__, part) => put(`${index}/${part}`)) }),
      ),
    );
    for (const { revisions } of results) {
      assert.deepEqual(
        revisions,
        revisions.map((_, part) => (revisions[0] ?? 0) + part),
      );
    }
    const all = results.flatMap(({ revisions }) => revisions).sort((a, b) => a - b);
    assert.deepEqual(
      all,
      Array.from({ length: 600 }, (_, index) => index + 1),
    );
    assert.equal(await store.currentRevision(), 600);
  });

  test('an acknowledged write is seen by every read that follows', async () => {
    await using opened = await open();
    const { store } = opened;
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const revision = await write(store, put(`n/${index}`));
        assert.equal((await store.get(keyOf(`n/${index}`)))?.revision, revision);
        assert.ok((await store.currentRevision()) >= revision);
        const page = await store.list({ resource: '/things', namespace: 'n' });
        assert.ok(page.items.some(item => item.revision === revision));
      }),
    );
  });

  test('unique keys are held by one object of the whole landscape', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { unique: ['x', 'y"\\,{}'] }));
    const elsewhere = { cluster: 'other', resource: 'o/others' };
    await rejectsWith(write(store, put('b', { unique: ['x'], in: elsewhere })), 'UniqueViolation', { name: 'x' });
    await rejectsWith(write(store, put('c'), put('b', { unique: ['y"\\,{}'] })), 'UniqueViolation', {
      name: 'y"\\,{}',
    });
    assert.equal(await store.currentRevision(), 1);
    await rejectsWith(write(store, put('b', { unique: ['q'] }), put('c', { unique: ['q'] })), 'UniqueViolation', {
      name: 'q',
    });
    assert.equal(await store.get(keyOf('b')), undefined);
  });

  test('an object keeps, changes and lets go of its unique keys', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { unique: ['x', 'y'] }));
    await write(store, put('a', { unique: ['y', 'z'] }));
    await rejectsWith(write(store, put('b', { unique: ['z'] })), 'UniqueViolation');
    await write(store, put('b', { unique: ['x'] }));
    await write(store, put('a'));
    await write(store, put('b', { unique: ['x', 'y', 'z'] }));
    await write(store, remove('b'));
    await write(store, put('c', { unique: ['x', 'y', 'z'] }));
  });

  test('unique keys move between objects within one commit, in any order', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { unique: ['x'] }), put('b', { unique: ['y'] }));
    await write(store, put('a', { unique: ['y'] }), put('b', { unique: ['x'] }));
    await rejectsWith(write(store, put('c', { unique: ['x'] })), 'UniqueViolation');
    await rejectsWith(write(store, put('c', { unique: ['y'] })), 'UniqueViolation');
    await write(store, put('c', { unique: ['y'] }), remove('a'));
    await write(store, remove('b'), put('d', { unique: ['x'] }));
    await rejectsWith(write(store, put('e', { unique: ['x'] })), 'UniqueViolation');
    await rejectsWith(write(store, put('e', { unique: ['y'] })), 'UniqueViolation');
  });

  test('a check on the holder of a unique key does not give the key away', async () => {
    await using opened = await open();
    const { store } = opened;
    await write(store, put('a', { unique: ['x'] }));
    const checks = [{ key: keyOf('a'), expect: { type: 'present' } }] as const;
    await rejectsWith(store.commit({ writes: [put('b', { unique: ['x'] })], checks }), 'UniqueViolation');
  });

  test('unique keys are held after reopening, and free again when their cluster has been purged', async () => {
    await using opened = await open();
    await write(opened.store, put('a', { unique: ['x'] }), put('b', { unique: ['y'], in: { cluster: 'other' } }));
    const store = await opened.reopen();
    await rejectsWith(write(store, put('c', { unique: ['x'] })), 'UniqueViolation');
    await rejectsWith(write(store, put('c', { unique: ['y'] })), 'UniqueViolation');
    while ((await store.purge('other', 10)) > 0);
    await write(store, put('c', { unique: ['y'] }));
    await rejectsWith(write(store, put('d', { unique: ['y'] })), 'UniqueViolation');
  });

  test('a creation of what exists says so, even where its unique key is taken, too', async () => {
    await using opened = await open();
    const { store } = opened;
    const expect = { type: 'absent' } as const;
    await write(store, put('a', { expect, unique: ['x'] }));
    await rejectsWith(write(store, put('a', { expect, unique: ['x'] })), 'PreconditionFailed', { kind: 'exists' });
    await rejectsWith(write(store, put('a', { expect, unique: ['z'] })), 'PreconditionFailed', { kind: 'exists' });
    await rejectsWith(write(store, put('b', { expect, unique: ['x'] })), 'UniqueViolation', { name: 'x' });
    assert.equal(await write(store, put('b', { expect, unique: ['z'] })), 2);
  });

  test('what is rejected takes no revision', async () => {
    await using opened = await open();
    const { store } = opened;
    const absent = { type: 'absent' } as const;
    await write(store, put('a', { expect: absent }));
    await rejectsWith(write(store, put('a', { expect: absent })), 'PreconditionFailed', { kind: 'exists' });
    await rejectsWith(write(store, remove('a', absent)), 'PreconditionFailed', { kind: 'exists' });
    await rejectsWith(write(store, remove('b')), 'PreconditionFailed', { kind: 'missing' });
    assert.equal(await write(store, put('b', { expect: absent })), 2);
    assert.equal((await store.changes({ after: 0, limit: 10 })).changes.length, 2);
  });
}
