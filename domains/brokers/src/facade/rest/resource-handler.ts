import type { JsonObject } from '@chandlery/api';
import type { QueryField } from '../../model/query/compile-query.ts';
import type { Registry, RowOf, TableName } from '../../model/rows.ts';
import type { Caller } from '../../ports.ts';
import type { Call } from './transport/route.ts';

/** How long the caller waits: for the end, not at all, or as long as the broker answers at once. */
export type AsyncMode = 'sync' | 'async' | 'undefined';

/** A request to the service manager, read and checked as far as all of them are alike. */
export interface SmRequest {
  readonly caller: Caller;
  /** The tenant in which something new is made. */
  readonly tenant: string;
  readonly mode: AsyncMode;
  readonly correlationId: string;
  /** Query parameters that all resources share are already dealt with. */
  readonly query: URLSearchParams;
  /** The body; empty for requests without one. */
  readonly body: JsonObject;
  /** Aborted when the caller disconnects or the request deadline expires. */
  readonly signal: AbortSignal;
  /** Tenant, caller and the key of the header `Idempotency-Key`. Undefined without the header. */
  readonly idempotencyKey?: string;
  /** Of the body, for the comparison with a repeated request. */
  readonly requestHash: string;
}

/** What is answered. The router adds `last_operation`, ETag and what else all of them have. */
export type SmResponse =
  /** 200, or 201 for a creation, with the resource. `extra` fields are shown once (new credentials). */
  | { readonly type: 'row'; readonly id: string; readonly extra?: JsonObject }
  /** 202 with the location of the operation. */
  | { readonly type: 'accepted'; readonly operationId: string; readonly resourceId: string }
  /** 200 with this document; `{}` after a deletion. */
  | { readonly type: 'document'; readonly body: JsonObject };

/** One kind of resource under `/v1`, as the router needs it. Handlers throw `SmError`s. */
export interface ResourceHandler<T extends TableName = TableName> {
  readonly table: T;
  /** `/v1/service_instances`. */
  readonly path: string;
  /** "service instance", for sentences. */
  readonly noun: string;
  /** For rights: `serviceinstances`. */
  readonly plural: string;
  /** Whether `async` is understood. */
  readonly isAsync: boolean;
  /** Whether many can be deleted by one request. */
  readonly hasBulkDelete: boolean;
  /** Whether `cascade` is understood. */
  readonly hasCascade: boolean;
  /** As JSON, without `last_operation`; secrets only where the caller may see them (`secrets` of the view). */
  view(row: RowOf[T], context: ViewContext): JsonObject | Promise<JsonObject>;
  /** Every field of the view that is a column, by its JSON name. */
  readonly fields: Readonly<Record<string, QueryField<RowOf[T]>>>;
  /** Whether the caller sees the row at all. The router has already checked tenants and rights. Default: yes. */
  isVisible?(row: RowOf[T], caller: Caller): boolean;
  /** Further query parameters of lists, by their names in the OpenAPI document. Default: none. */
  readonly listParameters?: readonly string[];
  /** What else decides whether a list shows a row. Default: nothing. */
  listFilter?(call: Pick<Call, 'caller' | 'headers' | 'query'>): ((row: RowOf[T]) => boolean) | undefined;
  /** Narrows lists that no query filters by an index, to what a client expects there. Default: not. */
  narrowUnfiltered?(): readonly { readonly index: string; readonly values: readonly string[] }[];
  create?(request: SmRequest): Promise<SmResponse>;
  patch?(row: RowOf[T], request: SmRequest): Promise<SmResponse>;
  remove?(
    row: RowOf[T],
    request: SmRequest & { readonly isCascade: boolean; readonly isForced: boolean },
  ): Promise<SmResponse>;
  /** What else can be asked for: `POST {path}/{action}`. Default: nothing. */
  readonly actions?: Readonly<Record<string, (request: SmRequest) => Promise<SmResponse>>>;
  /** Live parameters, from the broker. */
  parameters?(row: RowOf[T], request: SmRequest): Promise<JsonObject>;
}

/** Whom a view is for. */
export interface ViewContext {
  readonly caller: Caller;
  /** Whether it is one resource and not a list: only then are dear parts read. */
  readonly isSingle: boolean;
}

/** What every handler is built from. */
export interface HandlerDeps {
  readonly registry: Registry;
}
