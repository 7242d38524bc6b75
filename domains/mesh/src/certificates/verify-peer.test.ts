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

const leafOf = (request: Partial<CertificateRequest>, by = root): X509Certificate =>
  new X509Certificate(
    issueCertificate(by, { uris: [uri], usages: ['client', 'server'], now, ...request }).certificatePem,
  );
const reasonOf = (verdict: PeerVerdict): string => (verdict.type === 'unknown' ? verdict.reason : 'known');

describe('A peer', () => {
  it('has the identity of its certificate, by any trusted root', () => {
    for (const by of [root, second]) {
      const rootFingerprint = fingerprintOf(new X509Certificate(by.certificatePem));
      assert.deepEqual(verify({ leaf: leafOf({}, by) }), { type: 'known', identity, rootFingerprint });
    }
    const moved = { ...identity, trustDomain: 'new.example' };
    const verdict = verify({ leaf: leafOf({ uris: [proxySpiffeId(moved)] }) });
    assert.deepEqual(verdict.type === 'known' && verdict.identity, moved);
  });

  const day = 24 * 60 * 60 * 1000;
  const from = (days: number): Date => new Date(now.getTime() + days * day);
  const refused: readonly { why: string; leaf: X509Certificate | undefined; reason: RegExp }[] = [
    { why: 'no certificate', leaf: undefined, reason: /no certificate/ },
    { why: 'a certificate of an unknown root', leaf: leafOf({}, stranger), reason: /no root of the mesh/ },
    {
      why: 'one of another authority of the same name',
      leaf: leafOf({}, createCertificateAuthority({ commonName: 'one', now })),
      reason: /no root of the mesh/,
    },
    { why: 'one that ended', leaf: leafOf({ notBefore: from(-3), notAfter: from(-1) }), reason: /ended at/ },
    {
      why: 'one that begins later',
      leaf: leafOf({ notBefore: from(1), notAfter: from(2) }),
      reason: /not valid before/,
    },
    { why: 'the root itself', leaf: new X509Certificate(root.certificatePem), reason: /of an authority/ },
    { why: 'one for servers only', leaf: leafOf({ usages: ['server'] }), reason: /not meant for clients/ },
    { why: 'no URI', leaf: leafOf({ uris: [], commonName: 'web' }), reason: /exactly one URI/ },
    { why: 'two URIs', leaf: leafOf({ uris: [uri, uri] }), reason: /exactly one URI/ },
    {
      why: 'a URI in the guise of a host name',
      leaf: leafOf({ uris: [], dnsNames: [`x,URI:${uri}`] }),
      reason: /exactly one/,
    },
    { why: 'another URI', leaf: leafOf({ uris: ['https://example.org'] }), reason: /not an identity/ },
    {
      why: 'another trust domain',
      leaf: leafOf({ uris: [uri.replace('cluster.local', 'elsewhere')] }),
      reason: /"elsewhere" does not hold/,
    },
  ];
  for (const { why, leaf, reason } of refused) {
    it(`is not known by ${why}`, () => assert.match(reasonOf(verify(leaf && { leaf })), reason));
  }

  it('is judged by the trust of the moment', () => {
    const changing = { ...trust };
    const verifyNow = createPeerVerifier(changing, clock);
    const leaf = leafOf({});
    assert.equal(verifyNow({ leaf }).type, 'known');
    changing.trustBundle = second.certificatePem;
    assert.match(reasonOf(verifyNow({ leaf })), /no root of the mesh/);
  });

  it('that TLS has verified is known without its signature, by the same roots only', () => {
    const lies = { leaf: forged(leafOf({})), verifiedBundle: trust.trustBundle };
    assert.equal(verify(lies).type, 'known');
    assert.match(reasonOf(verify({ leaf: lies.leaf })), /no root of the mesh/);
    assert.match(reasonOf(verify({ ...lies, verifiedBundle: root.certificatePem })), /no root of the mesh/);
    const past = leafOf({ notBefore: from(-3), notAfter: from(-1) });
    assert.match(reasonOf(verify({ ...lies, leaf: past })), /ended at/, 'everything else is judged');
    const alike = createCertificateAuthority({ commonName: 'one', now });
    assert.match(reasonOf(verify({ ...lies, leaf: leafOf({}, alike) })), /no root of the mesh/, 'by its key id');
  });
});

/** The same certificate with another signature. */
function forged({ raw }: X509Certificate): X509Certificate {
  const bytes = Buffer.from(raw);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return new X509Certificate(bytes);
}
