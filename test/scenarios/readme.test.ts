import assert from 'node:assert/strict';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePorts, kubectlPath, runProcess, startProcess, tempFolder } from '@chandlery/testing';
import { processesOf } from './support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** The shell commands of the README's first minute, block by block, without the one that starts the server. */
async function firstMinute(): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## The first minute'), readme.indexOf('## Running it'));
  return [...section.matchAll(/```sh\n(.*?)```/gs)]
    .map(match => match[1] ?? '')
    .filter(block => block.trim() !== 'npm start');
}

test("the README's first minute works as written", async () => {
  await using folder = await tempFolder();
  await symlink(join(root, 'examples'), folder.join('examples'));
  const bin = join(root, 'apps/cli/bin/chandlery.mjs');
  const [port, xdsPort] = await freePorts(2);
  const env = {
    CHANDLERY_PORT: String(port),
    CHANDLERY_XDS_PORT: String(xdsPort),
    HOME: folder.path,
    PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
  };
  await using server = await startProcess(process.execPath, [bin, 'up'], {
    cwd: folder.path,
    env,
    ready: /Chandlery is ready/,
  });

  const blocks = await firstMinute();
  assert.equal(blocks.length, 3);
  // npx would look for a package of that name.
  const script = `npx() { "$@"; }\n${blocks.join('\n')}`;
  const { stdout, stderr } = await runProcess('bash', ['-c', script], { cwd: folder.path, env, timeoutMs: 300_000 });

  const output = `${stdout}\n${stderr}`;
  for (const expected of [
    /serviceprovider\.openmcp\.cloud\/postgres created/,
    /serviceprovider\.openmcp\.cloud\/postgres condition met/,
    /postgresdatabase\S*\/shop condition met/,
    /PostgreSQL 17\.\d+ on/,
    /PostgresDatabase\/shop \(default\) +✔ ready/,
    /Deployment\/postgres-17 \(postgres-servers\) +✔ ready +workload/,
    /customresourcedefinition.*boats\.harbour\.example\.com created/,
    /boat\.harbour\.example\.com\/marie created/,
    /marie\s+12\s+sloop/,
    /spec\.rig: Unsupported value: "galleon": supported values: "sloop", "ketch", "yawl"/,
    /my-team.*deleted/i,
    /postgresdatabase\S* "shop" deleted/,
    /serviceprovider\S* "postgres" deleted/,
  ]) {
    assert.match(output, expected);
  }
  assert.deepEqual(await processesOf(server.pid), []);
  await server.stop();
});
