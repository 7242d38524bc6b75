import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from './turns.ts';

describe('Turns', () => {
  it('let work under one key wait for what came before, and no other', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = turns.take('a', async () => {
      await gate.promise;
      done.push('first');
    });
    const second = turns.take('a', async () => void done.push('second'));
    await turns.take('b', async () => void done.push('other'));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(done, ['other', 'first', 'second']);
  });

  it('go on after a failure, which only its own caller hears of', async () => {
    const turns = new Turns();
    const failing = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('a', async () => 'yes');
    await assert.rejects(failing, /no/);
    assert.equal(await next, 'yes');
  });
});
