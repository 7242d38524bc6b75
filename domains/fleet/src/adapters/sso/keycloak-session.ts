import { type Clock, systemClock } from '@chandlery/platform';
import { peerRejected } from '../../port-errors.ts';
import { checkEndpoint } from '../endpoint.ts';
import { below, PeerHttp, type PeerRequest, type PeerResponse, parseJsonObject } from '../peer-http.ts';

/** How a realm of Keycloak is administered. */
export interface KeycloakOptions {
  /** With or without the `/auth` of older servers. */
  readonly baseUrl: string;
  readonly realm: string;
  /** A client with a service account that may manage clients of the realm. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** For one call. Default 15 000. */
  readonly timeoutMs?: number;
  /** Trusted certificate authorities in PEM. Default: those of Node. */
  readonly caPem?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
}

interface Login {
  /** The address with or without `/auth`. */
  readonly base: URL;
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Older servers have everything below `/auth`. */
const prefixes = ['auth', ''] as const;
/** A token is not used when it is about to end. */
const marginMs = 10_000;
const formType = 'application/x-www-form-urlencoded';

/** A login to a realm: finds out where the server has it, and keeps its token until it expires. */
export class KeycloakSession implements AsyncDisposable {
  readonly #options: KeycloakOptions;
  readonly #root: URL;
  readonly #clock: Clock;
  readonly http: PeerHttp;
  #login: Promise<Login> | undefined;
  #expiresAtMs = 0;

  constructor(options: KeycloakOptions) {
    const { baseUrl, timeoutMs, caPem, clock = systemClock } = options;
    this.#options = options;
    this.#root = checkEndpoint(baseUrl, 'sso.base_url');
    this.#clock = clock;
    this.http = new PeerHttp({
      peer: 'Keycloak',
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(caPem === undefined ? {} : { caPem }),
    });
  }

  /** Calls the admin API of the realm; `path` is relative to the realm. A token that was revoked is replaced once. */
  async call(
    path: string,
    request: Omit<PeerRequest, 'url'> & { readonly parameters?: readonly (readonly [string, string])[] } = {},
  ): Promise<PeerResponse> {
    const response = await this.#callOnce(path, request);
    if (response.status !== 401) return response;
    this.#login = undefined;
    return this.#callOnce(path, request);
  }

  async #callOnce(
    path: string,
    { parameters = [], ...request }: Parameters<KeycloakSession['call']>[1] & object,
  ): Promise<PeerResponse> {
    const { base, token } = await this.#loggedIn();
    const url = below(base, `admin/realms/${encodeURIComponent(this.#options.realm)}/${path}`, parameters);
    return this.http.send({ ...request, url, headers: { ...request.headers, authorization: `Bearer ${token}` } });
  }

  #loggedIn(): Promise<Login> {
    if (this.#login === undefined || this.#expiresAtMs <= this.#clock.now().getTime()) {
      // Concurrent callers wait for the same login.
      this.#expiresAtMs = Number.POSITIVE_INFINITY;
      this.#login = this.#logIn().then(
        login => {
          this.#expiresAtMs = login.expiresAtMs;
          return login;
        },
        (error: unknown) => {
          this.#login = undefined;
          throw error;
        },
      );
    }
    return this.#login;
  }

  async #logIn(): Promise<Login> {
    const { realm, clientId, clientSecret } = this.#options;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    for (const base of this.#bases()) {
      const url = below(base, `realms/${encodeURIComponent(realm)}/protocol/openid-connect/token`);
      const headers = { 'content-type': formType, accept: 'application/json' };
      const response = await this.http.send({ url, method: 'POST', headers, body: body.toString() });
      if (response.status !== 404) return this.#readLogin(base, response);
    }
    throw peerRejected(`Keycloak has no realm ${JSON.stringify(realm)}`, 'Check sso.base_url and sso.realm.');
  }

  /** The addresses to try, unless the configured one ends with `/auth`. */
  #bases(): readonly URL[] {
    if (/\/auth\/?$/.test(this.#root.pathname)) return [this.#root];
    return prefixes.map(prefix => below(this.#root, prefix));
  }

  #readLogin(base: URL, response: PeerResponse): Login {
    const body = parseJsonObject(response.text);
    const { access_token: token, expires_in: lifeSeconds, error } = body ?? {};
    if (response.status !== 200)
      throw this.http.failure(response, 'log in to Keycloak', typeof error === 'string' ? error.slice(0, 100) : '');
    if (typeof token !== 'string')
      throw this.http.failure({ ...response, status: 502 }, 'log in to Keycloak', 'no token');
    const lifeMs = typeof lifeSeconds === 'number' ? lifeSeconds * 1000 : 0;
    return { base, token, expiresAtMs: this.#clock.now().getTime() + lifeMs - marginMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.http[Symbol.asyncDispose]();
  }
}
