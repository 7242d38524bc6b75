import { headersOf, sizeProblem } from '../kinds/smi/http-matches.ts';
import type { SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { patternProblem } from '../kinds/smi/pattern/pattern.ts';
import type { HttpMatch } from '../model/topology.ts';

/**
 * The requests that a group means. A match that proxies would not understand means none: whoever refers to it allows
 * nothing by it. So it is with a group that is too large; only a cluster that others serve has such groups.
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
