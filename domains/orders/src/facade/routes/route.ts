import type { Call, Method, OrdersResponse } from '../handlers/call.ts';
import type { RouteAccess } from '../handlers/route-access.ts';

/** What the OpenAPI document says of a route. */
export interface RouteDocument {
  /** Groups routes. */
  readonly tag: string;
  readonly summary: string;
  /** Names of query parameters and headers, of the list in `openapi/parameters.ts`. Default none. */
  readonly parameters?: readonly string[];
  /** The schema of the body; `bytes`: any content. Default: no body. */
  readonly body?: string;
  /** The schema of each response besides errors; empty: no body; `bytes`: any content. */
  readonly responses: Readonly<Record<number, string>>;
}

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
