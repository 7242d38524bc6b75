import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { createCertificateAuthority } from '../pki/certificate-authority.ts';
import { constantAuthority } from '../pki/issuing-authority.ts';
import { ManualClock } from '../time/clock.ts';
import { IssuedHostCertificates } from './host-certificates.ts';

const dayMs = 24 * 60 * 60 * 1000;

describe('certificates of host names', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const authority = createCertificateAuthority({ commonName: 'test', now: clock.now() });
  const served = new Set(['site.example', `${'long-label.'.repeat(8)}example`]);
  const certificates = new IssuedHostCertificates({
    authority: constantAuthority(authority),
    isServed: name => served.has(name),
    clock,
  });

  test('are issued for exactly the name, by the authority', async () => {
    const { certificatePem = '' } = (await certificates.find('site.example')) ?? {};
    const certificate = new X509Certificate(certificatePem);
    assert.equal(certificate.subjectAltName, 'DNS:site.example');
    assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey));
  });

  test('are issued for names that are too long for a common name', async () => {
    const [, long = ''] = served;
    const { certificatePem = '' } = (await certificates.find(long)) ?? {};
    assert.equal(new X509Certificate(certificatePem).checkHost(long), long);
  });

  test('are the same until two thirds of their life, and end when the name is no longer served', async () => {
    const first = await certificates.find('site.example');
    clock.advance(59 * dayMs);
    assert.equal(await certificates.find('site.example'), first);
    clock.advance(2 * dayMs);
    const second = await certificates.find('site.example');
    assert.notEqual(second, first);
    served.delete('site.example');
    assert.equal(await certificates.find('site.example'), undefined);
  });

  test('are not issued for other names', async () => assert.equal(await certificates.find('other.example'), undefined));
});
