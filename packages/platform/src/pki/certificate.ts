import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { extensionsField } from './certificate-extensions.ts';
import {
  bitString,
  explicitContext,
  objectIdentifier,
  sequence,
  setOf,
  time,
  unsignedInteger,
  utf8String,
} from './der.ts';
import { readElements } from './der-reader.ts';

/** What a certificate says, ready to be signed. */
export interface CertificateContents {
  /** DER of the issuer's and the subject's distinguished names. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
}

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const version3 = explicitContext(0, unsignedInteger(Buffer.from([2])));
const nameOids = { commonName: objectIdentifier('2.5.4.3'), organization: objectIdentifier('2.5.4.10') } as const;

/** Signs a certificate with an elliptic-curve key and returns its PEM. */
export function signedCertificatePem(contents: CertificateContents, issuerKey: KeyObject): string {
  const toBeSigned = sequence(
    version3,
    unsignedInteger(randomBytes(16)),
    ecdsaWithSha256,
    contents.issuer,
    sequence(time(contents.notBefore), time(contents.notAfter)),
    contents.subject,
    contents.publicKey,
    extensionsField(contents.extensions),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  return pem('CERTIFICATE', sequence(toBeSigned, ecdsaWithSha256, bitString(signature)));
}

/** A distinguished name: organizations (Kubernetes' groups) first, then the common name (its user). */
export function distinguishedName(commonName: string, organizations: readonly string[] = []): Buffer {
  const attribute = (oid: Buffer, value: string): Buffer => setOf(sequence(oid, utf8String(value)));
  return sequence(
    ...organizations.map(name => attribute(nameOids.organization, name)),
    ...(commonName === '' ? [] : [attribute(nameOids.commonName, commonName)]),
  );
}

/** SHA-1 over the public key's bits, the first method of RFC 5280, 4.2.1.2. A label, not a protection. */
export function keyIdentifierOf(publicKeyInfo: Buffer): Buffer {
  const [info] = readElements(publicKeyInfo);
  const bits = info === undefined ? undefined : readElements(info.contents)[1];
  return createHash('sha1')
    .update(bits?.contents.subarray(1) ?? publicKeyInfo)
    .digest();
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
