import { generateKeyPairSync, sign } from 'node:crypto';
import { bitString, explicitContext, sequence, unsignedInteger } from '@chandlery/platform';
import { ecdsaWithSha256 } from './csr-algorithms.ts';

/** A request to be certified, with the key that stays with whoever asks. */
export interface CreatedCsr {
  /** PEM, PKCS #10. */
  readonly csr: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

const version1 = unsignedInteger(Buffer.from([0]));
const noSubject = sequence();
const noAttributes = explicitContext(0);

/** Makes a P-256 key and a request for it. The request names nobody: who asks is known otherwise. */
export function createCsr(): CreatedCsr {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const toBeSigned = sequence(version1, noSubject, publicKey.export({ type: 'spki', format: 'der' }), noAttributes);
  const signature = sign('sha256', toBeSigned, privateKey);
  const request = sequence(toBeSigned, sequence(ecdsaWithSha256), bitString(signature));
  return { csr: asPem(request), privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}

function asPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
