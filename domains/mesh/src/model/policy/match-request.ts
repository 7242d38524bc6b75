import { compilePattern, type MatchBudget } from '../../kinds/smi/pattern/pattern.ts';
import type { HttpMatch } from '../topology.ts';

/** A hypothetical request. A missing field is unknown. */
export interface DescribedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Budget of pattern matching. Default: unlimited. */
  readonly budget?: MatchBudget;
}

/** Why a match does not hold for a request; undefined when it holds. A condition on an unknown field never holds. */
export function mismatchOf(
  match: HttpMatch,
  { method, path, headers = {}, budget }: DescribedRequest,
): string | undefined {
  const { methods, pathRegex } = match;
  if (methods.length > 0 && !methods.includes(method?.toUpperCase() ?? '')) {
    return `the method must be ${methods.join(' or ')}`;
  }
  if (pathRegex !== undefined && !compilePattern(pathRegex, budget)?.matchesStart(path ?? '')) {
    return `the path must begin like ${pathRegex}`;
  }
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, pattern] of Object.entries(match.headers)) {
    const value = given.get(name);
    if (value === undefined || !compilePattern(pattern, budget)?.matchesWhole(value))
      return `the header ${name} must be like ${pattern}`;
  }
  return undefined;
}
