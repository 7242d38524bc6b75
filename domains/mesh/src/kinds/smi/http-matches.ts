import type { HeaderMatches, SmiHttpRouteGroup } from './http-route-group.ts';
import { maxMatches, maxPatternCharacters } from './limits.ts';

type Match = SmiHttpRouteGroup['spec']['matches'][number];

/** Why a group is too large; undefined for an acceptable size. To be called before its patterns are compiled. */
export function sizeProblem(matches: readonly Match[]): string | undefined {
  if (matches.length > maxMatches) return `there are ${matches.length}, and at most ${maxMatches} are allowed`;
  const characters = matches.reduce((sum, match) => sum + patternCharacters(match), 0);
  return characters > maxPatternCharacters
    ? `the patterns have ${characters} characters together, and at most ${maxPatternCharacters} are allowed`
    : undefined;
}

function patternCharacters({ pathRegex = '', headers = {} }: Match): number {
  const maps: readonly unknown[] = Array.isArray(headers) ? headers : [headers];
  const patterns = maps.flatMap((map): unknown[] =>
    typeof map === 'object' && map !== null ? Object.values(map) : [],
  );
  return patterns.reduce<number>((sum, pattern) => sum + String(pattern).length, pathRegex.length);
}

/** Returns all headers in one map, or a description of the problem. */
export function headersOf(headers: HeaderMatches | undefined): Readonly<Record<string, string>> | string {
  const maps: readonly unknown[] = Array.isArray(headers) ? headers : [headers ?? {}];
  const merged: Record<string, string> = {};
  const known = new Set<string>();
  for (const map of maps) {
    if (typeof map !== 'object' || map === null || Array.isArray(map)) return 'headers must be names with patterns';
    for (const [name, pattern] of Object.entries(map as Record<string, string>)) {
      if (known.has(name.toLowerCase())) return `the header "${name}" is given twice; write one pattern`;
      known.add(name.toLowerCase());
      merged[name] = pattern;
    }
  }
  return merged;
}
