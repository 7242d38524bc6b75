import { type Session, selfReview, sessionStore, signOut } from '../session/session.ts';
import { ApiFailure, failureOf, unreachable } from './api-failure.ts';

export interface ApiRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** A caller that expects 401. Default: it ends the session, unless that is valid on its own cluster. */
  readonly isQuietOn401?: boolean;
}

/** Sends a request as the signed-in user. Rejects with `ApiFailure` unless it succeeds. */
export async function request(path: string, { isQuietOn401 = false, ...options }: ApiRequest = {}): Promise<Response> {
  const session = sessionStore.get();
  const response = await send(path, options);
  if (response.ok) return response;
  if (response.status === 401 && !isQuietOn401 && session !== undefined) {
    const cluster = clusterOf(path);
    const hasEnded = await isEnded(session);
    if (hasEnded && session === sessionStore.get())
      signOut('Your session has expired. Sign in again to continue on this page.');
    if (!hasEnded && cluster !== undefined)
      throw new ApiFailure(403, 'Forbidden', `Your sign-in is not valid on cluster "${cluster}"`);
  }
  throw await failureOf(response);
}

/** Whether a session is not valid any more, not even where it began. */
async function isEnded({ cluster }: Session): Promise<boolean> {
  const { path, body } = selfReview(cluster);
  const review = await send(path, { method: 'POST', body }).catch(() => undefined);
  return review?.status === 401;
}

/**
 * Sends a request as the signed-in user, to this landscape alone, and returns whatever it responds. Rejects with
 * `ApiFailure` when it does not respond.
 */
export async function send(
  path: string,
  { query, body, headers, ...rest }: Omit<ApiRequest, 'isQuietOn401'> = {},
): Promise<Response> {
  const target = new URL(`${path}${queryText(query)}`, location.origin);
  // The token must not leave for anywhere else, whatever a path looks like.
  if (target.origin !== location.origin) throw new Error(`"${path}" is not an address of this landscape`);
  const token = sessionStore.get()?.token;
  return fetch(target, {
    ...rest,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    // Neither cookies nor client certificates: the token is the only credential.
    credentials: 'omit',
    redirect: 'error',
  }).catch((thrown: unknown) => {
    // What fetch itself throws is a lost connection, unless the caller has aborted.
    throw thrown instanceof TypeError ? unreachable() : thrown;
  });
}

/** The cluster that a path is of. */
function clusterOf(path: string): string | undefined {
  const [, cluster] = /^\/clusters\/([^/]+)/.exec(path) ?? [];
  return cluster === undefined ? undefined : decodeURIComponent(cluster);
}

/** The JSON of a response. */
export const requestJson = async <T>(path: string, options?: ApiRequest): Promise<T> =>
  (await (await request(path, options)).json()) as T;

function queryText(query: ApiRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
