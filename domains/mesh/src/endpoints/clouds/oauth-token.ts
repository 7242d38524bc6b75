import { isJsonObject } from '@chandlery/api';
import { cloudError } from './cloud-errors.ts';
import type { CallCloud, CloudRequest, CloudResponse } from './cloud-http.ts';

/**
 * Requests an access token, which is kept until a while before it expires. Those who ask meanwhile get the same one, unless
 * it is the one that the API has `rejected`.
 */
export type GetToken = (signal: AbortSignal, rejected?: string) => Promise<string>;

export interface OAuthTokenOptions {
  readonly cloud: string;
  readonly call: CallCloud;
  /** Makes the request of a token. Rejects with `CloudCredentialsInvalid`. */
  readonly request: () => Promise<CloudRequest>;
  /** For tests. Default: the clock of the machine. */
  readonly nowMs?: () => number;
}

const renewBeforeMs = 5 * 60_000;

/** Makes the function that gives the access token of an account. */
export function createOAuthToken({ cloud, call, request, nowMs = Date.now }: OAuthTokenOptions): GetToken {
  let token: { readonly value: string; readonly renewAtMs: number } | undefined;
  let requested: Promise<string> | undefined;
  const renew = async (signal: AbortSignal): Promise<string> => {
    const { status, text } = await call(await request(), signal);
    // The response may quote the request: only its code is shown.
    const body = parseBody(text);
    const { access_token: value, expires_in: seconds } = body;
    if (status >= 400 || typeof value !== 'string') {
      const code = typeof body['error'] === 'string' ? body['error'] : `status ${status}`;
      throw cloudError(status >= 500 ? 'CloudUnreachable' : 'CloudDenied', `${cloud} gives no token: ${code}`, {
        hint: `Check the credentials: see docs/mesh-${cloud.toLowerCase()}.md.`,
      });
    }
    const lifeMs = Number(seconds) * 1000;
    token = { value, renewAtMs: nowMs() + Math.max(lifeMs / 2, lifeMs - renewBeforeMs) };
    return value;
  };
  return async (signal, rejected) => {
    if (token !== undefined && token.value !== rejected && nowMs() < token.renewAtMs) return token.value;
    requested ??= renew(signal).finally(() => {
      requested = undefined;
    });
    return requested;
  };
}

/**
 * Sends a request with an access token; once more, with another one, when the API does not accept it (401): a token may end
 * before it expires, as those of a key that was replaced.
 */
export async function withToken(
  token: GetToken,
  send: (token: string) => Promise<CloudResponse>,
  signal: AbortSignal,
): Promise<CloudResponse> {
  const first = await token(signal);
  const response = await send(first);
  return response.status === 401 ? send(await token(signal, first)) : response;
}

function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** A request of a token, with a form as its body. */
export const tokenRequest = (url: URL, form: Readonly<Record<string, string>>): CloudRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  body: new URLSearchParams(form).toString(),
});
