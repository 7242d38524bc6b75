import { type KubeObject, parseJson } from '@chandlery/api';
import type { WatchEvent } from './client.ts';
import { unexpectedResponse } from './client-errors.ts';
import { errorOfStatus } from './status-error.ts';

const newline = 0x0a;

/** The events in the body of a watch. Throws what an ERROR event says. */
export async function* watchEvents<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of textLines(body)) {
    const { type, object } = parseEvent(line);
    if (type === 'ERROR') throw errorOfStatus(object);
    // A type that this client does not know yet must not end the watch of one that it does.
    if (isKnownType(type)) yield { type, object: object as unknown as T };
  }
}

const knownTypes = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const;
const isKnownType = (type: string): type is WatchEvent['type'] => (knownTypes as readonly string[]).includes(type);

function parseEvent(line: string): { readonly type: string; readonly object: object } {
  const { type, object } = parseLine(line) as { type?: unknown; object?: unknown };
  if (typeof type !== 'string' || typeof object !== 'object' || object === null)
    throw unexpectedResponse('the watch sent a line that is no event');
  return { type, object };
}

function parseLine(line: string): object {
  try {
    return Object(parseJson(line)) as object;
  } catch (cause) {
    throw unexpectedResponse('the watch sent a line that is not JSON', cause);
  }
}

/** Whole, non-empty lines. A last one without an end was cut off and is dropped. */
async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)]).toString();
      pending = [];
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
}
