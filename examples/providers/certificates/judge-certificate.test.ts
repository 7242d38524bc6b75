import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { type FoundPair, judgeCertificate, lifeMs } from './judge-certificate.ts';

const start = new Date('2030-01-01T00:00:00Z');
const day = (count: number): Date => new Date(start.getTime() + count * 86_400_000);
const authority = createCertificateAuthority({ commonName: 'ours', now: start });
const defaultSpec = { secretName: 's', dnsNames: ['a.example.com', '*.b.example.com'], validDays: 10 };

function issued(by = authority, spec = defaultSpec): FoundPair {
  const notAfter = new Date(start.getTime() + lifeMs(spec));
  const pair = issueCertificate(by, { dnsNames: spec.dnsNames, usages: ['server'], now: start, notAfter });
  return { ...pair, authorityPem: by.certificatePem };
}

const judge = (found: FoundPair, { spec = defaultSpec, now = start } = {}) =>
  judgeCertificate(found, spec, { authorityPem: authority.certificatePem, now });

describe('A certificate', () => {
  const pair = issued();

  it('stays until a fifth of its life is left', () => {
    assert.deepEqual(judge(pair)?.renewAt, day(8));
    assert.notEqual(judge(pair, { now: day(7.9) }), undefined);
    assert.equal(judge(pair, { now: day(8) }), undefined);
  });

  const otherAuthority = createCertificateAuthority({ commonName: 'theirs', now: start });
  const cases: readonly { why: string; found: FoundPair; spec?: typeof defaultSpec }[] = [
    { why: 'there is none', found: { certificatePem: '', privateKeyPem: '', authorityPem: '' } },
    { why: 'it is no certificate', found: { ...pair, certificatePem: 'none' } },
    { why: 'its key is missing', found: { ...pair, privateKeyPem: '' } },
    { why: 'its key is of another one', found: { ...pair, privateKeyPem: issued().privateKeyPem } },
    {
      why: 'another authority issued it',
      found: { ...issued(otherAuthority), authorityPem: authority.certificatePem },
    },
    { why: 'another authority is beside it', found: { ...pair, authorityPem: otherAuthority.certificatePem } },
    { why: 'other names are wanted', found: pair, spec: { ...defaultSpec, dnsNames: ['a.example.com'] } },
    { why: 'a shorter life is wanted', found: pair, spec: { ...defaultSpec, validDays: 5 } },
    { why: 'a much longer life is wanted', found: pair, spec: { ...defaultSpec, validDays: 90 } },
  ];
  for (const { why, found, spec } of cases) {
    it(`is issued again: ${why}`, () => assert.equal(judge(found, spec && { spec }), undefined));
  }
});
