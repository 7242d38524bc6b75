import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually, freePort, startTestLandscape, startTestPlane, type TestLandscape } from '@chandlery/testing';
import type { ClusterSource } from '../../ports.ts';
import { clusterSourceContract, type SourceUnderTest } from '../cluster-source-contract.ts';
import { someCluster } from '../test-logical.ts';
import { createExternalSource } from './external-source.ts';

const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'default' };
const cluster = someCluster('far', 'default', { clusterConfigs: [{ name: 'far-kubeconfig' }] });
const { signal } = new AbortController();

interface TestExternal extends SourceUnderTest {
  readonly platform: Client;
  readonly source: ClusterSource;
}

async function startTestExternal(text?: string): Promise<TestExternal> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane());
  const platform = plane.connect('platform');
  const source = stack.use(createExternalSource({ platform }));
  if (text !== undefined) await platform.create(secrets, secretOf(text));
  const all = stack.move();
  return { platform, source, cluster, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const secretOf = (text: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'far-kubeconfig' },
  data: { kubeconfig: Buffer.from(text).toString('base64') },
});

const reasonOf = async ({ source }: TestExternal): Promise<string> => (await source.ensure(cluster, signal)).reason;

describe('External clusters', () => {
  let landscape: TestLandscape;
  let kubeconfig = '';

  before(async () => {
    landscape = await startTestLandscape();
    kubeconfig = await readFile(landscape.kubeconfig, 'utf8');
  });
  after(() => landscape[Symbol.asyncDispose]());

  clusterSourceContract('external', () => startTestExternal(kubeconfig));

  it('wait for their Secret, and notify of its creation, change and deletion', async () => {
    await using test = await startTestExternal();
    let news = 0;
    test.source.onChange(() => void news++);
    const missing = await test.source.ensure(cluster, signal);
    assert.equal(missing.reason, 'SecretMissing');
    assert.match(missing.message, /Secret default\/far-kubeconfig/);
    await test.platform.create(secrets, secretOf(kubeconfig));
    await eventually(async () => news === 1 && (await reasonOf(test)) === 'Reachable');
    const first = await test.source.connect(cluster);
    const at = { ...secrets, name: 'far-kubeconfig' };
    await test.platform.update(at, secretOf(kubeconfig.replace(/current-context: .*/, 'current-context: platform')));
    await eventually(async () => news === 2 && (await reasonOf(test)) === 'Reachable');
    assert.notEqual(await test.source.connect(cluster), first);
    assert.equal((await test.source.address(cluster)).server, `${landscape.url}/clusters/platform`);
    await test.platform.delete(at);
    await eventually(async () => news === 3 && (await reasonOf(test)) === 'SecretMissing');
    await assert.rejects(test.source.connect(cluster), { code: 'ClusterNotReady' });
  });

  it('are trusted by others the way they are trusted here', async () => {
    const parts = { server: 'https://127.0.0.1:1', 'tls-server-name': 'far.test', 'insecure-skip-tls-verify': true };
    await using test = await startTestExternal(user({ token: 'x' }, parts));
    assert.deepEqual(await test.source.address(cluster), {
      server: 'https://127.0.0.1:1',
      caPem: undefined,
      tlsServerName: 'far.test',
      isInsecure: true,
    });
  });

  it('say whether they have a node that takes pods', async () => {
    const runOf = async (context: string): Promise<string | undefined> => {
      const text = kubeconfig.replace(/current-context: .*/, `current-context: ${context}`);
      await using test = await startTestExternal(text);
      return (await test.source.ensure(cluster, signal)).run?.reason;
    };
    await eventually(async () => (await runOf('platform')) === 'NodesReady');
    assert.equal(await runOf('onboarding'), 'NoNode');
    const { code } = await landscape.cluster('platform').kubectl(['cordon', '-l', '!absent']);
    assert.equal(code, 0);
    assert.equal(await runOf('platform'), 'NodesNotReady');
  });

  it('report that the server is unreachable', async () => {
    const nowhere = kubeconfig.replaceAll(landscape.url, `https://127.0.0.1:${await freePort()}`);
    await using test = await startTestExternal(nowhere);
    const state = await test.source.ensure(cluster, signal);
    assert.equal(state.reason, 'Unreachable');
    assert.match(state.message, /no server listens there/);
  });

  it('say that we are not let in', async () => {
    await using test = await startTestExternal(kubeconfig.replaceAll(landscape.token, 'wrong'));
    const state = await test.source.ensure(cluster, signal);
    assert.equal(state.reason, 'AccessDenied', state.message);
  });

  const rejected: readonly { why: string; text: string; message: RegExp }[] = [
    { why: 'is none', text: 'no yaml: [', message: /not YAML/ },
    { why: 'runs a program', text: user({ exec: { command: 'rm' } }), message: /programs of the server: exec/ },
    { why: 'reads a file', text: user({ tokenFile: '/etc/passwd' }), message: /files or programs.*tokenFile/ },
    { why: 'reads a certificate', text: withCa('/etc/ssl/ca.pem'), message: /files.*certificate-authority/ },
  ];
  for (const { why, text, message } of rejected) {
    it(`do not take a kubeconfig that ${why}`, async () => {
      await using test = await startTestExternal(text);
      const state = await test.source.ensure(cluster, signal);
      assert.equal(state.reason, 'InvalidKubeconfig');
      assert.match(state.message, message);
      await assert.rejects(test.source.address(cluster), { code: 'ClusterNotReady' });
    });
  }

  it('must name their Secret', async () => {
    await using test = await startTestExternal();
    assert.equal((await test.source.ensure(someCluster('far', 'default'), signal)).reason, 'NoKubeconfig');
    await assert.rejects(test.source.connect(someCluster('far', 'default')), { code: 'ClusterNotReady' });
  });
});

function user(entry: object, more: object = {}): string {
  return JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1', ...more } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: entry }],
  });
}

function withCa(path: string): string {
  return user({ token: 'x' }, { 'certificate-authority': path });
}
