import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MetricsRegistry } from '@chandlery/platform';
import { typeUrls } from '../model/resource.ts';
import { TestHarness } from './test-client.ts';

const unknownUrl = 'type.googleapis.com/envoy.service.runtime.v3.Runtime';

describe('limits of a stream', () => {
  test('a type that there is not is ignored on an aggregated stream, and counted', async () => {
    const metrics = new MetricsRegistry();
    using harness = new TestHarness({ metrics });
    const client = harness.connect();
    client.askUrl(unknownUrl);
    assert.deepEqual([client.received(), client.port.error], [[], undefined]);
    assert.match(await metrics.render(), /chandlery_mesh_unknown_type_requests_total 1/);
  });

  test('an aggregated stream is ended by a request without a type', () => {
    using harness = new TestHarness();
    const client = harness.connect();
    client.askUrl('');
    assert.equal(client.port.error?.code, 'INVALID_ARGUMENT');
    assert.equal(harness.streams.count, 0);
  });

  test('a stream of one type need not name it, and is ended by another type', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a');
    for (const other of [typeUrls.cluster, unknownUrl]) {
      const client = harness.connect({ only: 'endpoints' });
      client.askUrl('', { names: ['a'] });
      assert.deepEqual(client.one().resources, { a: '1' });
      client.askUrl(other);
      assert.equal(client.port.error?.code, 'INVALID_ARGUMENT');
    }
  });

  for (const mode of ['sotw', 'delta'] as const) {
    const limits = { maxNames: 3, maxNameLength: 10 };
    const ask = (names: string[]) => ({ names, subscribe: names });

    test(`names of all types together are limited (${mode})`, () => {
      using harness = new TestHarness({ limits });
      const client = harness.connect({ mode });
      client.ask('endpoints', ask(['a', 'b']));
      client.ask('route', ask(['a']));
      assert.equal(harness.streams.count, 1);
      client.ask('secret', ask(['a']));
      assert.equal(client.port.error?.code, 'RESOURCE_EXHAUSTED');
    });

    test(`the length of names is limited (${mode})`, () => {
      using harness = new TestHarness({ limits });
      const client = harness.connect({ mode });
      client.ask('endpoints', ask(['a'.repeat(10)]));
      assert.equal(harness.streams.count, 1);
      client.ask('endpoints', ask(['a'.repeat(11)]));
      assert.equal(client.port.error?.code, 'INVALID_ARGUMENT');
    });
  }

  test('distinct names of all clients of a view are limited, and existing subscriptions are kept', () => {
    using harness = new TestHarness({ limits: { maxViewNames: 3 } });
    const [modest, greedy, late] = [harness.connect(), harness.connect(), harness.connect()];
    modest.ask('endpoints', { names: ['a', 'b'] });
    greedy.ask('endpoints', { names: ['c', 'd'] });
    assert.equal(greedy.port.error?.code, 'RESOURCE_EXHAUSTED');
    assert.equal(modest.port.error, undefined);
    late.ask('endpoints', { names: ['a', 'b', 'c'] });
    assert.equal(late.port.error, undefined, 'its room is free again');
  });

  test('names of all clients of a view together are limited, equal ones counting once', () => {
    using harness = new TestHarness({ limits: { maxViewSubscriptions: 3 } });
    const clients = Array.from({ length: 10 }, () => harness.connect());
    for (const client of clients) client.ask('endpoints', { names: ['a', 'b'] });
    assert.equal(harness.streams.count, 10);
    const greedy = harness.connect();
    greedy.ask('endpoints', { names: ['a', 'c'] });
    assert.equal(greedy.port.error?.code, 'RESOURCE_EXHAUSTED');
    assert.equal(harness.streams.count, 10);
  });

  test('the initial versions of a reconnected client are limited as well', () => {
    using harness = new TestHarness({ limits: { maxNames: 3 } });
    const client = harness.connect({ mode: 'delta' });
    client.ask('cluster', { initial: { a: '', b: '', c: '', d: '' } });
    assert.equal(client.port.error?.code, 'RESOURCE_EXHAUSTED');
  });

  test('a view that fails ends only the stream of the request', () => {
    using harness = new TestHarness();
    const [sick, well] = [harness.connect(), harness.connect()];
    harness.view.set('cluster', 'a');
    well.sync('cluster');
    const get = harness.view.get.bind(harness.view);
    harness.view.get = (type, name) => {
      if (name === 'broken') throw new Error('cannot compile');
      return get(type, name);
    };
    sick.ask('endpoints', { names: ['broken'] });
    assert.equal(sick.port.error?.code, 'INTERNAL');
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(well.one().resources, { a: '2' });
  });
});

