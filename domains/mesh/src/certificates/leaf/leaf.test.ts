import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createCertificateAuthority } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import fc from 'fast-check';
import { type ProxyIdentity, proxySpiffeId } from '../../model/identity.ts';
import { createCsr } from '../csr/create-csr.ts';
import { readCsr } from '../csr/read-csr.ts';
import { callOnce, serveOnce } from '../test-handshake.ts';
import { issueLeaf, issueServerLeaf, signLeaf } from './issue-leaf.ts';
import { leafNames } from './leaf-names.ts';
import { renewalTime } from './renewal.ts';

const now = new Date();
const authority = createCertificateAuthority({ commonName: 'mesh', now });
const terms = { authority, now, ttlMs: 3_600_000 };
const web: ProxyIdentity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount: 'web',
};
const proxy: ProxyIdentity = { ...web, proxyId: '5f0c9a4e-2a3f-4a56-9d4e-1c1d8f0b7a11' };

describe('The certificate of a workload', () => {
  it('has its identity as the only URI, and a common name for display', () => {
    for (const [identity, name] of [
      [web, 'web'],
      [proxy, proxy.proxyId],
    ] as const) {
      const leaf = new X509Certificate(issueLeaf(identity, terms).certificatePem);
      assert.equal(leaf.subjectAltName, `URI:${proxySpiffeId(identity)}`);
      assert.equal(leaf.subject, `CN=${name}`);
    }
  });

  it('is good for both ends of a connection and for nothing else', () => {
    const leaf = new X509Certificate(issueLeaf(web, terms).certificatePem);
    assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    assert.equal(leaf.ca, false);
    assert.ok(leaf.validFromDate.getTime() <= now.getTime() - 299_000, 'clocks may be five minutes behind');
  });

  it('satisfies openssl, with a name and without', async () => {
    await using folder = await tempFolder();
    const caFile = `${folder.path}/ca.pem`;
    writeFileSync(caFile, authority.certificatePem);
    for (const identity of [web, proxy, { ...web, serviceAccount: 'a'.repeat(65) }]) {
      const leafFile = `${folder.path}/leaf.pem`;
      writeFileSync(leafFile, issueLeaf(identity, terms).certificatePem);
      for (const purpose of ['sslserver', 'sslclient']) {
        execFileSync('openssl', ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', caFile, leafFile]);
      }
      const text = execFileSync('openssl', ['x509', '-in', leafFile, '-noout', '-text'], { encoding: 'utf8' });
      assert.match(text, /Key Usage: critical\s+Digital Signature\n/);
      assert.ok(text.includes(`URI:${proxySpiffeId(identity)}`));
    }
  });

  it('proves both ends of a real connection to each other', async () => {
    const { csr, privateKey } = createCsr();
    const signed = signLeaf(proxy, { ...terms, publicKey: readCsr(csr) });
    const issued = issueLeaf(web, terms);
    await using server = await serveOnce({
      cert: issued.certificatePem,
      key: issued.privateKeyPem,
      ca: authority.certificatePem,
    });
    const heard = await callOnce(server.port, {
      cert: signed.certificatePem,
      key: privateKey,
      ca: authority.certificatePem,
    });
    assert.deepEqual(heard, { server: `URI:${proxySpiffeId(web)}`, client: `URI:${proxySpiffeId(proxy)}` });
  });

  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,80}[a-z0-9])?$/);
  const identities: fc.Arbitrary<ProxyIdentity> = fc.record(
    { trustDomain: label, tenant: label, cluster: label, namespace: label, serviceAccount: label, proxyId: label },
    { requiredKeys: ['trustDomain', 'tenant', 'cluster', 'namespace', 'serviceAccount'] },
  );

  it('never has a common name of more than 64 characters, and always the whole identity', () => {
    fc.assert(
      fc.property(identities, identity => {
        const leaf = new X509Certificate(issueLeaf(identity, terms).certificatePem);
        const commonName = /^CN=(.*)$/m.exec(leaf.subject ?? '')?.[1] ?? '';
        assert.ok(commonName.length <= 64);
        const name = identity.proxyId ?? identity.serviceAccount;
        assert.equal(commonName, name.length > 64 ? '' : name);
        assert.equal(leaf.subjectAltName, `URI:${proxySpiffeId(identity)}`);
      }),
      { numRuns: 50 },
    );
  });

  it('is rejected for names that would be the identity of another workload', () => {
    const odd = fc.oneof(
      fc.constantFrom('', 'a/b', 'a/sa/root', 'a b', 'ü', 'a\n', '\0'),
      label.map(name => `${name}/proxy/x`),
    );
    fc.assert(
      fc.property(
        odd,
        fc.constantFrom('tenant', 'cluster', 'namespace', 'serviceAccount', 'proxyId'),
        (name, field) => {
          assert.throws(() => leafNames({ ...web, [field]: name }), { code: 'InvalidIdentity' });
        },
      ),
    );
  });
});

describe('The certificate of a server', () => {
  it('vouches for host names and addresses', () => {
    const leaf = new X509Certificate(issueServerLeaf(['xds.example.org', '127.0.0.1', '::1'], terms).certificatePem);
    assert.equal(leaf.checkHost('xds.example.org'), 'xds.example.org');
    assert.deepEqual([leaf.checkIP('127.0.0.1'), leaf.checkIP('::1')], ['127.0.0.1', '::1']);
  });
});

describe('The time of renewal', () => {
  const hourMs = 3_600_000;
  const at = (hours: number): Date => new Date(hours * hourMs);
  const cases = [
    { why: 'a third of a long lifetime is left', notAfter: at(24), random: 0, expected: at(16) },
    {
      why: 'five minutes of a short lifetime are left',
      notAfter: new Date(600_000),
      random: 0,
      expected: new Date(300_000),
    },
    { why: 'chance makes it earlier', notAfter: at(24), random: 0.5, expected: new Date(16 * hourMs - 2500) },
  ];
  for (const { why, notAfter, random, expected } of cases) {
    it(why, () => assert.deepEqual(renewalTime({ notBefore: new Date(0), notAfter }, random), expected));
  }
});
