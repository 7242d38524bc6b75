import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { reportProgress, shortWait } from './progress.ts';

/** Time that passes when the test says so, and what was written. */
function stage(t: TestContext, size: { readonly isTTY?: boolean; readonly columns?: number } = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const written: string[] = [];
  const output = { ...size, write: (text: string | Uint8Array) => written.push(String(text)) };
  return { written, output, pass: (ms: number) => t.mock.timers.tick(ms) };
}

test('a state is written when it changes, and again after a while', t => {
  const { written, output, pass } = stage(t);
  using report = reportProgress(output);
  report('accepted', '');
  report('accepted', '');
  pass(3000);
  report('preparing', 'no cluster yet');
  pass(14_000);
  assert.deepEqual(written, ['accepted (0 s)\n', 'preparing (3 s): no cluster yet\n']);
  pass(1000);
  assert.deepEqual(written.slice(2), ['preparing (18 s): no cluster yet\n']);
});

test('on a terminal the seconds of the last line go on in place, unless the line is wrapped', t => {
  const { written, output, pass } = stage(t, { isTTY: true, columns: 30 });
  using report = reportProgress(output);
  report('accepted', '');
  pass(1000);
  report('preparing', 'a reason that is too long for one line');
  pass(1000);
  assert.deepEqual(written, [
    'accepted (0 s)\n',
    '\u001b[1A\r\u001b[2Kaccepted (1 s)\n',
    'preparing (1 s): a reason that is too long for one line\n',
  ]);
});

test('a short wait is silent, a longer one says what it waits for, and nothing is written after the end', t => {
  const { written, output, pass } = stage(t);
  {
    using report = reportProgress(output, shortWait);
    report('waiting', 'one');
    report('waiting', 'two');
    pass(1000);
    assert.deepEqual(written, []);
    pass(1000);
    assert.deepEqual(written, ['waiting (2 s): two\n']);
  }
  pass(60_000);
  assert.equal(written.length, 1);
});
