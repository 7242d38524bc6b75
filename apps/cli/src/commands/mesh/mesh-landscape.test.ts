import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { startProcess, type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../../test-cli.ts';

const program = fileURLToPath(new URL('../../../bin/chandlery.mjs', import.meta.url));

describe('with a landscape on another port for proxies', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli(args, { cwd: folder.path });
  const agentArgs = (account: string): string[] => ['mesh', 'agent', '--account', account, '--dir', 'agent'];

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`, '--local-clusters=off'];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
    await using client = createClient(loadKubeconfig(landscape.kubeconfigPath));
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'shop' };
    await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web' } });
  });
  after(async () => {
    await landscape?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  test('a bootstrap of Envoy names that port', async () => {
    const { code, stderr } = await cli('mesh', 'bootstrap', 'envoy', '--account', 'shop/web', '--dir', 'envoy');
    assert.equal(code, 0, stderr);
    const written = readFileSync(folder.join('envoy/envoy.yaml'), 'utf8');
    assert.match(written, new RegExp(`port_value: ${landscape.xdsPort}$`, 'm'));
  });

  test('an explanation says that the account of the caller is missing', async () => {
    const explain = async (account: string): Promise<string> =>
      (await cli('mesh', 'explain', account, 'shop/books')).stdout;
    assert.match(
      await explain('shop/nobody'),
      /^DENIED: there is no service account shop\/nobody in the mesh; no cluster /,
    );
    assert.match(await explain('shop/web'), /^DENIED: no cluster of the mesh has a service shop\/books\n/);
  });

  test('an agent finds that port by itself, and is ready when it has shaken hands there', async () => {
    const settings = { cwd: folder.path, env: { CHANDLERY_XDS_ADDRESS: undefined }, ready: /Ready/ };
    await using agent = await startProcess(process.execPath, [program, ...agentArgs('shop/web')], settings);
    assert.match(agent.output(), new RegExp(`^Ready: \\S+ leads to 127\\.0\\.0\\.1:${landscape.xdsPort}; `));
    agent.signal('SIGTERM');
    assert.deepEqual(await agent.ended, { code: 0, signal: null });
  });

  test('an agent of an account that is not there ends with 1 and says how to make it', async () => {
    const { code, stderr } = await cli(...agentArgs('shop/ghost'), '--dir', 'ghost');
    assert.equal(code, 1);
    assert.match(stderr, /\nWhy: {3}there is no service account "shop\/ghost" .+\nNext: {2}Create it/);
  });

  test('an agent with a wrong token ends with 1 and says which one to use', async () => {
    writeFileSync(folder.join('token'), 'wrong');
    const { code, stderr } = await cli(...agentArgs('shop/web'), '--dir', 'wrong', '--token-file', 'token');
    assert.equal(code, 1);
    assert.match(stderr, /^Error: cannot run the agent of the mesh\nWhy: {3}.+\nNext: {2}.*--token-file/);
  });
});
