import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { StreamMode } from './messages.ts';
import { TestHarness } from './test-client.ts';
import { ModelClient } from './test-model.ts';

const type = fc.constantFrom(...resourceTypes);
const name = fc.constantFrom('a', 'b', 'c');
const edit = fc.record({ type, name, content: fc.option(fc.constantFrom('1', '2', '3', '4')) });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('change' as const), edits: fc.array(edit, { maxLength: 4 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('subscribe' as const), type, name: fc.oneof(name, fc.constant('*')) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('unsubscribe' as const), type, name: fc.oneof(name, fc.constant('*')) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconnect' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 20, 60, 6_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function run(harness: TestHarness, client: ModelClient, step: Step): unknown {
  switch (step.do) {
    case 'change':
      return harness.view.change(view => {
        for (const { type, name, content } of step.edits)
          if (content === null) view.remove(type, name);
          else view.set(type, name, content);
      });
    case 'subscribe':
      return client.subscribe(step.type, step.name);
    case 'unsubscribe':
      return client.unsubscribe(step.type, step.name);
    case 'read':
      return client.read();
    case 'refuse':
      return client.read(true);
    case 'reconnect':
      return client.reconnect();
    case 'wait':
      return harness.time.advance(step.ms);
  }
}

/** Advances time and lets the client read until nothing more arrives. */
function quiesce(harness: TestHarness, client: ModelClient): void {
  let turns = 0;
  do {
    harness.time.advance(10_000);
    assert.ok(turns++ < 100, 'it never ends');
  } while (client.read());
}

/** A rejected resource is not sent again before it changes. */
function replaceRefused(harness: TestHarness, names: ReadonlySet<string>): void {
  harness.view.change(view => {
    for (const type of resourceTypes)
      for (const name of names) if (harness.view.get(type, name)) view.set(type, name, 'good');
  });
}

for (const mode of ['sotw', 'delta'] as const satisfies readonly StreamMode[])
  describe(`whatever happens (${mode})`, () => {
    test('a client ends up with what it wants of what there is, one response at a time', () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), steps => {
          using harness = new TestHarness();
          const client = new ModelClient(harness, mode);
          // A second client with the same subscriptions, so that responses and sets of names are shared.
          const witness = new ModelClient(harness, mode);
          const refused = new Set<string>();
          for (const step of steps) {
            const result = run(harness, client, step);
            if (typeof result === 'string') refused.add(result);
            if (step.do === 'subscribe' || step.do === 'unsubscribe') run(harness, witness, step);
            if (step.do === 'wait') while (witness.read());
            client.checkFlights();
          }
          replaceRefused(harness, refused);
          for (const each of [client, witness]) {
            quiesce(harness, each);
            each.checkComplete();
          }
        }),
        { numRuns: 250 },
      );
    });

    test('no route that a client has ever leads to a cluster that it has not', () => {
      const clusters = ['a', 'b', 'c', 'd'];
      const change = fc.record({ to: fc.constantFrom(...clusters), drops: fc.subarray(clusters, { maxLength: 1 }) });
      const happening = fc.oneof(
        { weight: 2, arbitrary: change },
        { weight: 4, arbitrary: fc.constantFrom('read' as const) },
        { weight: 3, arbitrary: fc.constantFrom('wait' as const) },
      );
      fc.assert(
        fc.property(change, fc.array(happening, { maxLength: 100 }), (first, happenings) => {
          using harness = new TestHarness({ limits: { clusterGraceMs: 1e9 } });
          let target = '';
          let count = 0;
          const apply = ({ to, drops }: typeof first): void =>
            harness.view.change(view => {
              const isThere = harness.view.get('cluster', to) !== undefined;
              if (isThere && count++ % 2 === 0) view.set('cluster', to, String(count));
              else view.set('route', 'r', (target = to));
              if (!isThere) view.set('cluster', to);
              for (const cluster of drops) if (cluster !== to && cluster !== target) view.remove('cluster', cluster);
            });
          apply(first);
          const client = new ModelClient(harness, mode);
          const wanted: [ResourceType, string][] = [
            ['cluster', '*'],
            ['route', 'r'],
          ];
          for (const [type, name] of wanted) client.subscribe(type, name);
          const check = (): void => {
            const route = client.has('route').get('r');
            assert.ok(route === undefined || client.has('cluster').has(route), `a route to ${route}`);
          };
          for (const each of happenings) {
            if (each === 'read') client.read();
            else if (each === 'wait') harness.time.advance(30);
            else apply(each);
            check();
          }
          quiesce(harness, client);
          client.checkComplete();
        }),
        { numRuns: 200 },
      );
    });
  });
