import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startProcess } from './processes.ts';
import { runProcess } from './run-process.ts';
import { tempFolder } from './temp-folder.ts';
import { eventually } from './wait-for.ts';

const sh = (script: string): [string, string[]] => ['/bin/sh', ['-c', script]];

/** A killed process stays listed as a zombie until its parent reaps it; that counts as ended. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await runProcess('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

test('a process is ready when its output says so, and stops when asked', async () => {
  const script = 'trap "echo bye; exit 7" TERM; echo up on 1234; while :; do sleep 0.05; done';
  await using running = await startProcess(...sh(script), { ready: /up on \d+/ });
  assert.match(running.stdout(), /up on 1234/);
  assert.deepEqual(await running.stop(), { code: 7, signal: null });
  assert.match(running.output(), /bye/);
});

test('one that ends before it is ready is an error with its output', async () => {
  await assert.rejects(startProcess(...sh('echo port taken >&2; exit 3'), { ready: /up/ }), /code 3 .*[^]*port taken/);
});

test('one that does not exist is an error', async () => {
  await assert.rejects(startProcess('/no/such/program', []), { code: 'CannotStart' });
  await assert.rejects(runProcess('/no/such/program', []), { code: 'CannotStart' });
});

test('one that ignores SIGTERM is killed', async () => {
  await using running = await startProcess(...sh('trap "" TERM; echo up; while :; do sleep 0.05; done'), {
    ready: /up/,
  });
  assert.deepEqual(await running.stop(100), { code: null, signal: 'SIGKILL' });
});

test('kill9 takes the children along', async () => {
  const running = await startProcess(...sh('sleep 600 & echo child=$!; wait'), { ready: /child=\d+\n/ });
  const child = Number(/child=(\d+)/.exec(running.stdout())?.[1]);
  assert.ok(await isRunning(child));
  await running.kill9();
  await eventually(async () => !(await isRunning(child)));
});

test('nothing outlives a test process that is killed', async () => {
  await using folder = await tempFolder();
  const pidFile = folder.join('pid');
  const program = `
    const { startProcess } = await import(${JSON.stringify(import.meta.resolve('./processes.ts'))});
    await startProcess('/bin/sh', ['-c', 'echo $$ > "$0"; exec sleep 600', ${JSON.stringify(pidFile)}]);
    setInterval(() => {}, 1000);`;
  const testProcess = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  const pid = await eventually(async () => Number(await readFile(pidFile, 'utf8')) || undefined);
  assert.ok(await isRunning(pid));
  testProcess.kill('SIGKILL');
  await once(testProcess, 'exit');
  await eventually(async () => !(await isRunning(pid)), { what: 'the orphan to end' });
});

test('a command has input, output, environment and an exit code', async () => {
  const result = await runProcess(...sh('cat; echo $WORD; echo oops >&2; exit 5'), {
    stdin: 'in ',
    env: { WORD: 'hello' },
  });
  assert.deepEqual(result, { code: 5, signal: null, stdout: 'in hello\n', stderr: 'oops\n' });
});

test('a command that hangs is killed and shows what it printed', async () => {
  await assert.rejects(
    runProcess(...sh('echo start; sleep 600'), { timeoutMs: 200 }),
    /not done after 200 ms[^]*start/,
  );
});
