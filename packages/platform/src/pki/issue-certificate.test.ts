import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { createCertificateAuthority, loadCertificateAuthority } from './certificate-authority.ts';
import {
  type CertificateRequest,
  issueCertificate,
  issueCertificateAsync,
  signCertificate,
} from './issue-certificate.ts';

const now = new Date();
const authority = createCertificateAuthority({ commonName: 'test landscape', now });
const authorityCertificate = new X509Certificate(authority.certificatePem);

const serverRequest: CertificateRequest = {
  commonName: 'server',
  dnsNames: ['localhost', '*.example.org'],
  ipAddresses: ['127.0.0.1', '::1', '2001:db8::7:1', '::ffff:10.0.0.1'],
  uris: ['spiffe://landscape/ns/default/sa/web'],
  usages: ['server'],
  now,
};

test('an authority signs itself and may sign others', () => {
  assert.equal(authorityCertificate.ca, true);
  assert.equal(authorityCertificate.verify(authorityCertificate.publicKey), true);
  assert.ok(new Date(authorityCertificate.validFrom) < now);
  assert.equal(authorityCertificate.subject, 'CN=test landscape');
});

for (const issue of [issueCertificate, issueCertificateAsync])
  test(`${issue.name}: a certificate is verified by its authority and matches its own key`, async () => {
    const issued = await issue(authority, serverRequest);
    const certificate = new X509Certificate(issued.certificatePem);
    assert.equal(certificate.checkIssued(authorityCertificate), true);
    assert.equal(certificate.verify(authorityCertificate.publicKey), true);
    assert.equal(certificate.checkPrivateKey(createPrivateKey(issued.privateKeyPem)), true);
    assert.equal(certificate.ca, false);
    assert.equal(new Date(certificate.validTo).getTime(), issued.notAfter.getTime());
  });

test('all kinds of alternative names are found in the certificate', () => {
  const certificate = new X509Certificate(issueCertificate(authority, serverRequest).certificatePem);
  assert.equal(certificate.checkHost('localhost'), 'localhost');
  assert.equal(certificate.checkHost('www.example.org'), '*.example.org');
  assert.equal(certificate.checkHost('example.com'), undefined);
  for (const address of ['127.0.0.1', '::1', '2001:db8::7:1']) assert.equal(certificate.checkIP(address), address);
  assert.equal(certificate.checkIP('127.0.0.2'), undefined);
  assert.match(certificate.subjectAltName ?? '', /URI:spiffe:\/\/landscape\/ns\/default\/sa\/web/);
});

test('serial numbers are positive, long and never repeat', () => {
  const serials = Array.from(
    { length: 20 },
    () => new X509Certificate(issueCertificate(authority, serverRequest).certificatePem).serialNumber,
  );
  assert.equal(new Set(serials).size, 20);
  for (const serial of serials) assert.match(serial, /^[0-9A-F]{26,32}$/);
});

test('a certificate never outlives its authority', () => {
  const short = createCertificateAuthority({ commonName: 'short', validDays: 1, now });
  assert.equal(issueCertificate(short, serverRequest).notAfter.getTime(), short.notAfter.getTime());
});

test('a certificate may last beyond 2050', () => {
  const long = createCertificateAuthority({ commonName: 'long', validDays: 36_500, now });
  const issued = issueCertificate(long, { ...serverRequest, notAfter: new Date('2060-02-03T04:05:06Z') });
  assert.equal(new Date(new X509Certificate(issued.certificatePem).validTo).toISOString(), '2060-02-03T04:05:06.000Z');
});

for (const type of ['rsa', 'ed25519'] as const) {
  test(`a foreign public key of type ${type} can be certified`, () => {
    const { publicKey } =
      type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync(type);
    const { certificatePem } = signCertificate(authority, { ...serverRequest, publicKey });
    const certificate = new X509Certificate(certificatePem);
    assert.equal(certificate.verify(authorityCertificate.publicKey), true);
    assert.equal(certificate.publicKey.equals(publicKey), true);
  });
}

