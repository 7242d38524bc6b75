import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { startTestAuthority } from '../../certificates/test-authority.ts';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';
import { deleteStoredKeys } from './delete-stored-keys.ts';

/** An object of an earlier version. */
const stored = (name: string): MeshWorkloadCertificate =>
  meshWorkloadCertificates.object(
    { name },
    {
      tenant: 'acme',
      cluster: 'eu-1',
      namespace: 'shop',
      serviceAccount: name,
      root: 'f'.repeat(64),
      chain: '-----BEGIN CERTIFICATE-----',
      privateKey: '-----BEGIN PRIVATE KEY-----',
      notBefore: '2030-01-01T00:00:00.000Z',
      notAfter: '2030-01-02T00:00:00.000Z',
    },
  );

test('keys of workloads that an earlier version stored are deleted, also those that its replicas still make', async () => {
  await using mesh = await startTestAuthority();
  const { ref } = meshWorkloadCertificates;
  const names = async (): Promise<readonly string[]> =>
    (await mesh.client.list(ref)).items.map(({ metadata }) => metadata.name ?? '').sort();
  for (const name of ['web', 'books']) await mesh.client.create(ref, stored(name));
  assert.deepEqual(await names(), ['books', 'web']);
  await using _ = deleteStoredKeys({ client: mesh.client, logger: silentLogger });
  await eventually(async () => (await names()).length === 0, { what: 'the stored keys to be deleted' });
  await mesh.client.create(ref, stored('late'));
  await eventually(async () => (await names()).length === 0, { what: 'the late one to be deleted' });
});
