import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import {
  type Commit,
  type CommitResult,
  type Expectation,
  formatKey,
  type ObjectKey,
  type Put,
  type Store,
} from '../store.ts';
import { CommitModel, type Refusal } from './commit-model.ts';
import { keyOf, type OpenStore, pathsOf, put, rejectsWith, remove, textOf, write } from './helpers.ts';

const absent = { type: 'absent' } as const;

const create = (path: string, extras: Parameters<typeof put>[1] = {}): Put => put(path, { expect: absent, ...extras });

/** Asks for all commits at once, so that a driver may do them together. */
const commitAll = (store: Store, commits: readonly Commit[]): Promise<PromiseSettledResult<CommitResult>[]> =>
  Promise.allSettled(commits.map(commit => store.commit(commit)));

/** `done`, or what the error says. */
function outcomeOf(result: PromiseSettledResult<CommitResult>): string {
  if (result.status === 'fulfilled') return 'done';
  assert.ok(result.reason instanceof ChandleryError, String(result.reason));
  const { code, details } = result.reason;
  return describeRefusal({ code, ...(details as { name: string; kind?: string }) });
}

const describeRefusal = ({ code, name, kind }: Refusal): string => [code, kind, name].filter(Boolean).join(' ');

const nameOf = (path: string): string => formatKey(keyOf(path));

interface GroupCase {
  readonly why: string;
  readonly before?: Commit['writes'];
  readonly commits: readonly Commit[];
  readonly outcomes: readonly string[];
  readonly left: readonly string[];
}

const cases: readonly GroupCase[] = [
  {
    why: 'creations that have nothing to do with each other',
    commits: [
      { writes: [create('a', { unique: ['x'] })] },
      { writes: [create('b'), create('c')] },
      { writes: [create('d', { in: { resource: 'o/others' } })] },
    ],
    outcomes: ['done', 'done', 'done'],
    left: ['a', 'b', 'c'],
  },
  {
    why: 'creations, updates and deletions',
    before: [put('a'), put('b')],
    commits: [
      { writes: [create('c')] },
      { writes: [put('a', { expect: { type: 'present' } })] },
      { writes: [remove('b')] },
      { writes: [create('d'), put('e')] },
    ],
    outcomes: ['done', 'done', 'done', 'done'],
    left: ['a', 'c', 'd', 'e'],
  },
  {
    why: 'one key created twice',
    commits: [
      { writes: [create('a'), create('b')] },
      { writes: [create('c'), create('a')] },
      { writes: [create('d')] },
    ],
    outcomes: ['done', `PreconditionFailed exists ${nameOf('a')}`, 'done'],
    left: ['a', 'b', 'd'],
  },
  {
    why: 'one unique key claimed twice',
    commits: [
      { writes: [create('a', { unique: ['x'] })] },
      { writes: [create('b', { unique: ['y', 'x'] })] },
      { writes: [create('c', { unique: ['y'] })] },
    ],
    outcomes: ['done', 'UniqueViolation x', 'done'],
    left: ['a', 'c'],
  },
  {
    why: 'an object that exists, in the middle',
    before: [put('b', { unique: ['x'] })],
    commits: [
      { writes: [create('a')] },
      { writes: [create('b'), create('e', { unique: ['y'] })] },
      { writes: [create('c', { unique: ['y'] })] },
      { writes: [create('d', { unique: ['x'] })] },
    ],
    outcomes: ['done', `PreconditionFailed exists ${nameOf('b')}`, 'done', 'UniqueViolation x'],
    left: ['a', 'b', 'c'],
  },
  {
    why: 'a check that fails, in the middle, and is shared',
    before: [put('place')],
    commits: [
      { writes: [create('a')], checks: [{ key: keyOf('place'), expect: { type: 'revision', revision: 1 } }] },
      { writes: [create('b')], checks: [{ key: keyOf('other'), expect: { type: 'present' } }] },
      { writes: [create('c')], checks: [{ key: keyOf('place'), expect: { type: 'revision', revision: 9 } }] },
      { writes: [create('d')], checks: [{ key: keyOf('place'), expect: { type: 'revision', revision: 1 } }] },
      { writes: [create('e')], checks: [{ key: keyOf('other'), expect: { type: 'present' } }] },
      { writes: [create('f')], checks: [{ key: keyOf('other'), expect: absent }] },
    ],
    outcomes: [
      'done',
      `PreconditionFailed missing ${nameOf('other')}`,
      `PreconditionFailed revision ${nameOf('place')}`,
      'done',
      `PreconditionFailed missing ${nameOf('other')}`,
      'done',
    ],
    left: ['a', 'd', 'f', 'place'],
  },
  {
    why: 'a check on what the group itself creates',
    commits: [
      { writes: [create('b')], checks: [{ key: keyOf('a'), expect: absent }] },
      { writes: [create('a')] },
      { writes: [create('c')], checks: [{ key: keyOf('a'), expect: absent }] },
      { writes: [create('d')], checks: [{ key: keyOf('a'), expect: { type: 'present' } }] },
    ],
    outcomes: ['done', 'done', `PreconditionFailed exists ${nameOf('a')}`, 'done'],
    left: ['a', 'b', 'd'],
  },
  {
    why: 'an object deleted and created again',
    before: [put('a', { unique: ['x'] })],
    commits: [{ writes: [remove('a')] }, { writes: [create('a', { unique: ['x'] })] }, { writes: [create('b')] }],
    outcomes: ['done', 'done', 'done'],
    left: ['a', 'b'],
  },
  {
    why: 'a unique key let go and claimed by another',
    before: [put('a', { unique: ['x'] })],
    commits: [{ writes: [remove('a')] }, { writes: [create('b', { unique: ['x'] })] }, { writes: [create('c')] }],
    outcomes: ['done', 'done', 'done'],
    left: ['b', 'c'],
  },
  {
    why: 'a namespace deleted before something is created in it',
    before: [put('place')],
    commits: [
      { writes: [remove('place')] },
      { writes: [create('a')], checks: [{ key: keyOf('place'), expect: { type: 'revision', revision: 1 } }] },
      { writes: [create('b')] },
    ],
    outcomes: ['done', `PreconditionFailed missing ${nameOf('place')}`, 'done'],
    left: ['b'],
  },
];

