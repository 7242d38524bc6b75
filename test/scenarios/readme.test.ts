import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePorts, kubectlPath, runProcess, startProcess, tempFolder } from '@chandlery/testing';
import { processesOf } from './support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** The shell commands of a section of the README, block by block, without the one that starts the server. */
async function commandsOf(heading: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find(text => text.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  return [...section.matchAll(/```sh\n(.*?)```/gs)]
    .map(match => match[1] ?? '')
    .filter(block => block.trim() !== 'npm start');
}

/** A server as `npm start` runs it, and a shell beside it. */
async function startServer() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  await symlink(join(root, 'examples'), folder.join('examples'));
  const bin = join(root, 'apps/cli/bin/chandlery.mjs');
  const [port, xdsPort] = await freePorts(2);
  const env = {
    CHANDLERY_PORT: String(port),
    CHANDLERY_XDS_PORT: String(xdsPort),
    HOME: folder.path,
    PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
  };
  const settings = { cwd: folder.path, env, ready: /Chandlery is ready/ };
  const server = stack.use(await startProcess(process.execPath, [bin, 'up'], settings));
  const owned = stack.move();
  return {
    server,
    // npx would look for a package of that name.
    run: (blocks: readonly string[]) =>
      runProcess('bash', ['-c', `npx() { "$@"; }\n${blocks.join('\n')}`], {
        cwd: folder.path,
        env,
        timeoutMs: 300_000,
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("the README's first minute works as written", async () => {
  await using started = await startServer();
  const { server, run } = started;
  const blocks = await commandsOf('The first minute');
  assert.equal(blocks.length, 4);
  const { stdout, stderr } = await run(blocks);

  const output = `${stdout}\n${stderr}`;
  for (const expected of [
    /serviceprovider\.openmcp\.cloud\/postgres created/,
    /serviceprovider\.openmcp\.cloud\/postgres condition met/,
    /postgresdatabase\S*\/shop condition met/,
    /PostgreSQL 17\.\d+ on/,
    /PostgresDatabase\/shop \(default\) +✔ ready/,
    /Deployment\/postgres-17 \(postgres-servers\) +✔ ready +workload/,
    /^urn:ivcap:service:\S+ created$/m,
    /^urn:ivcap:order:\S+ succeeded$/m,
    /^Hello, Ann!$/m,
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

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test("the README's fleet in three commands works as written", { skip: !hasCurl && 'there is no curl' }, async () => {
  await using started = await startServer();
  const blocks = await commandsOf('The fleet in three commands');
  assert.equal(blocks.join('').trim().split('\n').length, 3);
  const { code, stdout, stderr } = await started.run(['set -e', ...blocks]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^fleetinstance\.fleet\.chandlery\.io\/\w{20} created \(ready\)$/m);
  assert.match(stdout, /^\{"name":"rex","version":"[\d.]+".*"visits":1/m);
  assert.match(stdout, /fleetinstance\.fleet\.chandlery\.io\/\w{20} deleted$/m);
  await started.server.stop();
});
