import { generateKeyPairSync, sign } from 'node:crypto';
import { type AlternativeNames, subjectAlternativeName } from './certificate-extensions.ts';
import { bitString, explicitContext, objectIdentifier, sequence, setOf, unsignedInteger } from './der.ts';

/** A certificate signing request, with the key that stays with the requester. */
export interface CertificateSigningRequest {
  /** DER, PKCS #10 (RFC 2986). */
  readonly der: Buffer;
  /** PEM, PKCS #8. */
  readonly privateKeyPem: string;
}

const version1 = unsignedInteger(Buffer.from([0]));
const noSubject = sequence();
const ecdsaWithSha256 = objectIdentifier('1.2.840.10045.4.3.2');
const extensionRequest = objectIdentifier('1.2.840.113549.1.9.14');

/** Creates a P-256 key and a request for it. Without names the request is anonymous: the requester is known otherwise. */
export function createSigningRequest(names: AlternativeNames = {}): CertificateSigningRequest {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const toBeSigned = sequence(version1, noSubject, publicKeyInfo, explicitContext(0, ...attributes(names)));
  const signature = sign('sha256', toBeSigned, privateKey);
  return {
    der: sequence(toBeSigned, sequence(ecdsaWithSha256), bitString(signature)),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

function attributes(names: AlternativeNames): readonly Buffer[] {
  const extensions = subjectAlternativeName(names, false);
  return extensions.length === 0 ? [] : [sequence(extensionRequest, setOf(sequence(...extensions)))];
}
