import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { issueCertificate, loadCertificateAuthority } from '@chandlery/platform';
import { eventually, kubectl, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { runCli } from '../../apps/cli/src/test-cli.ts';

interface Status {
  readonly phase: string;
  readonly present: { readonly name: string };
  readonly usersOfOld: readonly { readonly user: string; readonly issuer: string }[];
}

describe('the certificate authority is rotated while everything is served', () => {
  const stack = new AsyncDisposableStack();
  let landscape: TestLandscape;
  /** Kubeconfigs as people have them: of the administrator, and of a user with a client certificate. */
  const kubeconfigs: Record<string, string> = {};
  let folder: Awaited<ReturnType<typeof tempFolder>>;

  before(async () => {
    landscape = stack.use(await startTestLandscape());
    folder = stack.use(await tempFolder());
    await keep('old');
    await keepCertificate('ann', await readFile(`${landscape.dataDir}/keys/ca.crt`, 'utf8'), await keyOfFirst());
    const request = {
      apiVersion: 'clusters.openmcp.cloud/v1alpha1',
      kind: 'AccessRequest',
      metadata: { name: 'rotation', namespace: 'openmcp-system' },
      spec: {
        clusterRef: { name: 'onboarding', namespace: 'openmcp-system' },
        token: { permissions: [{ rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }] }] },
      },
    };
    const applied = await landscape
      .cluster('platform')
      .kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(request) });
    assert.equal(applied.code, 0, applied.stderr);
    await landscape
      .cluster('onboarding')
      .kubectl(['create', 'clusterrolebinding', 'ann', '--clusterrole=view', '--user=ann']);
  });
  after(() => stack.disposeAsync());

  const keyOfFirst = () => readFile(`${landscape.dataDir}/keys/ca.key`, 'utf8');

  async function keep(name: string): Promise<void> {
    const path = folder.join(`${name}.kubeconfig`);
    await copyFile(landscape.kubeconfig, path);
    kubeconfigs[name] = path;
  }

  /** A user with a client certificate of an authority, who trusts what ca.crt says now. */
  async function keepCertificate(name: string, certificate: string, key: string): Promise<void> {
    const authority = loadCertificateAuthority(certificate, key);
    const own = issueCertificate(authority, { commonName: 'ann', usages: ['client'], now: new Date() });
    const path = folder.join(`${name}.kubeconfig`);
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const ca = await readFile(`${landscape.dataDir}/ca.crt`, 'utf8');
    const user = { 'client-certificate-data': data(own.certificatePem), 'client-key-data': data(own.privateKeyPem) };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        {
          name: 'c',
          cluster: { server: `${landscape.url}/clusters/onboarding`, 'certificate-authority-data': data(ca) },
        },
      ],
      users: [{ name: 'u', user }],
    };
    await writeFile(path, JSON.stringify(config));
    kubeconfigs[name] = path;
  }

  const ca = (...args: readonly string[]) =>
    runCli(['ca', ...args, '--data-dir', landscape.dataDir], { cwd: folder.path, env: { HOME: folder.path } });

  async function status(): Promise<Status> {
    const { stdout, stderr, code } = await ca('status', '-o', 'json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Status;
  }

  const works = async (name: string): Promise<boolean> => {
    const args = ['--kubeconfig', kubeconfigs[name] ?? assert.fail(name), 'get', 'namespace', 'default', '-o', 'name'];
    const { code, stdout } = await kubectl(args);
    return code === 0 && stdout === 'namespace/default\n';
  };

  async function assertWork(expected: Readonly<Record<string, boolean>>, when: string): Promise<void> {
    for (const [name, isWorking] of Object.entries(expected))
      assert.equal(await works(name), isWorking, `${name}, ${when}`);
  }

  test('nobody else may read or change it', async () => {
    const path = '/admin/certificate-authority';
    const body = { stage: 'trust' };
    assert.equal((await landscape.request(path, { token: null })).status, 401);
    assert.equal((await landscape.request(path, { token: null, body })).status, 401);
    const { stdout: token } = await landscape.cluster('platform').kubectl(['create', 'token', 'default']);
    assert.equal((await landscape.request(path, { token: token.trim() })).status, 403);
    assert.equal((await landscape.request(path, { token: token.trim(), body })).status, 403);
    const wrong = await landscape.request(path, { body: { stage: 'all' } });
    assert.equal(wrong.status, 400, wrong.text);
    assert.equal((await status()).phase, 'settled');
    // Lines gather for a moment before they are written.
    await eventually(async () => {
      const audit = await readFile(`${landscape.dataDir}/audit.log`, 'utf8');
      return /"path":"\/admin\/certificate-authority".*"code":403/.test(audit);
    });
  });

  test('trust: the old authority serves, kubeconfigs of before and of now work', async () => {
    const { code, stdout, stderr } = await ca('rotate', '--stage', 'trust');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /is trusted beside the old one\nNext: npx chandlery ca rotate --stage use/);
    await eventually(
      async () => (await readFile(landscape.kubeconfig, 'utf8')) !== (await readFile(kubeconfigs['old'] ?? '', 'utf8')),
    );
    await keep('between');
    await assertWork({ old: true, between: true, ann: true }, 'trusted');
  });

  test('a server that is killed goes on where it was', async () => {
    const { present } = await status();
    await landscape.kill9();
    await landscape.restart();
    assert.deepEqual([(await status()).phase, (await status()).present.name], ['trusted', present.name]);
    const pending = ca('rotate', '--stage', 'use').catch(() => undefined);
    await landscape.kill9();
    await pending;
    await landscape.restart();
    const repeated = await ca('rotate');
    assert.equal(repeated.code, 0, repeated.stderr);
    assert.deepEqual([(await status()).phase, (await status()).present.name], ['issuing', present.name]);
  });

  test('use: everybody continues, and who shows an old certificate is listed', async () => {
    await keep('new');
    const secret = await landscape
      .cluster('platform')
      .kubectl(['get', 'secret', '-n', 'kube-system', 'landscape-authority', '-o', 'json']);
    const { data } = JSON.parse(secret.stdout) as { data: Record<string, string> };
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    await keepCertificate('ann-new', text('tls.crt'), text('tls.key'));
    await assertWork({ old: true, between: true, new: true, ann: true, 'ann-new': true }, 'issuing');
    const { usersOfOld } = await status();
    assert.deepEqual(
      usersOfOld.map(({ user, issuer }) => [user, issuer]),
      [['ann', 'chandlery']],
    );
    assert.match((await ca('status')).stdout, /USER OF OLD[\s\S]*ann +chandlery +\S+ ago/);
  });

  test('access requests have the new authority', async () => {
    const platform = landscape.cluster('platform');
    const { stdout: access } = await platform.kubectl(['get', 'secrets', '-n', 'openmcp-system', '-o', 'name']);
    assert.match(access, /rotation\.kubeconfig/);
    await eventually(
      async () => {
        const { stdout } = await platform.kubectl(['get', 'secrets', '-A', '-o', 'json']);
        const { items } = JSON.parse(stdout) as {
          items: { metadata: { name: string }; data?: Record<string, string> }[];
        };
        const present = Buffer.from(await readFile(`${landscape.dataDir}/ca.crt`)).toString('base64');
        return items
          .filter(({ metadata }) => metadata.name.endsWith('.kubeconfig'))
          .every(({ data }) => data?.['ca.crt'] === present);
      },
      { timeoutMs: 30_000 },
    );
  });

  test('drop: is refused while it would hurt, and then nothing of the old authority counts', async () => {
    const early = await ca('rotate', '--stage', 'drop', '--yes');
    assert.equal(early.code, 1);
    assert.match(early.stderr, /programs may trust the old authority alone until/);
    assert.match(early.stderr, /--force/);
    const done = await ca('rotate', '--stage', 'drop', '--yes', '--force');
    assert.equal(done.code, 0, done.stderr);
    assert.equal((await status()).phase, 'settled');
    await assertWork({ old: false, ann: false, between: true, new: true, 'ann-new': true }, 'dropped');
    await landscape.kill9();
    await startAgain();
    await assertWork({ old: false, ann: false, between: true, new: true, 'ann-new': true }, 'after a restart');
  });

  const startAgain = () => landscape.restart();

  test('it can be rotated again, with a time for the end', async () => {
    const { code, stderr } = await ca('rotate', '--drop-after', '1s');
    assert.equal(code, 0, stderr);
    await eventually(async () => (await status()).phase === 'settled', { timeoutMs: 60_000 });
    await assertWork({ between: false, new: false, 'ann-new': false }, 'rotated twice');
    await keep('newest');
    await assertWork({ newest: true }, 'rotated twice');
  });
});
