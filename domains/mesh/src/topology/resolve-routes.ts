import { headersOf, sizeProblem } from '../kinds/smi/http-matches.ts';
import type { SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { patternProblem } from '../kinds/smi/pattern/pattern.ts';
import type { HttpMatch } from '../model/topology.ts';

/**
 * Returns the matches of a group. A match with an invalid pattern, or a group that is too large, matches no request;
 * only clusters of other servers can have such objects.
 */
export function httpMatchesOf(group: SmiHttpRouteGroup): readonly HttpMatch[] {
  if (sizeProblem(group.spec.matches) !== undefined) return [];
  return group.spec.matches.flatMap(match => {
    const headers = headersOf(match.headers);
    if (typeof headers === 'string') return [];
    const { name, pathRegex, methods = [] } = match;
    const patterns = [...(pathRegex === undefined ? [] : [pathRegex]), ...Object.values(headers)];
    if (!patterns.every(isRegex)) return [];
    const lower = Object.entries(headers).map(([header, pattern]) => [header.toLowerCase(), pattern] as const);
    return [
      {
        name,
        ...(pathRegex === undefined || pathRegex === '' ? {} : { pathRegex }),
        methods: methods.includes('*') ? [] : [...new Set(methods.map(method => method.toUpperCase()))],
        headers: Object.fromEntries(lower),
      },
    ];
  });
}

const isRegex = (pattern: unknown): boolean => typeof pattern === 'string' && patternProblem(pattern) === undefined;
