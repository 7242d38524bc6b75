import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import fc from 'fast-check';
import { TestTime } from '../queue/test-timers.ts';
import { createInformer } from './create-informer.ts';
import { connectionFailed, expired, settle, TestCollection, testRef } from './test-collection.ts';
import { TestListener } from './test-listener.ts';

const errors = [connectionFailed, expired, () => apiError('InternalError', 'out of order')];
const error = fc.constantFrom(...errors);
const name = fc.constantFrom('a', 'b', 'c', 'd');

type Step = (server: TestCollection, time: TestTime) => void | Promise<void>;

/** What can happen to a collection, and on the way from it. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: name.map(
      (n): Step =>
        server =>
          server.put(n),
    ),
  },
  {
    weight: 3,
    arbitrary: name.map(
      (n): Step =>
        server =>
          server.delete(n),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Step>(() => settle()) },
  fc.nat(5000).map(
    (ms): Step =>
      (_, time) =>
        time.advance(ms),
  ),
  fc.option(error).map(
    (make): Step =>
      server =>
        server.cut(make?.()),
  ),
  fc.tuple(fc.constantFrom('list' as const, 'watch' as const), error).map(
    ([verb, make]): Step =>
      server => {
        server.failNext(verb, make());
      },
  ),
  fc.constant<Step>(server => server.compact()),
  fc.constant<Step>(server => server.stall()),
  fc.constant<Step>(server => server.bookmark()),
  fc.integer({ min: 1, max: 4 }).map(
    (count): Step =>
      server =>
        server.repeat(count),
  ),
);

test('after any failures the cache equals the server, and the calls of listeners are consistent', async () => {
  const support = fc.constantFrom('yes' as const, 'refuses' as const, 'overlooks' as const);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), support, async (steps, how) => {
      const server = new TestCollection();
      server.support = how;
      const time = new TestTime();
      await using informer = createInformer({
        client: server.client,
        ref: testRef,
        pageSize: 2,
        clock: time.clock,
        timers: time,
      });
      const listener = new TestListener();
      informer.listen(listener);
      informer.start();
      for (const each of steps) await each(server, time);
      server.calm();
      // Long enough for the longest back-off and for the watchdog, several times over.
      for (let i = 0; i < 8; i++) {
        await settle();
        time.advance(150_000);
      }
      await settle();
      const versions = (objects: Iterable<{ metadata: { name?: string; resourceVersion?: string } }>): string[] =>
        [...objects].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
      assert.deepEqual(versions(informer.list()), versions(server.objects));
      assert.deepEqual(versions(listener.objects.values()), versions(server.objects));
    }),
    { numRuns: 500 },
  );
});
