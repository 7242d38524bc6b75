import type { KeyObject } from 'node:crypto';
import {
  type CertificateAuthority,
  type CertificateRequest,
  type IssuedCertificate,
  issueCertificate,
  type SignedCertificate,
  signCertificate,
} from '@chandlery/platform';
import type { ProxyIdentity } from '../../model/identity.ts';
import { leafNames, serverNames } from './leaf-names.ts';

/** Issuer and validity of a certificate. */
export interface LeafTerms {
  readonly authority: CertificateAuthority;
  readonly now: Date;
  readonly ttlMs: number;
}

const usages = ['server', 'client'] as const;

/** Issues a certificate with a new key for a workload, for use as server and client. */
export const issueLeaf = (identity: ProxyIdentity, terms: LeafTerms): IssuedCertificate =>
  issueCertificate(terms.authority, requestFor(identity, terms));

/** Issues a certificate for a given public key. */
export const signLeaf = (
  identity: ProxyIdentity,
  { publicKey, ...terms }: LeafTerms & { readonly publicKey: KeyObject },
): SignedCertificate => signCertificate(terms.authority, { ...requestFor(identity, terms), publicKey });

/** Issues a certificate with a new key for a server with host names and addresses. */
export const issueServerLeaf = (names: readonly string[], { authority, now, ttlMs }: LeafTerms): IssuedCertificate =>
  issueCertificate(authority, {
    ...serverNames(names),
    usages: ['server'],
    now,
    notAfter: new Date(now.getTime() + ttlMs),
  });

const requestFor = (identity: ProxyIdentity, { now, ttlMs }: LeafTerms): CertificateRequest => ({
  ...leafNames(identity),
  usages,
  now,
  notAfter: new Date(now.getTime() + ttlMs),
});
