import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceType } from '../model/resource.ts';
import { type TestClient, TestHarness } from './test-client.ts';
import { testResource } from './test-view.ts';

const connect = (harness: TestHarness, dialect: 'envoy' | 'grpc' = 'envoy'): TestClient =>
  harness.connect({ mode: 'delta', dialect });

const setBoth = (harness: TestHarness, type: ResourceType, content = '1'): void =>
  harness.view.change(edit => (edit.set(type, 'a', content), edit.set(type, 'b', content)));

const version = (content: string): string => testResource('endpoints', '', content).version;

describe('incremental discovery', () => {
  test('the first request gets a response without a change, and each resource has its version', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    const response = client.get('endpoints', { subscribe: ['a'] });
    assert.deepEqual([response.resources, response.removed], [{ a: '1' }, []]);
    client.ack(response);
    assert.deepEqual(client.received(), []);
  });

  test('only changed and removed resources are sent', () => {
    using harness = new TestHarness();
    setBoth(harness, 'cluster');
    const client = connect(harness);
    client.sync('cluster');
    harness.view.change(edit => (edit.set('cluster', 'b', '2'), edit.remove('cluster', 'a')));
    harness.flushChanges();
    const response = client.one();
    assert.deepEqual([response.resources, response.removed], [{ b: '2' }, ['a']]);
  });

  test('a missing name is sent as removed, and sent when it is created', () => {
    using harness = new TestHarness();
    const client = connect(harness);
    const missing = client.sync('endpoints', { subscribe: ['late'] });
    assert.deepEqual([missing.resources, missing.removed], [{}, ['late']]);
    harness.view.set('endpoints', 'late');
    harness.flushChanges();
    const response = client.one();
    assert.deepEqual([response.resources, response.removed], [{ late: '1' }, []]);
  });

  test('a name that is subscribed to again is sent again', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    client.sync('endpoints', { subscribe: ['a', 'b'] });
    assert.deepEqual(client.get('endpoints', { subscribe: ['a'] }).resources, { a: '1' });
  });

  test('an unsubscribed name is not sent any longer, and unsubscribing needs no response', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    client.sync('endpoints', { subscribe: ['a', 'b'] });
    client.ask('endpoints', { unsubscribe: ['a', 'unknown'] });
    setBoth(harness, 'endpoints', '2');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { b: '2' });
  });

  test('a name that is unsubscribed while a wildcard covers it is sent', () => {
    using harness = new TestHarness();
    setBoth(harness, 'cluster');
    const client = connect(harness);
    client.sync('cluster', { subscribe: ['*', 'a', 'nobody'] });
    assert.deepEqual(client.sync('cluster', { unsubscribe: ['a'] }).resources, { a: '1' });
    assert.deepEqual(client.sync('cluster', { unsubscribe: ['nobody'] }).removed, ['nobody']);
    client.ask('cluster', { unsubscribe: ['b'] });
    assert.deepEqual(client.received(), [], 'it was never subscribed to by name');
  });

  test('a request with an old nonce still changes the subscription', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    const first = client.sync('endpoints', { subscribe: ['a'] });
    harness.view.set('endpoints', 'a', '2');
    harness.flushChanges();
    const second = client.one();
    client.ask('endpoints', { subscribe: ['b'], nonce: first.nonce });
    assert.deepEqual(client.received(), [], 'one response at a time');
    client.ack(second);
    assert.deepEqual(client.one().resources, { b: '1' });
  });

  test('resources that a reconnected client has are not sent again, removed ones are removed', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('cluster', 'b', '2'), edit.set('cluster', 'c')));
    const initial = { a: version('1'), b: version('1'), old: version('1') };
    const response = connect(harness).get('cluster', { initial });
    assert.deepEqual([response.resources, response.removed], [{ b: '2', c: '1' }, ['old']]);
  });

  test('with names too, and nothing is sent when all is the same', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    client.ask('endpoints', { subscribe: ['a'], initial: { a: version('1'), b: 'not subscribed to' } });
    assert.deepEqual(client.received(), []);
    harness.view.set('endpoints', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { a: '2' });
  });

  test('the first response to a wildcard is sent even if it is empty', () => {
    using harness = new TestHarness();
    const client = connect(harness);
    for (const type of ['cluster', 'listener'] as const) {
      const response = client.sync(type);
      assert.deepEqual([response.resources, response.removed], [{}, []]);
    }
  });

  test('an initially empty list is a wildcard until that is unsubscribed, also when names are added', () => {
    using harness = new TestHarness();
    setBoth(harness, 'cluster');
    const client = connect(harness);
    client.sync('cluster');
    client.sync('cluster', { subscribe: ['a'] });
    setBoth(harness, 'cluster', '2');
    harness.flushChanges();
    const all = client.one();
    assert.deepEqual(all.resources, { a: '2', b: '2' });
    client.ack(all);
    client.ask('cluster', { unsubscribe: ['*'] });
    assert.deepEqual(client.received(), []);
    setBoth(harness, 'cluster', '3');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { a: '3' });
  });

  test('naming nothing at first means nothing to other types and to gRPC libraries', () => {
    using harness = new TestHarness();
    setBoth(harness, 'cluster');
    setBoth(harness, 'endpoints');
    const [envoy, library] = [connect(harness), connect(harness, 'grpc')];
    envoy.ask('endpoints');
    library.ask('cluster');
    setBoth(harness, 'cluster', '2');
    setBoth(harness, 'endpoints', '2');
    harness.flushChanges();
    assert.deepEqual([envoy.received(), library.received()], [[], []]);
  });

  test('a NACK gets no response, the next change is sent', () => {
    using harness = new TestHarness();
    setBoth(harness, 'cluster');
    const client = connect(harness);
    client.nack(client.get('cluster'));
    assert.deepEqual(client.received(), []);
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { a: '2' });
  });

  test('names outlive a wildcard on endpoints and the other way round', () => {
    using harness = new TestHarness();
    setBoth(harness, 'endpoints');
    const client = connect(harness);
    client.sync('endpoints', { subscribe: ['a'] });
    assert.deepEqual(client.sync('endpoints', { subscribe: ['*'] }).resources, { a: '1', b: '1' });
    client.ask('endpoints', { unsubscribe: ['*'] });
    for (const response of client.received()) client.ack(response);
    setBoth(harness, 'endpoints', '2');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { a: '2' });
  });
});
