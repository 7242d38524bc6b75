import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChandleryError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { Store } from '../store/store.ts';
import { openTestStore } from '../test-kernel.ts';
import { StoreLeadership } from './leadership.ts';

/** Short enough to wait for attempts, which run in real time; the timeout itself is measured on the test's clock. */
const timeoutMs = 200;

/** A process that wants to lead, on a clock of the test. */
class Candidate implements AsyncDisposable {
  isLeader = false;
  nowMs = 0;
  /** What its store does: work, fail, or not answer at all. */
  mood: 'works' | 'fails' | 'hangs' = 'works';
  readonly history: boolean[] = [];
  readonly leadership: StoreLeadership;
  #letGo: () => void = () => undefined;

  constructor(store: Store, identity: string, formerIdentities: readonly string[] = []) {
    const commit: Store['commit'] = async commit => {
      if (this.mood === 'fails') throw new ChandleryError('Unavailable', 'broken');
      if (this.mood === 'hangs') {
        await new Promise<void>(resolve => {
          this.#letGo = resolve;
        });
        throw new ChandleryError('Unavailable', 'no answer');
      }
      return store.commit(commit);
    };
    this.leadership = new StoreLeadership({
      store: { get: store.get.bind(store), commit } as Store,
      identity,
      formerIdentities,
      timeoutMs,
      monotonicMs: () => this.nowMs,
      onFailure: () => undefined,
    });
    this.leadership.start(isLeader => {
      this.isLeader = isLeader;
      this.history.push(isLeader);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mood = 'works';
    this.#letGo();
    await this.leadership[Symbol.asyncDispose]();
  }
}

describe('leadership', () => {
  test('of a process that was killed is taken over at once by the next one on its folder, and by no other', async () => {
    await using world = await openTestStore();
    const killed = new Candidate(world.store, 'killed');
    await eventually(() => killed.isLeader);
    // It says nothing any more, not even that it leaves.
    killed.mood = 'hangs';
    await using stranger = new Candidate(world.store, 'stranger');
    await using restarted = new Candidate(world.store, 'restarted', ['older', 'killed']);
    await eventually(() => restarted.isLeader);
    assert.equal(stranger.isLeader, false);
    await killed[Symbol.asyncDispose]();
  });

  test('is held by one, and handed over by one that leaves', async () => {
    await using world = await openTestStore();
    const first = new Candidate(world.store, 'first');
    await eventually(() => first.isLeader);
    await using second = new Candidate(world.store, 'second');
    const revision = await world.store.currentRevision();
    await eventually(async () => (await world.store.currentRevision()) > revision + 3);
    assert.equal(second.isLeader, false);
    await first[Symbol.asyncDispose]();
    await eventually(() => second.isLeader);
    assert.deepEqual([first.history, second.history], [[true, false], [true]]);
  });

  for (const mood of ['fails', 'hangs'] as const) {
    test(`is given up before another process takes it when the store ${mood}`, async () => {
      await using world = await openTestStore();
      await using first = new Candidate(world.store, 'first');
      await eventually(() => first.isLeader);
      await using second = new Candidate(world.store, 'second');
      first.mood = mood;
      first.nowMs += timeoutMs / 2 + 1;
      second.nowMs += timeoutMs / 2 + 1;
      await eventually(() => !first.isLeader);
      assert.equal(second.isLeader, false);
      await eventually(() => {
        second.nowMs += timeoutMs;
        return second.isLeader;
      });
    });
  }

  test('is not taken from one that renews it, however slow the clock of others is', async () => {
    await using world = await openTestStore();
    await using first = new Candidate(world.store, 'first');
    await eventually(() => first.isLeader);
    await using second = new Candidate(world.store, 'second');
    for (let turn = 0; turn < 5; turn++) {
      const revision = await world.store.currentRevision();
      await eventually(async () => (await world.store.currentRevision()) > revision);
      second.nowMs += timeoutMs / 2;
    }
    assert.deepEqual([first.isLeader, second.history], [true, []]);
  });
});
