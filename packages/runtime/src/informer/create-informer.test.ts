import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError, isError, type KubeObject } from '@chandlery/api';
import { TestTime } from '../queue/test-timers.ts';
import { createInformer } from './create-informer.ts';
import type { InformerOptions } from './informer.ts';
import {
  connectionFailed,
  expired,
  type InitialEventsSupport,
  settle,
  TestCollection,
  testRef,
} from './test-collection.ts';
import { TestListener } from './test-listener.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

function setUp(options: Partial<InformerOptions> = {}) {
  const server = new TestCollection();
  const time = new TestTime();
  const errors: string[] = [];
  const informer = createInformer({
    client: server.client,
    ref: testRef,
    clock: time.clock,
    timers: time,
    random: () => 0,
    onError: error => void errors.push(error.code),
    ...options,
  });
  const listener = new TestListener();
  informer.listen(listener);
  const names = (): string[] => informer.list().map(({ metadata }) => metadata.name ?? '');
  return { server, time, errors, informer, listener, names };
}

const support: readonly InitialEventsSupport[] = ['yes', 'refuses'];

for (const how of support) {
  test(`an informer has what is there and follows what happens (server supports initial events: ${how})`, async () => {
    const { server, informer, listener } = setUp({ pageSize: 2 });
    await using _ = informer;
    server.support = how;
    for (const name of ['a', 'b', 'c', 'd', 'e']) server.put(name, { v: '1' });
    assert.equal(informer.isSynced, false);
    informer.start();
    await informer.synced;
    assert.equal(informer.size, 5);
    assert.deepEqual(
      informer.list().map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
      Array(5).fill('v1 ConfigMap'),
    );
    server.put('f');
    server.put('a', { v: '2' });
    server.delete('b');
    await settle();
    assert.deepEqual(listener.received.slice(5), ['added f', 'updated a', 'deleted b']);
    assert.deepEqual(informer.get('default', 'a')?.['data'], { v: '2' });
    assert.equal(informer.get('default', 'b'), undefined);
    assert.equal(informer.lastSyncResourceVersion, '108');
  });
}

test('a server that ignores the request for initial events is listed after a while', async () => {
  const { server, time, errors, informer, names } = setUp();
  await using _ = informer;
  server.support = 'overlooks';
  server.put('a');
  informer.start();
  await settle();
  assert.equal(informer.isSynced, false);
  time.advance(10_000);
  await settle();
  assert.deepEqual(names(), ['a']);
  assert.deepEqual(errors, ['WatchIdle']);
});

test('a server whose storage is too old for initial events is listed at once', async () => {
  const { server, errors, informer, names } = setUp();
  await using _ = informer;
  server.put('a');
  server.failNext('watch', apiError('InternalError', 'the required storage feature RequestWatchProgress is disabled'));
  informer.start();
  await settle();
  assert.deepEqual([names(), errors], [['a'], []]);
  assert.equal(server.calls.lists, 1);
});

test('after a cut the informer resumes from where it was, without a list', async () => {
  const { server, time, errors, informer, listener } = setUp({ hasInitialEvents: false });
  await using _ = informer;
  server.put('a');
  informer.start();
  await informer.synced;
  await settle();
  server.cut(connectionFailed());
  await settle();
  server.put('b');
  server.delete('a');
  time.advance(200);
  await settle();
  assert.deepEqual(listener.received, ['added a', 'added b', 'deleted a']);
  assert.deepEqual(server.calls, { lists: 1, watches: 2 });
  assert.deepEqual(errors, ['ConnectionFailed']);
});

test('bookmarks move the point to resume from, so that compacted history is no loss', async () => {
  const { server, time, errors, informer, names } = setUp();
  await using _ = informer;
  informer.start();
  await informer.synced;
  server.put('a');
  server.delete('a');
  server.bookmark();
  await settle();
  server.compact();
  server.cut(connectionFailed());
  await settle();
  time.advance(200);
  server.put('b');
  await settle();
  assert.deepEqual([names(), errors], [['b'], ['ConnectionFailed']]);
});

for (const how of support) {
  test(`when history is compacted the informer delivers what it missed (initial events: ${how})`, async () => {
    const { server, time, errors, informer, listener } = setUp();
    await using _ = informer;
    server.support = how;
    for (const name of ['same', 'changed', 'gone', 'replaced']) server.put(name);
    informer.start();
    await informer.synced;
    await settle();
    server.cut(connectionFailed());
    await settle();
    server.put('changed', { v: '2' });
    server.delete('gone');
    server.delete('replaced');
    server.put('replaced');
    server.put('new');
    server.compact();
    for (let i = 0; i < 3; i++) {
      time.advance(400);
      await settle();
    }
    assert.deepEqual(errors, ['ConnectionFailed', 'Expired']);
    assert.deepEqual(listener.received.slice(4), [
      'deleted gone?',
      'updated changed',
      'deleted replaced?',
      'added replaced',
      'added new',
    ]);
    assert.deepEqual(informer.list(), [...listener.objects.values()]);
  });
}

test('a watch that falls silent is reopened', async () => {
  const { server, time, errors, informer, names } = setUp({ idleMs: 60_000 });
  await using _ = informer;
  informer.start();
  await informer.synced;
  server.stall();
  server.put('a');
  await settle();
  assert.deepEqual(names(), []);
  time.advance(60_000);
  await settle();
  assert.deepEqual([names(), errors], [['a'], ['WatchIdle']]);
});

test('a watch with bookmarks is not silent', async () => {
  const { server, time, informer } = setUp({ idleMs: 60_000 });
  await using _ = informer;
  informer.start();
  await informer.synced;
  for (let i = 0; i < 10; i++) {
    time.advance(50_000);
    server.bookmark();
    await settle();
  }
  assert.equal(server.calls.watches, 1);
});

