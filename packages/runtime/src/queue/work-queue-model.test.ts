import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createWorkQueue } from './create-work-queue.ts';
import { backgroundShare } from './fair-order.ts';
import { TestTime } from './test-timers.ts';
import type { Work, WorkQueue } from './work-queue.ts';

const tenantOf = (key: string): string => key.charAt(0);

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    key: fc.constantFrom('a1', 'a2', 'a3', 'b1', 'b2', 'c1'),
    delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 })),
    priority: fc.constantFrom(-100, 0, 0, 7),
  }),
  fc.record({ do: fc.constant('fail' as const), key: fc.constantFrom('a1', 'b1') }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(40) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** The specification of a queue, as simple as possible. */
class Model {
  readonly time = new TestTime();
  readonly queue: WorkQueue<string>;
  readonly waiting = new Map<string, { dueAtMs: number; priority: number }>();
  readonly active = new Map<string, Work<string>>();

  constructor() {
    const backOff = { baseMs: 4, maxMs: 30, jitter: 0 };
    this.queue = createWorkQueue<string>({ clock: this.time.clock, timers: this.time, tenantOf, backOff });
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
        this.expect(step.key, this.time.nowMs + step.delayMs, step.priority);
        return this.queue.addAfter(step.key, step.delayMs, { priority: step.priority });
      case 'fail':
        // The earliest that a back-off may end: the queue may hand it out later, never sooner.
        this.expect(step.key, this.time.nowMs + 4, 0);
        return this.queue.addRateLimited(step.key);
      case 'take':
        return this.queue.size > 0 ? this.take() : undefined;
      case 'done':
        return this.finish([...this.active.keys()][step.which]);
      case 'wait':
        return this.time.advance(step.ms);
    }
  }

  expect(key: string, dueAtMs: number, priority: number): void {
    const known = this.waiting.get(key);
    this.waiting.set(key, {
      dueAtMs: Math.min(dueAtMs, known?.dueAtMs ?? dueAtMs),
      priority: Math.max(priority, known?.priority ?? priority),
    });
  }

  async take(): Promise<void> {
    const work = await this.queue.next();
    assert.ok(work);
    assert.ok(!this.active.has(work.key), `${work.key} is worked on twice at a time`);
    const expected = this.waiting.get(work.key);
    assert.ok(expected, `${work.key} was not added`);
    assert.ok(expected.dueAtMs <= this.time.nowMs, `${work.key} is early`);
    assert.equal(work.priority, expected.priority);
    this.waiting.delete(work.key);
    this.active.set(work.key, work);
  }

  finish(key: string | undefined): void {
    if (key === undefined) return;
    this.active.get(key)?.done();
    this.active.delete(key);
  }
}

test('no key is lost, none is worked on twice at a time, none comes early', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const model = new Model();
      for (const each of steps) await model.run(each);
      for (const key of [...model.active.keys()]) model.finish(key);
      model.time.advance(1000);
      assert.equal(model.queue.size, model.waiting.size);
      while (model.queue.size > 0) await model.take();
      assert.equal(model.waiting.size, 0);
      for (const key of [...model.active.keys()]) model.finish(key);
      await model.queue.stop();
      assert.equal(model.time.pending, 0);
    }),
    { numRuns: 300 },
  );
});

test('within a tenant priorities fall and equals come in the order of adding', async () => {
  const additions = fc.uniqueArray(
    fc.record({ key: fc.string({ minLength: 2 }), priority: fc.integer({ min: -3, max: 3 }) }),
    { selector: ({ key }) => key },
  );
  await fc.assert(
    fc.asyncProperty(additions, async added => {
      await using queue = createWorkQueue<string>({ tenantOf });
      for (const { key, priority } of added) queue.add(key, { priority });
      const taken = await takeAll(queue);
      for (const tenant of new Set(added.map(({ key }) => tenantOf(key)))) {
        const own = added.filter(({ key }) => tenantOf(key) === tenant);
        const expected = own.toSorted((a, b) => b.priority - a.priority).map(({ key }) => key);
        assert.deepEqual(
          taken.filter(key => tenantOf(key) === tenant),
          expected,
        );
      }
    }),
  );
});

test('a tenant waits for at most one turn of each other, whatever the others add meanwhile', async () => {
  const noise = fc.array(
    fc.record({ weight: fc.integer({ min: 1, max: 4 }), items: fc.integer({ min: 1, max: 30 }) }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(noise, fc.nat(40), fc.boolean(), async (tenants, warmUp, isRelisted) => {
      const weightOf = (tenant: string): number => tenants[Number(tenant)]?.weight ?? 1;
      await using queue = createWorkQueue<string>({ tenantOf, weightOf });
      tenants.forEach(({ items }, t) => {
        for (let i = 0; i < items; i++) queue.add(`${t}-${i}`, { priority: isRelisted && t % 2 === 0 ? -100 : 0 });
      });
      for (let i = 0; i < warmUp; i++) await failOne(queue);
      queue.add('quiet');
      let before = 0;
      while ((await failOne(queue)) !== 'quiet') before++;
      const turns = tenants.reduce((sum, { weight }) => sum + weight, 0);
      assert.ok(before <= turns + Math.ceil(turns / (backgroundShare - 1)) + 1, `waited for ${before} items`);
    }),
  );
});

/** Works on one item and adds it again at once: the worst that a failing tenant can do. */
async function failOne(queue: WorkQueue<string>): Promise<string> {
  using work = await queue.next();
  assert.ok(work);
  if (work.key !== 'quiet') queue.add(work.key);
  return work.key;
}

async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const keys: string[] = [];
  while (queue.size > 0) {
    using work = await queue.next();
    if (work !== undefined) keys.push(work.key);
  }
  return keys;
}
