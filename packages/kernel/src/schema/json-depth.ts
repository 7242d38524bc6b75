import { badRequest } from '@chandlery/api';
import { jsonBytes } from './json-bytes.ts';

/** Deeper than any honest object, and shallow enough for every recursive function to come. */
export const maxJsonDepth = 500;

const { quote, openBracket, backslash, closeBracket, openBrace, closeBrace } = jsonBytes;

/** True when no value is nested deeper than `maxDepth`. Looks at brackets only; the text need not be valid JSON. */
export function checkDepth(json: string | Uint8Array, maxDepth: number = maxJsonDepth): boolean {
  if (json.length <= maxDepth) return true;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  let depth = 0;
  for (let position = 0; position < bytes.length; position++) {
    switch (bytes[position] ?? 0) {
      case quote:
        position = skipString(bytes, position);
        break;
      case openBrace:
      case openBracket:
        if (++depth > maxDepth) return false;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
    }
  }
  return true;
}

function skipString(bytes: Uint8Array, start: number): number {
  let position = start + 1;
  while (position < bytes.length && bytes[position] !== quote) position += bytes[position] === backslash ? 2 : 1;
  return position;
}

/** As {@link checkDepth}, but refuses with `BadRequest`. */
export function assertJsonDepth(json: string | Uint8Array): void {
  if (!checkDepth(json)) throw badRequest(`the JSON is nested deeper than ${maxJsonDepth} levels`);
}
