import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from './emitter.ts';

test('all listeners are called in order, also when one throws', () => {
  const failures: unknown[] = [];
  const emitter = new Emitter<[number]>(thrown => failures.push(thrown));
  const calls: string[] = [];
  emitter.add(value => calls.push(`a${value}`));
  emitter.add(() => {
    throw new Error('no');
  });
  emitter.add(value => calls.push(`b${value}`));
  emitter.emit(1);
  assert.deepEqual(calls, ['a1', 'b1']);
  assert.match(String(failures), /no/);
});

test('a listener that is added twice is called twice and removed once', () => {
  const emitter = new Emitter<[]>();
  let calls = 0;
  const listener = (): void => void calls++;
  const remove = emitter.add(listener);
  emitter.add(listener);
  emitter.emit();
  remove();
  emitter.emit();
  assert.equal(calls, 3);
});

test('during a round, removed listeners are skipped and added ones wait for the next round', () => {
  const emitter = new Emitter<[]>();
  const calls: string[] = [];
  emitter.add(() => {
    removeSecond();
    emitter.add(() => calls.push('added'));
  });
  const removeSecond = emitter.add(() => calls.push('removed'));
  emitter.emit();
  assert.deepEqual(calls, []);
  emitter.emit();
  assert.deepEqual(calls, ['added']);
});
