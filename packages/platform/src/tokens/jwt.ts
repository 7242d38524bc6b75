import { type KeyObject, sign, verify } from 'node:crypto';
import { isRecord } from '@chandlery/api';
import { decodeJwt } from 'jose';
import { tokenError } from './token-errors.ts';

/** A JSON object whose fields have not been checked. */
export type JsonClaims = Readonly<Record<string, unknown>>;

/** The parts of a token that has not been verified. */
export interface ParsedJwt {
  readonly header: JsonClaims;
  readonly claims: JsonClaims;
  /** The text that the signature covers. */
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

/** Verifies an ES256 signature, and no claims. */
export const hasValidSignature = ({ signed, signature }: ParsedJwt, key: KeyObject): boolean =>
  verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature);

/** Parses a compact token. Throws `TokenMalformed`. */
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

/** The claims of a token by which its verifier is chosen. */
export interface UnverifiedClaims {
  readonly issuer: string;
  /** The expiry that the token claims. Default: never. */
  readonly expiresAtMs?: number;
}

const maxTokenLength = 16 * 1024;

/** Reads issuer and expiry of a JWT without verifying it; undefined for anything that is no JWT. */
export function unverifiedClaims(token: string): UnverifiedClaims | undefined {
  // An unsecured JWT, whose signature is empty, is no token to verify.
  if (token.length > maxTokenLength || token.endsWith('.')) return undefined;
  try {
    const { iss, exp } = decodeJwt(token);
    if (typeof iss !== 'string') return undefined;
    return { issuer: iss, ...(typeof exp === 'number' ? { expiresAtMs: exp * 1000 } : {}) };
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
  if (!isRecord(value)) throw malformed('a part of it is not a JSON object');
  return value;
}

/** Strict: a token has one spelling only, so that another spelling cannot bypass a cache or a deny list. */
function decodeBytes(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw malformed('a part of it is not base64url');
  return bytes;
}

const malformed = (why: string, cause?: unknown) =>
  tokenError('TokenMalformed', `the token is not a JWT: ${why}`, { cause });
