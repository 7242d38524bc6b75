import { type KeyObject, sign, verify } from 'node:crypto';
import { tokenError } from './token-errors.ts';

/** A JSON object of which nothing is known yet. */
export type JsonClaims = Readonly<Record<string, unknown>>;

/** A token taken apart; nothing about it has been checked. */
export interface ParsedJwt {
  readonly header: JsonClaims;
  readonly claims: JsonClaims;
  /** What the signature covers. */
  readonly signed: string;
  readonly signature: Buffer;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs claims as a compact ES256 token. */
export function signJwt(claims: JsonClaims, key: KeyObject, kid: string): string {
  const signed = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Checks an ES256 signature and nothing else. */
export const hasValidSignature = ({ signed, signature }: ParsedJwt, key: KeyObject): boolean =>
  verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature);

/** Takes a compact token apart. Rejects with `TokenMalformed`. */
export function parseJwt(token: string): ParsedJwt {
  const parts = token.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3) throw malformed('it does not have three parts');
  return {
    header: decodeObject(header),
    claims: decodeObject(claims),
    signed: `${header}.${claims}`,
    signature: decodeBytes(signature),
  };
}

/** The issuer that a token claims, unchecked: good for choosing who should check it. Undefined when it is no JWT. */
export function claimedIssuer(token: string): string | undefined {
  try {
    const { iss } = parseJwt(token).claims;
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

function decodeObject(part: string): JsonClaims {
  let value: unknown;
  try {
    value = JSON.parse(decodeBytes(part).toString('utf8'));
  } catch (cause) {
    throw malformed('a part of it is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('a part of it is not a JSON object');
  return value as JsonClaims;
}

/** Strict: one token has one spelling, so that nobody slips past a cache or a deny list with another one. */
function decodeBytes(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw malformed('a part of it is not base64url');
  return bytes;
}

const malformed = (why: string, cause?: unknown) =>
  tokenError('TokenMalformed', `the token is not a JWT: ${why}`, { cause });
