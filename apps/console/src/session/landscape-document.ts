/** How one signs in to this landscape: part of what `GET /` returns to programs. */
export interface SignInOptions {
  readonly oidc: readonly OidcIssuer[];
}

export interface OidcIssuer {
  readonly issuer: string;
  readonly clientId: string;
}

export async function readSignInOptions(): Promise<SignInOptions> {
  const response = await fetch('/', { headers: { accept: 'application/json' }, credentials: 'omit' });
  if (!response.ok) throw new TypeError(response.statusText);
  return ((await response.json()) as { readonly signIn: SignInOptions }).signIn;
}
