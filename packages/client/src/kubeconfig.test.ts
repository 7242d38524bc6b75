import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { describe, test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { loadInClusterConfig } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const plugin = { command: 'login', apiVersion: 'client.authentication.k8s.io/v1' };

const config = (parts: { cluster?: object; user?: object; context?: object; rest?: object }): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://host:1/clusters/a', ...parts.cluster } }],
    users: [{ name: 'u', user: parts.user ?? {} }],
    contexts: [
      { name: 'main', context: { cluster: 'c', user: 'u', ...parts.context } },
      { name: 'anonymous', context: { cluster: 'c' } },
      { name: 'lost', context: { cluster: 'nowhere' } },
    ],
    ...parts.rest,
  });

describe('a kubeconfig', () => {
  test('gives server, authority, token and namespace of its current context', () => {
    const text = config({
      cluster: { 'certificate-authority-data': base64('CA') },
      user: { token: 't' },
      context: { namespace: 'n' },
    });
    assert.deepEqual(loadKubeconfig(text), {
      server: 'https://host:1/clusters/a',
      caPem: 'CA',
      token: 't',
      namespace: 'n',
    });
  });

  test('gives another context when asked', () => {
    const text = config({ user: { token: 't' } });
    assert.deepEqual(loadKubeconfig(text, { context: 'anonymous' }), { server: 'https://host:1/clusters/a' });
  });

  test('may be YAML', () => {
    const text = [
      'current-context: x',
      'contexts: [{name: x, context: {cluster: c, user: u}}]',
      'clusters: [{name: c, cluster: {server: "http://h", insecure-skip-tls-verify: true, tls-server-name: s}}]',
      'users: [{name: u}]',
    ].join('\n');
    assert.deepEqual(loadKubeconfig(text), { server: 'http://h', isInsecure: true, tlsServerName: 's' });
  });

  test('names files relative to itself, and data inside wins over them', async () => {
    await using folder = await tempFolder();
    await Promise.all(['ca', 'cert', 'key'].map(name => writeFile(folder.join(name), `${name} of file`)));
    const text = config({
      cluster: { 'certificate-authority': 'ca' },
      user: {
        'client-certificate': 'cert',
        'client-key': 'key',
        'client-key-data': base64('key inside'),
        tokenFile: 'token',
      },
    });
    await writeFile(folder.join('config'), text);
    assert.deepEqual(loadKubeconfig(folder.join('config')), {
      server: 'https://host:1/clusters/a',
      caPem: 'ca of file',
      caFile: folder.join('ca'),
      clientCertificate: { certificatePem: 'cert of file', privateKeyPem: 'key inside' },
      tokenFile: folder.join('token'),
    });
  });

  test('gives proxy, basic authentication and the user to act as', () => {
    const text = config({
      cluster: { 'proxy-url': 'http://proxy:3128' },
      user: {
        username: 'u',
        password: 'p',
        as: 'jane',
        'as-groups': ['a'],
        'as-uid': '1',
        'as-user-extra': { k: ['v'] },
      },
    });
    assert.deepEqual(loadKubeconfig(text), {
      server: 'https://host:1/clusters/a',
      proxyUrl: 'http://proxy:3128',
      basicAuth: { username: 'u', password: 'p' },
      impersonate: { user: 'jane', uid: '1', groups: ['a'], extra: { k: ['v'] } },
    });
  });

  test('gives the plug-in and what it is to know about the cluster', async () => {
    await using folder = await tempFolder();
    const text = config({
      cluster: {
        'certificate-authority-data': base64('CA'),
        'tls-server-name': 's',
        extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
      },
      user: {
        exec: {
          ...plugin,
          command: './login',
          args: ['a'],
          env: [{ name: 'N', value: 'V' }],
          provideClusterInfo: true,
        },
      },
    });
    await writeFile(folder.join('config'), text);
    assert.deepEqual(loadKubeconfig(folder.join('config')).exec, {
      command: folder.join('login'),
      args: ['a'],
      env: { N: 'V' },
      apiVersion: plugin.apiVersion,
      clusterInfo: {
        server: 'https://host:1/clusters/a',
        'certificate-authority-data': base64('CA'),
        'tls-server-name': 's',
        config: { audience: 'x' },
      },
    });
    assert.equal(loadKubeconfig(config({ user: { exec: plugin } })).exec?.command, 'login');
  });

  test('may be several files: the first to name something wins, and missing ones do not matter', async () => {
    await using one = await tempFolder();
    await using two = await tempFolder();
    await writeFile(one.join('config'), JSON.stringify({ users: [{ name: 'u', user: { tokenFile: 'token' } }] }));
    const text = config({ cluster: { 'certificate-authority': 'ca' }, user: { token: 'late' } });
    await Promise.all([writeFile(two.join('config'), text), writeFile(two.join('ca'), 'CA')]);
    const list = ['/does/not/exist', one.join('config'), '', two.join('config')].join(delimiter);
    assert.deepEqual(loadKubeconfig(list), {
      server: 'https://host:1/clusters/a',
      caPem: 'CA',
      caFile: two.join('ca'),
      tokenFile: one.join('token'),
    });
    assert.throws(() => loadKubeconfig(['/no/a', '/no/b'].join(delimiter)), { code: 'KubeconfigInvalid' });
  });

  interface Bad {
    readonly why: string;
    readonly text: string;
    readonly context?: string;
    readonly message: RegExp;
  }
  const bad: readonly Bad[] = [
    { why: 'no such file', text: '/does/not/exist', message: /\/does\/not\/exist: it does not exist$/ },
    { why: 'no YAML', text: 'a: [\nb: secret', message: /not YAML/ },
    { why: 'no map', text: '- a\n- b', message: /not YAML with keys/ },
    { why: 'no current context', text: '{}', message: /no current-context/ },
    {
      why: 'an unknown context',
      text: config({}),
      context: 'x',
      message: /no context "x" \(it has main, anonymous, lost\)/,
    },
    { why: 'an unknown cluster', text: config({}), context: 'lost', message: /no cluster "nowhere" \(it has c\)/ },
    { why: 'clusters of a wrong form', text: config({ rest: { clusters: 'x' } }), message: /"clusters" is not a list/ },
    { why: 'no server', text: config({ cluster: { server: '' } }), message: /server is not a URL/ },
    {
      why: 'a missing file',
      text: config({ user: { 'client-key': '/no' } }),
      message: /the file \/no that it names does not exist/,
    },
    { why: 'half a certificate', text: config({ user: { 'client-key-data': 'eA==' } }), message: /given together/ },
    { why: 'a plug-in without a command', text: config({ user: { exec: {} } }), message: /names no command/ },
    {
      why: 'a plug-in of a forgotten version',
      text: config({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      message: /apiVersion "client.authentication.k8s.io\/v1alpha1" and not/,
    },
    {
      why: 'a plug-in that needs a terminal',
      text: config({ user: { exec: { ...plugin, interactiveMode: 'Always' } } }),
      message: /interactiveMode Always/,
    },
    { why: 'an auth provider', text: config({ user: { 'auth-provider': {} } }), message: /"auth-provider" are not/ },
    { why: 'an odd proxy', text: config({ cluster: { 'proxy-url': 'ftp://p' } }), message: /proxy-url/ },
  ];
  test('with an unknown context is rejected with advice about contexts', () => {
    assert.throws(() => loadKubeconfig(config({}), { context: 'x' }), {
      hint: 'Name one of its contexts, or another kubeconfig.',
    });
  });

  for (const { why, text, context, message } of bad) {
    test(`with ${why} is rejected`, () => {
      const load = () => loadKubeconfig(text, context === undefined ? {} : { context });
      assert.throws(load, { code: 'KubeconfigInvalid', message });
    });
  }
});

describe('a Pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  test('connects as its service account', async () => {
    await using folder = await tempFolder();
    await Promise.all([writeFile(folder.join('ca.crt'), 'CA'), writeFile(folder.join('namespace'), 'home\n')]);
    assert.deepEqual(loadInClusterConfig({ env, folder: folder.path }), {
      server: 'https://[fd00::1]:443',
      caPem: 'CA',
      caFile: folder.join('ca.crt'),
      tokenFile: folder.join('token'),
      namespace: 'home',
    });
  });

  test('is what a program must be in to do so', () => {
    assert.throws(() => loadInClusterConfig({ env: {} }), { code: 'NotInCluster' });
    assert.throws(() => loadInClusterConfig({ env, folder: '/does/not/exist' }), { code: 'KubeconfigInvalid' });
  });
});
