import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TestClient, TestHarness } from './test-client.ts';
import type { TestResponse } from './test-decode.ts';
import type { ViewEdit } from './test-view.ts';

const subscriptions = {
  cluster: [],
  endpoints: ['a', 'b'],
  listener: [],
  route: ['r'],
  secret: ['s'],
} as const;

/**
 * A client of one aggregated stream that has acknowledged cluster a with its endpoints, a listener, a route, a secret.
 */
function connected(harness: TestHarness): TestClient {
  harness.view.change(edit => setAll(edit, '1'));
  const client = harness.connect();
  for (const [type, names] of Object.entries(subscriptions)) client.sync(type as keyof typeof subscriptions, { names });
  return client;
}

function setAll(edit: ViewEdit, content: string): void {
  // In another order than that of the push.
  edit.set('secret', 's', content);
  edit.set('route', 'r', content);
  edit.set('listener', 'l', content);
  edit.set('endpoints', 'a', content);
  edit.set('cluster', 'a', content);
}

const types = (responses: readonly TestResponse[]): string[] => responses.map(({ type }) => type);
const accept = (client: TestClient, response: TestResponse): void => client.ack(response, subscriptions[response.type]);

describe('order', () => {
  test('one change is sent in the order that clients require', () => {
    using harness = new TestHarness();
    const client = connected(harness);
    harness.view.change(edit => setAll(edit, '2'));
    harness.flushChanges();
    assert.deepEqual(types(client.received()), ['cluster', 'endpoints', 'listener', 'route', 'secret']);
  });

  for (const mode of ['sotw', 'delta'] as const)
    test(`a cluster that is new or different is followed by its endpoints, even if they are the same (${mode})`, () => {
      using harness = new TestHarness();
      harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
      const client = harness.connect({ mode });
      client.sync('cluster');
      client.sync('endpoints', { names: ['a', 'b'], subscribe: ['a', 'b'] });
      harness.view.set('cluster', 'a', '2');
      harness.flushChanges();
      const [cluster, endpoints, ...more] = client.received();
      assert.deepEqual(cluster?.resources, { a: '2' });
      assert.deepEqual(endpoints?.resources, { a: '1' }, 'only of the cluster that changed');
      assert.deepEqual(more, []);
    });

  test('with a wildcard on endpoints they follow as well', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('endpoints', 'a')));
    const client = harness.connect({ mode: 'delta' });
    client.sync('cluster');
    client.sync('endpoints', { subscribe: ['*'] });
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(types(client.received()), ['cluster', 'endpoints']);
  });

  test('a route that may need a cluster waits until the cluster is sent', () => {
    using harness = new TestHarness();
    const client = connected(harness);
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    const [cluster, endpoints] = client.received();
    assert.ok(cluster && endpoints);
    harness.view.change(edit => (edit.set('cluster', 'b'), edit.set('route', 'r', 'to b')));
    harness.flushChanges();
    assert.deepEqual(client.received(), [], 'the last clusters have not been answered');
    accept(client, cluster);
    assert.deepEqual(types(client.received()), ['cluster', 'route']);
  });

  test('a late response is consistent with debounced changes', () => {
    using harness = new TestHarness();
    const client = connected(harness);
    harness.view.set('route', 'r', '2');
    harness.flushChanges();
    const route = client.one();
    harness.view.set('route', 'r', '3');
    harness.flushChanges();
    harness.view.change(edit => (edit.set('cluster', 'b'), edit.set('route', 'r', 'to b')));
    accept(client, route);
    assert.deepEqual(
      client.received().map(({ resources }) => resources),
      [{ a: '1', b: '1' }, { r: 'to b' }],
    );
    harness.flushChanges();
    assert.deepEqual(client.received(), [], 'and is not told twice');
  });
});

