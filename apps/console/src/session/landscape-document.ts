import { failureOf, unreachable } from '../api/api-failure.ts';

/** How one signs in to this landscape: part of what `GET /` returns to programs. */
export interface SignInOptions {
  readonly oidc: readonly OidcIssuer[];
}

export interface OidcIssuer {
  readonly issuer: string;
  readonly clientId: string;
}

export async function readSignInOptions(): Promise<SignInOptions> {
  const response = await fetch('/', { headers: { accept: 'application/json' }, credentials: 'omit' }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await failureOf(response);
  return ((await response.json()) as { readonly signIn: SignInOptions }).signIn;
}
