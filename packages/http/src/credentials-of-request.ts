import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What a request shows of itself. Nothing but the certificate has been verified. */
export interface RequestCredentials {
  /** From `Authorization: Bearer`. */
  readonly bearerToken?: string;
  /** From `Authorization: Basic`. */
  readonly username?: string;
  /** From `Authorization: Basic`. */
  readonly password?: string;
  /** Only when our CA has issued it and it is in date. */
  readonly certificate?: ClientCertificate;
}

export interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Common name of the authority that has issued it. */
  readonly issuer: string;
  /** RFC 3339. */
  readonly validUntil: string;
}

/**
 * Reads token, password or verified client certificate of a request (a Fastify one, or Node's own). A browser shows its
 * certificate whichever site asks it to, so that of a request that another site has caused does not count.
 */
export function credentialsOfRequest(request: { readonly raw: IncomingMessage } | IncomingMessage): RequestCredentials {
  const raw = 'raw' in request ? request.raw : request;
  const certificate = isCrossSite(raw) ? undefined : certificateOf(raw.socket);
  return { ...parseAuthorization(raw.headers.authorization), ...(certificate === undefined ? {} : { certificate }) };
}

/** Browsers say of each request where it comes from; `none` is the user, other programs say nothing. */
const isCrossSite = ({ headers }: IncomingMessage): boolean =>
  ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']));

/** Other schemes than Bearer and Basic are ignored. A Basic value that cannot be read becomes an empty password. */
export function parseAuthorization(header: string | undefined): RequestCredentials {
  const match = /^(\S+)\s*(.*?)\s*$/s.exec(header ?? '');
  const [, scheme = '', value = ''] = match ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { bearerToken: value };
    case 'basic':
      return parseBasic(Buffer.from(value, 'base64').toString('utf8'));
    default:
      return {};
  }
}

function parseBasic(text: string): RequestCredentials {
  const colon = text.indexOf(':');
  return colon < 0
    ? { username: text, password: '' }
    : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

const remembered: unique symbol = Symbol('client certificate');

/** Every request of a connection shows the same certificate, and asking OpenSSL for it is dear. */
interface RememberingSocket extends Socket {
  [remembered]?: ClientCertificate | 'none';
}

function certificateOf(socket: RememberingSocket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const connection: RememberingSocket & TLSSocket = socket;
  connection[remembered] ??= readCertificate(connection) ?? 'none';
  const certificate = connection[remembered];
  return certificate === 'none' ? undefined : certificate;
}

function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  if (!socket.authorized) return undefined;
  // A resumed session may count as authorized without showing a certificate, hence the second question.
  const certificate = socket.getPeerCertificate();
  const subject = certificate?.subject as DistinguishedName | undefined;
  if (subject === undefined) return undefined;
  return {
    commonName: commonNameIn(subject),
    organizations: valuesOf(subject['O']),
    issuer: commonNameIn(certificate.issuer),
    validUntil: new Date(certificate.valid_to).toISOString(),
  };
}

type DistinguishedName = Readonly<Record<string, string | string[] | undefined>>;

const commonNameIn = (name: DistinguishedName): string => valuesOf(name['CN']).at(-1) ?? '';

const valuesOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;
