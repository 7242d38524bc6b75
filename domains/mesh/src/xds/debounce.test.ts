import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { closesInMs, DebounceWindow } from './debounce-window.ts';
import { TestHarness } from './test-client.ts';
import { TestTime } from './test-time.ts';
import type { TestView } from './test-view.ts';

const cases: readonly {
  why: string;
  change: (view: TestView) => void;
  /** Earliest and latest time of the push. */
  toldMs: readonly [number, number];
}[] = [
  { why: 'an added endpoint waits a little', change: view => view.set('endpoints', 'a', '2'), toldMs: [19, 20] },
  { why: 'other things wait longer', change: view => view.set('route', 'a', '2'), toldMs: [49, 50] },
  {
    why: 'endpoints that change together with other things wait with them',
    change: view => view.change(edit => (edit.set('route', 'a', '2'), edit.set('endpoints', 'a', '2'))),
    toldMs: [49, 50],
  },
  {
    why: 'an endpoint that becomes unhealthy is not delayed',
    change: view => view.change(edit => edit.set('endpoints', 'a', 'ill'), { isUrgent: true }),
    toldMs: [0, 5],
  },
  {
    why: 'a removal is not delayed',
    change: view => view.change(edit => (edit.remove('endpoints', 'b'), edit.set('route', 'a', '2'))),
    toldMs: [0, 5],
  },
];

describe('gathering changes', () => {
  for (const { why, change, toldMs } of cases)
    test(why, () => {
      using harness = new TestHarness();
      harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b'), edit.set('route', 'a')));
      const client = harness.connect();
      for (const type of ['endpoints', 'route'] as const) client.sync(type, { names: ['a'] });
      change(harness.view);
      harness.time.advance(toldMs[0]);
      assert.deepEqual(client.received(), []);
      harness.time.advance(toldMs[1] - toldMs[0]);
      assert.notDeepEqual(client.received(), []);
    });

  test('a removed endpoint does not wait for other debounced changes', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('route', 'a')));
    const client = harness.connect();
    for (const type of ['endpoints', 'route'] as const) client.sync(type, { names: ['a'] });
    harness.view.set('route', 'a', '2');
    harness.view.change(edit => edit.set('endpoints', 'a', 'ill'), { isUrgent: true });
    harness.time.advance(5);
    assert.equal(client.one().type, 'endpoints');
    harness.time.advance(50);
    assert.equal(client.one().type, 'route');
  });

  test('when other changes are pushed, debounced endpoints are pushed with them', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('route', 'a')));
    const client = harness.connect();
    for (const type of ['endpoints', 'route'] as const) client.sync(type, { names: ['a'] });
    harness.view.set('endpoints', 'a', '2');
    harness.view.change(edit => edit.set('route', 'a', '2'), { isUrgent: true });
    harness.time.advance(5);
    assert.deepEqual(
      client.received().map(({ type }) => type),
      ['endpoints', 'route'],
    );
  });

  test('endless changes are pushed from time to time', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('route', 'a')));
    const client = harness.connect();
    for (const type of ['endpoints', 'route'] as const) client.sync(type, { names: ['a'] });
    const toldAt: Record<string, number> = {};
    for (let ms = 0; ms < 1_100; ms += 10) {
      harness.view.set('endpoints', 'a', `at ${ms}`);
      harness.view.set('route', 'a', `at ${ms}`);
      harness.time.advance(10);
      for (const { type } of client.received()) toldAt[type] ??= ms + 10;
    }
    assert.deepEqual(toldAt, { endpoints: 250, route: 1_000 });
  });

  test('windows can be closed at once', () => {
    const none = { quietMs: 0, maxMs: 0 };
    using harness = new TestHarness({ debounce: { urgentMs: 0, endpoints: none, config: none } });
    harness.view.set('route', 'a');
    const client = harness.connect();
    client.sync('route', { names: ['a'] });
    harness.view.set('route', 'a', '2');
    harness.time.advance(0);
    assert.deepEqual(client.one().resources, { a: '2' });
  });
});

test('a window closes between its two times, and never holds an urgent change', () => {
  const step = fc.record({ waitMs: fc.nat(60), isUrgent: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
      const time = new TestTime();
      const [times, urgentMs] = [{ quietMs: 20, maxMs: 100 }, 1];
      let opened: number | undefined;
      let last = 0;
      let urgent: number | undefined;
      const onClose = (): void => {
        const closed = time.nowMs();
        assert.ok(opened !== undefined, 'closes only when open');
        assert.ok(closed <= opened + times.maxMs);
        assert.ok(
          urgent === undefined
            ? closed >= Math.min(last + times.quietMs, opened + times.maxMs)
            : closed <= urgent + urgentMs,
        );
        opened = urgent = undefined;
      };
      const window = new DebounceWindow({ times, urgentMs, timers: time, nowMs: time.nowMs, onClose });
      for (const { waitMs, isUrgent } of steps) {
        window.add(isUrgent);
        last = time.nowMs();
        opened ??= last;
        if (isUrgent) urgent ??= last;
        time.advance(waitMs);
      }
      time.advance(times.maxMs);
      assert.ok(!window.isOpen && opened === undefined && time.pendingCount === 0);
    }),
    { numRuns: 100 },
  );
});

test('the time until a window closes is never negative', () => {
  assert.equal(closesInMs({ quietMs: 20, maxMs: 100 }, 0, 500), 0);
});
