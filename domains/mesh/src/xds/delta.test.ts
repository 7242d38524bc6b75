import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResourceType } from '../model/resource.ts';
import { type TestClient, TestWorld } from './test-client.ts';
import { testResource } from './test-view.ts';

const connect = (world: TestWorld, dialect: 'envoy' | 'grpc' = 'envoy'): TestClient =>
  world.connect({ mode: 'delta', dialect });

const setBoth = (world: TestWorld, type: ResourceType, content = '1'): void =>
  world.view.change(edit => (edit.set(type, 'a', content), edit.set(type, 'b', content)));

const version = (content: string): string => testResource('endpoints', '', content).version;

describe('incremental discovery', () => {
  test('the first request is answered without a change, and each resource has its version', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    const response = client.get('endpoints', { subscribe: ['a'] });
    assert.deepEqual([response.resources, response.removed], [{ a: '1' }, []]);
    client.ack(response);
    assert.deepEqual(client.received(), []);
  });

  test('only what is different is told, and what is gone', () => {
    using world = new TestWorld();
    setBoth(world, 'cluster');
    const client = connect(world);
    client.sync('cluster');
    world.view.change(edit => (edit.set('cluster', 'b', '2'), edit.remove('cluster', 'a')));
    world.settle();
    const response = client.one();
    assert.deepEqual([response.resources, response.removed], [{ b: '2' }, ['a']]);
  });

  test('a name that does not exist is answered as removed, and told when it appears', () => {
    using world = new TestWorld();
    const client = connect(world);
    const missing = client.sync('endpoints', { subscribe: ['late'] });
    assert.deepEqual([missing.resources, missing.removed], [{}, ['late']]);
    world.view.set('endpoints', 'late');
    world.settle();
    const response = client.one();
    assert.deepEqual([response.resources, response.removed], [{ late: '1' }, []]);
  });

  test('a name that is subscribed to again is sent again', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    client.sync('endpoints', { subscribe: ['a', 'b'] });
    assert.deepEqual(client.get('endpoints', { subscribe: ['a'] }).resources, { a: '1' });
  });

  test('a name that is left is not told any longer, and leaving needs no answer', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    client.sync('endpoints', { subscribe: ['a', 'b'] });
    client.ask('endpoints', { unsubscribe: ['a', 'unknown'] });
    setBoth(world, 'endpoints', '2');
    world.settle();
    assert.deepEqual(client.one().resources, { b: '2' });
  });

  test('a name that is left while a wildcard covers it is answered with what there is', () => {
    using world = new TestWorld();
    setBoth(world, 'cluster');
    const client = connect(world);
    client.sync('cluster', { subscribe: ['*', 'a', 'nobody'] });
    assert.deepEqual(client.sync('cluster', { unsubscribe: ['a'] }).resources, { a: '1' });
    assert.deepEqual(client.sync('cluster', { unsubscribe: ['nobody'] }).removed, ['nobody']);
    client.ask('cluster', { unsubscribe: ['b'] });
    assert.deepEqual(client.received(), [], 'it was never subscribed to by name');
  });

  test('a request with an old nonce still changes the subscription', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    const first = client.sync('endpoints', { subscribe: ['a'] });
    world.view.set('endpoints', 'a', '2');
    world.settle();
    const second = client.one();
    client.ask('endpoints', { subscribe: ['b'], nonce: first.nonce });
    assert.deepEqual(client.received(), [], 'one response at a time');
    client.ack(second);
    assert.deepEqual(client.one().resources, { b: '1' });
  });

  test('what a reconnected client has is not sent again, what is gone is taken from it', () => {
    using world = new TestWorld();
    world.view.change(edit => (edit.set('cluster', 'a'), edit.set('cluster', 'b', '2'), edit.set('cluster', 'c')));
    const initial = { a: version('1'), b: version('1'), old: version('1') };
    const response = connect(world).get('cluster', { initial });
    assert.deepEqual([response.resources, response.removed], [{ b: '2', c: '1' }, ['old']]);
  });

  test('with names too, and nothing is sent when all is the same', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    client.ask('endpoints', { subscribe: ['a'], initial: { a: version('1'), b: 'not subscribed to' } });
    assert.deepEqual(client.received(), []);
    world.view.set('endpoints', 'a', '2');
    world.settle();
    assert.deepEqual(client.one().resources, { a: '2' });
  });

  test('the first answer to a wildcard comes even if it is empty', () => {
    using world = new TestWorld();
    const client = connect(world);
    for (const type of ['cluster', 'listener'] as const) {
      const response = client.sync(type);
      assert.deepEqual([response.resources, response.removed], [{}, []]);
    }
  });

  test('nothing named at first means everything until the wildcard is left, also when names are added', () => {
    using world = new TestWorld();
    setBoth(world, 'cluster');
    const client = connect(world);
    client.sync('cluster');
    client.sync('cluster', { subscribe: ['a'] });
    setBoth(world, 'cluster', '2');
    world.settle();
    const all = client.one();
    assert.deepEqual(all.resources, { a: '2', b: '2' });
    client.ack(all);
    client.ask('cluster', { unsubscribe: ['*'] });
    assert.deepEqual(client.received(), []);
    setBoth(world, 'cluster', '3');
    world.settle();
    assert.deepEqual(client.one().resources, { a: '3' });
  });

  test('naming nothing at first means nothing to other types and to gRPC libraries', () => {
    using world = new TestWorld();
    setBoth(world, 'cluster');
    setBoth(world, 'endpoints');
    const [envoy, library] = [connect(world), connect(world, 'grpc')];
    envoy.ask('endpoints');
    library.ask('cluster');
    setBoth(world, 'cluster', '2');
    setBoth(world, 'endpoints', '2');
    world.settle();
    assert.deepEqual([envoy.received(), library.received()], [[], []]);
  });

  test('a refusal is not answered, the next change is told', () => {
    using world = new TestWorld();
    setBoth(world, 'cluster');
    const client = connect(world);
    client.nack(client.get('cluster'));
    assert.deepEqual(client.received(), []);
    world.view.set('cluster', 'a', '2');
    world.settle();
    assert.deepEqual(client.one().resources, { a: '2' });
  });

  test('names outlive a wildcard on endpoints and the other way round', () => {
    using world = new TestWorld();
    setBoth(world, 'endpoints');
    const client = connect(world);
    client.sync('endpoints', { subscribe: ['a'] });
    assert.deepEqual(client.sync('endpoints', { subscribe: ['*'] }).resources, { a: '1', b: '1' });
    client.ask('endpoints', { unsubscribe: ['*'] });
    for (const response of client.received()) client.ack(response);
    setBoth(world, 'endpoints', '2');
    world.settle();
    assert.deepEqual(client.one().resources, { a: '2' });
  });
});
