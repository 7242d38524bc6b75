import type { CertificateAuthority } from './certificate-authority.ts';

/** The authority that issues at present, with what its certificates need beside them. Replaced as a whole. */
export interface IssuingAuthority {
  readonly authority: CertificateAuthority;
  /** PEM to append to a certificate, so that clients that trust only the previous authority accept it. Often empty. */
  readonly chainPem: string;
  /** All authorities to be trusted, PEM. */
  readonly trustPem: string;
}

/** Returns the authority of the moment: it changes when the landscape's authority is rotated. */
export type CurrentAuthority = () => IssuingAuthority;

/** An authority that is never rotated. */
export function constantAuthority(authority: CertificateAuthority): CurrentAuthority {
  const issuing = { authority, chainPem: '', trustPem: authority.certificatePem };
  return () => issuing;
}
