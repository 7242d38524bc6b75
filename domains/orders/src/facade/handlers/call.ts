import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../actions/action-deps.ts';
import { OrdersError } from '../../errors.ts';
import type { Json } from '../../model/bodies/body-fields.ts';

/** The methods of routes. HEAD is answered by the route of GET unless there is one of its own. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** Whose records a request may touch. */
export interface Scope {
  /** `all`: those of every tenant, for operators. */
  readonly tenants: readonly string[] | 'all';
  /** The tenant of what is created; undefined when the client has to say. */
  readonly home: string | undefined;
}

/** The body of a request, which is read when the handler asks for it. */
export interface RequestBody {
  /** As `Content-Length` says; undefined when it is not known, 0 when there is none. */
  readonly length: number | undefined;
  /** Whether there is one at all. */
  readonly isPresent: boolean;
  /** Reads all of it into memory, within the host's budgets. */
  bytes(maxBytes?: number): Promise<Uint8Array | undefined>;
  /** Reads a JSON object. */
  json(): Promise<Json>;
  /** The bytes as they come. */
  stream(): AsyncIterable<Uint8Array>;
}

/** A request of a client who may make it. */
export interface Call {
  readonly method: Method;
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** `https://host:port`, as the client knows it. */
  readonly origin: string;
  /** Path and query. */
  readonly url: string;
  readonly clientAddress: string;
  readonly username: string;
  readonly scope: Scope;
  readonly body: RequestBody;
  /** Aborted when the client disconnects or the process stops. */
  readonly signal: AbortSignal;
}

/** What is sent back. */
export interface OrdersResponse {
  readonly status: number;
  /** An object is sent as JSON; bytes as they are produced. */
  readonly body?: object | string | AsyncIterable<Uint8Array>;
  /** Of a body that is no object. Default: JSON. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A response of another server, which has begun while the request may still be coming in. Default false. */
  readonly isForwarded?: boolean;
  /**
   * Of a body that comes as things happen: the tenant whose record it is. The head is sent at once, and the connection
   * ends when the client may no longer read the record. Default: the body is what is there.
   */
  readonly followedTenant?: string;
}

export const ok = (body: object): OrdersResponse => ({ status: 200, body });
export const noContent: OrdersResponse = { status: 204 };

/** A record that was created, and where it is. */
export const created = (body: object, location: string): OrdersResponse => ({
  status: 201,
  body,
  headers: { location },
});

/** Returns who creates records, and for whom. Throws `namespace-required`. */
export function actorOf({ username, scope }: Pick<Call, 'username' | 'scope'>): Actor {
  if (scope.home !== undefined) return { username, tenant: scope.home };
  throw new OrdersError(
    'namespace-required',
    'You have rights in several namespaces: name one in the header X-Chandlery-Namespace',
    { name: 'x-chandlery-namespace' },
  );
}

/** Whether a tenant's records belong to the scope. */
export const isInScope = ({ tenants }: Scope, tenant: string): boolean => tenants === 'all' || tenants.includes(tenant);
