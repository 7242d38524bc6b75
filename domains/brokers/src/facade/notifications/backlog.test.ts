import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Backlog } from './backlog.ts';

const mebibyte = 1024 * 1024;

suite('what waits for a consumer', () => {
  const start = () => {
    let now = 0;
    return { backlog: new Backlog(() => now), pass: (ms: number) => void (now += ms) };
  };

  test('may be much for a moment', () => {
    const { backlog, pass } = start();
    assert.equal(backlog.isTooMuch(15 * mebibyte, 100), false);
    pass(9999);
    assert.equal(backlog.isTooMuch(5 * mebibyte, 100), false);
    pass(1);
    assert.equal(backlog.isTooMuch(mebibyte, 100), false);
    pass(60_000);
    assert.equal(backlog.isTooMuch(5 * mebibyte, 100), false);
  });

  test('may not be much for long, and never be too much', () => {
    const { backlog, pass } = start();
    assert.equal(backlog.isTooMuch(5 * mebibyte, 100), false);
    pass(10_000);
    assert.equal(backlog.isTooMuch(5 * mebibyte, 100), true);
    assert.equal(start().backlog.isTooMuch(17 * mebibyte, 100), true);
  });

  test('may be all that was missed', () => {
    const { backlog, pass } = start();
    backlog.allowMissed(100 * mebibyte);
    assert.equal(backlog.isTooMuch(100 * mebibyte, 100), false);
    pass(60_000);
    assert.equal(backlog.isTooMuch(100 * mebibyte, 100), false);
    backlog.allowMissed(0);
    assert.equal(backlog.isTooMuch(100 * mebibyte, 100), true);
  });
});
