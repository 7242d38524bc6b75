import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import { ManualClock } from '@chandlery/platform';
import type { Timers } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { type MeshRootCertificate, meshRootCertificates } from '../kinds/mesh-root-certificate.ts';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../kinds/mesh-workload-certificate.ts';
import { spiffeId, type WorkloadIdentity } from '../model/identity.ts';
import type { MeshAuthority } from '../ports.ts';
import { createAuthority } from './create-authority.ts';
import { createCsr } from './csr/create-csr.ts';
import { rootSecretName, rootSecrets } from './roots/root-secret.ts';
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

/** Timers that fire when they are told to. */
function createManualTimers(): Timers & { fire(): void } {
  const pending = new Set<() => void>();
  return {
    after(_, call) {
      pending.add(call);
      return () => void pending.delete(call);
    },
    fire() {
      const due = [...pending];
      pending.clear();
      for (const call of due) call();
    },
  };
}

async function obtain(authority: MeshAuthority, identity = web) {
  await authority.prepare(identity);
  const certificate = authority.certificateOf(identity);
  assert.ok(certificate);
  return certificate;
}

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
    const before = await obtain(mesh.authority);
    const bundle = mesh.authority.trustBundle;
    await mesh.authority[Symbol.asyncDispose]();
    const again = await mesh.addReplica();
    assert.equal(again.trustBundle, bundle);
    assert.deepEqual(again.certificateOf(web), before);
  });

  it('goes on after a crash between a root and its key', async () => {
    await using plane = await startCertificatesPlane();
    const client = plane.connect('platform');
    const spec = { role: 'active', trustDomain: 'cluster.local', validityDays: 1 } as const;
    await client.create(meshRootCertificates.ref, meshRootCertificates.object({ name: 'root-1' }, spec));
    await using authority = await createAuthority({ client });
    assert.match(authority.trustBundle, /BEGIN CERTIFICATE/);
  });

  it('does not make up a key that was lost, and says what to do', async () => {
    await using mesh = await startTestAuthority();
    const ref = { ...meshRootCertificates.ref, name: 'root-1' };
    const root = await mesh.client.get<MeshRootCertificate>(ref);
    await mesh.client.update({ ...ref, subresource: 'status' }, { ...root, status: { fingerprint: 'known' } });
    await mesh.client.delete({ ...rootSecrets, name: rootSecretName('root-1') });
    await assert.rejects(mesh.addReplica(), { code: 'NoSigningRoot', hint: /restore the key/ });
    assert.match(mesh.authority.trustBundle, /BEGIN CERTIFICATE/, 'who runs goes on');
    await obtain(mesh.authority);
  });

  it('gives all replicas the same certificate of a workload, asked for at once', async () => {
    await using mesh = await startTestAuthority();
    const replicas = [mesh.authority, await mesh.addReplica(), await mesh.addReplica()];
    await Promise.all(replicas.flatMap(replica => [replica.prepare(web), replica.prepare(web)]));
    const [first, ...others] = replicas.map(replica => replica.certificateOf(web));
    for (const other of others) assert.deepEqual(other, first);
    const leaf = new X509Certificate(first?.chain ?? '');
    assert.equal(leaf.subjectAltName, `URI:${spiffeId(web)}`);
    assert.ok(leaf.verify(new X509Certificate(mesh.authority.trustBundle).publicKey));
  });

  it('answers undefined at first, then tells that the certificate is there', async () => {
    await using mesh = await startTestAuthority();
    const told: unknown[] = [];
    mesh.authority.subscribe(change => told.push(change));
    assert.equal(mesh.authority.certificateOf(web), undefined);
    await eventually(() => mesh.authority.certificateOf(web));
    assert.deepEqual(told, [{ renewed: web }]);
  });

  it('tells whoever asked under a former trust domain under that one', async () => {
    await using mesh = await startTestAuthority();
    const former = { ...web, trustDomain: 'former.example' };
    const told: unknown[] = [];
    const unsubscribe = mesh.authority.subscribe(change => told.push(change));
    assert.equal(mesh.authority.certificateOf(former), undefined);
    await mesh.authority.prepare(former);
    assert.deepEqual(told, [{ renewed: former }]);
    const leaf = new X509Certificate(mesh.authority.certificateOf(former)?.chain ?? '');
    assert.equal(leaf.subjectAltName, `URI:${spiffeId(web)}`, 'but the certificate is of the present one');
    unsubscribe();
    await obtain(mesh.authority, { ...web, serviceAccount: 'other' });
    assert.equal(told.length, 1);
  });

  it('renews what is in use by wall clock, once for all replicas', async () => {
    const [clock, timers] = [new ManualClock(new Date()), createManualTimers()];
    await using mesh = await startTestAuthority({ clock, timers, random: () => 0 });
    const other = await mesh.addReplica();
    const first = await obtain(mesh.authority);
    assert.deepEqual(other.certificateOf(web), first);
    clock.advance(15 * hourMs);
    timers.fire();
    assert.deepEqual(mesh.authority.certificateOf(web), first, 'not yet due');
    clock.advance(2 * hourMs);
    timers.fire();
    const second = await eventually(() => {
      const present = other.certificateOf(web);
      return present?.chain === first.chain ? undefined : present;
    });
    assert.equal(second.notAfter.getTime(), Math.floor(clock.now().getTime() / 1000) * 1000 + 24 * hourMs);
    await eventually(() => mesh.authority.certificateOf(web)?.chain === second.chain);
    const { items } = await mesh.client.list<MeshWorkloadCertificate>(meshWorkloadCertificates.ref);
    assert.deepEqual(
      items.map(({ spec }) => spec.chain),
      [second.chain],
    );
  });

  it('forgets what nobody asked for since the last renewal', async () => {
    const [clock, timers] = [new ManualClock(new Date()), createManualTimers()];
    await using mesh = await startTestAuthority({ clock, timers, random: () => 0 });
    const used = { ...web, serviceAccount: 'used' };
    await Promise.all([mesh.authority.prepare(web), mesh.authority.prepare(used)]);
    const before = mesh.authority.certificateOf(used);
    clock.advance(17 * hourMs);
    timers.fire();
    await eventually(() => mesh.authority.certificateOf(used)?.chain !== before?.chain);
    const { items } = await mesh.client.list<MeshWorkloadCertificate>(meshWorkloadCertificates.ref);
    const ends = new Map(items.map(({ spec }) => [spec.serviceAccount, new Date(spec.notAfter)]));
    assert.ok((ends.get('web') ?? 0) < (ends.get('used') ?? 0), 'only what is used was renewed');
  });

  it('hands out nothing that has ended', async () => {
    const clock = new ManualClock(new Date());
    await using mesh = await startTestAuthority({ clock, timers: createManualTimers() });
    const first = await obtain(mesh.authority);
    clock.advance(25 * hourMs);
    assert.equal(mesh.authority.certificateOf(web), undefined);
    const second = await eventually(() => mesh.authority.certificateOf(web));
    assert.ok(second.notAfter > first.notAfter);
  });

  it('rejects those who wait when a name cannot be certified, and when it is stopped', async () => {
    await using mesh = await startTestAuthority();
    await assert.rejects(mesh.authority.prepare({ ...web, namespace: 'a/b' }), { code: 'InvalidIdentity' });
    const waiting = mesh.authority.prepare(web);
    const outcome = assert.rejects(waiting, { code: 'Stopped' });
    await mesh.authority[Symbol.asyncDispose]();
    await outcome;
  });

  it('certifies the key of a proxy, whatever else its request says', async () => {
    await using mesh = await startTestAuthority();
    const { csr } = createCsr();
    const identity = { ...web, trustDomain: 'elsewhere', proxyId: 'p-1' };
    const { chain, notAfter } = mesh.authority.sign({ csr, identity, ttlMs: hourMs });
    const verdict = createPeerVerifier(mesh.authority)([new X509Certificate(chain).raw]);
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
