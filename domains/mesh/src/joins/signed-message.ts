import { createHash, verify, X509Certificate } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { objectIdentifier, readElements, tags } from '@chandlery/platform';

export interface SignedMessage {
  readonly content: Buffer;
  readonly signer: X509Certificate;
}

/** Whether a signer is trusted. It is asked before its key is used: that of an unknown signer may be costly to calculate with. */
export type TrustSigner = (signer: X509Certificate) => boolean;

/** A message carries the certificate of its signer, and perhaps those of its issuers. */
const maxCertificates = 10;

type Element = ReturnType<typeof readElements>[number];

const signedData = objectIdentifier('1.2.840.113549.1.7.2');
const messageDigest = objectIdentifier('1.2.840.113549.1.9.4');
/** Azure names the algorithm of its signature, of RSA with a hash, where that of the digest belongs. */
const hashes: readonly (readonly [oid: Buffer, name: string])[] = [
  [objectIdentifier('2.16.840.1.101.3.4.2.1'), 'sha256'],
  [objectIdentifier('2.16.840.1.101.3.4.2.2'), 'sha384'],
  [objectIdentifier('2.16.840.1.101.3.4.2.3'), 'sha512'],
  [objectIdentifier('1.2.840.113549.1.1.11'), 'sha256'],
  [objectIdentifier('1.2.840.113549.1.1.12'), 'sha384'],
  [objectIdentifier('1.2.840.113549.1.1.13'), 'sha512'],
];
/** `[0]`, constructed. */
const context0 = 0xa0;

/**
 * Reads a signed message (PKCS #7, RFC 5652 section 5) with its content and one signer, and verifies the signature of the
 * certificate that it carries, if this is trusted. The work is proportional to the size of the message. Throws
 * `DocumentInvalid`.
 */
export function readSignedMessage(der: Buffer, trust: TrustSigner): SignedMessage {
  const [type, wrapped] = membersOf(only(readElements(der)));
  if (type?.raw.equals(signedData) !== true || wrapped === undefined) throw invalid('it is no signed message');
  const parts = membersOf(only(readElements(wrapped.contents)));
  const content = contentOf(parts[2]);
  const certificates = parts.filter(({ tag }) => tag === context0).flatMap(({ contents }) => readElements(contents));
  if (certificates.length > maxCertificates) throw invalid('it has too many certificates');
  const signerInfo = only(readElements(parts.at(-1)?.contents ?? Buffer.alloc(0)));
  return { content, signer: verifySigner(signerInfo, { content, certificates, trust }) };
}

/** (type, [0] octets) */
function contentOf(encapsulated: Element | undefined): Buffer {
  const wrapped = membersOf(encapsulated)[1];
  const octets = wrapped && only(readElements(wrapped.contents));
  if (octets?.tag !== tags.octetString) throw invalid('it has no content');
  return octets.contents;
}

/** (version, issuer and serial number, digest algorithm, [0] signed attributes, signature algorithm, signature) */
function verifySigner(
  info: Element,
  { content, certificates, trust }: { content: Buffer; certificates: readonly Element[]; trust: TrustSigner },
): X509Certificate {
  const members = membersOf(info);
  const [, name, digest] = members;
  const hash = hashOf(digest);
  const attributes = members[3]?.tag === context0 ? members[3] : undefined;
  const signature = members[attributes === undefined ? 4 : 5];
  const named = membersOf(name);
  const signer = certificates.find(certificate => isNamed(certificate, named));
  if (signer === undefined || signature?.tag !== tags.octetString)
    throw invalid('it lacks its certificate or signature');
  const certificate = new X509Certificate(signer.raw);
  if (!trust(certificate)) throw invalid('its signer is not trusted');
  if (attributes !== undefined) checkDigest(attributes, createHash(hash).update(content).digest());
  // Attributes are signed as a set, which their tag in the message replaces.
  const signed =
    attributes === undefined ? content : Buffer.concat([Buffer.from([tags.set]), attributes.raw.subarray(1)]);
  if (!verify(hash, signed, certificate.publicKey, signature.contents)) throw invalid('its signature is wrong');
  return certificate;
}

function hashOf(algorithm: Element | undefined): string {
  const oid = membersOf(algorithm)[0];
  const [, name] = hashes.find(([known]) => oid?.raw.equals(known)) ?? [];
  if (name === undefined) throw invalid('it is not signed with SHA-256, SHA-384 or SHA-512');
  return name;
}

/** (type, set of values) each */
function checkDigest(attributes: Element, digest: Buffer): void {
  const values = readElements(attributes.contents)
    .map(attribute => membersOf(attribute))
    .filter(([type]) => type?.raw.equals(messageDigest))
    .flatMap(([, set]) => readElements(set?.contents ?? Buffer.alloc(0)));
  if (values.length !== 1 || values[0]?.contents.equals(digest) !== true) throw invalid('its content was changed');
}

/** Whether a certificate has the issuer and serial number that a signer is named by. */
function isNamed(certificate: Element, [issuer, serial]: readonly Element[]): boolean {
  // (version, serial number, algorithm, issuer, …); version 1 certificates have no version.
  const fields = membersOf(membersOf(certificate)[0]);
  const [ownSerial, , ownIssuer] = fields[0]?.tag === context0 ? fields.slice(1) : fields;
  return (
    issuer !== undefined &&
    ownIssuer?.raw.equals(issuer.raw) === true &&
    serial?.raw.equals(ownSerial?.raw ?? Buffer.alloc(0)) === true
  );
}

const membersOf = (element: Element | undefined): readonly Element[] =>
  element === undefined ? [] : readElements(element.contents);

function only(elements: readonly Element[]): Element {
  const [element, ...more] = elements;
  if (element === undefined || more.length > 0) throw invalid('it does not have one part where one is expected');
  return element;
}

const invalid = (why: string): ChandleryError =>
  new ChandleryError('DocumentInvalid', `the signed message cannot be used: ${why}`);
