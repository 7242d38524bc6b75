import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FeedEvent, FeedListener } from '@chandlery/kernel';
import { nextChange } from './next-change.ts';

const forEver = 1_000_000;

function waiting(isDestroyed = false) {
  const listeners = new Set<FeedListener>();
  const raw = Object.assign(new EventEmitter(), { destroyed: isDestroyed });
  const server = new AbortController();
  const listen = (_scope: object, listener: FeedListener): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const call = { kernel: { feed: { listen } }, home: 'shop', reply: { raw }, host: { stopping: server.signal } };
  const change = nextChange(call as unknown as Parameters<typeof nextChange>[0], new Set(['/events']));
  const write = (cluster: string, resource: string): void => {
    const event = { change: { key: { cluster, resource } } } as unknown as FeedEvent;
    for (const listener of listeners) void listener([event]);
  };
  return { change, write, raw, server, listeners };
}

test('a change of the cluster ends the waiting, whatever else changes', async () => {
  const { change, write, listeners } = waiting();
  write('other', '/configmaps');
  write('shop', '/events');
  let isOver = false;
  const over = change.within(forEver, 0).then(isAsked => {
    isOver = true;
    return isAsked;
  });
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(isOver, false);
  write('shop', '/configmaps');
  assert.equal(await over, true);
  change[Symbol.dispose]();
  assert.equal(listeners.size, 0);
});

test('a change before the waiting counts', async () => {
  const { change, write } = waiting();
  using _ = change;
  write('shop', '/configmaps');
  assert.equal(await change.within(forEver, 0), true);
});

test('the waiting ends when the client disconnects or the server stops, also during the pause', async () => {
  const gone = waiting();
  using _gone = gone.change;
  const left = gone.change.within(forEver, 0);
  gone.raw.emit('close');
  assert.equal(await left, false);
  const stopped = waiting();
  stopped.write('shop', '/configmaps');
  const cut = stopped.change.within(forEver, forEver);
  stopped.server.abort();
  assert.equal(await cut, false);
  stopped.change[Symbol.dispose]();
  assert.equal(stopped.listeners.size, 0);
});

test('the waiting ends at once when the client has disconnected before', async () => {
  const { change } = waiting(true);
  using _ = change;
  assert.equal(await change.within(forEver, forEver), false);
});
