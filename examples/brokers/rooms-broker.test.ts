import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProcess, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { createRoomsBroker } from './rooms-broker.ts';

const program = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');
const broker = createRoomsBroker({ username: 'admin', password: 'secret' });
let landscape: TestLandscape;
let url: string;

before(async () => {
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
  landscape = await startTestLandscape();
});
after(async () => {
  await landscape[Symbol.asyncDispose]();
  broker.closeAllConnections();
  broker.close();
});

async function chandlery(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProcess(process.execPath, [
    program,
    ...args,
    '--kubeconfig',
    landscape.kubeconfig,
  ]);
  assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

test('a room is ordered, opened with a key and given back', async () => {
  await chandlery('register-broker', 'rooms', url, '-b', 'admin:secret');
  assert.match(await chandlery('marketplace'), /rooms/);
  await chandlery('provision', 'my-room', 'rooms', 'small', '--wait');
  await chandlery('bind', 'my-room', 'my-key', '--wait');
  assert.match(await chandlery('get-binding', 'my-key', '-o', 'json'), /"key"/);
  await chandlery('unbind', 'my-room', 'my-key', '-f', '--wait');
  await chandlery('deprovision', 'my-room', '-f', '--wait');
  assert.doesNotMatch(await chandlery('list-instances'), /my-room/);
});

test('the broker turns away whom it does not know', async () => {
  const { status } = await fetch(`${url}/v2/catalog`, { headers: { 'x-broker-api-version': '2.17' } });
  assert.equal(status, 401);
});
