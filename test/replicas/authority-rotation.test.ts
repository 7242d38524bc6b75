import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { eventually, kubectl } from '@chandlery/testing';
import { runCli } from '../../apps/cli/src/test-cli.ts';
import { startReplicas } from './start-replicas.ts';

interface Status {
  readonly phase: string;
  readonly present: { readonly fingerprint: string };
  readonly replicas: readonly { readonly name: string; readonly isFollowing: boolean }[];
}

const patience = { timeoutMs: 90_000, pauseMs: 200 };

test('replicas follow one rotation, one of them killed on the way, and one that starts later', async () => {
  await using replicas = await startReplicas(2);
  const [first, second] = replicas.all as [(typeof replicas.all)[0], (typeof replicas.all)[0]];
  const ca = (replica: typeof first, ...args: readonly string[]) =>
    runCli(['ca', ...args, '--data-dir', replica.dataDir], { cwd: replicas.folder.path, env: {} });
  const statusOf = async (replica: typeof first): Promise<Status> =>
    JSON.parse((await ca(replica, 'status', '-o', 'json')).stdout) as Status;
  const works = async (kubeconfig: string): Promise<boolean> =>
    (await kubectl(['--kubeconfig', kubeconfig, 'get', 'namespace', 'default'])).code === 0;
  const old = await Promise.all(
    [first, second].map(async ({ kubeconfig }, no) => {
      const path = replicas.folder.join(`old-${no}`);
      await copyFile(kubeconfig, path);
      return path;
    }),
  );
  await eventually(async () => (await statusOf(first)).replicas.length === 2, patience);
  await eventually(async () => {
    const shown = await runCli(['status', '--data-dir', second.dataDir], { cwd: replicas.folder.path, env: {} });
    return /Replicas: +2 \(.+ leads.*\)/.test(shown.stdout);
  }, patience);

  const begun = await ca(second, 'rotate', '--stage', 'trust');
  assert.equal(begun.code, 0, begun.stderr);
  await eventually(async () => (await statusOf(first)).replicas.every(({ isFollowing }) => isFollowing), patience);
  await second.kill9();
  await second.restart();
  const used = await ca(first, 'rotate', '--timeout', '90');
  assert.equal(used.code, 0, used.stderr + used.stdout);
  for (const replica of [first, second])
    await eventually(async () => (await statusOf(replica)).phase === 'issuing', patience);
  for (const path of [...old, first.kubeconfig, second.kubeconfig]) assert.equal(await works(path), true, path);

  await eventually(async () => (await statusOf(second)).replicas.every(({ isFollowing }) => isFollowing), patience);
  const dropped = await ca(second, 'rotate', '--stage', 'drop', '--yes', '--force');
  assert.equal(dropped.code, 0, dropped.stderr);
  await eventually(async () => (await statusOf(first)).phase === 'settled', patience);
  for (const path of old) assert.equal(await works(path), false, path);
  const fingerprints = await Promise.all([first, second].map(async one => (await statusOf(one)).present.fingerprint));
  assert.equal(fingerprints[0], fingerprints[1]);
  const files = await Promise.all([first, second].map(({ dataDir }) => readFile(`${dataDir}/ca.crt`, 'utf8')));
  assert.equal(files[0], files[1]);
  await first.stop();
  await first.restart();
  assert.equal(
    await works(first.kubeconfig),
    true,
    'the keys folder has the first authority, the database the present',
  );
});
