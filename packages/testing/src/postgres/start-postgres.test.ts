import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { test } from 'node:test';
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

test('a server ends when the process that started it is killed', async () => {
  const source = `
    import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, 'start-postgres.ts'))};
    const postgres = await startPostgres({ fsync: false });
    console.log(postgres.port);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  assert.equal(await takesConnections(Number(line)), true);
  child.kill('SIGKILL');
  await eventually(async () => !(await takesConnections(Number(line))), { what: 'the server to end' });
});
