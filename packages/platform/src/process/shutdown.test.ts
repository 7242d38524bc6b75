import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { Shutdown } from './shutdown.ts';

test('what was started last is stopped first, once, and failures do not stop the stopping', async () => {
  const stopped: string[] = [];
  const shutdown = new Shutdown();
  shutdown.add('store', () => void stopped.push('store'));
  shutdown.add('broken', () => Promise.reject(new Error('no')));
  shutdown.use('controllers', { [Symbol.dispose]: () => void stopped.push('controllers') });
  shutdown.use('server', {
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
      stopped.push('server');
    },
  });
  assert.equal(shutdown.isStopping, false);
  const [first, second] = [shutdown.stop(), shutdown.stop()];
  assert.equal(shutdown.isStopping, true);
  assert.deepEqual([await first, await second], [false, false]);
  assert.deepEqual(stopped, ['server', 'controllers', 'store']);
});

test('it can be used with await using', async () => {
  let isStopped = false;
  {
    await using shutdown = new Shutdown();
    shutdown.add('it', () => {
      isStopped = true;
    });
  }
  assert.equal(isStopped, true);
});

/** Runs a process that listens for signals; `stop` is the body of its only stop step. */
async function runProcess(stop: string, options: { deadlineMs: number; repeatWithinMs?: number }) {
  const module = new URL('./shutdown.ts', import.meta.url).href;
  const script = `const { Shutdown } = await import(${JSON.stringify(module)});
    const shutdown = new Shutdown(${JSON.stringify(options)});
    shutdown.add('it', () => { console.log('stopping'); ${stop} });
    shutdown.listen(); setInterval(() => {}, 1000); console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  assert.ok(child.stdout);
  await once(child.stdout, 'data');
  return { child, stdout: child.stdout };
}

const endings: readonly {
  why: string;
  stop: string;
  deadlineMs: number;
  repeatWithinMs?: number;
  signal: NodeJS.Signals;
  again?: boolean;
  code: number;
}[] = [
  { why: 'SIGTERM drains and ends with 0', stop: '', deadlineMs: 60_000, signal: 'SIGTERM', code: 0 },
  { why: 'SIGINT drains and ends with 0', stop: '', deadlineMs: 60_000, signal: 'SIGINT', code: 0 },
  { why: 'a failing step ends with 1', stop: 'throw new Error("no")', deadlineMs: 60_000, signal: 'SIGTERM', code: 1 },
  {
    why: 'a hanging step is cut off',
    stop: 'return new Promise(() => {})',
    deadlineMs: 50,
    signal: 'SIGTERM',
    code: 1,
  },
  {
    why: 'a second signal ends at once',
    stop: 'return new Promise(() => {})',
    deadlineMs: 60_000,
    repeatWithinMs: 0,
    signal: 'SIGTERM',
    again: true,
    code: 143,
  },
  {
    why: 'the same signal twice at once, as npm sends it, still drains',
    stop: 'return new Promise(resolve => setTimeout(resolve, 100))',
    deadlineMs: 60_000,
    signal: 'SIGTERM',
    again: true,
    code: 0,
  },
];
for (const { why, stop, deadlineMs, repeatWithinMs = 1000, signal, again, code } of endings) {
  test(why, async () => {
    const { child, stdout } = await runProcess(stop, { deadlineMs, repeatWithinMs });
    const exited = once(child, 'exit');
    child.kill(signal);
    if (again) {
      await once(stdout, 'data');
      child.kill(signal);
    }
    assert.deepEqual(await exited, [code, null]);
  });
}
