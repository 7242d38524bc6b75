import { sessionStore, signOut } from '../session/session.ts';
import { failureOf, unreachable } from './api-failure.ts';

export interface ApiRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** 401 does not end the session. Default: it ends the session unless it is from another cluster. */
  readonly isQuietOn401?: boolean;
}

/** Sends a request as the signed-in user. Rejects with `ApiFailure` unless it succeeds. */
export async function request(path: string, { isQuietOn401 = false, ...options }: ApiRequest = {}): Promise<Response> {
  const token = sessionStore.get()?.token;
  const response = await send(path, options);
  if (response.ok) return response;
  const isQuiet = isQuietOn401 || isOfAnotherCluster(path);
  if (response.status === 401 && !isQuiet && token !== undefined && token === sessionStore.get()?.token)
    signOut('Your session has expired. Sign in again to continue on this page.');
  throw await failureOf(response);
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

/** Whether a path is in another cluster than `/console/<cluster>/…`: tokens of service accounts are valid on one. */
function isOfAnotherCluster(path: string): boolean {
  const [, cluster] = /^\/clusters\/([^/]+)/.exec(path) ?? [];
  return cluster !== undefined && cluster !== location.pathname.split('/')[2];
}

/** The JSON of a response. */
export const requestJson = async <T>(path: string, options?: ApiRequest): Promise<T> =>
  (await (await request(path, options)).json()) as T;

function queryText(query: ApiRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
