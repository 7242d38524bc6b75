import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestHarness } from './test-client.ts';

describe('flow control', () => {
  test('while a response is in flight nothing more is sent; then the current state, once', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a', '0');
    const client = harness.connect();
    const first = client.get('endpoints', { names: ['a', 'b'] });
    for (let i = 1; i <= 20; i++) {
      harness.view.change(edit => (edit.set('endpoints', 'a', String(i)), edit.set('endpoints', 'b', String(i))));
      harness.flushChanges();
    }
    assert.deepEqual(client.received(), []);
    client.ack(first, ['a', 'b']);
    const next = client.one();
    assert.deepEqual(next.resources, { a: '20', b: '20' });
    client.ack(next, ['a', 'b']);
    assert.deepEqual(client.received(), []);
  });

  test('a change that was reverted to the last sent state is not sent', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a', '1'), edit.set('cluster', 'a', '1')));
    const client = harness.connect();
    const endpoints = client.get('endpoints', { names: ['a'] });
    const cluster = client.get('cluster');
    for (const content of ['2', '1']) {
      harness.view.change(edit => (edit.set('endpoints', 'a', content), edit.set('cluster', 'a', content)));
      harness.flushChanges();
    }
    client.received();
    client.ack(cluster);
    client.ack(endpoints, ['a']);
    // Its cluster was sent after its endpoints: these have to be sent again.
    assert.deepEqual(
      client.received().map(({ type }) => type),
      ['endpoints'],
    );
  });

  test('types do not wait for each other', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('secret', 's')));
    const client = harness.connect();
    client.get('endpoints', { names: ['a'] });
    assert.deepEqual(client.get('secret', { names: ['s'] }).resources, { s: '1' });
  });

  test('what is sent to a client that connects while changes are gathered is not sent twice', () => {
    using harness = new TestHarness();
    harness.connect().ask('endpoints', { names: ['a'] });
    harness.view.change(edit => (edit.set('endpoints', 'a', '2'), edit.set('cluster', 'a', '2')));
    const client = harness.connect();
    client.sync('cluster');
    client.sync('endpoints', { names: ['a'] });
    harness.flushChanges();
    assert.deepEqual(client.received(), []);
  });

  for (const mode of ['sotw', 'delta'] as const)
    test(`a client that does not acknowledge costs the same for any number of changes (${mode})`, () => {
      using harness = new TestHarness();
      harness.view.set('endpoints', 'x');
      const client = harness.connect({ mode });
      const cluster = client.get('cluster');
      client.get('endpoints', { names: ['x'], subscribe: ['x'] });
      for (let i = 0; i < 500; i++) {
        harness.view.change(edit => {
          for (const type of ['cluster', 'endpoints'] as const) {
            edit.set(type, `fleeting-${i}`);
            edit.remove(type, `fleeting-${i - 1}`);
          }
        });
        harness.flushChanges();
      }
      assert.deepEqual(client.received(), []);
      client.ack(cluster);
      const [next, ...more] = client.received();
      assert.deepEqual(next?.resources, { 'fleeting-499': '1' });
      assert.deepEqual([next?.removed, more], [[], []], 'what came and went in between is not even mentioned');
    });

  test('nothing is sent into a full transport, and everything when it has drained', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('listener', 'l')));
    const client = harness.connect();
    client.port.isFull = true;
    const cluster = client.get('cluster');
    client.ask('listener');
    client.ack(cluster);
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(client.received(), []);
    client.port.drain();
    assert.deepEqual(
      client.received().map(({ resources }) => resources),
      [{ a: '2' }, { l: '1' }],
    );
    harness.time.advance(100_000);
    assert.equal(client.port.error, undefined);
  });

  test('a transport that stays full for a minute ends the stream', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const client = harness.connect();
    client.port.isFull = true;
    client.get('cluster');
    harness.time.advance(59_000);
    assert.equal(harness.streams.count, 1);
    harness.time.advance(2_000);
    assert.equal(client.port.error?.code, 'RESOURCE_EXHAUSTED');
    assert.equal(harness.streams.count, 0);
    client.port.drain();
    assert.deepEqual(client.received(), []);
  });

  test('an idle stream has no timer, and the last one of a view leaves no state', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const clients = [harness.connect(), harness.connect({ mode: 'delta' })];
    for (const client of clients) client.sync('cluster');
    assert.equal(harness.time.pendingCount, 0);
    assert.equal(harness.view.listenerCount, 1, 'one for all streams of a view');
    harness.view.set('cluster', 'a', '2');
    for (const client of clients) client.close();
    assert.equal(harness.time.pendingCount, 0);
    assert.equal(harness.view.listenerCount, 0);
    assert.equal(harness.streams.count, 0);
    for (const client of clients) assert.deepEqual(client.received(), []);
  });

  test('a closed stream accepts no requests', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const client = harness.connect();
    client.close();
    client.close();
    client.ask('cluster');
    assert.deepEqual(client.received(), []);
    assert.equal(harness.streams.count, 0);
  });

  test('a very long push yields to the event loop', () => {
    const turns: (() => void)[] = [];
    using harness = new TestHarness({ nextTick: call => void turns.push(call) });
    harness.view.set('endpoints', 'a');
    const clients = Array.from({ length: 500 }, () => harness.connect());
    for (const client of clients) client.sync('endpoints', { names: ['a'] });
    harness.view.set('endpoints', 'a', '2');
    harness.flushChanges();
    const told = (): number => clients.filter(({ port }) => port.frames.length === 2).length;
    assert.equal(told(), 200);
    turns.shift()?.();
    assert.equal(told(), 400);
    turns.shift()?.();
    assert.equal(told(), 500);
    assert.equal(turns.length, 0);
    const frames = clients.map(({ port }) => port.frames[1]);
    assert.equal(new Set(frames).size, 1, 'all get the very same bytes');
  });
});