for (const mode of ['sotw', 'delta'] as const)
  describe(`make before break (${mode})`, () => {
    /** A client with clusters a and b and a route. */
    function withRoute(harness: TestHarness): TestClient {
      harness.view.change(edit => {
        for (const name of ['a', 'b']) edit.set('cluster', name);
        edit.set('route', 'r', 'to b');
      });
      const client = harness.connect({ mode });
      client.sync('cluster');
      client.sync('route', { names: ['r'], subscribe: ['r'] });
      return client;
    }
    const gone = (response: TestResponse): string[] =>
      mode === 'delta' ? [...response.removed] : ['a', 'b'].filter(name => !(name in response.resources));

    test('a cluster is removed when the routes without it are acknowledged', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(edit => (edit.remove('cluster', 'b'), edit.set('route', 'r', 'to a')));
      harness.time.advance(5);
      const route = client.one();
      assert.equal(route.type, 'route');
      client.ack(route, ['r']);
      const cluster = client.one();
      assert.equal(cluster.type, 'cluster');
      assert.deepEqual(gone(cluster), ['b']);
      client.ack(cluster);
      harness.time.advance(10_000);
      assert.deepEqual(client.received(), []);
    });

    test('a cluster that replaces another is sent first, the other is removed last', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(
        edit => (edit.remove('cluster', 'b'), edit.set('cluster', 'c'), edit.set('route', 'r', 'to c')),
      );
      harness.time.advance(5);
      const [first, route, ...more] = client.received();
      assert.ok(first && route);
      assert.deepEqual([first.type, route.type, more], ['cluster', 'route', []]);
      assert.deepEqual(gone(first), []);
      assert.equal(first.resources.c, '1');
      client.ack(first);
      assert.deepEqual(client.received(), [], 'the route has not been accepted');
      client.ack(route, ['r']);
      const second = client.one();
      assert.deepEqual(gone(second), ['b']);
      if (mode === 'sotw') assert.notEqual(second.version, first.version);
      assert.equal(second.version, harness.view.version('cluster'));
    });

    test('a route that is not acknowledged retains a cluster for five seconds only', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(edit => (edit.remove('cluster', 'b'), edit.set('route', 'r', 'to a')));
      harness.time.advance(4_900);
      assert.equal(client.one().type, 'route');
      harness.time.advance(200);
      assert.deepEqual(gone(client.one()), ['b']);
      assert.equal(harness.time.pendingCount, 0);
    });

    test('a rejected route retains a cluster for the same time', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(edit => (edit.remove('cluster', 'b'), edit.set('route', 'r', 'bad')));
      harness.time.advance(5);
      client.nack(client.one(), ['r']);
      assert.deepEqual(client.received(), []);
      harness.time.advance(5_000);
      assert.deepEqual(gone(client.one()), ['b']);
    });

    test('a cluster that no route has changed for is removed at once', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.remove('cluster', 'b');
      harness.time.advance(5);
      assert.deepEqual(gone(client.one()), ['b']);
    });

    test('without routes a cluster is removed at once', () => {
      using harness = new TestHarness();
      harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('cluster', 'b'), edit.set('route', 'r')));
      const client = harness.connect({ mode });
      client.sync('cluster');
      harness.view.change(edit => (edit.remove('cluster', 'b'), edit.set('route', 'r', '2')));
      harness.time.advance(5);
      assert.deepEqual(gone(client.one()), ['b']);
    });

    test('a cluster that the next change removes is retained too, though its predecessor can be removed', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(
        edit => (edit.remove('cluster', 'b'), edit.set('cluster', 'c'), edit.set('route', 'r', 'to c')),
      );
      harness.time.advance(5);
      const [cluster, route] = client.received();
      assert.ok(cluster && route);
      harness.view.change(edit => (edit.remove('cluster', 'c'), edit.set('route', 'r', 'to a')));
      client.ack(cluster);
      assert.deepEqual(client.received(), []);
      client.ack(route, ['r']);
      const next = client.one();
      assert.deepEqual([next.type, next.resources], ['route', { r: 'to a' }], 'the client still has the route to c');
      client.ack(next, ['r']);
      const last = client.one();
      assert.equal(last.type, 'cluster');
      if (mode === 'delta') assert.deepEqual(last.removed.toSorted(), ['b', 'c']);
      else assert.deepEqual(last.resources, { a: '1' });
    });

    test('a cluster that is created again in time is not removed', () => {
      using harness = new TestHarness();
      const client = withRoute(harness);
      harness.view.change(edit => (edit.remove('cluster', 'b'), edit.set('route', 'r', 'to a')));
      harness.time.advance(5);
      const route = client.one();
      harness.view.change(edit => (edit.set('cluster', 'b', 'again'), edit.set('route', 'r', 'to b')));
      harness.flushChanges();
      const cluster = client.one();
      assert.deepEqual([gone(cluster), cluster.resources.b], [[], 'again']);
      client.ack(cluster);
      client.ack(route, ['r']);
      assert.deepEqual(client.one().resources, { r: 'to b' });
      harness.time.advance(10_000);
      assert.deepEqual(client.received(), []);
    });
  });
