import { createSigningRequest } from '@chandlery/platform';

/** A request to be certified, with the key that stays with whoever asks. */
export interface CreatedCsr {
  /** PEM, PKCS #10. */
  readonly csr: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

/** Makes a P-256 key and a request for it. The request names nobody: who asks is known otherwise. */
export function createCsr(): CreatedCsr {
  const { der, privateKeyPem } = createSigningRequest();
  return { csr: asPem(der), privateKey: privateKeyPem };
}

function asPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
