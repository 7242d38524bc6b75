/** Routes of one path, by method. */
export interface PathMatch<R> {
  readonly routes: readonly R[];
  readonly params: Readonly<Record<string, string>>;
}

interface PathPattern<R> {
  readonly segments: readonly string[];
  readonly routes: readonly R[];
}

/** A placeholder at the end of a path that stands for all segments that follow, also for none. */
const restSegment = '{path}';

/** Routes by path patterns (`/v1/{collection}/{id}`), grouped once, so that a request compares few of them. */
export class RouteTable<R extends { readonly path: string; readonly method: string }> {
  /** By the number of segments; patterns with fewer placeholders first, since they win. */
  readonly #closed: ReadonlyMap<number, readonly PathPattern<R>[]>;
  /** Those that end with {@link restSegment}, without it. They match when no closed pattern does. */
  readonly #open: readonly PathPattern<R>[];

  constructor(routes: readonly R[]) {
    const patterns = [...Map.groupBy(routes, ({ path }) => path)]
      .map(([path, ofPath]) => ({ segments: path.split('/').slice(1), routes: ofPath }))
      .sort((one, other) => placeholderCount(one.segments) - placeholderCount(other.segments));
    const { open = [], closed = [] } = Object.groupBy(patterns, ({ segments }) =>
      segments.at(-1) === restSegment ? 'open' : 'closed',
    );
    this.#open = open.map(({ segments, routes }) => ({ segments: segments.slice(0, -1), routes }));
    this.#closed = Map.groupBy(closed, ({ segments }) => segments.length);
  }

  /** Finds the routes of a path. A placeholder in `fixed` matches that value only and is no parameter. */
  match(segments: readonly string[], fixed: Readonly<Record<string, string>> = {}): PathMatch<R> | undefined {
    for (const pattern of this.#closed.get(segments.length) ?? []) {
      const params = matchSegments(pattern.segments, segments, fixed);
      if (params !== undefined) return { routes: pattern.routes, params };
    }
    for (const { segments: start, routes } of this.#open) {
      const params = segments.length < start.length ? undefined : matchSegments(start, segments, fixed);
      if (params !== undefined) return { routes, params };
    }
    return undefined;
  }
}

const placeholderCount = (segments: readonly string[]): number =>
  segments.filter(segment => segment.startsWith('{')).length;

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
  fixed: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const expected = name === undefined ? part : fixed[name];
    if (expected === undefined ? segment === '' : segment !== expected) return undefined;
    if (name !== undefined && expected === undefined) params[name] = segment;
  }
  return params;
}

/** Returns the route of a method; `HEAD` is served by `GET` where it has no route of its own. */
export const routeOfMethod = <R extends { readonly method: string }>(
  { routes }: PathMatch<R>,
  method: string,
): R | undefined =>
  routes.find(route => route.method === method) ??
  (method === 'HEAD' ? routes.find(route => route.method === 'GET') : undefined);

/** Returns the methods of a path, for the header `Allow`. */
export const allowedMethods = ({ routes }: PathMatch<{ readonly method: string }>): readonly string[] =>
  [...new Set(routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
