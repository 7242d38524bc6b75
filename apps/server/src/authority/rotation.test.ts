import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { createCertificateAuthority, issueCertificate, issueServerCertificate } from '@chandlery/platform';
import { authoritySecret, readAuthoritySecret } from './authority-secret.ts';
import { dropOld, initialRotation, isDropDue, issuingOf, type Rotation, trustNew, useNew } from './rotation.ts';

const now = new Date('2030-01-01T00:00:00Z');
const authority = (commonName: string) => createCertificateAuthority({ commonName, now });
const first = authority('first');
const second = authority('second');
const settled = initialRotation(first);
const trusted = trustNew(settled, () => second, now);
const issuing = useNew(trusted, undefined, now);
const dropped = dropOld(issuing, now);

const blocks = (pem: string): readonly string[] => pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
const subjects = (pem: string): readonly string[] => blocks(pem).map(block => new X509Certificate(block).subject);

for (const { why, rotation, issues, trusts } of [
  { why: 'settled', rotation: settled, issues: 'CN=first', trusts: ['CN=first'] },
  { why: 'trusted', rotation: trusted, issues: 'CN=first', trusts: ['CN=first', 'CN=second'] },
  { why: 'issuing', rotation: issuing, issues: 'CN=second', trusts: ['CN=second', 'CN=first'] },
  { why: 'dropped', rotation: dropped, issues: 'CN=second', trusts: ['CN=second'] },
] as const)
  test(`${why}: who issues, and who is trusted`, () => {
    const current = issuingOf(rotation);
    const { certificatePem } = issueServerCertificate(current, { dnsNames: ['localhost'], ipAddresses: [] }, now);
    assert.equal(new X509Certificate(blocks(certificatePem)[0] ?? '').issuer, issues);
    assert.deepEqual(subjects(current.trustPem), trusts);
  });

test('who trusts the old authority alone accepts certificates of the new one, by the cross certificate', () => {
  const { chainPem } = issuingOf(issuing);
  const cross = new X509Certificate(chainPem);
  const old = new X509Certificate(first.certificatePem);
  assert.ok(cross.checkIssued(old) && cross.verify(old.publicKey) && cross.ca);
  const leaf = new X509Certificate(
    issueCertificate(second, { dnsNames: ['localhost'], usages: ['server'], now }).certificatePem,
  );
  assert.ok(leaf.checkIssued(cross) && leaf.verify(cross.publicKey));
});

test('a stage that is repeated changes nothing', () => {
  assert.equal(
    trustNew(trusted, () => assert.fail('another authority was made'), now),
    trusted,
  );
  assert.equal(
    trustNew(issuing, () => assert.fail('another authority was made'), now),
    issuing,
  );
  assert.equal(useNew(issuing, undefined, now), issuing);
  assert.equal(dropOld(settled, now), settled);
  assert.deepEqual(
    [settled, trusted, issuing, dropped].map(({ version }) => version),
    [0, 1, 2, 3],
  );
});

test('stages out of order are rejected', () => {
  assert.throws(() => useNew(settled, undefined, now), { code: 'Conflict' });
  assert.throws(() => dropOld(trusted, now), { code: 'Conflict' });
});

test('the old authority is dropped at its time, which may be set later', () => {
  const timed = useNew(issuing, '2030-02-01T00:00:00.000Z', now);
  assert.equal(isDropDue(issuing, new Date('2040-01-01')), false);
  assert.deepEqual(
    ['2030-01-31T23:59:59Z', '2030-02-01T00:00:00Z'].map(at => isDropDue(timed, new Date(at))),
    [false, true],
  );
  assert.equal(dropOld(timed, now).dropAt, undefined);
});

test('a Secret gives the rotation back', () => {
  for (const rotation of [trusted, issuing, dropped]) {
    const read = readAuthoritySecret(authoritySecret(rotation, undefined));
    assert.deepEqual(plain(read), plain(rotation));
  }
  assert.throws(() => readAuthoritySecret({ apiVersion: 'v1', kind: 'Secret', metadata: {}, data: {} }));
});

const plain = ({ present, old, ...rest }: Rotation) => ({
  ...rest,
  present: present.certificatePem + present.privateKeyPem,
  old: old && old.certificatePem + old.privateKeyPem,
});
