import type { JsonClaims } from './jwt.ts';
import { tokenError } from './token-errors.ts';

/** An object whose end is also the end of a token. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

/** Whom a verified token speaks for. */
export interface ServiceAccountIdentity {
  /** Logical cluster. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `system:serviceaccount:<namespace>:<name>`. */
  readonly username: string;
  readonly groups: readonly string[];
  /** As Kubernetes fills `userInfo.extra`. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
  readonly audiences: readonly string[];
  readonly boundObject?: BoundObject;
  readonly expiresAt: Date;
}

/** What goes into a service account's claims. */
export interface ClaimsSource {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly boundObject?: BoundObject;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly tokenId: string;
}

const boundClaims = { pod: 'Pod', secret: 'Secret', node: 'Node' } as const;
const extraPrefix = 'authentication.kubernetes.io';

/** The claims of a service-account token. */
export function claimsOf(source: ClaimsSource): JsonClaims {
  const { boundObject } = source;
  const bound = boundObject && { [boundObject.kind.toLowerCase()]: { name: boundObject.name, uid: boundObject.uid } };
  return {
    aud: source.audiences,
    exp: source.expiresAt,
    iat: source.issuedAt,
    iss: source.issuer,
    jti: source.tokenId,
    'kubernetes.io': {
      namespace: source.namespace,
      ...bound,
      serviceaccount: { name: source.name, uid: source.uid },
    },
    'chandlery.io': { cluster: source.cluster },
    nbf: source.issuedAt,
    sub: usernameOf(source.namespace, source.name),
  };
}

/** Reads claims back. Rejects with `TokenClaimMissing` when they are not those of a service account. */
export function identityOf(claims: JsonClaims): ServiceAccountIdentity {
  const kubernetes = record(claims['kubernetes.io']);
  const account = record(kubernetes.serviceaccount);
  const cluster = text(record(claims['chandlery.io']).cluster);
  const [namespace, name, uid] = [text(kubernetes.namespace), text(account.name), text(account.uid)];
  const username = usernameOf(namespace, name);
  if (claims.sub !== username) throw missing();
  const boundObject = boundObjectOf(kubernetes);
  return {
    cluster,
    namespace,
    name,
    uid,
    username,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: extraOf(claims.jti, boundObject),
    audiences: [claims.aud].flat().filter(audience => typeof audience === 'string'),
    ...(boundObject === undefined ? {} : { boundObject }),
    expiresAt: new Date(Number(claims.exp) * 1000),
  };
}

const usernameOf = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

function boundObjectOf(kubernetes: JsonClaims): BoundObject | undefined {
  for (const [claim, kind] of Object.entries(boundClaims)) {
    if (kubernetes[claim] === undefined) continue;
    const { name, uid } = record(kubernetes[claim]);
    return { kind, name: text(name), uid: text(uid) };
  }
  return undefined;
}

function extraOf(tokenId: unknown, bound: BoundObject | undefined): Record<string, readonly string[]> {
  const credential: Record<string, readonly string[]> =
    typeof tokenId === 'string' ? { [`${extraPrefix}/credential-id`]: [`JTI=${tokenId}`] } : {};
  if (bound === undefined || bound.kind === 'Secret') return credential;
  const kind = bound.kind.toLowerCase();
  return { ...credential, [`${extraPrefix}/${kind}-name`]: [bound.name], [`${extraPrefix}/${kind}-uid`]: [bound.uid] };
}

function record(value: unknown): JsonClaims {
  if (typeof value !== 'object' || value === null) throw missing();
  return value as JsonClaims;
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw missing();
  return value;
}

const missing = () => tokenError('TokenClaimMissing', 'the token lacks the claims of a service account');
