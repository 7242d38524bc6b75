import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import type { ExecPlugin } from './connection.ts';
import { ExecCredentialSource } from './exec-credentials.ts';
import { createClient } from './http-client.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { sendJson, startTestServer } from './test-server.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

/** A real plug-in: a shell script that counts its runs and prints what the file `answer` holds. */
async function installPlugin(folder: TempFolder, answer: object | string, script = ''): Promise<ExecPlugin> {
  const command = folder.join('plugin');
  const text = [
    '#!/bin/sh',
    `echo "$KUBERNETES_EXEC_INFO" >> "${folder.join('runs')}"`,
    script,
    `sed "s/ARG/$1/; s/ENV/$PLUGIN_VALUE/" "${folder.join('answer')}"`,
  ].join('\n');
  await writeFile(command, text);
  await chmod(command, 0o755);
  await give(folder, answer);
  return { command, args: ['from-arg'], env: { PLUGIN_VALUE: 'from-env' }, apiVersion };
}

const give = (folder: TempFolder, answer: object | string): Promise<void> =>
  writeFile(folder.join('answer'), typeof answer === 'string' ? answer : JSON.stringify(answer));

const runsOf = async (folder: TempFolder): Promise<string[]> =>
  (await readFile(folder.join('runs'), 'utf8')).trim().split('\n');

const credential = (status: object): object => ({ apiVersion, kind: 'ExecCredential', status });

describe('a credential plug-in', () => {
  test('gets arguments, environment and the facts, and is asked once for all', async () => {
    await using folder = await tempFolder();
    const plugin = await installPlugin(folder, credential({ token: 'ARG ENV' }));
    const source = new ExecCredentialSource({ ...plugin, clusterInfo: { server: 'https://x' } });
    const all = await Promise.all([source.current(), source.current(), source.current()]);
    assert.deepEqual(
      all.map(({ token }) => token),
      Array(3).fill('from-arg from-env'),
    );
    const [info = '', ...more] = await runsOf(folder);
    assert.deepEqual(more, []);
    assert.deepEqual(JSON.parse(info), {
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://x' } },
    });
  });

  test('is asked again when its answer has expired', async () => {
    await using folder = await tempFolder();
    const at = Date.parse('2030-01-01T00:00:00Z');
    const expirationTimestamp = new Date(at).toISOString();
    const plugin = await installPlugin(folder, credential({ token: 'one', expirationTimestamp }));
    let now = at - 1;
    const source = new ExecCredentialSource(plugin, () => now);
    await source.current();
    await give(folder, credential({ token: 'two' }));
    assert.equal((await source.current()).token, 'one');
    now = at;
    assert.equal((await source.current()).token, 'two');
    now = at * 2;
    assert.equal((await source.current()).token, 'two');
    assert.equal((await runsOf(folder)).length, 2);
  });

  const bad: readonly { why: string; answer: object | string; script?: string; message: RegExp }[] = [
    { why: 'ends badly', answer: '', script: 'echo "log in first" >&2; exit 3', message: /ended with 3: log in first/ },
    { why: 'says nothing', answer: '', message: /no ExecCredential/ },
    { why: 'says something else', answer: 'null', message: /no ExecCredential/ },
    {
      why: 'speaks another version',
      answer: { ...credential({ token: 'x' }), apiVersion: 'client.authentication.k8s.io/v1beta1' },
      message: /version client.authentication.k8s.io\/v1beta1 instead of/,
    },
    { why: 'gives nothing', answer: credential({}), message: /neither a token nor a certificate/ },
    { why: 'gives half', answer: credential({ clientKeyData: 'x' }), message: /only one of certificate and key/ },
    { why: 'is odd about time', answer: credential({ token: 'x', expirationTimestamp: 'soon' }), message: /no time/ },
  ];
  for (const { why, answer, script, message } of bad) {
    test(`that ${why} is named, without what it said`, async () => {
      await using folder = await tempFolder();
      const plugin = await installPlugin(folder, answer, script);
      await assert.rejects(new ExecCredentialSource(plugin).current(), { code: 'PluginFailed', message });
    });
  }

  test('that is not installed comes with the hint of those who wrote the kubeconfig', async () => {
    const plugin = { command: '/no/such/plugin', args: [], env: {}, apiVersion, installHint: 'Install it.' };
    const failed = { code: 'PluginFailed', message: /not installed/, hint: 'Install it.' };
    await assert.rejects(new ExecCredentialSource(plugin).current(), failed);
  });

  test('may read from the terminal, and finds its input closed', async () => {
    await using folder = await tempFolder();
    const plugin = await installPlugin(folder, credential({ token: 'x' }), 'read line && exit 1');
    assert.equal((await new ExecCredentialSource(plugin).current()).token, 'x');
  });
});

describe('a client with a plug-in', () => {
  const ref = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default', name: 'a' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

  test('asks again when the server rejects what it has, once', async () => {
    await using folder = await tempFolder();
    await using server = await startTestServer(({ headers }, response) =>
      sendJson(response, headers.authorization === 'Bearer new' ? 200 : 401, object),
    );
    const { command } = await installPlugin(folder, credential({ token: 'old' }));
    const cluster = { server: server.url, 'certificate-authority-data': Buffer.from(server.caPem).toString('base64') };
    const text = JSON.stringify({
      'current-context': 'x',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { exec: { command, apiVersion, interactiveMode: 'IfAvailable' } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    });
    await using client = createClient(loadKubeconfig(text));
    await assert.rejects(client.get(ref), { code: 'Unauthorized' });
    assert.equal((await runsOf(folder)).length, 2);
    await give(folder, credential({ token: 'new' }));
    assert.deepEqual(await client.get(ref), object);
    assert.deepEqual(await client.get(ref), object);
    assert.equal((await runsOf(folder)).length, 3);
  });

  test('shows the certificate that it gives, and the next one when that has expired', async () => {
    await using folder = await tempFolder();
    await using server = await startTestServer((_request, response) => sendJson(response, 200, object));
    const { certificatePem: clientCertificateData, privateKeyPem: clientKeyData } = server.clientCertificate;
    const expirationTimestamp = '2020-01-01T00:00:00Z';
    const exec = await installPlugin(folder, credential({ token: 'none yet', expirationTimestamp }));
    const { token: _, ...connection } = server.connection;
    await using client = createClient({ ...connection, exec });
    await client.get(ref);
    await give(folder, credential({ clientCertificateData, clientKeyData }));
    await client.get(ref);
    await client.get(ref);
    assert.deepEqual(
      server.seen.map(({ certificateName, headers }) => [certificateName, headers.authorization]),
      [
        [undefined, 'Bearer none yet'],
        ['jane', undefined],
        ['jane', undefined],
      ],
    );
  });
});