test('a list whose pages expire is read again in one piece', async () => {
  const { server, informer, names, errors } = setUp({ pageSize: 1, hasInitialEvents: false });
  await using _ = informer;
  server.put('a');
  server.put('b');
  server.failNext('list', expired());
  informer.start();
  await informer.synced;
  assert.deepEqual(names(), ['a', 'b']);
  assert.deepEqual([server.calls.lists, errors], [2, []]);
});

test('failures are waited out for longer and longer', async () => {
  const { server, time, errors, informer } = setUp({ hasInitialEvents: false });
  await using _ = informer;
  for (let i = 0; i < 4; i++) server.failNext('list', connectionFailed());
  informer.start();
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    await settle();
    const before = time.nowMs;
    time.advanceToNext();
    waits.push(time.nowMs - before);
  }
  await informer.synced;
  assert.deepEqual(waits, [200, 400, 800, 1600]);
  assert.equal(errors.length, 4);
});

test('a server that rejects a resumption is listed again', async () => {
  const { server, time, informer, names } = setUp();
  await using _ = informer;
  informer.start();
  await informer.synced;
  for (let i = 0; i < 3; i++) server.failNext('watch', apiError('Timeout', 'too large resource version'));
  server.cut();
  server.put('a');
  for (let i = 0; i < 5; i++) {
    await settle();
    time.advance(5000);
  }
  await settle();
  assert.deepEqual(names(), ['a']);
});

test('events that come twice or late change nothing', async () => {
  const { server, informer, listener } = setUp();
  await using _ = informer;
  informer.start();
  await informer.synced;
  server.put('a');
  server.put('a', { v: '2' });
  server.put('b');
  server.delete('b');
  server.repeat(4);
  await settle();
  assert.deepEqual(listener.received, ['added a', 'updated a', 'added b', 'deleted b']);
});

test('a late listener gets all present objects, and nothing after it is removed', async () => {
  const { server, informer } = setUp();
  await using _ = informer;
  server.put('a');
  informer.start();
  await informer.synced;
  const late = new TestListener();
  const leave = informer.listen(late);
  server.put('b');
  await settle();
  leave();
  server.put('c');
  await settle();
  assert.deepEqual(late.received, ['added a', 'added b']);
});

test('a listener that throws does not affect other listeners', async () => {
  const server = new TestCollection();
  const errors: string[] = [];
  await using informer = createInformer({
    client: server.client,
    ref: testRef,
    onError: ({ message }) => void errors.push(message),
  });
  informer.listen({
    added() {
      throw new TypeError('broken listener');
    },
  });
  const listener = new TestListener();
  informer.listen(listener);
  server.put('a');
  informer.start();
  await informer.synced;
  assert.deepEqual([listener.received, errors], [['added a'], ['broken listener']]);
});

test('objects are found by namespace and by the indexes that were declared', async () => {
  const colorsOf = (object: KubeObject): string[] => Object.keys(object['data'] as object);
  const { server, informer } = setUp({ indexes: { color: colorsOf } });
  await using _ = informer;
  server.put('a', { red: '1', blue: '1' });
  server.put('b', { red: '1' }, 'other');
  informer.start();
  await informer.synced;
  informer.addIndex('name', ({ metadata }) => [metadata.name ?? '']);
  const found = (objects: readonly KubeObject[]): string => objects.map(({ metadata }) => metadata.name).join(' ');
  assert.equal(found(informer.byIndex('color', 'red')), 'a b');
  assert.equal(found(informer.list('other')), 'b');
  server.put('a', { green: '1' });
  server.delete('b', 'other');
  await settle();
  const answers = ['red', 'blue', 'green'].map(color => found(informer.byIndex('color', color)));
  assert.deepEqual(answers, ['', '', 'a']);
  assert.equal(found(informer.byIndex('name', 'a')), 'a');
  assert.equal(found(informer.list('other')), '');
  assert.throws(
    () => informer.byIndex('shape', 'round'),
    error => isError(error, 'UnknownIndex'),
  );
  informer.addIndex('color', colorsOf);
  assert.throws(
    () => informer.addIndex('color', () => []),
    error => isError(error, 'IndexConflict'),
  );
});

test('objects are frozen all the way down, and a transform decides what is kept of them', async () => {
  const { server, informer } = setUp({ transform: withoutManagedFields });
  await using _ = informer;
  server.put('a', { v: '1' });
  informer.start();
  await informer.synced;
  const object = informer.get('default', 'a');
  assert.ok(object);
  assert.equal(object.metadata.managedFields, undefined);
  assert.throws(() => {
    (object['data'] as Record<string, string>)['v'] = '2';
  }, TypeError);
});

test('an informer that is stopped while it lists lets go at once', async () => {
  const { server, time, informer, listener } = setUp({ hasInitialEvents: false });
  server.put('a');
  informer.start();
  const stopped = informer.stop();
  await assert.rejects(informer.synced, error => isError(error, 'Stopped'));
  await stopped;
  assert.deepEqual([listener.received, server.openWatches, time.pending], [[], 0, 0]);
  assert.throws(
    () => informer.start(),
    error => isError(error, 'Stopped'),
  );
});

test('an informer that is stopped while it waits or watches leaves nothing behind', async () => {
  for (const trouble of [() => {}, (server: TestCollection) => server.cut(connectionFailed())]) {
    const { server, time, informer } = setUp();
    informer.start();
    await informer.synced;
    trouble(server);
    await settle();
    await informer.stop();
    assert.deepEqual([server.openWatches, time.pending], [0, 0]);
  }
});
