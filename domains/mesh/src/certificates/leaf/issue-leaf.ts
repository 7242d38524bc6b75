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

/** Who signs, from when on, for how long. */
export interface LeafTerms {
  readonly authority: CertificateAuthority;
  readonly now: Date;
  readonly ttlMs: number;
}

const usages = ['server', 'client'] as const;

/** A certificate and a new key for a workload: it serves with it and calls with it. */
export const issueLeaf = (identity: ProxyIdentity, terms: LeafTerms): IssuedCertificate =>
  issueCertificate(terms.authority, requestFor(identity, terms));

/** A certificate for the key of somebody else. */
export const signLeaf = (
  identity: ProxyIdentity,
  { publicKey, ...terms }: LeafTerms & { readonly publicKey: KeyObject },
): SignedCertificate => signCertificate(terms.authority, { ...requestFor(identity, terms), publicKey });

/** A certificate and a new key for a server that is known by its host names and addresses. */
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
