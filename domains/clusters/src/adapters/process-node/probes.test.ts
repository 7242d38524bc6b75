import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Container } from '../../model/pods/pod.ts';
import { runHandler } from './handlers.ts';
import { eventually, noSources, shell, testNode, testPod, untilStatus } from './test-node.ts';

interface TestServer extends AsyncDisposable {
  readonly port: number;
  status: number;
}

async function testServer(): Promise<TestServer> {
  const control = { status: 200 };
  const server: Server = createServer((request, response) => {
    if (request.url === '/slow') return;
    response.writeHead(request.headers['x-ask'] === 'teapot' ? 418 : control.status).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return Object.assign(control, { port, [Symbol.asyncDispose]: close });
}

const forever = shell('sleep 1000');
const fast = { periodSeconds: 0.02, failureThreshold: 2, successThreshold: 1 };

describe('probes', { timeout: 20_000 }, () => {
  test('ask by HTTP and TCP, by number and by name', async () => {
    await using server = await testServer();
    const container: Container = { name: 'c', ports: [{ name: 'web', containerPort: server.port }] };
    const deps = { container, timeoutMs: 2000, exec: () => Promise.resolve({ ok: true }) };
    const ask = async (handler: Parameters<typeof runHandler>[0]) => (await runHandler(handler, deps)).ok;
    assert.equal(await ask({ httpGet: { port: 'web', path: 'x' } }), true);
    assert.equal(
      await ask({ httpGet: { port: server.port, httpHeaders: [{ name: 'X-Ask', value: 'teapot' }] } }),
      false,
    );
    assert.equal(await ask({ tcpSocket: { port: 'web' } }), true);
    assert.equal(await ask({ tcpSocket: { port: 'nobody' } }), false);
    server.status = 302;
    assert.equal(await ask({ httpGet: { port: server.port } }), true);
    const late = await runHandler({ httpGet: { port: server.port, path: '/slow' } }, { ...deps, timeoutMs: 30 });
    assert.deepEqual(late, { ok: false, message: 'timed out' });
    const { port } = server;
    await server[Symbol.asyncDispose]();
    assert.equal(await ask({ tcpSocket: { port } }), false);
  });

  test('readiness follows the server', async () => {
    await using server = await testServer();
    server.status = 503;
    await using running = testNode();
    const readinessProbe = { ...fast, httpGet: { port: server.port } };
    running.node.runPod(testPod({ containers: [{ ...forever, readinessProbe }] }), noSources);
    const isReady = (wanted: boolean) =>
      untilStatus(
        running.node,
        'u1',
        ({ phase, containerStatuses: [main] }) => phase === 'Running' && main?.ready === wanted,
      );
    const unready = await isReady(false);
    assert.equal(unready.conditions.find(({ type }) => type === 'Ready')?.reason, 'ContainersNotReady');
    server.status = 200;
    assert.equal((await isReady(true)).conditions.find(({ type }) => type === 'Ready')?.status, 'True');
    server.status = 500;
    await isReady(false);
  });

  test('a failing liveness probe restarts the container', async () => {
    await using running = testNode();
    const livenessProbe = { ...fast, exec: { command: ['sh', '-c', 'test ! -e $HOME/broken'] } };
    running.node.runPod(
      testPod({ terminationGracePeriodSeconds: 1, containers: [{ ...forever, livenessProbe }] }),
      noSources,
    );
    await untilStatus(running.node, 'u1', ({ phase }) => phase === 'Running');
    writeFileSync(join(running.folder, 'pods/u1/main/work/broken'), '');
    const restarted = await untilStatus(
      running.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.restartCount === 1,
    );
    assert.equal(restarted.containerStatuses[0]?.lastState.terminated?.signal, 15);
  });

  test('a startup probe holds the others back, and a command that hangs counts as a failure', async () => {
    await using running = testNode();
    const startupProbe = { ...fast, failureThreshold: 1000, exec: { command: ['sh', '-c', 'test -e $HOME/up'] } };
    const readinessProbe = { ...fast, timeoutSeconds: 0.1, exec: { command: ['sleep', '1000'] } };
    running.node.runPod(testPod({ containers: [{ ...forever, startupProbe, readinessProbe }] }), noSources);
    const before = await untilStatus(running.node, 'u1', ({ phase }) => phase === 'Running');
    assert.equal(before.containerStatuses[0]?.started, false);
    writeFileSync(join(running.folder, 'pods/u1/main/work/up'), '');
    const after = await untilStatus(running.node, 'u1', ({ containerStatuses: [main] }) => main?.started === true);
    assert.equal(after.containerStatuses[0]?.ready, false);
    await eventually(() => running.node.statusOf('u1')?.containerStatuses[0]?.ready === false);
  });
});
