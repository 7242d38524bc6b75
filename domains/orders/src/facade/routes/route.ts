import type { RouteDocument } from '@chandlery/http';
import type { Call, Method, OrdersResponse } from '../handlers/call.ts';
import type { RouteAccess } from '../handlers/route-access.ts';

/** One route of the REST API. */
export interface OrdersRoute {
  readonly method: Method;
  /** With parameters as `{id}`; `{path}` at its end stands for any number of segments. */
  readonly path: `/1/${string}`;
  /** `open`: any client, without credentials. */
  readonly access: RouteAccess | 'open';
  readonly document: RouteDocument;
  handle(call: Call): Promise<OrdersResponse>;
}
