import type { IncomingMessage } from 'node:http';
import { isError } from '@chandlery/api';
import { parseAuthorization } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { ownPlatformId } from '../../kinds/index.ts';
import type { Registry } from '../../model/rows.ts';
import type { Caller, FindUser, OperatorCaller, PlatformCaller, UserCaller } from '../../ports.ts';
import { unauthorized } from '../rest/access/tenants.ts';
import type { Authenticator } from './authenticator.ts';
import { OsbCredentialCache } from './osb-credential-cache.ts';
import { type CheckLimits, PasswordChecker } from './password-checker.ts';
import type { ComparePassword } from './password-thread.ts';
import { type Login, logInPlatform, platformOfUsername, rejectRemovedPlatform } from './platform-login.ts';

/** What callers are known by. */
export interface AuthenticatorOptions {
  readonly registry: Registry;
  readonly findUser: FindUser;
  readonly logger: Logger;
  /** Default: two at a time, two seconds for a wrong one. */
  readonly checkLimits?: CheckLimits;
  /** Default: on this thread, which others then wait for. */
  readonly comparePassword?: ComparePassword;
}

/** Makes the one place that knows who calls. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { registry, findUser, logger, checkLimits, comparePassword } = options;
  const osb = new OsbCredentialCache(registry, new PasswordChecker(checkLimits, comparePassword));
  const log = logger.child({ part: 'callers' });
  const users = (raw: IncomingMessage) => userOf(findUser, raw);
  return {
    authenticate: request => callerOf(registry, users, request),
    authenticateOsb(brokerId, request) {
      const { authorization } = request.headers;
      const digest = authorization === undefined ? '' : osb.digest(request.socket, brokerId, authorization);
      return osb.remembered(digest) ?? osbCallerOf({ osb, users, log }, { brokerId, digest, request });
    },
  };
}

type Users = (raw: IncomingMessage) => Promise<OperatorCaller | UserCaller>;

async function callerOf(registry: Registry, users: Users, request: IncomingMessage): Promise<Caller> {
  const login = loginOf(request);
  if (login === undefined) return users(request);
  const platform = platformOfUsername(registry, login.username);
  if (platform === undefined) {
    rejectRemovedPlatform(registry, login);
    return users(request);
  }
  const caller = logInPlatform(platform, login);
  if (caller === undefined) throw unauthorized();
  return caller;
}

interface OsbRequest {
  readonly brokerId: string;
  readonly digest: string;
  readonly request: IncomingMessage;
}

async function osbCallerOf(
  { osb, users, log }: { readonly osb: OsbCredentialCache; readonly users: Users; readonly log: Logger },
  { brokerId, digest, request }: OsbRequest,
): Promise<PlatformCaller> {
  const login = loginOf(request);
  const platform = login && (await osb.find(brokerId, digest, login));
  if (platform !== undefined) return platform;
  const user = await users(request);
  if (user.type === 'operator')
    return { type: 'platform', platformId: ownPlatformId, username: user.username, usesOldCredentials: false };
  log.debug('a user called the OSB API, which is for platforms', { brokerId, user: user.username });
  throw unauthorized();
}

function loginOf(request: IncomingMessage): Login | undefined {
  const { username, password } = parseAuthorization(request.headers.authorization);
  return username === undefined || password === undefined ? undefined : { username, password };
}

async function userOf(findUser: FindUser, raw: IncomingMessage): Promise<OperatorCaller | UserCaller> {
  const { authorization } = raw.headers;
  try {
    const user = await findUser({ raw, ...(authorization === undefined ? {} : { authorization }) });
    if (user !== undefined) return user;
  } catch (thrown) {
    if (!isError(thrown, 'Unauthorized')) throw thrown;
  }
  throw unauthorized();
}
