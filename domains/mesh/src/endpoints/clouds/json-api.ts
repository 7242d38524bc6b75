import { isJsonObject } from '@chandlery/api';
import { cloudError } from './cloud-errors.ts';
import type { CallCloud, CloudResponse } from './cloud-http.ts';
import { type GetToken, withToken } from './oauth-token.ts';

export interface JsonApiOptions {
  /** For messages: `Azure`. */
  readonly cloud: string;
  readonly call: CallCloud;
  readonly token: GetToken;
  /** How long to wait when a response of 403 means too many requests, in seconds. Default: it never does. */
  readonly throttledSeconds?: (body: Readonly<Record<string, unknown>>) => number | undefined;
}

export interface JsonRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  /** Default: none. */
  readonly body?: object;
}

/** Undefined for 404. */
export type CallJson = (
  request: JsonRequest,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Makes the function that calls a JSON API with an access token. Rejects with a cloud error. */
export const createJsonApi =
  ({ cloud, call, token, throttledSeconds }: JsonApiOptions): CallJson =>
  async ({ method = 'GET', url, body: sent }, signal) => {
    const send = (bearer: string): Promise<CloudResponse> => {
      const headers = { authorization: `Bearer ${bearer}`, accept: 'application/json' };
      const json = sent && { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(sent) };
      return call({ method, url, headers, ...json }, signal);
    };
    const { status, text } = await withToken(token, send, signal);
    if (status === 404) return undefined;
    const path = url.pathname;
    const retryAfterSeconds = status === 403 ? throttledSeconds?.(parse(text) ?? {}) : undefined;
    if (retryAfterSeconds !== undefined)
      throw cloudError('CloudThrottled', `${cloud} rejects requests for a while (${status})`, { retryAfterSeconds });
    if (status === 401 || status === 403) {
      throw cloudError('CloudDenied', `${cloud} answered ${status} to ${method} ${path}`, {
        hint: `Check the credentials, and their roles against docs/mesh-${cloud.toLowerCase()}.md.`,
      });
    }
    const body = status < 300 ? parse(text) : undefined;
    if (body === undefined) throw cloudError('CloudUnreachable', `${cloud} answered ${status} to ${method} ${path}`);
    return body;
  };

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
