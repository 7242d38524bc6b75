import type { JsonObject } from '@chandlery/api';
import { isJsonObject } from '../model/json.ts';
import type { OsbRequest } from './osb-answers.ts';

/** Takes a request apart. */
export function readRequest({
  method,
  url,
  body,
}: {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}): OsbRequest {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const segments = path.split('/').slice(2).map(decode);
  return {
    method,
    segments: path.startsWith('/v2/') ? segments : [],
    query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)),
    body: body === '' ? {} : parseObject(body),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
