import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startTimeOf } from './machine-processes.ts';
import { createProcessNode } from './process-node.ts';
import { eventually, isAlive, noSources, readText, testFolder, testNode, testPod, untilStatus } from './test-node.ts';

/** Ignores SIGTERM, has a child, one that left the group and one that left the environment, and prints all pids. */
const stubborn =
  'trap "" TERM; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; env -i sleep 1000 & echo $!; echo pid $$; while :; do sleep 1; done';

/** Escaped for a pod: one of two dollar signs would be lost. */
const escaped = stubborn.replaceAll('$$', () => '$$$$');

/** Another process that owns a node with a stubborn pod. */
const ownerSource = (folder: string): string => `
  import { createProcessNode } from ${JSON.stringify(join(import.meta.dirname, 'process-node.ts'))};
  const node = createProcessNode({ folder: ${JSON.stringify(folder)}, limits: { disposeGraceSeconds: 0 } });
  const containers = [{ name: 'main', command: ['sh', '-c', ${JSON.stringify(escaped)}] }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { uid: 'u1', name: 'p' }, spec: { containers } };
  node.runPod(pod, { secrets: {}, configMaps: {} });
  node.onStatus(async (uid, { phase }) => {
    if (phase !== 'Running') return;
    for await (const chunk of node.readLog({ uid, container: 'main', follow: true })) process.stdout.write(chunk);
  });
  process.on('SIGTERM', () => process.exit(0));
`;

async function startOwner(folder: string): Promise<{ owner: ChildProcess; pids: readonly number[] }> {
  const options = ['--input-type=module-typescript', '--eval', ownerSource(folder)];
  const owner = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of owner.stdout ?? []) {
    text += String(chunk);
    if (/pid \d+\n/.test(text)) break;
  }
  return { owner, pids: (text.match(/\d+/g) ?? []).map(Number) };
}

describe('no process outlives its node', { timeout: 20_000 }, () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    test(`when the owner ends by ${signal}`, async () => {
      using folder = testFolder();
      const { owner, pids } = await startOwner(folder.path);
      assert.equal(pids.length, 4);
      assert.equal(pids.every(isAlive), true);
      const gone = once(owner, 'exit');
      owner.kill(signal);
      await gone;
      await eventually(() => !pids.some(isAlive));
    });
  }

  test('when the node is disposed', async () => {
    const running = testNode();
    running.node.runPod(testPod({ containers: [{ name: 'main', command: ['sh', '-c', escaped] }] }), noSources);
    await untilStatus(running.node, 'u1', ({ phase }) => phase === 'Running');
    await eventually(async () => /pid/.test(await readText(running.node.readLog({ uid: 'u1', container: 'main' }))));
    const log = await readText(running.node.readLog({ uid: 'u1', container: 'main' }));
    const pids = (log.match(/\d+/g) ?? []).map(Number);
    assert.equal(pids.every(isAlive), true);
    await running[Symbol.asyncDispose]();
    assert.equal(pids.some(isAlive), false);
    assert.throws(() => running.node.runPod(testPod({ containers: [] }), noSources), { code: 'NodeStopped' });
  });

  test('when watchdog and owner were killed together, the next start on the folder cleans up', async () => {
    using folder = testFolder();
    const leader = spawn('sh', ['-c', 'sleep 1000 & echo $!; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [said] = (await once(leader.stdout, 'data')) as [Buffer];
    const pids = [leader.pid ?? 0, Number(said.toString())];
    const container = join(folder.path, 'pods/u1/main');
    mkdirSync(container, { recursive: true });
    writeFileSync(join(container, 'pid'), `${pids[0]} ${startTimeOf(pids[0] ?? 0)}\n`);
    await using node = createProcessNode({ folder: folder.path });
    await eventually(() => !pids.some(isAlive));
    assert.deepEqual(node.listLeftovers(), ['u1']);
    await node.removePod('u1');
    assert.deepEqual(node.listLeftovers(), []);
  });

  test('a process that only got the same number is left alone', async () => {
    using folder = testFolder();
    const stranger = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const container = join(folder.path, 'pods/u1/main');
    mkdirSync(container, { recursive: true });
    writeFileSync(join(container, 'pid'), `${stranger.pid} another-boot:1\n`);
    await using _node = createProcessNode({ folder: folder.path });
    assert.equal(isAlive(stranger.pid ?? 0), true);
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });
});
