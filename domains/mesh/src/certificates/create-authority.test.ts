import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { createCertificateAuthority, ManualClock } from '@chandlery/platform';
import { eventually } from '@chandlery/testing';
import { type MeshRootCertificate, meshRootCertificates } from '../kinds/mesh-root-certificate.ts';
import { meshWorkloadCertificates } from '../kinds/mesh-workload-certificate.ts';
import type { WorkloadIdentity } from '../model/identity.ts';
import { createAuthority } from './create-authority.ts';
import { createCsr } from './csr/create-csr.ts';
import { rootSecret, rootSecretName, rootSecrets } from './roots/root-secret.ts';
import { startCertificatesPlane, startTestAuthority } from './test-authority.ts';
import { createPeerVerifier } from './verify-peer.ts';

const web: WorkloadIdentity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount: 'web',
};
const hourMs = 3_600_000;

describe('The authority of the mesh', () => {
  it('makes one first root, however many replicas start at once', async () => {
    await using plane = await startCertificatesPlane();
    const client = plane.connect('platform');
    await using stack = new AsyncDisposableStack();
    const replicas = await Promise.all(
      Array.from({ length: 4 }, async () => stack.use(await createAuthority({ client, trustDomain: 'mesh.example' }))),
    );
    const { items } = await client.list<MeshRootCertificate>(meshRootCertificates.ref);
    assert.deepEqual(
      items.map(({ spec }) => [spec.role, spec.trustDomain]),
      [['active', 'mesh.example']],
    );
    assert.equal(new Set(replicas.map(({ trustBundle }) => trustBundle)).size, 1);
    assert.equal(new Set(replicas.map(({ trustVersion }) => trustVersion)).size, 1);
    assert.deepEqual([replicas[0]?.trustDomain, replicas[0]?.trustDomains], ['mesh.example', ['mesh.example']]);
  });

  it('is the same after a restart', async () => {
    await using mesh = await startTestAuthority();
    const bundle = mesh.authority.trustBundle;
    await mesh.authority[Symbol.asyncDispose]();
    const again = await mesh.addReplica();
    assert.equal(again.trustBundle, bundle);
  });

  it('continues after a crash between a root and its key', async () => {
    await using plane = await startCertificatesPlane();
    const client = plane.connect('platform');
    const spec = { role: 'active', trustDomain: 'cluster.local', validityDays: 1 } as const;
    await client.create(meshRootCertificates.ref, meshRootCertificates.object({ name: 'root-1' }, spec));
    await using authority = await createAuthority({ client });
    assert.match(authority.trustBundle, /BEGIN CERTIFICATE/);
  });

  it('does not replace a lost key, and describes the fix', async () => {
    await using mesh = await startTestAuthority();
    const ref = { ...meshRootCertificates.ref, name: 'root-1' };
    const root = await mesh.client.get<MeshRootCertificate>(ref);
    await mesh.client.update({ ...ref, subresource: 'status' }, { ...root, status: { fingerprint: 'known' } });
    await mesh.client.delete({ ...rootSecrets, name: rootSecretName('root-1') });
    await assert.rejects(mesh.addReplica(), { code: 'NoSigningRoot', hint: /restore the key/ });
    assert.match(mesh.authority.trustBundle, /BEGIN CERTIFICATE/, 'who runs goes on');
    mesh.authority.sign({ csr: createCsr().csr, identity: web });
  });

  it('notifies of changed roots, except listeners that unsubscribed', async () => {
    await using mesh = await startTestAuthority();
    let [told, toldOther] = [0, 0];
    mesh.authority.subscribe(() => void told++);
    mesh.authority.subscribe(() => void toldOther++)();
    const spec = { role: 'passive', trustDomain: 'other.example', validityDays: 1 } as const;
    const declared = meshRootCertificates.object({ name: 'spare' }, spec);
    const spare = await mesh.client.create(meshRootCertificates.ref, declared);
    await mesh.client.create(
      rootSecrets,
      rootSecret(spare, createCertificateAuthority({ commonName: 'spare', now: new Date() })),
    );
    await eventually(() => mesh.authority.trustDomains.length === 2);
    assert.ok(told > 0);
    assert.equal(toldOther, 0);
  });

  it('stores nothing when it certifies the key of a workload', async () => {
    await using mesh = await startTestAuthority();
    mesh.authority.sign({ csr: createCsr().csr, identity: web });
    assert.deepEqual((await mesh.client.list(meshWorkloadCertificates.ref)).items, []);
  });

  it('does not certify a name that cannot be one', async () => {
    await using mesh = await startTestAuthority();
    const { csr } = createCsr();
    assert.throws(() => mesh.authority.sign({ csr, identity: { ...web, namespace: 'a/b' } }), {
      code: 'InvalidIdentity',
    });
  });

  it('certifies the key of a proxy, independent of the other fields of its request', async () => {
    await using mesh = await startTestAuthority();
    const { csr } = createCsr();
    const identity = { ...web, trustDomain: 'elsewhere', proxyId: 'p-1' };
    const { chain, notAfter } = mesh.authority.sign({ csr, identity, ttlMs: hourMs });
    const verdict = createPeerVerifier(mesh.authority)({ leaf: new X509Certificate(chain) });
    assert.deepEqual(verdict.type === 'known' && verdict.identity, { ...web, proxyId: 'p-1' });
    assert.ok(Math.abs(notAfter.getTime() - Date.now() - hourMs) < 60_000);
    const years = mesh.authority.sign({ csr, identity, ttlMs: 1e12 });
    assert.ok(years.notAfter.getTime() < Date.now() + 8 * 24 * hourMs, 'nobody gets one for years');
    assert.throws(() => mesh.authority.sign({ csr: 'nonsense', identity }), { code: 'InvalidCsr' });
  });

  it('has one server certificate for the same names until it is due', async () => {
    const clock = new ManualClock(new Date());
    await using mesh = await startTestAuthority({ clock });
    const first = mesh.authority.serverCertificate(['localhost', '127.0.0.1']);
    assert.equal(mesh.authority.serverCertificate(['localhost', '127.0.0.1']), first);
    assert.equal(new X509Certificate(first.chain).checkIP('127.0.0.1'), '127.0.0.1');
    clock.advance(17 * hourMs);
    assert.notEqual(mesh.authority.serverCertificate(['localhost', '127.0.0.1']).chain, first.chain);
  });
});

describe('A root certificate', () => {
  const patched = (role: string, more: object = {}) => ({ type: 'merge', body: { spec: { role, ...more } } }) as const;

  it('cannot leap between active and inactive, nor change its trust domain', async () => {
    await using mesh = await startTestAuthority();
    const ref = { ...meshRootCertificates.ref, name: 'root-1' };
    await assert.rejects(mesh.client.patch(ref, patched('inactive')), {
      code: 'Invalid',
      message: /passive on its way/,
    });
    await assert.rejects(mesh.client.patch(ref, patched('active', { trustDomain: 'x' })), {
      code: 'Invalid',
      message: /cannot be changed/,
    });
    await mesh.client.patch(ref, patched('passive'));
    await mesh.client.patch(ref, patched('inactive'));
  });
});