/** Commits that are asked for at the same time. */
export function groupContract(open: OpenStore): void {
  for (const { why, before = [], commits, outcomes, left } of cases) {
    test(`commits asked for at once are done as if one after the other: ${why}`, async () => {
      await using opened = await open();
      const { store } = opened;
      await store.commit({ writes: before });
      const results = await commitAll(store, commits);
      assert.deepEqual(results.map(outcomeOf), outcomes);
      assert.deepEqual(pathsOf(await store.list({ resource: '/things' })), left);
      assertConsecutive(results, before.length);
      assert.equal(await store.currentRevision(), before.length + revisionsOf(results).length);
    });
  }

  test('created objects come back as they were written, with all that belongs to them', async () => {
    await using opened = await open();
    const { store } = opened;
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const odd: Put[] = [
      {
        ...create('ns/ä☃𝄞', { terms: [2 ** 53 - 1, 0, 7, 7], unique: ['y"\\,{}', 'NULL', 'ß', 'NULL'] }),
        value: { bytes, splice: 7 },
      },
      create('empty', { text: '', expiresAt: 2 ** 41 }),
      create('large', { text: 'x'.repeat(3_000_000), terms: [7] }),
      create('NULL/NULL', { in: { cluster: '', resource: '' } }),
    ];
    const results = await commitAll(
      store,
      odd.map(put => ({ writes: [put] })),
    );
    assert.deepEqual(
      results.map(outcomeOf),
      odd.map(() => 'done'),
    );
    for (const { key, value } of odd) {
      const object = await store.get(key);
      assert.deepEqual(object?.key, key);
      assert.ok(Buffer.from(value.bytes).equals(Buffer.from(object?.value.bytes ?? [])));
      assert.deepEqual([object?.value.splice, object?.createdRevision], [value.splice, object?.revision]);
    }
    const changes = (await store.changes({ after: 0, limit: 10 })).changes;
    assert.deepEqual(
      changes.map(({ type, key }) => [type, formatKey(key)]),
      odd.map(({ key }) => ['created', formatKey(key)]),
    );
    assert.deepEqual((await Array.fromAsync(store.withTerm(7, 10))).map(({ key }) => key.name).sort(), [
      'large',
      'ä☃𝄞',
    ]);
    assert.equal((await Array.fromAsync(store.withTerm(2 ** 53 - 1, 10))).length, 1);
    assert.deepEqual(
      (await store.expired(2 ** 41, 10)).map(({ key }) => key.name),
      ['empty'],
    );
    for (const text of ['y"\\,{}', 'NULL', 'ß']) {
      await rejectsWith(write(store, create('b', { unique: [text] })), 'UniqueViolation', { name: text });
    }
    await write(store, remove('ns/ä☃𝄞'));
    await write(store, create('b', { unique: ['y"\\,{}', 'NULL', 'ß'] }));
    assert.deepEqual(
      (await Array.fromAsync(store.withTerm(7, 10))).map(({ key }) => key.name),
      ['large'],
    );
  });

  test('commits asked for at once mean what the model says, whatever they are', async () => {
    await using opened = await open();
    const { store } = opened;
    const model = new CommitModel();
    const random = newRandom(1);
    for (let round = 0; round < 150; round++) {
      const commits = Array.from({ length: 1 + random(12) }, () => anyCommit(model, random));
      const expected = commits.map(commit => model.commit(commit));
      const results = await commitAll(store, commits);
      assert.deepEqual(
        results.map(outcomeOf),
        expected.map(refusal => (refusal === undefined ? 'done' : describeRefusal(refusal))),
      );
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') model.remember(commits[index] as Commit, result.value.revisions);
      }
      await assertSame(store, model);
    }
  });
}

