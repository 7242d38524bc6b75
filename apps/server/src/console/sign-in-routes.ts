import { apiError, badRequest, isRecord, parseJson } from '@chandlery/api';
import { credentialsOfRequest, type HttpHost, type HttpRequest } from '@chandlery/http';
import {
  type Authenticator,
  type Kernel,
  parseServiceAccountUsername,
  platformCluster,
  type UserInfo,
  wellKnown,
} from '@chandlery/kernel';
import {
  type Clock,
  LruCache,
  type ServiceAccountTokens,
  type SessionTokens,
  type SessionUser,
  TokenBucket,
  unverifiedClaims,
} from '@chandlery/platform';
import type { SignInCodes } from './sign-in-codes.ts';

export interface SignInRoutesDeps {
  readonly kernel: Pick<Kernel, 'views'>;
  readonly authenticator: Authenticator;
  readonly codes: Pick<SignInCodes, 'issue' | 'redeem'>;
  readonly sessions: Pick<SessionTokens, 'issue' | 'issuer'>;
  readonly serviceAccounts: Pick<ServiceAccountTokens, 'issue' | 'issuerOf' | 'verify'>;
  readonly clock: Clock;
}

/** A service account, and the object to which its token was bound. */
type Account = Pick<
  Parameters<ServiceAccountTokens['issue']>[0],
  'cluster' | 'namespace' | 'name' | 'uid' | 'boundObject'
>;

/**
 * What is deposited under a code: a user, or a service account, whose session ends with the account and with what its token
 * was bound to.
 */
type Deposit =
  | { readonly type: 'user'; readonly user: SessionUser }
  | { readonly type: 'serviceAccount'; readonly account: Account };

/** Codes of a user, or of all service accounts of a logical cluster: each is a Secret for a minute. */
const codeLimit = { perSecond: 0.5, burst: 60 };
const maxRemembered = 10_000;
/** Bodies are a word or a code. */
const maxBodyBytes = 4096;
/** How long the token of a service account's session is valid: as long as other sessions. */
const sessionSeconds = 8 * 3600;

/**
 * Signs browsers in without a password: an authenticated program asks for a one-time code (`POST /sign-in/codes`) and
 * opens the console with it, which exchanges the code for a session token (`POST /sign-in/sessions`). A session gets no
 * code: it would never end.
 */
export function addSignInRoutes(host: HttpHost, deps: SignInRoutesDeps): void {
  const bodyOf = async (request: HttpRequest, response: Parameters<HttpHost['readBody']>[1]) =>
    parseBody(await host.readBody(request.raw, response, maxBodyBytes));
  const buckets = new LruCache<string, TokenBucket>(maxRemembered);
  const limit = (deposit: Deposit): void => {
    const sender = deposit.type === 'user' ? `user ${deposit.user.username}` : `accounts ${deposit.account.cluster}`;
    const nowMs = deps.clock.now().getTime();
    const bucket = buckets.get(sender) ?? new TokenBucket(codeLimit, nowMs);
    buckets.set(sender, bucket);
    const waitMs = bucket.tryTake(nowMs);
    if (waitMs > 0)
      throw apiError('TooManyRequests', 'too many sign-in codes', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  };
  host.app.post('/sign-in/codes', async (request, reply) => {
    const { 'x-chandlery-cluster': wanted = platformCluster } = request.headers;
    const deposit = await depositOf(request, String(wanted), deps);
    limit(deposit);
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send(await deps.codes.issue(deposit));
  });
  host.app.post('/sign-in/sessions', async (request, reply) => {
    const { code } = await bodyOf(request, reply.raw);
    if (typeof code !== 'string') throw badRequest('the body must be {"code": "…"}');
    const session = sessionOf((await deps.codes.redeem(code)) as Deposit, deps);
    return reply.code(201).header('cache-control', 'no-store').send(session);
  });
}

function parseBody(body: Buffer | undefined): Readonly<Record<string, unknown>> {
  const value: unknown = body === undefined ? undefined : parseJson(body.toString());
  if (isRecord(value)) return value;
  throw badRequest('the body must be a JSON object');
}

async function depositOf(
  request: HttpRequest,
  cluster: string,
  { kernel, authenticator, sessions, serviceAccounts, clock }: SignInRoutesDeps,
): Promise<Deposit> {
  const home = (await kernel.views.find(cluster))?.base ?? cluster;
  const credentials = credentialsOfRequest(request);
  const user = await authenticator.authenticate(credentials, home);
  if (user.username === wellKnown.anonymousUser)
    throw apiError('Unauthorized', 'a sign-in code is for a user: send credentials');
  const token = credentials.bearerToken ?? credentials.password ?? '';
  if (parseServiceAccountUsername(user.username) === undefined) {
    if (unverifiedClaims(token)?.issuer === sessions.issuer) throw ofSession();
    return { type: 'user', user: sessionUserOf(user) };
  }
  const { audiences, namespace, name, uid, boundObject } = serviceAccounts.verify(token, {
    cluster: home,
    now: clock.now(),
  });
  if (audiences.includes(sessions.issuer)) throw ofSession();
  return {
    type: 'serviceAccount',
    account: { cluster: home, namespace, name, uid, ...(boundObject && { boundObject }) },
  };
}

const ofSession = () =>
  apiError('Forbidden', 'a session opens no other one: sign in with the credentials with which it was opened');

const sessionUserOf = ({ username, uid, groups }: UserInfo): SessionUser => ({
  username,
  groups,
  ...(uid === undefined ? {} : { uid }),
});

function sessionOf(deposit: Deposit, { sessions, serviceAccounts, clock }: SignInRoutesDeps): object {
  if (deposit.type === 'user') return sessions.issue(deposit.user);
  const { account } = deposit;
  // The second audience says that it is the token of a session.
  const audiences = [serviceAccounts.issuerOf(account.cluster), sessions.issuer];
  return serviceAccounts.issue({ ...account, audiences, expirationSeconds: sessionSeconds, now: clock.now() });
}
