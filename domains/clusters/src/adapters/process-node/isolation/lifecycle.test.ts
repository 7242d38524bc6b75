import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { PrivatePaths } from '../../../kinds/private-paths.ts';
import { isOver } from '../../../model/pods/pod-status.ts';
import type { PodNode } from '../../../ports.ts';
import { createProcessNode } from '../process-node.ts';
import { eventually, noSources, readText, shell, testFolder, testNode, untilStatus } from '../test-node.ts';
import { isolatedPod, pathsOf, runToEnd, withoutNamespaces } from './test-isolation.ts';

const skip = withoutNamespaces();

/** Writes a heartbeat as long as it runs: from a child, and from a grandchild that left group and session. */
const beating = (folder: string): string => {
  const beat = (name: string): string => `while :; do echo x >> ${folder}/${name}; sleep 0.02; done`;
  return `trap "" TERM; (${beat('child')}) & setsid sh -c 'trap "" TERM; (${beat('left')}) & ${beat('right')}' & wait; wait`;
};

const beats = (folder: string): readonly string[] =>
  ['child', 'left', 'right'].map(name => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  });

const isBeating = (folder: string): boolean => beats(folder).every(text => text.length > 4);

async function assertSilent(folder: string): Promise<void> {
  const before = beats(folder);
  await new Promise(resolve => setTimeout(resolve, 200));
  assert.deepEqual(beats(folder), before);
}

async function start(node: PodNode, pod: KubeObject): Promise<void> {
  node.runPod(pod, noSources);
  await untilStatus(node, pod.metadata.uid ?? '', ({ phase }) => phase === 'Running');
}

/** The pids of launchers with a node's folder. */
const findLaunchers = (folder: string): readonly number[] =>
  findCommands(words => words[0] === 'chandlery-pod' && words[1]?.startsWith(`${folder}/`) === true);

/** The pids of processes whose command line matches. */
const findCommands = (matches: (words: readonly string[]) => boolean): readonly number[] =>
  globSync('/proc/[0-9]*/cmdline').flatMap(file => {
    try {
      return matches(readFileSync(file, 'utf8').split('\0')) ? [Number(file.split('/')[2])] : [];
    } catch {
      return []; // Ended meanwhile.
    }
  });

/** Another process that owns a node with this pod. */
function startOwner(folder: string, pod: KubeObject): ChildProcess {
  const source = `
    import { createProcessNode } from ${JSON.stringify(join(import.meta.dirname, '../process-node.ts'))};
    const node = createProcessNode({ folder: ${JSON.stringify(folder)} });
    node.runPod(${JSON.stringify(pod)}, { secrets: {}, configMaps: {} });
    setInterval(() => {}, 1000);
  `;
  const options = ['--input-type=module-typescript', '--eval', source];
  return spawn(process.execPath, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const privateFile = (folder: string): { path: string; paths: PrivatePaths } => {
  const path = `/tmp/private-${randomUUID()}`;
  return { path, paths: pathsOf(folder, 'u1', [{ path, kind: 'file' }]) };
};

describe('the end of an isolated pod', { timeout: 30_000, skip }, () => {
  test('is the end of everything in it, also of what left group and session, and of its mount points', async () => {
    using shared = testFolder();
    await using test = testNode();
    const { path, paths } = privateFile(test.folder);
    await start(test.node, isolatedPod({ containers: [shell(beating(shared.path))] }, 'u1', paths));
    await eventually(() => isBeating(shared.path));
    assert.equal(existsSync(path), true);
    await test.node.stopPod('u1', 0);
    await assertSilent(shared.path);
    assert.equal(existsSync(path), false);
    assert.equal(test.node.statusOf('u1')?.containerStatuses[0]?.state.terminated?.exitCode, 137);
  });

  test('comes with the end of its first process', async () => {
    using shared = testFolder();
    await using test = testNode();
    const text = `(${beating(shared.path)}) & sleep 0.5; exit 4`;
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [shell(text)] }));
    assert.equal(status.containerStatuses[0]?.state.terminated?.exitCode, 4);
    assert.equal(isBeating(shared.path), true);
    await assertSilent(shared.path);
  });

  test('can be handled: the first process gets the signal, and a signal that ends it is reported', async () => {
    await using test = testNode();
    await start(
      test.node,
      isolatedPod({ containers: [shell('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.05; done')] }),
    );
    await eventually(async () => /up/.test(await readText(test.node.readLog({ uid: 'u1', container: 'main' }))));
    await test.node.stopPod('u1', 10);
    assert.equal(test.node.statusOf('u1')?.containerStatuses[0]?.state.terminated?.exitCode, 7);
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'up\nbye\n');
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [shell('kill -SEGV $$$$')] }, 'u2'));
    assert.equal(status.containerStatuses[0]?.state.terminated?.signal, 11);
  });

  test('comes when the memory of all its processes is above the limit', async () => {
    await using test = testNode();
    const resources = { limits: { memory: '32Mi' } };
    const hog = `setsid perl -e 'my $x = "x" x 100_000_000; sleep 60' & wait`;
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [{ ...shell(hog), resources }] }));
    assert.equal(status.containerStatuses[0]?.state.terminated?.reason, 'OOMKilled');
  });
});

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** Kills a node's process with its watchdog: the watchdog that an owner replaces would hide what is tested. */
function killWithWatchdog(owner: ChildProcess): void {
  owner.kill('SIGSTOP');
  const watchdogs = findCommands(words => words.includes('chandlery-watchdog')).filter(
    pid => parentOf(pid) === owner.pid,
  );
  assert.equal(watchdogs.length, 1);
  for (const pid of watchdogs) process.kill(pid, 'SIGKILL');
  owner.kill('SIGKILL');
}