const revisionsOf = (results: readonly PromiseSettledResult<CommitResult>[]): number[] =>
  results.flatMap(result => (result.status === 'fulfilled' ? result.value.revisions : []));

/** Together the commits took all revisions after `first`, and none twice. */
function assertConsecutive(results: readonly PromiseSettledResult<CommitResult>[], first: number): void {
  const revisions = revisionsOf(results).sort((a, b) => a - b);
  assert.deepEqual(
    revisions,
    revisions.map((_, index) => first + index + 1),
  );
}

async function assertSame(store: Store, model: CommitModel): Promise<void> {
  const pages = await Promise.all(places.map(({ resource }) => store.list({ resource })));
  const found = pages.flatMap(({ items }) => items).map(item => [formatKey(item.key), item.revision, textOf(item)]);
  const expected = [...model.objects].map(([name, { revision, text }]) => [name, revision, text]);
  assert.deepEqual(found.sort(), expected.sort());
}

const places = [{ resource: '/things' }, { resource: 'o/others' }] as const;
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'n/a', 'n/b'];
const texts = ['x', 'y', 'z', 'p', 'q'];

type Random = (below: number) => number;

/** The same numbers in every run. */
function newRandom(seed: number): Random {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Mostly creations, of few enough names to get into each other's way. */
function anyCommit(model: CommitModel, random: Random): Commit {
  const paths = shuffled(names, random).slice(0, 1 + random(3));
  const free = shuffled(texts, random);
  const writes = paths.map(path => {
    const place = places[random(places.length)] ?? places[0];
    const expect = anyExpectation(model, keyOf(path, place), random);
    if (random(5) === 0 && expect.type !== 'absent') return remove(path, expect, place);
    const unique = free.splice(0, Math.max(0, random(4) - 1));
    const expectOfPut = random(3) > 0 ? absent : expect;
    return put(path, { text: `${path} ${random(1000)}`, expect: expectOfPut, unique, terms: [random(3)], in: place });
  });
  const checked = shuffled(names, random).slice(0, Math.max(0, random(4) - 1));
  const checks = checked
    .filter(path => !paths.includes(path))
    .map(path => ({ key: keyOf(path), expect: anyExpectation(model, keyOf(path), random) }));
  return { writes, checks };
}

function anyExpectation(model: CommitModel, key: ObjectKey, random: Random): Expectation {
  const type = (['absent', 'present', 'revision', 'any'] as const)[random(4)] ?? 'any';
  return type === 'revision' ? { type, revision: model.objects.get(formatKey(key))?.revision ?? 0 } : { type };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map(item => ({ item, order: random(1_000_000) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
