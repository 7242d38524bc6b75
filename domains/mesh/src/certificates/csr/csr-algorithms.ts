import type { KeyObject } from 'node:crypto';
import { objectIdentifier } from '@chandlery/platform';

/** How a request is signed. */
interface SignatureAlgorithm {
  readonly keyType: 'ec' | 'rsa';
  readonly hash: 'sha256' | 'sha384' | 'sha512';
}

/** ECDSA with SHA-256, which our own requests use. */
const ecdsaWithSha256 = objectIdentifier('1.2.840.10045.4.3.2');

const algorithms: readonly (SignatureAlgorithm & { readonly oid: Buffer })[] = [
  { oid: ecdsaWithSha256, keyType: 'ec', hash: 'sha256' },
  { oid: objectIdentifier('1.2.840.10045.4.3.3'), keyType: 'ec', hash: 'sha384' },
  { oid: objectIdentifier('1.2.840.10045.4.3.4'), keyType: 'ec', hash: 'sha512' },
  { oid: objectIdentifier('1.2.840.113549.1.1.11'), keyType: 'rsa', hash: 'sha256' },
  { oid: objectIdentifier('1.2.840.113549.1.1.12'), keyType: 'rsa', hash: 'sha384' },
  { oid: objectIdentifier('1.2.840.113549.1.1.13'), keyType: 'rsa', hash: 'sha512' },
];

/** The algorithm of an encoded identifier; undefined for those that are not accepted, SHA-1 among them. */
export const findAlgorithm = (oid: Buffer): SignatureAlgorithm | undefined =>
  algorithms.find(algorithm => algorithm.oid.equals(oid));

const curves = ['prime256v1', 'secp384r1'];
const rsaBits = { least: 2048, most: 8192 };

/** Why a key is not certified; undefined for one that is good enough. Longer RSA keys would cost too much to check. */
export function keyProblem({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | undefined {
  const { namedCurve = 'unknown', modulusLength = 0 } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ec') {
    return curves.includes(namedCurve) ? undefined : `the curve ${namedCurve} is neither P-256 nor P-384`;
  }
  if (asymmetricKeyType !== 'rsa') return `keys of type ${asymmetricKeyType ?? 'unknown'} are not certified`;
  const isGood = modulusLength >= rsaBits.least && modulusLength <= rsaBits.most;
  return isGood ? undefined : `an RSA key must have ${rsaBits.least} to ${rsaBits.most} bits, not ${modulusLength}`;
}
