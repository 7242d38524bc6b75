import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { restore } from '@chandlery/server';
import {
  eventually,
  freePorts,
  kubectl,
  type RunningProcess,
  startPostgres,
  startProcess,
  type TempFolder,
  tempFolder,
} from '@chandlery/testing';
import { Agent, request } from 'undici';

const program = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

interface Starting extends AsyncDisposable {
  readonly dataDir: string;
  readonly url: string;
  readonly process: RunningProcess;
}

/** Starts a server without waiting for its banner. */
async function start(folder: TempFolder, name: string, database?: string): Promise<Starting> {
  const dataDir = folder.join(name);
  const [port = 0, xdsPort = 0] = await freePorts(2);
  const flags = ['--data-dir', dataDir, '--port', String(port), '--xds-port', String(xdsPort)];
  if (database !== undefined) flags.push('--database', database);
  const running = await startProcess(process.execPath, [program, 'up', ...flags], { cwd: folder.path });
  const url = `https://127.0.0.1:${port}`;
  return { dataDir, url, process: running, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** Asks for `/readyz` in a tight loop, and answers at the first 200. */
async function untilReady({ url }: Starting): Promise<void> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const isReady = async (): Promise<boolean> => {
    const answer = await request(`${url}/readyz`, { dispatcher: agent }).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  };
  try {
    await eventually(isReady, { what: '/readyz to answer 200', timeoutMs: 60_000 });
  } finally {
    await agent.destroy();
  }
}

/** What a script does next: use the kubeconfig, and kinds of the domains on both clusters. */
async function expectUsable({ dataDir }: Starting): Promise<void> {
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  assert.ok(existsSync(kubeconfig), 'admin.kubeconfig is not written yet');
  for (const [context, kind] of [
    ['platform', 'serviceproviders'],
    ['platform', 'clusters.clusters.openmcp.cloud'],
    ['onboarding', 'controlplanes'],
  ] as const) {
    const { code, stderr } = await kubectl(['get', kind, '-A'], { kubeconfig, context });
    assert.equal(code, 0, stderr);
  }
}

test('/readyz answers 200 only when everything that the banner names works', async () => {
  await using folder = await tempFolder();
  await using server = await start(folder, 'data');
  await untilReady(server);
  await expectUsable(server);
});

test('replicas that share the keys share the administrator, and a follower is ready without leading', async () => {
  await using folder = await tempFolder();
  await using postgres = await startPostgres();
  await using first = await start(folder, 'first', postgres.url);
  await untilReady(first);
  await expectUsable(first);
  await cp(join(first.dataDir, 'keys'), folder.join('second', 'keys'), { recursive: true });
  await using second = await start(folder, 'second', postgres.url);
  await untilReady(second);
  await expectUsable(second);

  // The kubeconfig of one replica works on the other.
  const kubeconfig = join(first.dataDir, 'admin.kubeconfig');
  const server = ['--server', `${second.url}/clusters/onboarding`];
  const { code, stderr } = await kubectl(['get', 'namespaces', ...server], { kubeconfig, context: 'onboarding' });
  assert.equal(code, 0, stderr);
});

test('the administrator of a restored landscape is that of the original', async () => {
  await using folder = await tempFolder();
  await using original = await start(folder, 'original');
  await untilReady(original);
  const backup = folder.join('landscape.bak');
  const done = await startProcess(process.execPath, [program, 'backup', backup, '--data-dir', original.dataDir]);
  assert.equal((await done.ended).code, 0, done.output());
  await restore({ dataDir: folder.join('restored'), file: backup });
  await using restored = await start(folder, 'restored');
  await untilReady(restored);
  const kubeconfig = join(original.dataDir, 'admin.kubeconfig');
  const server = ['--server', `${restored.url}/clusters/onboarding`];
  const { code, stderr } = await kubectl(['get', 'namespaces', ...server], { kubeconfig, context: 'onboarding' });
  assert.equal(code, 0, stderr);
});
