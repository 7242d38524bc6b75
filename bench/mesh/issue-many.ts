import { createCertificateAuthority } from '@chandlery/platform';
import { issueLeaf } from '../../domains/mesh/src/certificates/leaf/issue-leaf.ts';

/** Issues certificates, each for an identity and a key of its own, and returns the last one. */
export function issueManyCertificates(count: number): string {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'measured mesh', now });
  const common = { trustDomain: 'cluster.local', tenant: 'acme', cluster: 'eu-1', namespace: 'shop' };
  let last = '';
  for (let index = 0; index < count; index++) {
    const identity = { ...common, serviceAccount: `account-${index}` };
    last = issueLeaf(identity, { authority, now, ttlMs: 24 * 60 * 60 * 1000 }).certificatePem;
  }
  return last;
}
