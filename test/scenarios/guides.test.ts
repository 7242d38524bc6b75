import assert from 'node:assert/strict';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePorts, kubectlPath, runProcess, startProcess, tempFolder } from '@chandlery/testing';

const root = join(import.meta.dirname, '../..');

/** The blocks of a page in a language. */
async function blocksOf(page: string, language: 'sh' | 'yaml'): Promise<string[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  return [...text.matchAll(/```(\w*)\n(.*?)```/gs)]
    .filter(([, found]) => found === language)
    .map(([, , block = '']) => block);
}

test('docs/orders.md and docs/catalogue.md work as written', async () => {
  await using folder = await tempFolder();
  await symlink(join(root, 'examples'), folder.join('examples'));
  const [port, xdsPort] = await freePorts(2);
  const env = {
    CHANDLERY_PORT: String(port),
    CHANDLERY_XDS_PORT: String(xdsPort),
    HOME: folder.path,
    PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
  };
  const bin = join(root, 'apps/cli/bin/chandlery.mjs');
  await using server = await startProcess(process.execPath, [bin, 'up'], {
    cwd: folder.path,
    env,
    ready: /Chandlery is ready/,
  });
  const [hello = ''] = await blocksOf('orders.md', 'yaml');
  await writeFile(folder.join('hello.yaml'), hello);
  const blocks = [...(await blocksOf('orders.md', 'sh')), ...(await blocksOf('catalogue.md', 'sh'))];
  // npx would look for a package of that name; a link of a server that starts responds 503 at first.
  const script = ['set -e', 'npx() { "$@"; }', 'curl() { command curl -sS --fail --retry 20 "$@"; }', ...blocks]
    .join('\n')
    .replaceAll('127.0.0.1:7443', `127.0.0.1:${port}`)
    .replaceAll(/^(npx chandlery project create books --wait)$/gm, 'npx chandlery project get books || $1');
  const { code, stdout, stderr } = await runProcess('bash', ['-c', script], {
    cwd: folder.path,
    env,
    timeoutMs: 300_000,
  });
  const output = `${stdout}\n${stderr}`;
  assert.equal(code, 0, output);
  for (const expected of [
    /^--msg world$/m,
    /"answer":42/,
    /Deployment\/service-\S+ \(orders-default\) +✔ ready/,
    /^GET \/some\/path\?x=1$/m,
    /Hello, Ann!$/m,
    /^rex is ready$/m,
    /The visibility "service-manager dinosaurs\/eval\.x1" is deleted/,
    /^ServiceInstance\/\S+ "rex" \(project-books--ws-shop\) +✔ ready/m,
  ]) {
    assert.match(output, expected);
  }
  await server.stop();
});
