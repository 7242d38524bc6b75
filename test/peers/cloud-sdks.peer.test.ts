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
    server.setScaleSet('workers', [machine(6), machine(7, 'draining'), machine(8)]);
    server.setScaleSet('flexible', [machine(4)], 'Flexible');
    const listed = await list('azure', server.url, { options: { tenantId, subscriptionId, ...testSecret }, ca });
    assert.deepEqual(listed, {
      machines: ['vm-1', 'vm-2', 'vm-3', 'vm-4'],
      states: ['PowerState/running', 'PowerState/stopping', 'PowerState/running', 'PowerState/running'],
      addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'],
      publicAddresses: ['198.51.100.2', '198.51.100.3', '198.51.100.4', '198.51.100.5'],
      scaleSets: ['workers Uniform', 'flexible Flexible'],
      membersOfFlexible: ['vm-4'],
      instances: ['vm-6 PowerState/running', 'vm-7 PowerState/stopping', 'vm-8 PowerState/running'],
      instanceAddresses: ['10.0.0.6', '10.0.0.7', '10.0.0.8'],
      publicInstanceAddresses: ['198.51.100.7', '198.51.100.8', '198.51.100.9'],
      errorOfMissing: { code: 'ResourceNotFound', statusCode: 404 },
    });
  });

  test('of Google lists the instances of the test server, and the members of its groups', async () => {
    await using folder = await tempFolder();
    const ca = folder.join('ca.crt');
    await using server = await startTestGoogleServer(await createTls(ca));
    server.setMachines('web', [machine(1), machine(2, 'draining'), machine(3)]);
    const members = [1, 2, 3].map(no => ({ machine: machine(no), health: 'HEALTHY' }));
    server.setManagedGroup(`zones/${zone}/instanceGroups/web`, members);
    server.setPlainGroup(`zones/${zone}/instanceGroups/old`, [machine(1), machine(2), machine(3)]);
    const group = { zone, instanceGroupManager: 'web' };
    const plainGroup = { zone, instanceGroup: 'old' };
    const listed = await list('google', server.url, { options: { project, token, group, plainGroup }, ca });
    assert.deepEqual(listed, {
      machines: ['vm-1', 'vm-2', 'vm-3'],
      states: ['RUNNING', 'STOPPING', 'RUNNING'],
      addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
      health: ['HEALTHY', 'HEALTHY', 'HEALTHY'],
      plainMembers: ['vm-1', 'vm-2', 'vm-3'],
      warnings: ['zones/empty-1-a NO_RESULTS_ON_PAGE', 'zones/empty-1-a NO_RESULTS_ON_PAGE'],
      errorOfMissing: 404,
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
