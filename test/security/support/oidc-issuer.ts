import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

const callback = 'http://127.0.0.1/callback';

/** A key of the provider, with the id under which it is published. */
interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** The real oidc-provider on a port of 127.0.0.1, with people who can log in. */
export class OidcIssuer implements AsyncDisposable {
  readonly key: SigningKey = { kid: 'issuer-key', key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey };
  readonly #people: Readonly<Record<string, readonly string[]>>;
  /** Where the page of the client `console` is, when there is one. */
  readonly #consoleUrl: string | undefined;
  #server: Server = createServer();
  #port = 0;

  private constructor(people: Readonly<Record<string, readonly string[]>>, consoleUrl: string | undefined) {
    this.#people = people;
    this.#consoleUrl = consoleUrl;
  }

  /** `people`: the groups of each user. `consoleUrl`: the page of a further client, `console`. */
  static async start(people: Readonly<Record<string, readonly string[]>>, consoleUrl?: string): Promise<OidcIssuer> {
    const issuer = new OidcIssuer(people, consoleUrl);
    await issuer.listen();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts to serve, again on the port of the first time. */
  async listen(): Promise<void> {
    this.#server = createServer().listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#server.on('request', this.#provider().callback());
  }

  /** Is down until `listen`. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Logs in as a browser would (authorization code with PKCE) and returns the ID token. */
  async login(person: string, clientId = 'chandlery'): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const browser = new Browser(this.url);
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const at = await this.#approve(person, `${this.url}/auth?${query}`, browser);
    const code = new URL(at).searchParams.get('code');
    assert.ok(code, `no code in ${at}`);
    return this.#exchange(code, verifier, clientId);
  }

  /** Signs in at an address that a program has shown, and returns where the provider sends the browser. */
  approve(person: string, address: string): Promise<string> {
    return this.#approve(person, address, new Browser(this.url));
  }

  async #approve(person: string, address: string, browser: Browser): Promise<string> {
    let at = await browser.follow(address);
    for (const prompt of ['login', 'consent']) {
      if (!at.startsWith(this.url)) break;
      at = await browser.follow(at, new URLSearchParams({ prompt, login: person, password: 'x' }));
    }
    return at;
  }

  /** A token with chosen claims; by default genuine in everything. */
  forge(claims: JWTPayload, { kid, key }: SigningKey = this.key, alg = 'RS256'): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.url, aud: 'chandlery', sub: 'mallory', iat: seconds, exp: seconds + 600, ...claims })
      .setProtectedHeader({ alg, kid })
      .sign(key);
  }

  async #exchange(code: string, verifier: string, clientId: string): Promise<string> {
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...form, client_id: clientId }),
    });
    const { id_token: token } = (await response.json()) as { id_token?: string };
    assert.ok(token, 'the provider gave no ID token');
    return token;
  }

  #provider(): Provider {
    const client = (clientId: string) => ({
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const page = {
      application_type: 'web',
      redirect_uris: [this.#consoleUrl ?? ''],
      grant_types: ['authorization_code'],
    };
    const ofPage = this.#consoleUrl === undefined ? [] : [{ ...client('console'), ...page }];
    return new Provider(this.url, {
      clients: [client('chandlery'), client('another-app'), ...ofPage],
      clientBasedCORS: () => true,
      jwks: { keys: [{ ...this.key.key.export({ format: 'jwk' }), kid: this.key.kid, alg: 'RS256', use: 'sig' }] },
      cookies: { keys: ['test'] },
      claims: { openid: ['sub', 'groups'] },
      conformIdTokenClaims: false,
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, groups: this.#people[id] ?? [] }),
      }),
      ttl: { IdToken: 600, AccessToken: 600, AuthorizationCode: 60, Session: 600, Grant: 600, Interaction: 600 },
    });
  }
}

/** Follows redirects with cookies until a page or a foreign address. */
class Browser {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The address where it ends; `form` is posted to the first one. */
  async follow(address: string, form?: URLSearchParams): Promise<string> {
    let at = address;
    let body = form;
    while (at.startsWith(this.#origin)) {
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie: [...this.#cookies].map(pair => pair.join('=')).join('; ') },
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      await response.arrayBuffer();
      for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
      const next = response.headers.get('location');
      if (next === null) return at;
      at = new URL(next, at).href;
      body = undefined;
    }
    return at;
  }

  #keep(cookie: string): void {
    const [name = '', value = ''] = cookie.split(';', 1)[0]?.split('=') ?? [];
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