const refused: readonly { why: string; request: Partial<CertificateRequest> }[] = [
  { why: 'a host name with a space', request: { dnsNames: ['my host'] } },
  { why: 'a host name beyond ASCII', request: { dnsNames: ['bücher.example'] } },
  { why: 'an address that is none', request: { ipAddresses: ['10.0.0.256'] } },
  { why: 'an address with a zone', request: { ipAddresses: ['fe80::1%eth0'] } },
  { why: 'no usage', request: { usages: [] } },
  { why: 'an end before the start', request: { notAfter: new Date(0) } },
  { why: 'no name at all', request: { commonName: '', dnsNames: [], ipAddresses: [], uris: [] } },
];

for (const { why, request } of refused) {
  test(`a request with ${why} is rejected`, () => {
    assert.throws(() => issueCertificate(authority, { ...serverRequest, ...request }), {
      code: 'InvalidCertificateRequest',
    });
  });
}

test('an authority that was written and read again issues certificates of the same chain', () => {
  const again = loadCertificateAuthority(authority.certificatePem, authority.privateKeyPem);
  assert.deepEqual(again.subject, authority.subject);
  const certificate = new X509Certificate(issueCertificate(again, serverRequest).certificatePem);
  assert.equal(certificate.checkIssued(authorityCertificate), true);
});

test('an authority whose parts do not fit is rejected', () => {
  const other = createCertificateAuthority({ commonName: 'other', now });
  const leaf = issueCertificate(authority, serverRequest);
  const pairs: readonly [string, string][] = [
    [authority.certificatePem, other.privateKeyPem],
    [leaf.certificatePem, leaf.privateKeyPem],
    ['nonsense', authority.privateKeyPem],
    [authority.certificatePem, 'nonsense'],
  ];
  for (const [certificate, key] of pairs) {
    assert.throws(() => loadCertificateAuthority(certificate, key), { code: 'InvalidAuthority' });
  }
});

test('client and server prove themselves to each other over TLS', async () => {
  const server = issueCertificate(authority, serverRequest);
  const client = issueCertificate(authority, {
    commonName: 'jane',
    organizations: ['system:masters', 'team:blau grün'],
    usages: ['client'],
    now,
  });
  const listener = createServer({
    cert: server.certificatePem,
    key: server.privateKeyPem,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>;
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const socket = connect({
    host: 'localhost',
    port: (listener.address() as AddressInfo).port,
    ca: authority.certificatePem,
    cert: client.certificatePem,
    key: client.privateKeyPem,
  });
  try {
    await once(socket, 'secureConnect');
    const [peer] = await accepted;
    const { subject } = peer.getPeerCertificate();
    assert.equal(peer.authorized, true);
    assert.equal(subject.CN, 'jane');
    assert.deepEqual([subject.O].flat(), ['system:masters', 'team:blau grün']);
  } finally {
    socket.destroy();
    listener.close();
  }
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test(hasOpenssl ? 'openssl, at its strictest, agrees' : 'openssl is not installed and was not asked', () => {
  if (!hasOpenssl) return;
  const folder = mkdtempSync(join(tmpdir(), 'chandlery-pki-'));
  try {
    const [caFile, serverFile, namelessFile] = ['ca.crt', 'server.crt', 'nameless.crt'].map(name =>
      join(folder, name),
    ) as [string, string, string];
    writeFileSync(caFile, authority.certificatePem);
    writeFileSync(serverFile, issueCertificate(authority, serverRequest).certificatePem);
    const nameless: CertificateRequest = { uris: ['spiffe://landscape/x'], usages: ['server', 'client'], now };
    writeFileSync(namelessFile, issueCertificate(authority, nameless).certificatePem);
    execFileSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', caFile, serverFile]);
    execFileSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', caFile, namelessFile]);
    const text = execFileSync('openssl', ['x509', '-in', serverFile, '-noout', '-text'], { encoding: 'utf8' });
    for (const expected of [
      'Version: 3 (0x2)',
      'ecdsa-with-SHA256',
      'CA:FALSE',
      'TLS Web Server Authentication',
      'DNS:localhost, DNS:*.example.org',
      'IP Address:2001:DB8:0:0:0:0:7:1',
      'IP Address:0:0:0:0:0:FFFF:A00:1',
      'Authority Key Identifier',
    ]) {
      assert.ok(text.includes(expected), `${expected} is missing in\n${text}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
