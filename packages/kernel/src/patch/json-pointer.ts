import { badRequest } from '@chandlery/api';

/** Splits an RFC 6901 pointer into its unescaped tokens; the empty pointer has none. */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw badRequest(`invalid JSON pointer "${pointer}": it must start with "/"`);
  if (/~(?![01])/.test(pointer)) throw badRequest(`invalid JSON pointer "${pointer}": "~" must be followed by 0 or 1`);
  const tokens = pointer.slice(1).split('/');
  return pointer.includes('~') ? tokens.map(unescapeToken) : tokens;
}

// `~1` first: `~01` stands for the two characters `~1`, not for a slash.
const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The position that a token names in a list, or undefined when it is not an index in RFC 6901's sense. */
export const parseIndex = (token: string): number | undefined =>
  /^(0|[1-9]\d*)$/.test(token) ? Number(token) : undefined;
