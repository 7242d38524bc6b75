import { ApiFailure } from './api-failure.ts';
import { type ApiRequest, request } from './request.ts';

/** One line of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

interface WatchRequest extends Pick<ApiRequest, 'query' | 'headers'> {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/** The events of a collection after a revision, until the server ends the watch. Rejects with 410 when it is too old. */
export async function* watchEvents<T>(
  path: string,
  { query, headers, resourceVersion, signal }: WatchRequest,
): AsyncGenerator<WatchEvent<T>> {
  const response = await request(path, {
    query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion },
    ...(headers && { headers }),
    signal,
  });
  for await (const line of linesOf(response)) {
    const event = JSON.parse(line) as WatchEvent<T>;
    if (event.type === 'ERROR') throw failureOfStatus(event.object as StatusObject);
    yield event;
  }
}

interface StatusObject {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
}

const failureOfStatus = ({ code = 500, reason = '', message = '' }: StatusObject): ApiFailure =>
  new ApiFailure(code, reason, message);

/** The lines of a response as they come. */
export async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
