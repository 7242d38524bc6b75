import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestHarness } from './test-client.ts';

describe('state of the world', () => {
  test('the first request gets a response without a change', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a', 'A');
    const response = harness.connect().get('endpoints', { names: ['a'] });
    assert.deepEqual(response.resources, { a: 'A' });
    assert.equal(response.version, harness.view.version('endpoints'));
    assert.notEqual(response.nonce, '');
  });

  test('an acknowledgement gets no response', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a');
    const client = harness.connect();
    client.sync('endpoints', { names: ['a'] });
    harness.flushChanges();
    assert.deepEqual(client.received(), []);
  });

  test('a NACK gets no response, the next change is sent, and its ACK clears the error', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a', 'bad');
    const client = harness.connect();
    client.nack(client.get('endpoints', { names: ['a'] }), ['a'], 'priority 2 but not 1');
    assert.deepEqual(client.received(), []);
    const [refused] = [...harness.streams.status()][0]?.types ?? [];
    assert.equal(refused?.state, 'ERROR');
    assert.equal(refused.error?.message, 'priority 2 but not 1');
    assert.equal(refused.ackedVersion, undefined);

    harness.view.set('endpoints', 'a', 'good');
    harness.flushChanges();
    const next = client.one();
    assert.deepEqual(next.resources, { a: 'good' });
    client.ack(next, ['a']);
    const [accepted] = [...harness.streams.status()][0]?.types ?? [];
    assert.equal(accepted?.state, 'SYNCED');
    assert.equal(accepted.error, undefined);
    assert.equal(accepted.ackedVersion, next.version);
    assert.deepEqual(accepted.counts, { sent: 2, acked: 1, refused: 1 });
  });

  test('the return to the state before a NACK is sent', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a', 'good');
    const client = harness.connect();
    client.sync('cluster');
    harness.view.set('cluster', 'a', 'bad');
    harness.flushChanges();
    client.nack(client.one());
    harness.view.set('cluster', 'a', 'good');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { a: 'good' });
  });

  test('a request with an old nonce is ignored', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
    const client = harness.connect();
    const first = client.sync('endpoints', { names: ['a'] });
    harness.view.set('endpoints', 'a', '2');
    harness.flushChanges();
    const second = client.one();
    client.ask('endpoints', { names: ['a', 'b'], nonce: first.nonce });
    assert.deepEqual(client.received(), []);
    client.ack(second, ['a', 'b']);
    assert.deepEqual(client.one().resources, { b: '1' });
  });

  test('names with an empty nonce too early are kept', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
    const client = harness.connect();
    const first = client.get('endpoints', { names: ['a'] });
    client.ask('endpoints', { names: ['b'] });
    assert.deepEqual(client.received(), [], 'the first has not been answered');
    client.ack(first, ['a', 'b']);
    assert.deepEqual(client.one().resources, { b: '1' });
  });

  test('an added name is sent at the same version', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
    const client = harness.connect();
    const first = client.sync('endpoints', { names: ['a'] });
    const second = client.get('endpoints', { names: ['a', 'b'], nonce: first.nonce, version: first.version });
    assert.deepEqual(second.resources, { b: '1' });
    assert.equal(second.version, first.version);
    assert.notEqual(second.nonce, first.nonce);
  });

  test('a name that was unsubscribed and is subscribed again is sent again', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
    const client = harness.connect();
    const first = client.sync('endpoints', { names: ['a', 'b'] });
    client.ask('endpoints', { names: ['a'], nonce: first.nonce });
    assert.deepEqual(client.received(), [], 'leaving a name needs no answer');
    const again = client.get('endpoints', { names: ['a', 'b'], nonce: first.nonce });
    assert.deepEqual(again.resources, { b: '1' });
  });

  test('the same response twice in a row has another nonce the second time', () => {
    using harness = new TestHarness();
    harness.view.set('endpoints', 'a');
    const client = harness.connect();
    const first = client.sync('endpoints', { names: ['a'] });
    client.ask('endpoints', { nonce: first.nonce });
    const again = client.get('endpoints', { names: ['a'], nonce: first.nonce });
    assert.deepEqual(again.resources, first.resources);
    assert.notEqual(again.nonce, first.nonce);
  });

  test('nothing named means everything, until something has been named', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('cluster', 'A'), edit.set('cluster', 'B')));
    const client = harness.connect();
    const everything = { A: '1', B: '1' };
    let { nonce } = client.sync('cluster');
    const steps = [
      { names: ['*', 'A'], answer: everything, then: { A: '2', B: '2' } },
      { names: ['A'], answer: undefined, then: { A: '3' } },
      { names: [], answer: undefined, then: undefined },
    ];
    for (const [index, { names, answer, then }] of steps.entries()) {
      client.ask('cluster', { names, nonce });
      if (answer === undefined) assert.deepEqual(client.received(), []);
      else {
        const response = client.one();
        assert.deepEqual(response.resources, answer);
        client.ack(response, names);
        nonce = response.nonce;
      }
      const content = String(index + 2);
      harness.view.change(edit => (edit.set('cluster', 'A', content), edit.set('cluster', 'B', content)));
      harness.flushChanges();
      const [told] = client.received();
      assert.deepEqual(told?.resources, then, `after ${JSON.stringify(names)}`);
      if (told) client.ack(told, names);
      nonce = told?.nonce ?? nonce;
    }
  });

  test('a gRPC library that names nothing gets nothing', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('cluster', 'a'), edit.set('listener', 'l')));
    const client = harness.connect({ dialect: 'grpc' });
    client.ask('cluster');
    client.ask('listener');
    harness.view.set('cluster', 'a', '2');
    harness.flushChanges();
    assert.deepEqual(client.received(), []);
  });

  for (const type of ['endpoints', 'route', 'secret'] as const)
    test(`naming no ${type} at first means nothing`, () => {
      using harness = new TestHarness();
      harness.view.set(type, 'a');
      const client = harness.connect();
      client.ask(type);
      harness.view.set(type, 'a', '2');
      harness.flushChanges();
      assert.deepEqual(client.received(), []);
    });

  for (const type of ['cluster', 'listener'] as const)
    test(`each ${type} response is complete, and a removal removes only the deleted one`, () => {
      using harness = new TestHarness();
      harness.view.change(edit => (edit.set(type, 'b'), edit.set(type, 'a'), edit.set(type, 'c')));
      const client = harness.connect();
      client.sync(type);
      harness.view.set(type, 'b', '2');
      harness.flushChanges();
      const changed = client.one();
      assert.deepEqual(changed.resources, { a: '1', b: '2', c: '1' });
      client.ack(changed);
      harness.view.remove(type, 'a');
      harness.flushChanges();
      assert.deepEqual(client.one().resources, { b: '2', c: '1' });
    });

  test('the removal of the last cluster is an empty response', () => {
    using harness = new TestHarness();
    harness.view.set('cluster', 'a');
    const client = harness.connect();
    client.sync('cluster');
    harness.view.remove('cluster', 'a');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, {});
  });

  test('a missing listener gets an empty set immediately', () => {
    using harness = new TestHarness();
    const client = harness.connect({ dialect: 'grpc' });
    assert.deepEqual(client.get('listener', { names: ['nobody'] }).resources, {});
  });

  for (const type of ['endpoints', 'route', 'secret'] as const)
    test(`${type} responses contain only changes and are never empty`, () => {
      using harness = new TestHarness();
      harness.view.change(edit => (edit.set(type, 'a'), edit.set(type, 'b')));
      const client = harness.connect();
      const names = ['a', 'b', 'late'];
      client.sync(type, { names });
      harness.view.set(type, 'b', '2');
      harness.flushChanges();
      const changed = client.one();
      assert.deepEqual(changed.resources, { b: '2' });
      client.ack(changed, names);
      harness.view.remove(type, 'a');
      harness.view.set(type, 'unasked');
      harness.flushChanges();
      assert.deepEqual(client.received(), []);
      harness.view.set(type, 'late');
      harness.flushChanges();
      assert.deepEqual(client.one().resources, { late: '1' });
    });

  test('a wildcard on endpoints gets all there are, then what is different', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('endpoints', 'b')));
    const client = harness.connect();
    assert.deepEqual(client.sync('endpoints', { names: ['*'] }).resources, { a: '1', b: '1' });
    harness.view.set('endpoints', 'c');
    harness.flushChanges();
    assert.deepEqual(client.one().resources, { c: '1' });
  });

  test('a reconnected client gets a response, for any version that it claims', () => {
    using harness = new TestHarness();
    harness.view.change(edit => (edit.set('endpoints', 'a'), edit.set('cluster', 'a')));
    const before = harness.connect();
    const { version } = before.sync('endpoints', { names: ['a'] });
    before.close();
    const client = harness.connect();
    assert.deepEqual(client.get('endpoints', { names: ['a'], version }).resources, { a: '1' });
    assert.deepEqual(client.get('cluster', { version: harness.view.version('cluster') }).resources, { a: '1' });
    const remembers = harness.connect();
    assert.deepEqual(remembers.get('endpoints', { names: ['a'], version, nonce: 'of-old' }).resources, { a: '1' });
  });

  test('a restarted server never mistakes an old version for the current one', () => {
    const versions = ['one', 'two'].map(content => {
      using harness = new TestHarness();
      harness.view.set('cluster', 'a', content);
      return harness.connect().get('cluster').version;
    });
    assert.notEqual(versions[0], versions[1]);
  });

  test('two servers that know the same write the same bytes', () => {
    const messages = ['ab', 'ba'].map(order => {
      using harness = new TestHarness();
      for (const name of order) harness.view.set('cluster', name, name);
      const client = harness.connect();
      client.ask('cluster');
      return client.port.frames;
    });
    assert.deepEqual(messages[0], messages[1]);
  });
});
