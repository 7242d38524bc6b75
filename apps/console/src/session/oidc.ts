import type { OidcIssuer } from './landscape-document.ts';

interface ProviderMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly scopes_supported?: readonly string[];
}

/** What user names and groups are made of, as far as the provider has it. */
const wantedScopes = ['openid', 'profile', 'email', 'groups'];

/** What is kept while the user is at the provider: in this tab alone, and removed at the return. */
interface PendingSignIn extends OidcIssuer {
  readonly state: string;
  readonly verifier: string;
  readonly nonce: string;
  /** Where the user wanted to go. */
  readonly returnTo: string;
}

const pendingKey = 'chandlery-sign-in';
const redirectUri = (): string => `${location.origin}/console/`;

/** Leads the user to the provider: authorisation code with PKCE (RFC 7636). The page is left. */
export async function startOidcSignIn({ issuer, clientId }: OidcIssuer): Promise<void> {
  const { authorization_endpoint: endpoint, scopes_supported: scopes = ['openid'] } = await readMetadata(issuer);
  const pending: PendingSignIn = {
    issuer,
    clientId,
    state: randomText(),
    verifier: randomText(),
    nonce: randomText(),
    returnTo: location.pathname + location.search,
  };
  sessionStorage.setItem(pendingKey, JSON.stringify(pending));
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    scope: wantedScopes.filter(name => scopes.includes(name)).join(' '),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** The ID token for which the provider has sent the user back; undefined when this page is no return. */
export async function finishOidcSignIn(): Promise<string | undefined> {
  const stored = sessionStorage.getItem(pendingKey);
  const answer = new URLSearchParams(location.search);
  const state = answer.get('state');
  if (stored === null || state === null) return undefined;
  sessionStorage.removeItem(pendingKey);
  const pending = JSON.parse(stored) as PendingSignIn;
  history.replaceState(undefined, '', pending.returnTo);
  if (state !== pending.state) throw new Error('The answer of the provider belongs to another sign-in');
  const code = answer.get('code');
  if (code === null) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'The sign-in failed');
  return redeem(code, pending);
}

async function redeem(code: string, { issuer, clientId, verifier, nonce }: PendingSignIn): Promise<string> {
  const { token_endpoint: endpoint } = await readMetadata(issuer);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri(),
      client_id: clientId,
      code_verifier: verifier,
    }),
    credentials: 'omit',
  });
  const { id_token: token, error_description: why } = (await response.json()) as Record<string, string | undefined>;
  if (token === undefined) throw new Error(why ?? 'The provider gave no ID token');
  // The landscape verifies the token; that it answers this very sign-in is verified here.
  if (claimsOf(token)['nonce'] !== nonce) throw new Error('The ID token belongs to another sign-in');
  return token;
}

async function readMetadata(issuer: string): Promise<ProviderMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = (await (await fetch(address, { credentials: 'omit' })).json()) as ProviderMetadata;
  if (metadata.issuer !== issuer) throw new Error(`${address} describes another issuer`);
  return metadata;
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, claims = ''] = token.split('.');
  return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;
}

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
