import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constantAuthority, createCertificateAuthority, ManualClock } from '@chandlery/platform';
import { describeCertificateIssuerContract } from './certificate-issuer-contract.ts';
import { createLandscapeIssuer } from './landscape-issuer.ts';

const authority = createCertificateAuthority({ commonName: 'test', now: new Date() });

describeCertificateIssuerContract('the landscape', () =>
  Promise.resolve({
    issuer: createLandscapeIssuer({ authority: constantAuthority(authority) }),
    domain: 'dinosaurs.example.com',
    rootPem: () => Promise.resolve(authority.certificatePem),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }),
);

test('a certificate of the landscape lasts 90 days and names the authority to trust', async () => {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const issuer = createLandscapeIssuer({ authority: constantAuthority(authority), clock });
  const { caPem, notAfter } = await issuer.issue({ hosts: ['one.example.com'] });
  assert.equal(caPem, authority.certificatePem);
  assert.equal(notAfter.toISOString(), '2030-04-01T00:00:00.000Z');
});
