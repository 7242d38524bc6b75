import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ImageMap } from '../../model/pods/images.ts';
import { isOver } from '../../model/pods/pod-status.ts';
import { PortPool } from './port-pool.ts';
import { eventually, isAlive, noSources, readText, shell, testNode, testPod, untilStatus } from './test-node.ts';

const isRunning = ({ phase }: { phase: string }): boolean => phase === 'Running';
const sleeping = { containers: [shell('exec sleep 60')] };

describe('pods of several clusters', { timeout: 20_000 }, () => {
  test('are distinguished, and what is released can be taken up again', async () => {
    await using test = testNode();
    const { node } = test;
    node.runPod(testPod(sleeping, 'u1'), noSources, { cluster: 'east' });
    node.runPod(testPod(sleeping, 'u2'), noSources, { cluster: 'west' });
    await untilStatus(node, 'u1', isRunning);
    assert.deepEqual([node.list('east'), node.list('west'), node.list()], [['u1'], ['u2'], ['u1', 'u2']]);
    await node.releasePod('u1', 0);
    assert.deepEqual([node.list('east'), node.listLeftovers('east'), node.listLeftovers('west')], [[], ['u1'], []]);
    node.runPod(testPod(sleeping, 'u1'), noSources, { cluster: 'east' });
    await untilStatus(node, 'u1', isRunning);
    assert.deepEqual(node.listLeftovers(), []);
  });
});

test('the end of a pod does not touch one of the same uid on another node of the machine', {
  timeout: 20_000,
}, async () => {
  await using here = testNode();
  await using there = testNode();
  for (const { node } of [here, there]) node.runPod(testPod(sleeping), noSources);
  await untilStatus(here.node, 'u1', isRunning);
  await untilStatus(there.node, 'u1', isRunning);
  const pid = Number(readFileSync(join(there.folder, 'pods', 'u1', 'main', 'pid'), 'utf8').split(' ')[0]);
  await here.node.stopPod('u1', 0);
  assert.ok(isAlive(pid));
});

describe('what a node gives to containers', { timeout: 20_000 }, () => {
  test('the Node that runs it comes first in PATH', async () => {
    await using test = testNode();
    const spec = { restartPolicy: 'Never', containers: [shell('node -p process.execPath')] };
    test.node.runPod(testPod(spec), noSources);
    await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), `${process.execPath}\n`);
  });

  test('an image whose command lies in its folder, at once when it becomes known', async () => {
    let images: ImageMap = {};
    const patient = { initialMs: 60_000, maxMs: 60_000, resetMs: 60_000 };
    await using test = testNode({ images: () => images, baseFolder: '/', limits: { backOff: patient } });
    test.node.runPod(testPod({ containers: [{ name: 'main', image: 'acme/sleep', args: ['60'] }] }), noSources);
    await untilStatus(
      test.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.state.waiting?.reason === 'ErrImagePull',
    );
    images = { 'acme/sleep': { command: ['./sleep'], folder: 'bin' } };
    test.node.imagesChanged();
    await untilStatus(test.node, 'u1', isRunning);
  });

  test('a token that is renewed, and files that are deleted with the pod', async () => {
    await using test = testNode();
    const { node, folder } = test;
    let issued = 0;
    const tokens = { issueToken: async () => `token ${++issued}` };
    const home = { cluster: 'east', api: { server: 'https://api', caPem: '' }, tokens };
    const env = [{ name: 'KUBECONFIG', value: 'own' }];
    const script = 'echo "$KUBECONFIG"; cat /var/run/secrets/kubernetes.io/serviceaccount/token; echo; exec sleep 60';
    node.runPod(testPod({ containers: [{ ...shell(script), env }] }), noSources, home);
    await untilStatus(node, 'u1', isRunning);
    await eventually(async () => (await readText(node.readLog({ uid: 'u1', container: 'main' }))) === 'own\ntoken 1\n');
    const token = join(folder, 'pods', 'u1', '.volumes', '.account', 'token');
    node.runPod(testPod({ containers: [{ ...shell(script), env }] }), noSources, home);
    await eventually(() => readFileSync(token, 'utf8') === 'token 2');
    await node.removePod('u1');
    assert.ok(!existsSync(token));
  });

  test('ports of its choice, the same after a restart of the container', async () => {
    await using test = testNode();
    const pod = testPod({ containers: [shell('echo "$PORT_HTTP"; sleep 0.05; exit 1')] });
    pod.metadata.annotations = { 'clusters.chandlery.io/dynamic-ports': 'http' };
    test.node.runPod(pod, noSources);
    await untilStatus(test.node, 'u1', ({ containerStatuses: [main] }) => (main?.restartCount ?? 0) >= 1);
    const { http } = test.node.portsOf('u1');
    const previous = await readText(test.node.readLog({ uid: 'u1', container: 'main', previous: true }));
    assert.equal(previous, `${http}\n`);
  });
});

describe('the pool of ports', () => {
  test('never gives one twice, and prefers what was had before if it is free', async () => {
    const pool = new PortPool();
    const ports = await Promise.all(Array.from({ length: 20 }, () => pool.take()));
    assert.equal(new Set(ports).size, 20);
    const [first = 0] = ports;
    assert.notEqual(await pool.take(first), first);
    pool.release(first);
    assert.equal(await pool.take(first), first);
    pool.release(first);
    const server = createServer();
    await new Promise<void>(resolve => server.listen(first, '127.0.0.1', resolve));
    assert.notEqual(await pool.take(first), first, 'another process has it');
    server.close();
  });
});
