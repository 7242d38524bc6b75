import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LockTable } from './lock-table.ts';

const request = (holder: string, names: readonly string[], priority = 0) => ({
  kind: 'acquire' as const,
  holder,
  locks: names.map(name => ({ name, kind: name.startsWith('s') ? ('semaphore' as const) : ('mutex' as const) })),
  priority,
  requestedAt: 0,
  isHeld: false,
});
const granted = (holder: string) => ({ kind: 'lockGranted', holder });

test('a mutex has one holder, the next in line gets it', () => {
  const table = new LockTable(() => undefined);
  assert.deepEqual(table.acquire(request('a', ['m'])), [granted('a')]);
  const message = 'Waiting for m lock. Lock status: 0/1';
  assert.deepEqual(table.acquire(request('b', ['m'])), [{ kind: 'lockWaiting', holder: 'b', lock: 'm', message }]);
  table.acquire(request('c', ['m']));
  assert.deepEqual(table.release('a'), [granted('b')]);
  assert.deepEqual(table.release('c'), []);
  assert.deepEqual(table.release('b'), []);
});

test('a semaphore has as many holders as its limit says, and must exist', () => {
  const table = new LockTable(name => (name === 's2' ? 2 : undefined));
  const answers = ['a', 'b', 'c'].map(holder => table.acquire(request(holder, ['s2']))[0]?.kind);
  assert.deepEqual(answers, ['lockGranted', 'lockGranted', 'lockWaiting']);
  assert.equal(table.acquire(request('d', ['s3']))[0]?.kind, 'lockFailed');
});

test('all locks or none, and the first in line is not passed over', () => {
  const table = new LockTable(() => undefined);
  table.acquire(request('a', ['m']));
  assert.equal(table.acquire(request('b', ['m', 'n']))[0]?.kind, 'lockWaiting');
  assert.equal(table.acquire(request('c', ['n']))[0]?.kind, 'lockWaiting');
  assert.deepEqual(table.release('a'), [granted('b')]);
  assert.deepEqual(table.release('b'), [granted('c')]);
});

test('a higher priority comes first; asking again changes nothing; locks held before a restart are kept', () => {
  const table = new LockTable(() => undefined);
  assert.deepEqual(table.acquire({ ...request('a', ['m']), isHeld: true }), []);
  assert.ok(table.holds('a'));
  table.acquire(request('b', ['m']));
  table.acquire(request('c', ['m'], 5));
  table.acquire(request('b', ['m']));
  assert.deepEqual(table.acquire(request('a', ['m'])), [granted('a')]);
  assert.deepEqual(table.release('a'), [granted('c')]);
  assert.deepEqual(table.release('c'), [granted('b')]);
});

test('after a restart nothing is granted until all that is held has been requested again', () => {
  const table = new LockTable(() => undefined, { isRestoring: true });
  assert.equal(table.acquire(request('waiting', ['m']))[0]?.kind, 'lockWaiting');
  assert.equal(table.acquire(request('other', ['n']))[0]?.kind, 'lockWaiting');
  assert.deepEqual(table.acquire({ ...request('holder', ['m']), isHeld: true }), []);
  assert.deepEqual(table.refresh(), []);
  assert.deepEqual(table.finishRestore(), [granted('other')]);
  assert.deepEqual(table.release('holder'), [granted('waiting')]);
});
