import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  type CertificateRequest,
  createCertificateAuthority,
  issueCertificate,
  ManualClock,
} from '@chandlery/platform';
import { proxySpiffeId } from '../model/identity.ts';
import { fingerprintOf } from './roots/fingerprint.ts';
import { createPeerVerifier, type PeerVerdict } from './verify-peer.ts';

const clock = new ManualClock();
const now = clock.now();
const [root, second, stranger] = ['one', 'two', 'three'].map(commonName =>
  createCertificateAuthority({ commonName, now }),
) as [
  ReturnType<typeof createCertificateAuthority>,
  ReturnType<typeof createCertificateAuthority>,
  ReturnType<typeof createCertificateAuthority>,
];
const identity = {
  trustDomain: 'cluster.local',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount: 'web',
  proxyId: 'p-1',
};
const uri = proxySpiffeId(identity);
const trust = {
  trustBundle: root.certificatePem + second.certificatePem,
  trustDomains: ['cluster.local', 'new.example'],
};
const verify = createPeerVerifier(trust, clock);

const derOf = (request: Partial<CertificateRequest>, by = root): Buffer =>
  new X509Certificate(
    issueCertificate(by, { uris: [uri], usages: ['client', 'server'], now, ...request }).certificatePem,
  ).raw;
const reasonOf = (verdict: PeerVerdict): string => (verdict.type === 'unknown' ? verdict.reason : 'known');

describe('A peer', () => {
  it('is who its certificate says, by whichever root that holds', () => {
    for (const by of [root, second]) {
      const rootFingerprint = fingerprintOf(new X509Certificate(by.certificatePem));
      assert.deepEqual(verify([derOf({}, by)]), { type: 'known', identity, rootFingerprint });
    }
    const moved = { ...identity, trustDomain: 'new.example' };
    const verdict = verify([derOf({ uris: [proxySpiffeId(moved)] })]);
    assert.deepEqual(verdict.type === 'known' && verdict.identity, moved);
  });

  const day = 24 * 60 * 60 * 1000;
  const from = (days: number): Date => new Date(now.getTime() + days * day);
  const refused: readonly { why: string; chain: readonly Uint8Array[]; reason: RegExp }[] = [
    { why: 'no certificate', chain: [], reason: /no certificate/ },
    { why: 'rubbish', chain: [Buffer.from('rubbish')], reason: /no certificate that can be read/ },
    { why: 'a certificate of a stranger', chain: [derOf({}, stranger)], reason: /no root of the mesh/ },
    {
      why: 'a stranger who sends along a root that holds',
      chain: [derOf({}, stranger), new X509Certificate(root.certificatePem).raw],
      reason: /no root of the mesh/,
    },
    {
      why: 'one of another authority of the same name',
      chain: [derOf({}, createCertificateAuthority({ commonName: 'one', now }))],
      reason: /no root of the mesh/,
    },
    { why: 'one that ended', chain: [derOf({ notBefore: from(-3), notAfter: from(-1) })], reason: /ended at/ },
    {
      why: 'one that begins later',
      chain: [derOf({ notBefore: from(1), notAfter: from(2) })],
      reason: /not valid before/,
    },
    { why: 'the root itself', chain: [new X509Certificate(root.certificatePem).raw], reason: /of an authority/ },
    { why: 'one for servers only', chain: [derOf({ usages: ['server'] })], reason: /not meant for clients/ },
    { why: 'no URI', chain: [derOf({ uris: [], commonName: 'web' })], reason: /exactly one URI/ },
    { why: 'two URIs', chain: [derOf({ uris: [uri, uri] })], reason: /exactly one URI/ },
    {
      why: 'a URI in the guise of a host name',
      chain: [derOf({ uris: [], dnsNames: [`x,URI:${uri}`] })],
      reason: /exactly one/,
    },
    { why: 'another URI', chain: [derOf({ uris: ['https://example.org'] })], reason: /not an identity/ },
    {
      why: 'another trust domain',
      chain: [derOf({ uris: [uri.replace('cluster.local', 'elsewhere')] })],
      reason: /"elsewhere" does not hold/,
    },
  ];
  for (const { why, chain, reason } of refused) {
    it(`is not known by ${why}`, () => assert.match(reasonOf(verify(chain)), reason));
  }

  it('is judged by the trust of the moment', () => {
    const changing = { ...trust };
    const verifyNow = createPeerVerifier(changing, clock);
    const leaf = derOf({});
    assert.equal(verifyNow([leaf]).type, 'known');
    changing.trustBundle = second.certificatePem;
    assert.match(reasonOf(verifyNow([leaf])), /no root of the mesh/);
  });
});
