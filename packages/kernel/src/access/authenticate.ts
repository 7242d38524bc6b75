import { apiError, isError } from '@chandlery/api';
import { unverifiedClaims } from '@chandlery/platform';
import { TokenCache, type TokenCacheOptions } from './token-cache.ts';
import {
  anonymous,
  serviceAccountGroups,
  serviceAccountUsername,
  type UserInfo,
  wellKnown,
  withAuthenticatedGroup,
} from './user.ts';

/** What a request shows of itself. A token outranks a certificate: it belongs to the request, not to the connection. */
export interface Credentials {
  /** From `Authorization: Bearer`. */
  readonly bearerToken?: string;
  /** From `Authorization: Basic`; holds a token. The user name that came with it means nothing. */
  readonly password?: string;
  /** A client certificate that the listener has verified against our CA. */
  readonly certificate?: VerifiedCertificate;
}

export interface VerifiedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Common name of the authority that has issued it. */
  readonly issuer?: string;
  /** RFC 3339. */
  readonly validUntil?: string;
}

/** What a verified service-account token says. */
export interface ServiceAccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** The token is good only as long as this object exists. */
  readonly boundObject?: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** Verifies the tokens that this installation issues to service accounts. */
export interface ServiceAccountVerifier {
  /** Whether tokens of this issuer are ours, for whichever logical cluster. */
  isFromHere(issuer: string): boolean;
  /** The audience of a logical cluster's own API. */
  issuerOf(cluster: string): string;
  /** Throws unless the token is genuine, in date, issued for this logical cluster and one of the audiences (default: its API). */
  verify(
    token: string,
    options: { readonly cluster: string; readonly now: Date; readonly audiences?: readonly string[] },
  ): ServiceAccountIdentity;
}

/** Verifies the tokens of one OpenID Connect issuer. */
export interface OidcVerifier {
  readonly issuer: string;
  /** Rejects unless the token is genuine, in date and meant for us. Prefixes are already applied to the names. */
  verify(token: string): Promise<UserInfo>;
}

/** Verifies the tokens of browser sessions that this installation issues to users whom it has authenticated before. */
export interface SessionVerifier {
  readonly issuer: string;
  /** Throws unless the token is genuine and in date. */
  verify(token: string): UserInfo;
}

export interface AuthenticatorOptions {
  /** Recognises the bootstrap administrator's token in constant time. Default: there is none. */
  readonly adminToken?: { matches(candidate: string): boolean };
  /** Default: service accounts are not accepted. */
  readonly serviceAccounts?: ServiceAccountVerifier;
  /**
   * Whether that very service account, and the object that the token is bound to, still exist. Asked on each request.
   * Default: the token's word is taken.
   */
  readonly serviceAccountExists?: (cluster: string, identity: ServiceAccountIdentity) => Promise<boolean>;
  /** Default none. */
  readonly oidc?: readonly OidcVerifier[];
  /** Default: sessions are not accepted. */
  readonly sessions?: SessionVerifier;
  /** The user of a verified certificate; undefined when it names none. Default: common name and organizations. */
  readonly certificateUser?: (certificate: VerifiedCertificate, cluster: string) => UserInfo | undefined;
  /** Whether a verified certificate counts; it does not when its authority is no longer trusted. Default: all do. */
  readonly acceptCertificate?: (certificate: VerifiedCertificate) => boolean;
  /** How long verified OIDC tokens are cached; its clock is used for all verifications. */
  readonly cache?: TokenCacheOptions;
}

export interface Authenticator {
  /**
   * Who makes the request. Without credentials the anonymous user; rejects with Unauthorized for wrong ones.
   * `audience`: the audience that the credentials must name, when it is not the cluster's own API.
   */
  authenticate(credentials: Credentials, cluster: string, audience?: string): Promise<UserInfo>;
}

/** The bootstrap administrator. */
export const adminUser: UserInfo = Object.freeze({
  username: 'admin',
  groups: Object.freeze([wellKnown.masters, wellKnown.authenticated]),
});

/** Creates the authenticator, which turns credentials into users. Each token is tried by the verifier of its issuer only. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { adminToken, serviceAccounts, serviceAccountExists, sessions, certificateUser = userOfCertificate } = options;
  const { acceptCertificate = () => true } = options;
  const now = options.cache?.now ?? Date.now;
  const oidc = new Map((options.oidc ?? []).map(verifier => [verifier.issuer, verifier]));
  const people = new TokenCache<UserInfo>(options.cache);

  async function userOfToken(token: string, cluster: string, audience?: string): Promise<UserInfo> {
    const isForUs = audience === undefined || audience === serviceAccounts?.issuerOf(cluster);
    if (adminToken?.matches(token) && isForUs) return adminUser;
    const claims = unverifiedClaims(token);
    if (claims === undefined) throw unauthorized();
    if (serviceAccounts?.isFromHere(claims.issuer)) {
      const audiences = audience === undefined ? {} : { audiences: [audience] };
      const verify = async () => serviceAccounts.verify(token, { cluster, now: new Date(now()), ...audiences });
      return userOfAccount(await orUnauthorized(verify), cluster);
    }
    if (claims.issuer === sessions?.issuer && isForUs) return orUnauthorized(async () => sessions.verify(token));
    const verifier = oidc.get(claims.issuer);
    if (verifier === undefined || !isForUs) throw unauthorized();
    return userOfPerson(await people.get({ token, ...claims }, () => orUnauthorized(() => verifier.verify(token))));
  }

  async function userOfAccount(identity: ServiceAccountIdentity, cluster: string): Promise<UserInfo> {
    const { namespace, uid, extra } = identity;
    if (serviceAccountExists !== undefined && !(await serviceAccountExists(cluster, identity))) throw unauthorized();
    return {
      username: serviceAccountUsername(identity),
      uid,
      groups: [...serviceAccountGroups(namespace), wellKnown.authenticated],
      ...(extra === undefined ? {} : { extra }),
    };
  }

  return {
    async authenticate({ bearerToken, password, certificate }, cluster, audience) {
      const token = bearerToken ?? password;
      if (token !== undefined) return userOfToken(token, cluster, audience);
      if (certificate === undefined || !acceptCertificate(certificate)) return anonymous;
      const user = certificateUser(certificate, cluster);
      return user === undefined ? anonymous : withAuthenticatedGroup(user);
    },
  };
}

const userOfCertificate = ({ commonName, organizations }: VerifiedCertificate): UserInfo | undefined =>
  commonName === '' ? undefined : { username: commonName, groups: organizations };

/** Names below `system:` are ours to give: a foreign issuer that uses one is rejected, its groups of that kind are dropped. */
function userOfPerson({ username, groups, uid, extra }: UserInfo): UserInfo {
  if (username === '' || username.startsWith('system:')) throw unauthorized();
  return withAuthenticatedGroup({
    username,
    groups: groups.filter(group => !group.startsWith('system:')),
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  });
}

/** Any rejection is the same 401 for the client; only "try later" is passed on as such. The cause is kept for the log. */
async function orUnauthorized<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (refusal) {
    if (isError(refusal, 'Unauthorized', 'ServiceUnavailable')) throw refusal;
    if (isError(refusal, 'OidcUnavailable', 'Unavailable'))
      throw apiError('ServiceUnavailable', refusal.message, {}, refusal);
    throw unauthorized(refusal);
  }
}

const unauthorized = (cause?: unknown) => apiError('Unauthorized', 'Unauthorized', {}, cause);
