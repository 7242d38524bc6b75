import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from '../wait-for.ts';
import { startPostgres } from './start-postgres.ts';

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test('a server starts, survives a restart and a crash on the same port, and stops', async () => {
  await using postgres = await startPostgres({ fsync: false });
  assert.equal(await takesConnections(postgres.port), true);
  await postgres.restart();
  assert.equal(await takesConnections(postgres.port), true);
  await postgres.crash();
  assert.equal(await takesConnections(postgres.port), false);
  await postgres.start();
  assert.equal(await takesConnections(postgres.port), true);
  await postgres.stop();
  assert.equal(await takesConnections(postgres.port), false);
});

/** The server's own process and those that it has started. */
async function processesOf(port: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const rows = stdout.split('\n').map(line => line.trim().split(/\s+/));
  const server = rows.find(row => row[2]?.endsWith('/postgres') && row.includes(`port=${port}`))?.[0];
  return rows.filter(([pid, parent]) => pid === server || parent === server).map(([pid = '']) => pid);
}

/** Whether any of them still runs; zombies do not count. */
async function areRunning(pids: ReadonlySet<string>): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,stat=']);
  const rows = stdout.split('\n').map(line => line.trim().split(/\s+/));
  return rows.some(([pid = '', state = 'Z']) => pids.has(pid) && !state.startsWith('Z'));
}

for (const { how, before } of [
  { how: 'at work', before: '' },
  { how: 'frozen with all its backends', before: 'await postgres.pause();' },
]) {
  test(`a server ${how} ends when the process that started it is killed, and leaves no process behind`, async () => {
    const source = `
      import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, 'start-postgres.ts'))};
      const postgres = await startPostgres({ fsync: false });
      ${before}
      console.log(postgres.port);
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const started = new Set(await processesOf(Number(line)));
    assert.ok(started.size > 1);
    child.kill('SIGKILL');
    await eventually(async () => !(await areRunning(started)), { what: 'the server and its backends to end' });
  });
}
