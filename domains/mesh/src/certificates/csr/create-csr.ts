import { createSigningRequest } from '@chandlery/platform';

/** A certificate request with its private key, which stays with the requester. */
export interface CreatedCsr {
  /** PEM, PKCS #10. */
  readonly csr: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

/**
 * Creates a P-256 key and a certificate request. The subject is empty: the requester is authenticated by other means.
 */
export function createCsr(): CreatedCsr {
  const { der, privateKeyPem } = createSigningRequest();
  return { csr: asPem(der), privateKey: privateKeyPem };
}

function asPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
