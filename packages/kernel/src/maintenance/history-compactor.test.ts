import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { startTestKernel } from '../test-kernel.ts';
import { HistoryCompactor } from './history-compactor.ts';
import { soleLeader } from './leadership.ts';

const idle = { ...soleLeader, start: () => undefined };

describe('the history keeper', () => {
  test('removes what has expired, and nothing else', async t => {
    await using plane = await startTestKernel({ leadership: idle });
    const event = (name: string) => ({
      metadata: { name },
      involvedObject: { namespace: 'default' },
      reason: 'R',
      type: 'Normal',
    });
    await plane.create('events', event('old'));
    plane.clock.advance(3_000_000);
    await plane.create('events', event('young'));
    plane.clock.advance(1_000_000);
    const failures: unknown[] = [];
    t.mock.timers.enable({ apis: ['setInterval'] });
    const keeper = new HistoryCompactor({
      deps: plane.deps,
      historyMs: 600_000,
      onFailure: (_, error) => void failures.push(error),
    });
    keeper.start();
    t.mock.timers.tick(15_000);
    await keeper.stop();
    t.mock.timers.reset();
    assert.deepEqual(
      (await plane.list('events')).map(({ metadata }) => metadata.name),
      ['young'],
    );
    assert.deepEqual(failures, []);
  });

  test('forgets history that is older than it has to be kept', async () => {
    await using plane = await startTestKernel({ leadership: idle });
    const timers = mock.timers;
    timers.enable({ apis: ['setInterval'] });
    try {
      const keeper = new HistoryCompactor({
        deps: plane.deps,
        historyMs: 100_000,
        onFailure: (_, error) => assert.fail(String(error)),
      });
      keeper.start();
      const early = await plane.store.currentRevision();
      timers.tick(10_000);
      // The keeper reads the revision before anything else can be written.
      assert.equal(await plane.store.currentRevision(), early);
      await plane.create('configmaps', { metadata: { name: 'a' } });
      plane.clock.advance(100_000);
      timers.tick(10_000);
      await keeper.stop();
      assert.equal(await plane.store.compactedRevision(), early);
    } finally {
      timers.reset();
    }
  });

  test('does not wait for revisions that cannot be kept for longer than history is kept', async t => {
    await using plane = await startTestKernel({ leadership: idle });
    const historyMs = 100_000;
    const failing = async (): Promise<void> => {
      throw new Error('the disk is full');
    };
    const { revisions } = plane.deps;
    const deps = { ...plane.deps, revisions: { ...revisions, keeper: { ...stubKeeper, catchUp: failing } } };
    t.mock.timers.enable({ apis: ['setInterval'] });
    const failures: unknown[] = [];
    const compactor = new HistoryCompactor({ deps, historyMs, onFailure: (_, error) => void failures.push(error) });
    compactor.start();
    // The compactor looks at the clock in a later turn.
    const advance = async (ms: number): Promise<void> => {
      plane.clock.advance(ms);
      t.mock.timers.tick(10_000);
      await nextTurn();
    };
    await plane.create('configmaps', { metadata: { name: 'a' } });
    await advance(0);
    await advance(historyMs);
    await eventually(() => failures.length === 1, { what: 'the first failure' });
    assert.equal(await plane.store.compactedRevision(), 0);
    await advance(historyMs / 2);
    await advance(historyMs / 2);
    await eventually(async () => (await plane.store.compactedRevision()) > 0, { what: 'compaction' });
    await compactor.stop();
  });
});

const stubKeeper = { start: async () => {}, stop: async () => {}, trim: async () => {} };
