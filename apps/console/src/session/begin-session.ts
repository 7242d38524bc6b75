import { ApiFailure, failureOf } from '../api/api-failure.ts';
import { selfReview, signIn } from './session.ts';

/** Signs in with a token after the landscape has said whose it is. Rejects with `ApiFailure` for a wrong one. */
export async function beginSession(token: string, cluster: string): Promise<void> {
  const { path, body } = selfReview(cluster);
  const response = await fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
  });
  // Who is signed in and has no rights here can still go to another cluster.
  if (response.status === 401)
    throw new ApiFailure(
      401,
      'Unauthorized',
      `Cluster "${cluster}" does not accept this token. That of a service account is valid on one cluster: open /console/CLUSTER/.`,
    );
  if (!response.ok && response.status !== 403) throw await failureOf(response);
  const { status } = (await response.json()) as { status?: { userInfo?: { username?: string } } | string };
  const username = typeof status === 'object' ? status.userInfo?.username : undefined;
  signIn({ token, username: username ?? 'signed in', cluster });
}

/** Exchanges a one-time code of `chandlery console` for a session. */
export async function redeemCode(code: string, cluster: string): Promise<void> {
  const response = await fetch('/sign-in/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    credentials: 'omit',
  });
  if (response.status === 401)
    throw new ApiFailure(401, 'Unauthorized', 'This sign-in address was used before or has expired.');
  if (!response.ok) throw await failureOf(response);
  const { token } = (await response.json()) as { readonly token: string };
  await beginSession(token, cluster);
}

/** Takes the one-time code out of the address, which from then on does not have it. Undefined: there is none. */
export function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (location.hash !== '') history.replaceState(undefined, '', location.pathname + location.search);
  return code;
}
