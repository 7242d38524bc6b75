import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { peerRejected } from '../../../port-errors.ts';

/** The public part of a P-256 key as a JSON Web Key, its members in the order of RFC 7638. */
interface PublicJwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

/** The key of an ACME account: signs requests, and proves by its thumbprint whose challenge is answered. */
export class AcmeAccountKey {
  readonly #key: KeyObject;
  readonly jwk: PublicJwk;

  /** Throws `TerminalError` unless the PEM holds a P-256 key. */
  constructor(pem: string) {
    this.#key = readKey(pem);
    const { crv = '', kty = '', x = '', y = '' } = createPublicKey(this.#key).export({ format: 'jwk' });
    this.jwk = { crv, kty, x, y };
  }

  /** Returns a flattened JWS (RFC 7515) of a payload; an empty one makes a POST-as-GET (RFC 8555, 6.3). */
  sign(header: Readonly<Record<string, unknown>>, payload: unknown): string {
    const protectedPart = base64url(JSON.stringify({ alg: 'ES256', ...header }));
    const payloadPart = payload === undefined ? '' : base64url(JSON.stringify(payload));
    const bytes = Buffer.from(`${protectedPart}.${payloadPart}`);
    const signature = sign('sha256', bytes, { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return JSON.stringify({
      protected: protectedPart,
      payload: payloadPart,
      signature: signature.toString('base64url'),
    });
  }

  /** The value of the TXT record that answers a dns-01 challenge (RFC 8555, 8.4). */
  dnsProof(token: string): string {
    const thumbprint = sha256(JSON.stringify(this.jwk)).toString('base64url');
    return sha256(`${token}.${thumbprint}`).toString('base64url');
  }
}

function readKey(pem: string): KeyObject {
  const key = tryRead(pem);
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw peerRejected(
    'the key of the ACME account is not a P-256 key in PEM',
    'Make one: openssl ecparam -name prime256v1.',
  );
}

function tryRead(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // What it says could quote the key.
    return undefined;
  }
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
