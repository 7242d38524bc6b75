/** The claims of a token by which its verifier is chosen. Nothing here is verified. */
export interface UnverifiedClaims {
  readonly issuer: string;
  /** When the token says it ends. Default: never. */
  readonly expiresAtMs?: number;
}

const maxTokenLength = 16 * 1024;

/** Reads issuer and expiry of a JWT without checking its signature; undefined for anything that is no JWT. */
export function unverifiedClaims(token: string): UnverifiedClaims | undefined {
  if (token.length > maxTokenLength) return undefined;
  const [, payload, signature, ...rest] = token.split('.');
  if (!payload || !signature || rest.length > 0) return undefined;
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { iss, exp } = claims as { iss?: unknown; exp?: unknown };
  if (typeof iss !== 'string') return undefined;
  return { issuer: iss, ...(typeof exp === 'number' ? { expiresAtMs: exp * 1000 } : {}) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
