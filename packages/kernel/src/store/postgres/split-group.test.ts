import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, put, remove } from '../contract/helpers.ts';
import type { Commit, Put } from '../store.ts';
import { splitGroup } from './split-group.ts';

const absent = { type: 'absent' } as const;

const create = (path: string, unique: readonly string[] = []): Put => put(path, { expect: absent, unique });

const checkOf = (path: string) => ({ key: keyOf(path), expect: { type: 'present' } }) as const;

interface SplitCase {
  readonly why: string;
  readonly commits: readonly Commit[];
  /** Which of them can be done at once, by their number from 0. */
  readonly atOnce: readonly number[];
}

const cases: readonly SplitCase[] = [
  {
    why: 'creations, also with the same checks',
    commits: [
      { writes: [create('a', ['x'])], checks: [checkOf('place')] },
      { writes: [create('b', ['y']), create('c')], checks: [checkOf('place')] },
    ],
    atOnce: [0, 1],
  },
  {
    why: 'nothing but creations',
    commits: [
      { writes: [put('a')] },
      { writes: [remove('b')] },
      { writes: [create('c'), put('d')] },
      { writes: [], checks: [checkOf('e')] },
      { writes: [create('f')] },
    ],
    atOnce: [4],
  },
  {
    why: 'not what was written before, be it at once or not',
    commits: [
      { writes: [create('a')] },
      { writes: [remove('b')] },
      { writes: [create('a')] },
      { writes: [create('b')] },
    ],
    atOnce: [0],
  },
  {
    why: 'not what was checked before',
    commits: [{ writes: [put('a')], checks: [checkOf('b')] }, { writes: [create('b')] }],
    atOnce: [],
  },
  {
    why: 'not what checks something written before',
    commits: [{ writes: [put('a')] }, { writes: [create('b')], checks: [checkOf('a')] }],
    atOnce: [],
  },
  {
    why: 'not what claims something claimed before',
    commits: [{ writes: [put('a', { unique: ['x'] })] }, { writes: [create('b', ['y', 'x'])] }],
    atOnce: [],
  },
];

for (const { why, commits, atOnce } of cases) {
  test(`what of a group can be done at once: ${why}`, () => {
    const group = commits.map((commit, no) => ({ no, commit }));
    const { creations, others } = splitGroup(group);
    assert.deepEqual(
      creations.map(({ no }) => no),
      atOnce,
    );
    assert.deepEqual(
      others.map(({ no }) => no),
      group.map(({ no }) => no).filter(no => !atOnce.includes(no)),
    );
  });
}

test('what is to be done step by step is, and so is all that depends on it', () => {
  const group = ['a', 'b', 'a'].map(path => ({ commit: { writes: [create(path)] } }));
  const { creations, others } = splitGroup(group, new Set(group.slice(0, 1)));
  assert.deepEqual(creations, [group[1]]);
  assert.deepEqual(others, [group[0], group[2]]);
});
