import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { distinguishedName, keyIdentifierOf, signedCertificatePem } from './certificate.ts';
import {
  authorityConstraints,
  authorityKeyIdentifier,
  extensionOids,
  subjectKeyIdentifier,
} from './certificate-extensions.ts';
import { tags } from './der.ts';
import { readElements } from './der-reader.ts';

/** A key that signs certificates, with what it writes into each of them. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly privateKey: KeyObject;
  /** DER of the distinguished name. */
  readonly subject: Buffer;
  readonly keyIdentifier: Buffer;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** What a new authority is called and how long it lasts. */
export interface AuthorityRequest {
  readonly commonName: string;
  /** Default 3650. */
  readonly validDays?: number;
  readonly now: Date;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Certificates start to be valid a little in the past, for machines whose clocks are behind. */
export const backdateMs = 5 * 60 * 1000;

/** Makes a new self-signed authority with a P-256 key. */
export function createCertificateAuthority({
  commonName,
  validDays = 3650,
  now,
}: AuthorityRequest): CertificateAuthority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const subject = distinguishedName(commonName);
  const certificatePem = signedCertificatePem(
    {
      issuer: subject,
      subject,
      notBefore: new Date(now.getTime() - backdateMs),
      notAfter: new Date(now.getTime() + validDays * dayMs),
      publicKey: publicKeyInfo,
      extensions: [...authorityConstraints(), subjectKeyIdentifier(keyIdentifierOf(publicKeyInfo))],
    },
    privateKey,
  );
  return loadCertificateAuthority(certificatePem, privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/**
 * Certifies an authority by another one (a cross certificate): who trusts only `by` then accepts what `subject` signs.
 * PEM.
 */
export function crossCertify(subject: CertificateAuthority, by: CertificateAuthority): string {
  return signedCertificatePem(
    {
      issuer: by.subject,
      subject: subject.subject,
      notBefore: subject.notBefore,
      notAfter: subject.notAfter < by.notAfter ? subject.notAfter : by.notAfter,
      publicKey: createPublicKey(subject.privateKey).export({ type: 'spki', format: 'der' }),
      extensions: [
        ...authorityConstraints(),
        subjectKeyIdentifier(subject.keyIdentifier),
        authorityKeyIdentifier(by.keyIdentifier),
      ],
    },
    by.privateKey,
  );
}

/** Reads an authority back. Rejects with `InvalidAuthority` when certificate and key are unusable or no pair. */
export function loadCertificateAuthority(certificatePem: string, privateKeyPem: string): CertificateAuthority {
  const certificate = parsed('certificate', () => new X509Certificate(certificatePem));
  const privateKey = parsed('private key', () => createPrivateKey(privateKeyPem));
  if (privateKey.asymmetricKeyType !== 'ec') throw invalidAuthority('its key is not an elliptic-curve key');
  if (!certificate.checkPrivateKey(privateKey))
    throw invalidAuthority('certificate and private key do not belong together');
  if (!certificate.ca) throw invalidAuthority('its certificate may not sign other certificates');
  return {
    certificatePem,
    privateKeyPem,
    privateKey,
    ...namesInside(certificate),
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
  };
}

/** The subject and key identifier byte for byte as the certificate has them: chains are built by comparing these. */
function namesInside(certificate: X509Certificate): Pick<CertificateAuthority, 'subject' | 'keyIdentifier'> {
  const [whole] = readElements(certificate.raw);
  const [toBeSigned] = readElements(whole?.contents ?? Buffer.alloc(0));
  // Version, serial number, algorithm, issuer, validity, subject, public key, extensions.
  const fields = readElements(toBeSigned?.contents ?? Buffer.alloc(0));
  const [subject, publicKey] = [fields[5], fields[6]];
  if (subject === undefined || publicKey === undefined) throw invalidAuthority('its certificate is not of version 3');
  const extensions = fields.find(field => field.tag === 0xa3);
  const keyIdentifier = extensions === undefined ? undefined : findKeyIdentifier(extensions.contents);
  return { subject: subject.raw, keyIdentifier: keyIdentifier ?? keyIdentifierOf(publicKey.raw) };
}

function findKeyIdentifier(extensions: Buffer): Buffer | undefined {
  const [list] = readElements(extensions);
  for (const extension of readElements(list?.contents ?? Buffer.alloc(0))) {
    const [oid, ...rest] = readElements(extension.contents);
    if (oid === undefined || !oid.raw.equals(extensionOids.subjectKeyIdentifier)) continue;
    const value = rest.find(part => part.tag === tags.octetString);
    return value === undefined ? undefined : readElements(value.contents)[0]?.contents;
  }
  return undefined;
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw invalidAuthority(`its ${what} cannot be read`, cause);
  }
}

const invalidAuthority = (why: string, cause?: unknown): ChandleryError =>
  new ChandleryError('InvalidAuthority', `cannot use the certificate authority: ${why}`, {
    hint: 'Restore the certificate and the key from a backup of the same landscape.',
    cause,
  });
