/** Whether a text matches. */
export type TextMatcher = (text: string) => boolean;

/** A character that the text must have; undefined for any one. */
type PatternCharacter = string | undefined;

/**
 * Compiles a pattern of SQL's LIKE: `%` any text, `_` any character, a backslash takes the next one literally.
 *
 * The parts between two `%` are looked for one after the other, each at its first possible place, so there is no
 * backtracking: a match costs at most the length of the text times the length of the pattern.
 */
export function compileLike(pattern: string): TextMatcher {
  const segments = splitPattern(pattern);
  const minLength = segments.reduce((sum, segment) => sum + segment.length, 0);
  return text => {
    if (text.length < minLength) return false;
    const characters = Array.from(text);
    return characters.length >= minLength && matchSegments(segments, characters);
  };
}

/** What stands between the `%` of a pattern; one segment when there are none. */
function splitPattern(pattern: string): PatternCharacter[][] {
  const segments: PatternCharacter[][] = [[]];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '%') segments.push([]);
    else segments.at(-1)?.push(character === '_' ? undefined : literalAt(characters, character === '\\' ? ++at : at));
  }
  return segments.filter((segment, at) => segment.length > 0 || at === 0 || at === segments.length - 1);
}

/** A backslash at the end stands for itself. */
const literalAt = (characters: readonly string[], at: number): string => characters[at] ?? '\\';

function matchSegments(segments: readonly PatternCharacter[][], text: readonly string[]): boolean {
  const first = segments[0] ?? [];
  if (!hasSegmentAt(text, 0, first)) return false;
  if (segments.length === 1) return first.length === text.length;
  const last = segments.at(-1) ?? [];
  const end = text.length - last.length;
  let from = first.length;
  for (const segment of segments.slice(1, -1)) {
    const at = findSegment(text, segment, { from, end });
    if (at === undefined) return false;
    from = at + segment.length;
  }
  return from <= end && hasSegmentAt(text, end, last);
}

function findSegment(
  text: readonly string[],
  segment: readonly PatternCharacter[],
  { from, end }: { readonly from: number; readonly end: number },
): number | undefined {
  for (let at = from; at + segment.length <= end; at++) if (hasSegmentAt(text, at, segment)) return at;
  return undefined;
}

const hasSegmentAt = (text: readonly string[], at: number, segment: readonly PatternCharacter[]): boolean =>
  segment.every(
    (character, offset) => at + offset < text.length && (character ?? text[at + offset]) === text[at + offset],
  );
