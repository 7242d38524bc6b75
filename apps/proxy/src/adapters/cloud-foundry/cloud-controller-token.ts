import { ChandleryError } from '@chandlery/api';
import { basicAuthorization, HttpCaller } from '../../http/http-caller.ts';
import type { BasicCredentials } from '../../ports.ts';

/** As whom to log in: a user, or a client in its own right. */
export interface CloudFoundryLogin {
  /** With it the password grant is used. */
  readonly user?: BasicCredentials | undefined;
  /** Default: the public client `cf` without a secret, for the password grant. */
  readonly client?: { readonly id: string; readonly secret: string } | undefined;
}

export interface TokenOptions {
  /** The Cloud Controller; its root document says where to log in. */
  readonly api: HttpCaller;
  readonly login: CloudFoundryLogin;
  readonly caPem?: string | undefined;
  readonly isInsecure?: boolean;
  readonly timeoutMs?: number;
}

/** The token for the Cloud Controller; asked for once until it is refused. */
export class CloudControllerToken {
  readonly #options: TokenOptions;
  #token: Promise<string> | undefined;

  constructor(options: TokenOptions) {
    this.#options = options;
  }

  /** What stands in `Authorization`. Rejects with `LoginFailed`. */
  async get(): Promise<string> {
    this.#token ??= this.#logIn();
    try {
      return await this.#token;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }

  /** The token was refused: the next one is a new one. */
  drop(): void {
    this.#token = undefined;
  }

  async #logIn(): Promise<string> {
    const { caPem, isInsecure = false, timeoutMs = 60_000, login } = this.#options;
    await using uaa = new HttpCaller({ baseUrl: await this.#loginUrl(), caPem, isInsecure, timeoutMs });
    const { id, secret } = login.client ?? { id: 'cf', secret: '' };
    const { status, json } = await uaa.call({
      method: 'POST',
      path: '/oauth/token',
      headers: { authorization: basicAuthorization({ username: id, password: secret }), accept: 'application/json' },
      form: grantOf(login),
    });
    const { access_token: token } = (json ?? {}) as { access_token?: unknown };
    if (status === 200 && typeof token === 'string') return `bearer ${token}`;
    throw new ChandleryError('LoginFailed', `Cloud Foundry answered ${status} to the login`, {
      hint: 'Check the user and password, or the client and secret, of the platform.',
    });
  }

  async #loginUrl(): Promise<string> {
    const { json } = await this.#options.api.call({ path: '/' });
    const { links } = (json ?? {}) as { links?: Record<string, { href?: string } | null> };
    const url = links?.['login']?.href ?? links?.['uaa']?.href;
    if (url !== undefined) return url.replace(/\/+$/, '');
    throw new ChandleryError('LoginFailed', 'the root document of the Cloud Controller does not say where to log in');
  }
}

const grantOf = ({ user }: CloudFoundryLogin): Record<string, string> =>
  user === undefined
    ? { grant_type: 'client_credentials' }
    : { grant_type: 'password', username: user.username, password: user.password };
