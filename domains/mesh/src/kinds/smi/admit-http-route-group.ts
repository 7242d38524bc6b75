import { firstRepeated } from '@chandlery/api';
import { type Admission, allow, refuse } from './admission.ts';
import type { HeaderMatches, SmiHttpRouteGroup } from './http-route-group.ts';
import { maxMatches, maxPatternCharacters } from './limits.ts';
import { parseRegex } from './regex/parse-regex.ts';

type Match = SmiHttpRouteGroup['spec']['matches'][number];

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

/** Whether proxies can tell the requests that a group means. Headers become one map, however they were given. */
export function admitHttpRouteGroup(group: SmiHttpRouteGroup): Admission<SmiHttpRouteGroup> {
  const { matches } = group.spec;
  const tooMuch = sizeProblem(matches);
  if (tooMuch !== undefined) return refuse(`spec.matches: ${tooMuch}`);
  const twice = firstRepeated(matches.map(({ name }) => name));
  if (twice !== undefined) return refuse(`spec.matches: two matches are named "${twice}"`);
  const tidy: Match[] = [];
  for (const match of matches) {
    const headers = headersOf(match.headers);
    const problem = typeof headers === 'string' ? headers : (pathProblem(match) ?? headerProblem(headers));
    if (problem !== undefined) return refuse(`spec.matches: "${match.name}": ${problem}`);
    tidy.push(match.headers === undefined || typeof headers === 'string' ? match : { ...match, headers });
  }
  const isTidy = matches.every(({ headers }) => !Array.isArray(headers));
  return isTidy ? allow : { type: 'allow', object: { ...group, spec: { ...group.spec, matches: tidy } } };
}

/** Why a group is too large to be read; undefined when it is not. To be asked before its patterns are looked at. */
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

function pathProblem({ pathRegex = '' }: Match): string | undefined {
  const parsed = parseRegex(pathRegex);
  return 'problem' in parsed ? `pathRegex is no RE2: ${parsed.problem}` : undefined;
}

function headerProblem(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, pattern] of Object.entries(headers)) {
    if (!headerName.test(name)) return `"${name}" is no name of a header`;
    if (typeof pattern !== 'string') return `the pattern of the header "${name}" must be text`;
    const parsed = parseRegex(pattern);
    if ('problem' in parsed) return `the pattern of the header "${name}" is no RE2: ${parsed.problem}`;
  }
  return undefined;
}

/** All headers in one map, or what is wrong with them. */
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
