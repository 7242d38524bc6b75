import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { LruCache } from '../memory/lru-cache.ts';
import { hasValidSignature, type JsonClaims, parseJwt, signJwt } from './jwt.ts';
import { tokenError } from './token-errors.ts';

/** Signs the landscape's own tokens with ES256, and checks that they are. Says nothing of what they claim. */
export class LandscapeSignature {
  readonly #signingKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  /** Tokens whose signature is right. */
  readonly #verified: LruCache<string, JsonClaims>;

  /** `signingKey`: P-256. */
  constructor(signingKey: KeyObject, cacheSize: number) {
    this.#signingKey = signingKey;
    this.#publicKey = createPublicKey(signingKey);
    this.#keyId = thumbprint(this.#publicKey);
    this.#verified = new LruCache(cacheSize);
  }

  sign(claims: JsonClaims): string {
    return signJwt(claims, this.#signingKey, this.#keyId);
  }

  /** The claims of a token that was signed here. Rejects with one of {@link tokenErrorCodes}. */
  claimsOf(token: string): JsonClaims {
    return this.#verified.get(token) ?? this.#check(token);
  }

  /** The public key as a JSON Web Key Set. */
  jwks(): { readonly keys: readonly Readonly<Record<string, unknown>>[] } {
    const jwk = this.#publicKey.export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: this.#keyId, use: 'sig', alg: 'ES256' }] };
  }

  #check(token: string): JsonClaims {
    const parsed = parseJwt(token);
    // Pinned: whatever else the header says, this landscape signs with one algorithm and one key.
    if (parsed.header.alg !== 'ES256')
      throw tokenError('TokenAlgorithmNotAllowed', 'the token is not signed with ES256');
    if (parsed.header.kid !== this.#keyId)
      throw tokenError('TokenUnknownKey', 'the token is signed with a key that is not ours');
    if (!hasValidSignature(parsed, this.#publicKey))
      throw tokenError('TokenSignatureInvalid', "the token's signature is wrong");
    this.#verified.set(token, parsed.claims);
    return parsed.claims;
  }
}

/** The key id of RFC 7638. */
function thumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
