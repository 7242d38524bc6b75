// The test servers of Azure and Google are held against the genuine SDKs, which accept them unmodified.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { constantAuthority, createCertificateAuthority, issueServerCertificate } from '@chandlery/platform';
import { findCloudSdks, runProcess, tempFolder, whySkipped } from '@chandlery/testing';
import {
  startTestAzureServer,
  testSubscription as subscriptionId,
  testTenant as tenantId,
  testSecret,
} from '../../domains/mesh/src/endpoints/clouds/azure/test-azure-server.ts';
import {
  testProject as project,
  startTestGoogleServer,
  testEventToken,
  testToken as token,
} from '../../domains/mesh/src/endpoints/clouds/google/test-google-server.ts';

const sdks = await findCloudSdks(join(import.meta.dirname, 'support/list-by-sdks.mjs'));
const zone = 'europe-west1-b';
const machine = (no: number, health: 'healthy' | 'draining' = 'healthy') => ({
  ...{ name: `vm-${no}`, service: 'web', ip: `10.0.0.${no}`, zone, health },
});

/** SDKs send tokens by TLS only. */
async function createTls(caFile: string) {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'test clouds', now });
  const names = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] };
  const { certificatePem: cert, privateKeyPem: key } = issueServerCertificate(
    constantAuthority(authority)(),
    names,
    now,
  );
  await writeFile(caFile, authority.certificatePem);
  return { cert, key };
}

async function list(cloud: string, url: string, { options, ca }: { readonly options: object; readonly ca: string }) {
  const args = [sdks.path ?? '', cloud, url, JSON.stringify(options)];
  const { code, stdout, stderr } = await runProcess(process.execPath, args, {
    env: { NODE_EXTRA_CA_CERTS: ca },
    timeoutMs: 120_000,
  });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

describe('The SDK', { skip: whySkipped(sdks) }, () => {
  test('of Azure lists the machines, states, addresses and scale sets of the test server', async () => {
    await using folder = await tempFolder();
    const ca = folder.join('ca.crt');
    await using server = await startTestAzureServer(await createTls(ca));
    server.setMachines('web', [machine(1), machine(2, 'draining'), machine(3)]);
    server.setScaleSet('workers', [machine(7)]);
    const listed = await list('azure', server.url, { options: { tenantId, subscriptionId, ...testSecret }, ca });
    assert.deepEqual(listed, {
      machines: ['vm-1', 'vm-2', 'vm-3'],
      states: ['PowerState/running', 'PowerState/stopping', 'PowerState/running'],
      addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
      scaleSets: ['workers'],
      instances: ['vm-7'],
    });
  });

  test('of Google lists the instances of the test server, and the members of its groups', async () => {
    await using folder = await tempFolder();
    const ca = folder.join('ca.crt');
    await using server = await startTestGoogleServer(await createTls(ca));
    server.setMachines('web', [machine(1), machine(2, 'draining'), machine(3)]);
    server.setManagedGroup(`zones/${zone}/instanceGroups/web`, [{ machine: machine(1), health: 'HEALTHY' }]);
    const group = { zone, instanceGroupManager: 'web' };
    const listed = await list('google', server.url, { options: { project, token, group }, ca });
    assert.deepEqual(listed, {
      machines: ['vm-1', 'vm-2', 'vm-3'],
      states: ['RUNNING', 'STOPPING', 'RUNNING'],
      addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
      health: ['HEALTHY'],
    });
  });

  const messages = ['first', 'second', 'third'];

  test('of Azure receives and deletes the messages of the storage queue', async () => {
    await using folder = await tempFolder();
    const ca = folder.join('ca.crt');
    await using server = await startTestAzureServer(await createTls(ca));
    for (const text of messages) server.queue.send(text);
    const options = { tenantId, ...testSecret, queue: 'machines' };
    const { texts } = await list('azure-queue', server.url, { options, ca });
    assert.deepEqual(texts, messages);
    assert.equal(server.queue.size, 0);
  });

  test('of Google pulls and acknowledges the messages of the subscription', async () => {
    await using folder = await tempFolder();
    const ca = folder.join('ca.crt');
    await using server = await startTestGoogleServer(await createTls(ca));
    for (const text of messages) server.queue.send(Buffer.from(text).toString('base64'));
    const options = { token: testEventToken, subscription: `projects/${project}/subscriptions/machines` };
    const { texts } = await list('google-queue', server.url, { options, ca });
    assert.deepEqual(texts, messages);
    assert.equal(server.queue.size, 0);
  });
});
