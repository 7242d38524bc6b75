import { allowedMethods, type PathMatch, routeOfMethod } from '@chandlery/http';
import { type FleetError, fleetError } from '../../errors.ts';

/** The parts of a path below `/api`. */
export interface FleetPath {
  /** The id of a product, or `fleet`. */
  readonly product: string;
  /** What follows, decoded. */
  readonly segments: readonly string[];
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

/** Chooses the route of a method. Throws error 7 where there is no path and 10 where there is another method. */
export function routeFor<R extends { readonly method: string }>(match: PathMatch<R> | undefined, method: string): R {
  if (match === undefined) throw notFound();
  const route = routeOfMethod(match, method);
  if (route === undefined) throw fleetError(10, undefined, { allow: allowedMethods(match) });
  return route;
}

/** Returns error 7 for a path that does not exist. */
export const notFound = (): FleetError => fleetError(7, 'The requested resource does not exist');

/** The error for a path of a product that is not configured. */
export const noProduct = (id: string): FleetError =>
  fleetError(7, `There is no product "${id}"`, { hint: '"kubectl get fleetproducts" lists the products.' });
