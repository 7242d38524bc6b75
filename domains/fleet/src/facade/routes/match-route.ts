import { type FleetError, fleetError } from '../../errors.ts';

/** The parts of a path below `/api`. */
export interface FleetPath {
  /** The id of a product, or `fleet`. */
  readonly product: string;
  /** What follows, decoded. */
  readonly segments: readonly string[];
}

/** Routes of one path, by method. */
export interface PathMatch<R> {
  readonly routes: readonly R[];
  readonly params: Readonly<Record<string, string>>;
}

/** Takes a path apart, without slashes at its end. Undefined for one that is not the fleet manager's. */
export function parsePath(path: string): FleetPath | undefined {
  const [, product, rest = ''] = /^\/api\/([^/]+)_mgmt(\/.*)?$/.exec(withoutSlashes(path)) ?? [];
  const segments = rest.split('/').slice(1).map(decodeSegment);
  return product === undefined || segments.includes(undefined)
    ? undefined
    : { product, segments: segments as string[] };
}

/** A loop, because an expression for this takes quadratic time on a path full of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charAt(end - 1) === '/') end--;
  return path.slice(0, end);
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The routes of one path pattern. */
interface PathPattern<R> {
  readonly segments: readonly string[];
  readonly routes: readonly R[];
}

/** Groups routes by their paths, once, so that a request compares few of them. */
export class RouteTable<R extends { readonly path: string }> {
  /** By the number of segments; patterns with fewer parameters first, since they win. */
  readonly #patterns: ReadonlyMap<number, readonly PathPattern<R>[]>;

  constructor(routes: readonly R[]) {
    const patterns = [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => ({
      segments: path.split('/').slice(1),
      routes: ofPath,
    }));
    const sorted = patterns.sort((one, other) => parameterCount(one.segments) - parameterCount(other.segments));
    this.#patterns = Map.groupBy(sorted, ({ segments }) => segments.length);
  }

  /** Finds the routes of a path. Patterns without parameters win over those with. */
  find({ product, segments }: FleetPath): PathMatch<R> | undefined {
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = matchSegments(pattern.segments, segments, product);
      if (params !== undefined) return { routes: pattern.routes, params };
    }
    return undefined;
  }
}

const parameterCount = (segments: readonly string[]): number =>
  segments.filter(segment => segment.startsWith('{') && segment !== '{collection}').length;

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
  collection: string,
): Readonly<Record<string, string>> | undefined {
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined || name === 'collection') {
      if (segment !== (name === undefined ? part : collection)) return undefined;
    } else if (segment === '') return undefined;
    else params[name] = segment;
  }
  return params;
}

/** Chooses the route of a method. Throws error 7 where there is no path and 10 where there is another method. */
export function routeFor<R extends { readonly method: string }>(match: PathMatch<R> | undefined, method: string): R {
  if (match === undefined) throw notFound();
  const route = match.routes.find(candidate => candidate.method === (method === 'HEAD' ? 'GET' : method));
  if (route === undefined) throw fleetError(10, undefined, { allow: allowedMethods(match.routes) });
  return route;
}

const allowedMethods = (routes: readonly { readonly method: string }[]): readonly string[] =>
  routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort();

/** Returns error 7 for a path that does not exist. */
export const notFound = (): FleetError => fleetError(7, 'The requested resource does not exist');

/** The error for a path of a product that is not configured. */
export const noProduct = (id: string): FleetError =>
  fleetError(7, `There is no product "${id}"`, { hint: '"kubectl get fleetproducts" lists the products.' });
