import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { objectIdentifier, readElements, tags } from '@chandlery/platform';

/** Four times the length of a request with the longest key. */
const maxCsrLength = 16_384;
const pemFrame =
  /^\s*-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----\s*$/;

/**
 * Returns the public key of a request (PEM, PKCS #10) after verifying proof of possession. Throws `InvalidCsr` for
 * anything else, and for keys other than P-256, P-384 and RSA from 2048 bits on.
 */
export function readCsr(pem: string): KeyObject {
  const { toBeSigned, spki, algorithmOid, signature } = partsOf(derOf(pem));
  const publicKey = readKey(spki);
  const problem = keyProblem(publicKey);
  if (problem !== undefined) throw invalidCsr(problem);
  const algorithm = findAlgorithm(algorithmOid);
  if (algorithm === undefined || algorithm.keyType !== publicKey.asymmetricKeyType) {
    throw invalidCsr('it is not signed with SHA-256, SHA-384 or SHA-512 by the key that it is for');
  }
  if (!isSigned(algorithm.hash, { toBeSigned, publicKey, signature })) {
    throw invalidCsr('its signature is not by the key that it is for');
  }
  return publicKey;
}

function derOf(pem: string): Buffer {
  if (pem.length > maxCsrLength) throw invalidCsr(`it is longer than ${maxCsrLength} characters`);
  const base64 = pemFrame.exec(pem)?.[1];
  if (base64 === undefined) throw invalidCsr('it is not a CERTIFICATE REQUEST in PEM');
  return Buffer.from(base64, 'base64');
}

interface CsrParts {
  readonly toBeSigned: Buffer;
  readonly spki: Buffer;
  readonly algorithmOid: Buffer;
  readonly signature: Buffer;
}

/** RFC 2986: (version, subject, key, attributes), algorithm, signature. */
function partsOf(der: Buffer): CsrParts {
  const [info, algorithm, signature] = onlyMember(der, 'it is not one DER sequence');
  const spki = membersOf(info)[2];
  const algorithmOid = membersOf(algorithm)[0];
  if (!info || !spki || !algorithmOid || signature?.tag !== tags.bitString) throw invalidCsr('parts of it are missing');
  // The first octet of a bit string is the number of unused bits.
  if (signature.contents[0] !== 0) throw invalidCsr('its signature is not of whole bytes');
  return {
    toBeSigned: info.raw,
    spki: spki.raw,
    algorithmOid: algorithmOid.raw,
    signature: signature.contents.subarray(1),
  };
}

type Elements = ReturnType<typeof readElements>;

function onlyMember(der: Buffer, problem: string): Elements {
  const [whole, ...more] = elementsOf(der);
  if (whole?.tag !== tags.sequence || more.length > 0) throw invalidCsr(problem);
  return elementsOf(whole.contents);
}

const membersOf = (element: Elements[number] | undefined): Elements =>
  element?.tag === tags.sequence ? elementsOf(element.contents) : [];

function elementsOf(bytes: Buffer): Elements {
  try {
    return readElements(bytes);
  } catch (cause) {
    throw invalidCsr('it ends in the middle of an element', cause);
  }
}

function readKey(spki: Buffer): KeyObject {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch (cause) {
    throw invalidCsr('its public key cannot be read', cause);
  }
}

function isSigned(hash: string, { toBeSigned, publicKey, signature }: SignedRequest): boolean {
  try {
    return verify(hash, toBeSigned, publicKey, signature);
  } catch {
    return false;
  }
}

interface SignedRequest extends Pick<CsrParts, 'toBeSigned' | 'signature'> {
  readonly publicKey: KeyObject;
}

const invalidCsr = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('InvalidCsr', `cannot certify the key of this request: ${why}`, {
    hint: 'Send a PKCS #10 request in PEM for a P-256 key, signed by that key.',
    cause,
  });

/** Signature algorithm of a request. */
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

/** The algorithm of an encoded object identifier; undefined for unsupported ones, such as SHA-1. */
const findAlgorithm = (oid: Buffer): SignatureAlgorithm | undefined =>
  algorithms.find(algorithm => algorithm.oid.equals(oid));

const curves = ['prime256v1', 'secp384r1'];
const rsaBits = { min: 2048, max: 8192 };

/** Why a key is rejected; undefined for an accepted one. Longer RSA keys would be too expensive to verify. */
function keyProblem({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string | undefined {
  const { namedCurve = 'unknown', modulusLength = 0 } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ec') {
    return curves.includes(namedCurve) ? undefined : `the curve ${namedCurve} is neither P-256 nor P-384`;
  }
  if (asymmetricKeyType !== 'rsa') return `keys of type ${asymmetricKeyType ?? 'unknown'} are not certified`;
  const isGood = modulusLength >= rsaBits.min && modulusLength <= rsaBits.max;
  return isGood ? undefined : `an RSA key must have ${rsaBits.min} to ${rsaBits.max} bits, not ${modulusLength}`;
}
