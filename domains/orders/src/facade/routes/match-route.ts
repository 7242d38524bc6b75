import { allowedMethods, type PathMatch, type RouteTable, routeOfMethod } from '@chandlery/http';
import { OrdersError } from '../../errors.ts';
import type { OrdersRoute } from './route.ts';

/** Finds the route of a request. Throws `not-found` and `method-not-allowed`. */
export function findRoute(
  table: RouteTable<OrdersRoute>,
  method: string,
  path: string,
): { readonly route: OrdersRoute; readonly params: PathMatch<OrdersRoute>['params'] } {
  const match = table.match(splitPath(path));
  if (match === undefined) throw new OrdersError('not-found', `There is nothing at ${path.slice(0, 200)}`);
  const route = routeOfMethod(match, method);
  if (route !== undefined) return { route, params: match.params };
  const allow = allowedMethods(match).join(', ');
  throw new OrdersError('method-not-allowed', `${method} is not possible here, but ${allow}`, { headers: { allow } });
}

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
