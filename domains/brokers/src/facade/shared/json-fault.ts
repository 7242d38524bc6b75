/** What a scan of a valid JSON text finds first. */
export type JsonFault = { readonly type: 'duplicate'; readonly key: string } | { readonly type: 'depth' };

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const braceOpen = 0x7b;
const braceClose = 0x7d;
const bracketOpen = 0x5b;
const bracketClose = 0x5d;

/** The first key that stands twice in the same object, or too many levels; undefined for neither. One scan, no parsing. */
export function findJsonFault(text: string, maxDepth: number): JsonFault | undefined {
  const levels: (Set<string> | undefined)[] = [];
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === braceOpen) levels.push(new Set());
    else if (code === bracketOpen) levels.push(undefined);
    else if (code === braceClose || code === bracketClose) levels.pop();
    else if (code === quote) {
      const end = closingQuote(text, position);
      const key = keyAt(text, { start: position, end, keys: levels.at(-1) });
      if (key !== undefined) return { type: 'duplicate', key };
      position = end;
    }
    if (levels.length > maxDepth) return { type: 'depth' };
  }
  return undefined;
}

/** Notes a key of the innermost object; answers one that it already has. */
function keyAt(
  text: string,
  { start, end, keys }: { readonly start: number; readonly end: number; readonly keys: Set<string> | undefined },
): string | undefined {
  if (keys === undefined || !isFollowedByColon(text, end)) return undefined;
  const raw = text.slice(start + 1, end);
  const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  if (keys.has(key)) return key;
  keys.add(key);
  return undefined;
}

function closingQuote(text: string, start: number): number {
  let position = start + 1;
  for (let code = text.charCodeAt(position); code !== quote; code = text.charCodeAt(position)) {
    position += code === backslash ? 2 : 1;
  }
  return position;
}

/** In an object only keys are: values are followed by a comma or a brace. */
function isFollowedByColon(text: string, end: number): boolean {
  let position = end + 1;
  while (text.charCodeAt(position) <= 0x20) position++;
  return text.charCodeAt(position) === colon;
}
