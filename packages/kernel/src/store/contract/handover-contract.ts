import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Change, Commit, Delete, Put, Store } from '../store.ts';
import { type OpenStore, put, remove, write } from './helpers.ts';

/** Something to do to one object. */
interface Operation {
  readonly name: string;
  readonly type: 'put' | 'delete';
  /** Whether the expectation names what is there, leaves it open, or is wrong. */
  readonly expect: 'exact' | 'open' | 'wrong';
  /** Whether it is part of the same commit as the one before it. */
  readonly isJoined: boolean;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  type: fc.constantFrom('put', 'put', 'delete'),
  expect: fc.constantFrom('exact', 'exact', 'exact', 'exact', 'open', 'wrong'),
  isJoined: fc.boolean(),
});

/** Commits of one round run at once, so they are about different objects. */
const rounds = fc.array(fc.uniqueArray(operation, { selector: ({ name }) => name, minLength: 1 }), { minLength: 1 });

/** The objects of one run and their revisions. */
class Model {
  readonly #namespace: string;
  readonly #revisions = new Map<string, number>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  commitsOf(round: readonly Operation[]): Commit[] {
    const commits: (Put | Delete)[][] = [];
    for (const each of round) {
      if (each.isJoined && commits.length > 0) commits.at(-1)?.push(this.#writeOf(each));
      else commits.push([this.#writeOf(each)]);
    }
    return commits.map(writes => ({ writes }));
  }

  take({ writes }: Commit, revisions: readonly number[]): void {
    for (const [index, { type, key }] of writes.entries()) {
      if (type === 'put') this.#revisions.set(key.name, revisions[index] ?? 0);
      else this.#revisions.delete(key.name);
    }
  }

  #writeOf({ name, type, expect }: Operation): Put | Delete {
    const path = `${this.#namespace}/${name}`;
    const revision = expect === 'wrong' ? 2 ** 40 : this.#revisions.get(name);
    if (type === 'delete') return remove(path, revision ? { type: 'revision', revision } : { type: 'present' });
    if (expect === 'open') return put(path, { expect: { type: 'any' } });
    return put(path, { expect: revision ? { type: 'revision', revision } : { type: 'absent' } });
  }
}

const isTold = ({ writes }: Commit): boolean =>
  writes.every(({ expect }) => expect.type === 'absent' || expect.type === 'revision');

/** Commits the rounds one after the other and asserts what was handed over of each. */
async function play(store: Store, model: Model, played: readonly (readonly Operation[])[]): Promise<readonly Change[]> {
  const handed: Change[] = [];
  const stop = store.onAdvance((committed = []) => {
    const [first] = committed;
    for (const [index, { revision }] of committed.entries()) assert.equal(revision, (first?.revision ?? 0) + index);
    handed.push(...committed);
  });
  for (const round of played) {
    const commits = model.commitsOf(round);
    const outcomes = await Promise.allSettled(commits.map(commit => store.commit(commit)));
    const revisions = outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value.revisions : []));
    const done = commits.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    for (const [index, commit] of commits.entries()) {
      if (outcomes[index]?.status === 'fulfilled') model.take(commit, revisions[index] ?? []);
    }
    const known = new Set(handed.map(({ revision }) => revision));
    if (done.every(isTold)) assert.ok(revisions.flat().every(revision => known.has(revision)));
  }
  stop();
  return handed;
}

const plain = ({ value, ...rest }: Change): unknown => ({
  ...rest,
  text: Buffer.from(value.bytes).toString(),
  splice: value.splice,
});

/** The changes that listeners of a store get. */
export function handoverContract(open: OpenStore): void {
  test('a store hands over the changes that it would return from history', async () => {
    await using opened = await open();
    const { store } = opened;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(rounds, async played => {
        const start = await store.currentRevision();
        const handed = await play(store, new Model(`run-${++run}`), played);
        const { changes } = await store.changes({ after: start, limit: 10_000 });
        const received = new Map(changes.map(change => [change.revision, plain(change)]));
        for (const change of handed) assert.deepEqual(plain(change), received.get(change.revision));
        assert.equal(new Set(handed).size, handed.length);
      }),
      { numRuns: 40 },
    );
  });

  test('a key that is more than a key is handed over as a key', async () => {
    await using opened = await open();
    const { store } = opened;
    const handed: Change[] = [];
    store.onAdvance(committed => void handed.push(...(committed ?? [])));
    const plainPut = put('a', { expect: { type: 'absent' } });
    await write(store, { ...plainPut, key: { ...plainPut.key, secret: 'hunter2' } as Put['key'] });
    assert.deepEqual(handed[0]?.key, plainPut.key);
  });
}
