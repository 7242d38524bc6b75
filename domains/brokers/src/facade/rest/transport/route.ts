import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject, JsonValue } from '@chandlery/api';
import type { RouteDocument } from '@chandlery/http';
import type { Caller } from '../../../ports.ts';

/** The methods that something is served for. HEAD is answered as GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request whose sender is known and whose body was read. */
export interface Call {
  readonly caller: Caller;
  readonly method: Method;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Empty for requests without one. */
  readonly body: JsonObject;
  /** Of path and body. */
  readonly requestHash: string;
  readonly correlationId: string;
  /** Aborted when the caller disconnects or the deadline expires. */
  readonly signal: AbortSignal;
}

/** A request that may be anonymous. */
export type PublicCall = Omit<Call, 'caller'> & { readonly caller?: Caller };

/** An answer. Without a body nothing is sent. */
export interface HttpResponse {
  readonly status: number;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RouteBase {
  readonly method: Method;
  /** With parameters as `:id`. */
  readonly path: string;
  readonly document: RouteDocument;
}

/** One method of one path. */
export type Route = RouteBase &
  (
    | {
        /** No authentication needed; valid credentials are recognised all the same. */
        readonly who: 'anybody';
        respond(call: PublicCall): Promise<HttpResponse>;
      }
    | {
        /** Operators and users; operators alone; or platforms too. */
        readonly who: 'people' | 'operators' | 'people-and-platforms' | 'platforms';
        respond(call: Call): Promise<HttpResponse>;
      }
  );