describe('nothing of an isolated pod outlives its node', { timeout: 30_000, skip }, () => {
  const cases = [
    { how: 'is killed', kill: (owner: ChildProcess) => owner.kill('SIGKILL') },
    { how: 'is killed with its watchdog', kill: killWithWatchdog },
  ];
  for (const { how, kill } of cases) {
    test(`that ${how}`, async () => {
      using shared = testFolder();
      using folder = testFolder();
      const owner = startOwner(folder.path, isolatedPod({ containers: [shell(beating(shared.path))] }));
      await eventually(() => isBeating(shared.path));
      // The folder is an argument of the launcher, and of its copy inside.
      assert.equal(findLaunchers(folder.path).length, 2);
      const gone = once(owner, 'exit');
      kill(owner);
      await gone;
      await eventually(() => findLaunchers(folder.path).length === 0);
      await assertSilent(shared.path);
    });
  }

  test('and the watchdog knows it by its variables', async () => {
    await using test = testNode();
    await start(test.node, isolatedPod({ containers: [shell('sleep 1000')] }));
    for (const pid of findLaunchers(test.folder))
      assert.match(readFileSync(`/proc/${pid}/environ`, 'latin1'), /(^|\0)CHANDLERY_NODE=[0-9a-f]{24}\0/);
  });
});

describe('a restart with an isolated pod running', { timeout: 30_000, skip }, () => {
  test('after a kill: nothing runs on, mount points go, the pod is lost, its files and log are there', async () => {
    using shared = testFolder();
    using folder = testFolder();
    const { path, paths } = privateFile(folder.path);
    const text = `echo result > ${path}; echo logged; ${beating(shared.path)}`;
    const pod = isolatedPod({ containers: [shell(text)] }, 'u1', paths);
    const owner = startOwner(folder.path, pod);
    await eventually(() => isBeating(shared.path));
    const gone = once(owner, 'exit');
    owner.kill('SIGKILL');
    await gone;
    await using node = createProcessNode({ folder: folder.path });
    await eventually(() => !existsSync(path));
    await assertSilent(shared.path);
    const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
    const main = {
      name: 'main',
      image: '',
      imageID: '',
      state,
      lastState: {},
      ready: true,
      started: true,
      restartCount: 0,
    };
    const status = { phase: 'Running', conditions: [], containerStatuses: [main] };
    node.runPod({ ...pod, status }, noSources);
    const lost = await untilStatus(node, 'u1', ({ phase }) => isOver(phase));
    assert.match(lost.containerStatuses[0]?.state.terminated?.message ?? '', /node was restarted/);
    assert.equal(await readText(node.readLog({ uid: 'u1', container: 'main' })), 'logged\n');
    const later = pathsOf(folder.path, 'u1', [{ path, kind: 'file' }]);
    assert.equal(readFileSync(later.hostPathOf(path) ?? '', 'utf8'), 'result\n');
  });
});

describe('where the machine offers no namespaces', { timeout: 30_000 }, () => {
  const perl = '/no/such/perl';

  test('an isolated pod fails, and says why', async () => {
    await using test = testNode({ isolation: { perl } });
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [shell('echo ran')] }));
    const ended = status.containerStatuses[0]?.state.terminated;
    assert.equal(ended?.reason, 'IsolationUnavailable');
    assert.match(ended?.message ?? '', /perl cannot be started.*operator/);
  });

  test('and the operator has opted in, it runs, and its private paths are replaced', async () => {
    await using test = testNode({ isolation: { perl, isOptional: true } });
    const { path } = privateFile(test.folder);
    const one = async (uid: string): Promise<void> => {
      const paths = pathsOf(test.folder, uid, [
        { path, kind: 'file' },
        { path: '/no-such/out', kind: 'directory' },
      ]);
      const text = `echo ${uid} > w; mv w ${path}; sleep 0.2; cat ${path} > /no-such/out/copy; echo ${path}`;
      const { status, log } = await runToEnd(test.node, isolatedPod({ containers: [shell(text)] }, uid, paths));
      assert.equal(status.phase, 'Succeeded', log);
      assert.equal(log, `${path}\n`);
      assert.equal(readFileSync(paths.hostPathOf('/no-such/out/copy') ?? '', 'utf8'), `${uid}\n`);
    };
    await Promise.all([one('a'), one('b')]);
    assert.equal(existsSync(path), false);
  });
});
