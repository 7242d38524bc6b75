import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createCertificateAuthority } from '../pki/certificate-authority.ts';
import type { IssuedCertificate } from '../pki/issue-certificate.ts';
import { constantAuthority } from '../pki/issuing-authority.ts';
import { ManualClock } from '../time/clock.ts';
import {
  CertificateRenewal,
  certificatePeriod,
  isRenewalDue,
  issueServerCertificate,
  serverNames,
  thisMachine,
} from './server-certificate.ts';

const machine = { hostName: 'Build-Host', addresses: ['127.0.0.1', '10.1.2.3', 'fe80::1%eth0', 'fd00::5'] };
const authority = createCertificateAuthority({ commonName: 'test', now: new Date('2030-01-01T00:00:00Z') });
const dayMs = 24 * 60 * 60 * 1000;

const cases: readonly { why: string; host: string; more?: string[]; dns: string[]; ip: string[] }[] = [
  { why: 'on loopback', host: '127.0.0.1', dns: ['localhost', 'build-host'], ip: ['127.0.0.1', '::1'] },
  { why: 'on one address', host: '10.1.2.3', dns: ['localhost', 'build-host'], ip: ['127.0.0.1', '::1', '10.1.2.3'] },
  {
    why: 'on a host name',
    host: 'api.example.org',
    dns: ['localhost', 'build-host', 'api.example.org'],
    ip: ['127.0.0.1', '::1'],
  },
  {
    why: 'on every address',
    host: '0.0.0.0',
    more: ['outside.example.org', '192.0.2.1'],
    dns: ['localhost', 'build-host', 'outside.example.org'],
    ip: ['127.0.0.1', '::1', '10.1.2.3', 'fd00::5', '192.0.2.1'],
  },
];
for (const { why, host, more, dns, ip } of cases) {
  test(`a server ${why} is certified under the right names`, () => {
    assert.deepEqual(serverNames(host, machine, more), { dnsNames: dns, ipAddresses: ip });
  });
}

test('a machine name that no certificate can hold is left out', () => {
  assert.deepEqual(serverNames('127.0.0.1', { hostName: 'mein gerät', addresses: [] }).dnsNames, ['localhost']);
});

test('a certificate for this very machine can be issued', () => {
  const { certificatePem } = issueServerCertificate(
    constantAuthority(authority)(),
    serverNames('::', thisMachine()),
    new Date('2030-01-01T00:00:00Z'),
  );
  assert.equal(new X509Certificate(certificatePem).checkHost('localhost'), 'localhost');
});

test('renewal is due after two thirds of the life', () => {
  const period = { notBefore: new Date(0), notAfter: new Date(90 * dayMs) };
  assert.equal(isRenewalDue(period, new Date(60 * dayMs - 1)), false);
  assert.equal(isRenewalDue(period, new Date(60 * dayMs)), true);
});

test('the period of a certificate is read back from its text', () => {
  const issued = issueServerCertificate(
    constantAuthority(authority)(),
    serverNames('127.0.0.1', machine),
    new Date('2030-01-01T00:00:00Z'),
  );
  assert.deepEqual(certificatePeriod(issued.certificatePem), {
    notBefore: issued.notBefore,
    notAfter: issued.notAfter,
  });
});

test('a certificate is replaced once, in good time', () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const renewed: IssuedCertificate[] = [];
  using renewal = new CertificateRenewal({
    issue: now => issueServerCertificate(constantAuthority(authority)(), serverNames('127.0.0.1', machine), now),
    onRenewed: certificate => renewed.push(certificate),
    clock,
  });
  const first = renewal.current;
  renewal.check();
  assert.equal(renewed.length, 0);
  clock.advance(61 * dayMs);
  renewal.check();
  renewal.check();
  assert.deepEqual(renewed, [renewal.current]);
  assert.ok(renewal.current.notAfter > first.notAfter);
});