describe('status', () => {
  test('shows what was sent, acknowledged and rejected, and when', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const client = harness.connect();
    const openedAt = harness.time.clock.now();
    harness.time.advance(1_000);
    const sentAt = harness.time.clock.now();
    const response = client.get('cluster');
    client.ask('route', { names: ['none'] });
    harness.time.advance(1_000);
    client.ack(response);
    const [status] = harness.streams.status();
    assert.deepEqual(
      [status?.proxy.nodeId, status?.mode, status?.only, status?.openedAt],
      ['proxy-1', 'sotw', undefined, openedAt],
    );
    const common = { isInFlight: false, hasMore: false };
    assert.deepEqual(status?.types, [
      {
        ...common,
        type: 'cluster',
        state: 'SYNCED',
        isWildcard: true,
        subscribedCount: 0,
        sentVersion: response.version,
        sentAt,
        ackedVersion: response.version,
        ackedAt: harness.time.clock.now(),
        counts: { sent: 1, acked: 1, refused: 0 },
      },
      {
        ...common,
        type: 'route',
        state: 'NOT_SENT',
        isWildcard: false,
        subscribedCount: 1,
        counts: { sent: 0, acked: 0, refused: 0 },
      },
    ]);
  });

  test('a response without an ACK for thirty seconds is stale', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const client = harness.connect();
    const response = client.get('cluster');
    const state = (): string | undefined => [...harness.streams.status()][0]?.types[0]?.state;
    harness.time.advance(29_000);
    assert.equal(state(), 'SYNCED');
    harness.time.advance(2_000);
    assert.equal(state(), 'STALE');
    client.ack(response);
    assert.equal(state(), 'SYNCED');
    assert.equal(client.port.error, undefined);
  });

  test('a client that reconnects with all its resources is in sync, although nothing is sent', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a');
    const version = harness.view.get('endpoints', 'a')?.version ?? '';
    const client = harness.connect({ mode: 'delta' });
    client.ask('endpoints', { subscribe: ['a'], initial: { a: version } });
    assert.deepEqual(client.received(), []);
    const [status] = harness.streams.status();
    assert.equal(status?.types[0]?.state, 'SYNCED');
    assert.deepEqual(status.resources('endpoints'), [{ name: 'a', version }]);
  });

  for (const mode of ['sotw', 'delta'] as const)
    test(`shows the resources that were sent to a client, with their versions (${mode})`, () => {
      using harness = new TestHarness();
      harness.view.change(edit => {
        for (const name of ['b', 'a']) for (const type of ['cluster', 'endpoints'] as const) edit.set(type, name);
      });
      const client = harness.connect({ mode });
      client.ask('cluster');
      client.ask('endpoints', { names: ['a', 'b', 'none'], subscribe: ['a', 'b', 'none'] });
      harness.view.set('endpoints', 'b', '2');
      harness.flushChanges();
      const version = harness.view.get('cluster', 'a')?.version;
      const [status] = harness.streams.status();
      assert.deepEqual(status?.resources('cluster'), [
        { name: 'a', version },
        { name: 'b', version },
      ]);
      assert.deepEqual(status.resources('endpoints'), [
        { name: 'a', version },
        { name: 'b', version: undefined },
      ]);
      assert.deepEqual(status.resources('secret'), []);
    });
});

test('the way from a change to its acceptance is measured by type, and what went wrong is counted', async () => {
  const metrics = new MetricsRegistry();
  using harness = new TestHarness({ metrics });
  harness.view.set('endpoints', 'a');
  const client = harness.connect();
  const first = client.sync('endpoints', { names: ['a'] });
  harness.view.set('endpoints', 'a', '2');
  harness.time.advance(15);
  harness.view.set('endpoints', 'a', '3');
  harness.time.advance(25);
  const second = client.one();
  client.ask('endpoints', { names: ['a'], nonce: first.nonce });
  harness.time.advance(160);
  client.ack(second, ['a']);
  client.ack(second, ['a']);
  harness.view.set('endpoints', 'a', '4');
  harness.flushChanges();
  client.nack(client.one(), ['a']);
  const text = await metrics.render();
  const label = 'type="endpoints"';
  assert.match(text, new RegExp(`chandlery_mesh_change_to_ack_seconds_count{${label}} 1\n`), 'not of the first answer');
  assert.match(
    text,
    new RegExp(`chandlery_mesh_change_to_ack_seconds_sum{${label}} 0.2\n`),
    'from the first change on',
  );
  assert.match(text, new RegExp(`chandlery_mesh_pushes_total{${label}} 3\n`));
  assert.match(text, new RegExp(`chandlery_mesh_nacks_total{${label}} 1\n`));
  assert.match(text, new RegExp(`chandlery_mesh_expired_nonces_total{${label}} 1\n`));
  assert.match(text, /chandlery_mesh_streams\{mode="sotw"\} 1\n/);
  assert.doesNotMatch(text, /proxy-1/);
});
