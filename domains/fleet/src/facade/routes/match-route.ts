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
  const [, product, rest = ''] = /^\/api\/([^/]+)_mgmt(\/.*?)?\/*$/.exec(path) ?? [];
  const segments = rest.split('/').slice(1).map(decodeSegment);
  return product === undefined || segments.includes(undefined)
    ? undefined
    : { product, segments: segments as string[] };
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Finds the routes of a path. Patterns without parameters win over those with. */
export function matchPath<R extends { readonly path: string }>(
  routes: readonly R[],
  { product, segments }: FleetPath,
): PathMatch<R> | undefined {
  const matches = [...Map.groupBy(routes, route => route.path)].flatMap(([path, ofPath]) => {
    const params = matchSegments(path.split('/').slice(1), segments, product);
    return params === undefined ? [] : [{ routes: ofPath, params }];
  });
  return matches.sort((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)[0];
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
  collection: string,
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined;
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
  if (route === undefined) throw fleetError(10);
  return route;
}

/** Returns error 7 for a path that does not exist. */
export const notFound = (): FleetError => fleetError(7, 'The requested resource does not exist');
