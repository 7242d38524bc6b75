import { generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { ChandleryError } from '@chandlery/api';
import { distinguishedName, keyIdentifierOf, signedCertificatePem } from './certificate.ts';
import { backdateMs, type CertificateAuthority } from './certificate-authority.ts';
import {
  type AlternativeNames,
  authorityKeyIdentifier,
  type CertificateUsage,
  extendedKeyUsage,
  leafConstraints,
  subjectAlternativeName,
  subjectKeyIdentifier,
} from './certificate-extensions.ts';

/** Whom a certificate is for, and for what. */
export interface CertificateRequest extends AlternativeNames {
  /** Kubernetes' user name. Default: none; then the certificate must have alternative names. */
  readonly commonName?: string;
  /** Kubernetes' groups. */
  readonly organizations?: readonly string[];
  readonly usages: readonly CertificateUsage[];
  readonly now: Date;
  /** Default: five minutes before `now`, for clocks that are behind. */
  readonly notBefore?: Date;
  /** Default: one year after `now`. Never later than the authority's own end. */
  readonly notAfter?: Date;
}

/** A certificate for a key that its owner keeps. */
export interface SignedCertificate {
  readonly certificatePem: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A certificate together with its key. */
export interface IssuedCertificate extends SignedCertificate {
  /** PKCS #8. */
  readonly privateKeyPem: string;
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Issues a certificate for a new P-256 key. */
export function issueCertificate(authority: CertificateAuthority, request: CertificateRequest): IssuedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = signCertificate(authority, { ...request, publicKey });
  return { ...signed, privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}

/** As {@link issueCertificate}; the thread pool makes and encodes the key, which is most of the work. */
export async function issueCertificateAsync(
  authority: CertificateAuthority,
  request: CertificateRequest,
): Promise<IssuedCertificate> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const signed = signPublicKey(authority, request, { publicKeyInfo: publicKey, isRsa: false });
  return { ...signed, privateKeyPem: privateKey };
}

/** Issues a certificate for a foreign public key, of any type. */
export function signCertificate(
  authority: CertificateAuthority,
  { publicKey, ...request }: CertificateRequest & { readonly publicKey: KeyObject },
): SignedCertificate {
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' });
  return signPublicKey(authority, request, { publicKeyInfo, isRsa: publicKey.asymmetricKeyType === 'rsa' });
}

function signPublicKey(
  authority: CertificateAuthority,
  request: CertificateRequest,
  { publicKeyInfo, isRsa }: { readonly publicKeyInfo: Buffer; readonly isRsa: boolean },
): SignedCertificate {
  const { commonName = '', organizations = [], usages } = request;
  const isNameless = commonName === '' && organizations.length === 0;
  const alternativeNames = subjectAlternativeName(request, isNameless);
  if (isNameless && alternativeNames.length === 0) throw invalidRequest('it would have no names');
  if (usages.length === 0) throw invalidRequest('it would be good for nothing; name a usage');
  const period = validity(authority, request);
  const certificatePem = signedCertificatePem(
    {
      issuer: authority.subject,
      subject: distinguishedName(commonName, organizations),
      ...period,
      publicKey: publicKeyInfo,
      extensions: [
        ...leafConstraints(isRsa),
        extendedKeyUsage(usages),
        subjectKeyIdentifier(keyIdentifierOf(publicKeyInfo)),
        authorityKeyIdentifier(authority.keyIdentifier),
        ...alternativeNames,
      ],
    },
    authority.privateKey,
  );
  return { certificatePem, ...period };
}

function validity(authority: CertificateAuthority, { now, notBefore, notAfter }: CertificateRequest) {
  const start = wholeSeconds(notBefore ?? new Date(now.getTime() - backdateMs));
  const wanted = notAfter ?? new Date(now.getTime() + yearMs);
  const end = wholeSeconds(wanted < authority.notAfter ? wanted : authority.notAfter);
  if (end <= start)
    throw invalidRequest(`it would end (${end.toISOString()}) before it starts (${start.toISOString()})`);
  return { notBefore: start, notAfter: end };
}

const wholeSeconds = (instant: Date): Date => new Date(Math.floor(instant.getTime() / 1000) * 1000);

const invalidRequest = (message: string): ChandleryError =>
  new ChandleryError('InvalidCertificateRequest', `cannot issue a certificate: ${message}`);
