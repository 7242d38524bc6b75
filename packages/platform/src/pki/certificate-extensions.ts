import { isIP } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import {
  boolean,
  explicitContext,
  implicitContext,
  namedBits,
  objectIdentifier,
  octetString,
  sequence,
} from './der.ts';

/** What a certificate may be used for: to serve TLS, to identify a client, or both. */
export type CertificateUsage = 'server' | 'client';

/** The names a certificate vouches for. */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  /** IPv4 and IPv6 addresses in text form. */
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** Encoded identifiers of the extensions (RFC 5280, 4.2.1). */
export const extensionOids = {
  subjectKeyIdentifier: objectIdentifier('2.5.29.14'),
  keyUsage: objectIdentifier('2.5.29.15'),
  subjectAlternativeName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
  authorityKeyIdentifier: objectIdentifier('2.5.29.35'),
  extendedKeyUsage: objectIdentifier('2.5.29.37'),
} as const;

const usageOids: Record<CertificateUsage, Buffer> = {
  server: objectIdentifier('1.3.6.1.5.5.7.3.1'),
  client: objectIdentifier('1.3.6.1.5.5.7.3.2'),
};

/** Bits of the key-usage extension (RFC 5280, 4.2.1.3). */
const keyUsageBits = { digitalSignature: 0, keyEncipherment: 2, certificateSign: 5, crlSign: 6 } as const;
const { digitalSignature, keyEncipherment, certificateSign, crlSign } = keyUsageBits;

const extension = (oid: Buffer, value: Buffer, isCritical = false): Buffer =>
  isCritical ? sequence(oid, boolean(true), octetString(value)) : sequence(oid, octetString(value));

/** Which key the certificate is about. */
export const subjectKeyIdentifier = (keyIdentifier: Uint8Array): Buffer =>
  extension(extensionOids.subjectKeyIdentifier, octetString(keyIdentifier));

/** Which key signed the certificate. */
export const authorityKeyIdentifier = (keyIdentifier: Uint8Array): Buffer =>
  extension(extensionOids.authorityKeyIdentifier, sequence(implicitContext(0, keyIdentifier)));

/** A certificate that may sign others. */
export const authorityConstraints = (): readonly Buffer[] => [
  extension(extensionOids.basicConstraints, sequence(boolean(true)), true),
  extension(extensionOids.keyUsage, namedBits([digitalSignature, certificateSign, crlSign]), true),
];

/** A certificate that may sign nothing. RSA keys also need the bit for TLS 1.2's RSA key exchange. */
export const leafConstraints = (isRsa: boolean): readonly Buffer[] => [
  extension(extensionOids.basicConstraints, sequence(), true),
  extension(extensionOids.keyUsage, namedBits(isRsa ? [digitalSignature, keyEncipherment] : [digitalSignature]), true),
];

/** What TLS accepts the certificate for. */
export const extendedKeyUsage = (usages: readonly CertificateUsage[]): Buffer =>
  extension(extensionOids.extendedKeyUsage, sequence(...usages.map(usage => usageOids[usage])));

/** The alternative names, or nothing when there are none. Critical when they are all that names the subject. */
export function subjectAlternativeName(names: AlternativeNames, isCritical: boolean): readonly Buffer[] {
  const encoded = [
    ...(names.dnsNames ?? []).map(name => implicitContext(2, ia5(name, 'DNS name'))),
    ...(names.ipAddresses ?? []).map(address => implicitContext(7, ipAddressBytes(address))),
    ...(names.uris ?? []).map(uri => implicitContext(6, ia5(uri, 'URI'))),
  ];
  if (encoded.length === 0) return [];
  return [extension(extensionOids.subjectAlternativeName, sequence(...encoded), isCritical)];
}

/** The `[3]` field of a certificate. */
export const extensionsField = (extensions: readonly Buffer[]): Buffer => explicitContext(3, sequence(...extensions));

function ia5(text: string, what: string): Buffer {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw invalidRequest(`${what} ${JSON.stringify(text)} is not plain ASCII without spaces`);
  return Buffer.from(text, 'ascii');
}

function ipAddressBytes(address: string): Buffer {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 4) return Buffer.from(address.split('.').map(Number));
  if (version === 6) return ipv6Bytes(address);
  throw invalidRequest(`${JSON.stringify(address)} is not an IP address`);
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser knows every spelling, dotted quads included, and answers with hexadecimal groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = new Array<string>(8 - left.length - right.length).fill('0');
  return Buffer.from([...left, ...zeros, ...right].map(group => group.padStart(4, '0')).join(''), 'hex');
}

const invalidRequest = (message: string): ChandleryError =>
  new ChandleryError('InvalidCertificateRequest', `cannot issue a certificate: ${message}`);
