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
import type { Clock, ServiceAccountTokens, SessionTokens, SessionUser } from '@chandlery/platform';
import type { SignInCodes } from './sign-in-codes.ts';

export interface SignInRoutesDeps {
  readonly kernel: Pick<Kernel, 'views'>;
  readonly authenticator: Authenticator;
  readonly codes: Pick<SignInCodes, 'issue' | 'redeem'>;
  readonly sessions: Pick<SessionTokens, 'issue'>;
  readonly serviceAccounts: Pick<ServiceAccountTokens, 'issue'>;
  readonly clock: Clock;
}

/** What is deposited under a code: a user, or a service account, whose session ends with the account. */
type Deposit =
  | { readonly type: 'user'; readonly user: SessionUser }
  | {
      readonly type: 'serviceAccount';
      readonly account: {
        readonly cluster: string;
        readonly namespace: string;
        readonly name: string;
        readonly uid: string;
      };
    };

/** Bodies are a word or a code. */
const maxBodyBytes = 4096;
/** How long the token of a service account's session is valid: as long as other sessions. */
const sessionSeconds = 8 * 3600;

/**
 * Signs browsers in without a password: an authenticated program asks for a one-time code (`POST /sign-in/codes`) and
 * opens the console with it, which exchanges the code for a session token (`POST /sign-in/sessions`).
 */
export function addSignInRoutes(host: HttpHost, deps: SignInRoutesDeps): void {
  const bodyOf = async (request: HttpRequest, response: Parameters<HttpHost['readBody']>[1]) =>
    parseBody(await host.readBody(request.raw, response, maxBodyBytes));
  host.app.post('/sign-in/codes', async (request, reply) => {
    const { 'x-chandlery-cluster': wanted = platformCluster } = request.headers;
    const deposit = await depositOf(request, String(wanted), deps);
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
  { kernel, authenticator }: SignInRoutesDeps,
): Promise<Deposit> {
  const home = (await kernel.views.find(cluster))?.base ?? cluster;
  const user = await authenticator.authenticate(credentialsOfRequest(request), home);
  if (user.username === wellKnown.anonymousUser)
    throw apiError('Unauthorized', 'a sign-in code is for a user: send credentials');
  const account = parseServiceAccountUsername(user.username);
  if (account === undefined) return { type: 'user', user: sessionUserOf(user) };
  return { type: 'serviceAccount', account: { cluster: home, ...account, uid: user.uid ?? '' } };
}

const sessionUserOf = ({ username, uid, groups }: UserInfo): SessionUser => ({
  username,
  groups,
  ...(uid === undefined ? {} : { uid }),
});

function sessionOf(deposit: Deposit, { sessions, serviceAccounts, clock }: SignInRoutesDeps): object {
  if (deposit.type === 'user') return sessions.issue(deposit.user);
  return serviceAccounts.issue({ ...deposit.account, expirationSeconds: sessionSeconds, now: clock.now() });
}
