import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import * as oidc from 'openid-client';

/** What an OpenID provider gave. */
export interface OidcTokens {
  readonly issuer: string;
  readonly clientId: string;
  readonly idToken: string;
  readonly refreshToken?: string;
  readonly expiresAtMs: number;
}

export interface OidcLogin {
  readonly issuer: string;
  readonly clientId: string;
  /** Shows the address at which the user signs in. */
  readonly onAddress: (url: string) => void;
  readonly signal: AbortSignal;
}

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Chandlery</title><p>${text} You can close this page.`;

/** Signs in by a browser: authorization code with PKCE, answered on a loopback port. */
export async function signInByBrowser({ issuer, clientId, onAddress, signal }: OidcLogin): Promise<OidcTokens> {
  const config = await discover(issuer, clientId);
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  await using listener = await listen();
  const { redirectUri } = listener;
  onAddress(
    oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid offline_access profile email groups',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      prompt: 'consent',
      state,
    }).href,
  );
  const redirected = await listener.redirect(signal);
  try {
    const tokens = await oidc.authorizationCodeGrant(config, redirected, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      idTokenExpected: true,
    });
    return tokensOf({ issuer, clientId }, tokens);
  } catch (cause) {
    throw signInFailed(issuer, cause);
  }
}

/** Fresh tokens for those that have expired. */
export async function refreshTokens({ issuer, clientId, refreshToken }: OidcTokens): Promise<OidcTokens> {
  if (refreshToken === undefined) throw signInFailed(issuer, new Error('the sign-in has expired'));
  try {
    const config = await discover(issuer, clientId);
    const tokens = await oidc.refreshTokenGrant(config, refreshToken);
    return tokensOf({ issuer, clientId, refreshToken }, tokens);
  } catch (cause) {
    throw signInFailed(issuer, cause);
  }
}

async function discover(issuer: string, clientId: string): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  // Providers for tests listen on loopback without TLS; tokens never leave the machine then.
  const isLoopback = url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  try {
    const options = isLoopback ? { execute: [oidc.allowInsecureRequests] } : {};
    return await oidc.discovery(url, clientId, undefined, oidc.None(), options);
  } catch (cause) {
    throw signInFailed(issuer, cause);
  }
}

function tokensOf(
  known: Pick<OidcTokens, 'issuer' | 'clientId'> & { readonly refreshToken?: string },
  {
    id_token: idToken,
    refresh_token: refreshToken = known.refreshToken,
    expires_in: seconds = 300,
  }: {
    readonly id_token?: string;
    readonly refresh_token?: string;
    readonly expires_in?: number;
  },
): OidcTokens {
  if (idToken === undefined) throw signInFailed(known.issuer, new Error('it returned no ID token'));
  const { issuer, clientId } = known;
  const expiresAtMs = expiryOf(idToken) ?? Date.now() + seconds * 1000;
  return { issuer, clientId, idToken, ...(refreshToken === undefined ? {} : { refreshToken }), expiresAtMs };
}

/** When an ID token expires; the server verifies it, here only its life time matters. */
function expiryOf(token: string): number | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp?: number };
    return claims.exp === undefined ? undefined : claims.exp * 1000;
  } catch {
    return undefined;
  }
}

const signInFailed = (issuer: string, cause: unknown): ChandleryError =>
  new ChandleryError('SignInFailed', `cannot sign in at ${issuer}: ${reasonOf(cause)}`, {
    hint: 'Check --issuer and --client-id, and that the provider allows redirects to http://127.0.0.1 (any port).',
    cause,
  });

/** "fetch failed" says nothing; what caused it does. Several addresses of a host fail with a code and no message. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause, message, code = '' } = thrown as NodeJS.ErrnoException;
  return cause instanceof Error ? reasonOf(cause) : message || code;
}

interface RedirectListener extends AsyncDisposable {
  readonly redirectUri: string;
  /** The address to which the provider sent the browser. */
  redirect(signal: AbortSignal): Promise<URL>;
}

async function listen(): Promise<RedirectListener> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', redirectUri());
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('connection', 'close');
    if (url.pathname !== '/callback') return void response.writeHead(404).end(page('Nothing is here.'));
    response.end(page(url.searchParams.has('error') ? 'The sign-in failed.' : 'You are signed in.'));
    return resolve(url);
  });
  const redirectUri = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirectUri: redirectUri(),
    redirect: async signal => {
      const stopped = Promise.withResolvers<never>();
      const onAbort = (): void =>
        stopped.reject(
          new ChandleryError('Interrupted', 'the sign-in was stopped', {
            hint: 'Nothing was stored; sign in again when you like.',
          }),
        );
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([promise, stopped.promise]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
