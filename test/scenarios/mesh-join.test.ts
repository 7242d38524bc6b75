// A machine joins the mesh with the identity document of its cloud: no secret is copied to it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { startLandscape } from '@chandlery/server';
import { runProcess, tempFolder } from '@chandlery/testing';
import { startTestIssuer } from '../../domains/mesh/src/joins/test-documents.ts';

const chandlery = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

/** The metadata service of a machine of Google. */
async function startMetadataService(token: (audience: string) => string) {
  const server = createServer(({ url = '', headers }, response) => {
    const audience = new URL(url, 'http://metadata').searchParams.get('audience');
    const isAllowed = headers['metadata-flavor'] === 'Google' && audience !== null;
    response.writeHead(isAllowed ? 200 : 403).end(isAllowed ? token(audience) : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test('a machine joins with the document of its cloud, and gets a certificate with the token', async () => {
  await using folder = await tempFolder();
  await using issuer = await startTestIssuer();
  using metadata = await startMetadataService(audience => issuer.token(audience));
  const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
  const env = { CHANDLERY_CLOUDS: JSON.stringify({ testEndpoints: { google: issuer.url } }) };
  await using landscape = await startLandscape(loadServerConfig({ argv, env }).values, { logger: silentLogger });
  await using client = createClient(loadKubeconfig(landscape.kubeconfigPath));
  const create = (group: string, version: string, plural: string, object: KubeObject) =>
    client.create({ group, version, plural, namespace: 'default' }, object);
  await create('', 'v1', 'serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'books' } });
  await create('mesh.chandlery.io', 'v1alpha1', 'machinerules', {
    ...{ apiVersion: 'mesh.chandlery.io/v1alpha1', kind: 'MachineRule', metadata: { name: 'books' } },
    spec: { serviceAccount: 'books', google: { project: 'shop-prod' } },
  });
  const run = (...args: readonly string[]) =>
    runProcess(process.execPath, [chandlery, 'mesh', ...args, '--kubeconfig', landscape.kubeconfigPath], {
      cwd: folder.path,
      timeoutMs: 60_000,
    });
  const joinAs = (dir: string, cloud = 'google') =>
    run('join', '--rule', 'default/books', '--cloud', cloud, '--dir', dir, '--once', '--metadata-url', metadata.url);

  const joined = await joinAs('machine');
  assert.equal(joined.code, 0, joined.stderr);
  assert.match(joined.stdout, /^Ready: token of books in .+\/machine\/token\.$/m);
  assert.equal((await stat(folder.join('machine/token'))).mode & 0o777, 0o600);
  assert.equal((await stat(folder.join('machine/join-key.pem'))).mode & 0o777, 0o600);
  const account = ['--account', 'default/books', '--token-file', 'machine/token'];
  const certified = await run('bootstrap', 'grpc', ...account, '--dir', 'books');
  assert.equal(certified.code, 0, certified.stderr);
  assert.match(await readFile(folder.join('books/cert.pem'), 'utf8'), /BEGIN CERTIFICATE/);

  // The key of the first join joins again, another one does not; a machine without such a service says so.
  assert.equal((await joinAs('machine')).code, 0);
  const other = await joinAs('other');
  assert.equal(other.code, 1);
  assert.match(other.stderr, /the machine may not join/);
  const foreign = await joinAs('machine', 'aws');
  assert.equal(foreign.code, 1);
  assert.match(foreign.stderr, /cannot read the identity of this machine/);
});
