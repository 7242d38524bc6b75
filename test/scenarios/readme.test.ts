import assert from 'node:assert/strict';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePort, kubectlPath, runProcess, startProcess, tempFolder } from '@chandlery/testing';

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
  const env = {
    CHANDLERY_PORT: String(await freePort()),
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
  // npx would look for a package of that name, and the watch in the background has to end some time.
  const script = `npx() { "$@"; }\n${blocks.join('\nsleep 1\n')}\nkill %1\nwait\n`;
  const { stdout, stderr } = await runProcess('bash', ['-c', script], { cwd: folder.path, env, timeoutMs: 120_000 });

  const output = `${stdout}\n${stderr}`;
  for (const expected of [
    /kube-system\s+Active/,
    /customresourcedefinition.*boats\.harbour\.example\.com created/,
    /boat\.harbour\.example\.com\/marie created/,
    /marie\s+12\s+sloop/,
    /spec\.rig: Unsupported value: "galleon": supported values: "sloop", "ketch", "yawl"/,
    /marie\s+12\s+sloop\s+A7/,
    /my-team.*deleted/i,
  ]) {
    assert.match(output, expected);
  }
  await server.stop();
});
