import { OrdersError } from '../../errors.ts';

/** Routes of one path, by method. */
export interface PathMatch<R> {
  readonly routes: readonly R[];
  readonly params: Readonly<Record<string, string>>;
}

interface PathPattern<R> {
  readonly segments: readonly string[];
  readonly routes: readonly R[];
}

/** At the end of a path: stands for all segments that follow, also for none. */
const restSegment = '{path}';

/** Groups routes by their paths, once, so that a request compares few of them. */
export class RouteTable<R extends { readonly path: string; readonly method: string }> {
  /** By the number of segments; patterns with fewer parameters first, since they win. */
  readonly #patterns: ReadonlyMap<number, readonly PathPattern<R>[]>;
  /** Those that end with {@link restSegment}, without it. */
  readonly #openEnded: readonly PathPattern<R>[];

  constructor(routes: readonly R[]) {
    const patterns = [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => ({
      segments: path.split('/').slice(1),
      routes: ofPath,
    }));
    const isOpenEnded = ({ segments }: PathPattern<R>): boolean => segments.at(-1) === restSegment;
    this.#openEnded = patterns
      .filter(isOpenEnded)
      .map(({ segments, routes }) => ({ segments: segments.slice(0, -1), routes }));
    const closed = patterns.filter(pattern => !isOpenEnded(pattern));
    const sorted = closed.sort((one, other) => parameterCount(one.segments) - parameterCount(other.segments));
    this.#patterns = Map.groupBy(sorted, ({ segments }) => segments.length);
  }

  /** Finds the route of a request. Throws `not-found` and `method-not-allowed`. */
  find(method: string, path: string): { readonly route: R; readonly params: PathMatch<R>['params'] } {
    const match = this.#match(splitPath(path));
    if (match === undefined) throw new OrdersError('not-found', `There is nothing at ${path.slice(0, 200)}`);
    const route =
      match.routes.find(candidate => candidate.method === method) ??
      match.routes.find(candidate => method === 'HEAD' && candidate.method === 'GET');
    if (route !== undefined) return { route, params: match.params };
    const allow = allowedMethods(match.routes).join(', ');
    throw new OrdersError('method-not-allowed', `${method} is not possible here, but ${allow}`, { headers: { allow } });
  }

  #match(segments: readonly string[]): PathMatch<R> | undefined {
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = matchSegments(pattern.segments, segments);
      if (params !== undefined) return { routes: pattern.routes, params };
    }
    return this.#matchOpenEnded(segments);
  }

  #matchOpenEnded(segments: readonly string[]): PathMatch<R> | undefined {
    for (const { segments: start, routes } of this.#openEnded) {
      const params = segments.length < start.length ? undefined : matchSegments(start, segments);
      if (params !== undefined) return { routes, params };
    }
    return undefined;
  }
}

const parameterCount = (segments: readonly string[]): number =>
  segments.filter(segment => segment.startsWith('{')).length;

/** The decoded segments of a path; a slash at its end counts for nothing. */
function splitPath(path: string): readonly string[] {
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  return segments.map(decode);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? segment !== part : segment === '') return undefined;
    if (name !== undefined) params[name] = segment;
  }
  return params;
}

const allowedMethods = (routes: readonly { readonly method: string }[]): readonly string[] =>
  [...new Set(routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
