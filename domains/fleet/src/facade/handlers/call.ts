import type { JsonObject } from '@chandlery/api';
import type { ConfiguredProduct, FleetCaller } from '../../actions/fleet-actions.ts';
import type { ProductNames } from '../../model/product-names.ts';
import type { ClusterRow } from '../../registry/fleet-registry.ts';

/** Methods that something is served for. HEAD is served as GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What every handler knows of a request. */
export interface Call {
  readonly method: Method;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly operationId: string;
  /** Aborted when the client disconnects or the process stops. */
  readonly signal: AbortSignal;
  /** Reads the JSON object in the body. Throws error 17. The same result when called again. */
  readonly readBody: () => Promise<JsonObject>;
}

/** A request for a product that exists. */
export interface ProductCall extends Call {
  readonly product: ConfiguredProduct;
  readonly names: ProductNames;
}

/** A request of a user of an organisation. */
export interface UserCall extends ProductCall {
  readonly caller: FleetCaller;
}

/** A request of an agent for its own cluster. */
export interface AgentCall extends ProductCall {
  readonly cluster: ClusterRow;
}

/** A request of an operator of the landscape. */
export interface OperatorCall extends Call {
  readonly username: string;
}

/** A response. Without a body nothing is sent. */
export interface FleetResponse {
  readonly status: number;
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: object | string;
  /** Default `application/json`. */
  readonly contentType?: string;
}

/** A response with status 200. */
export const ok = (body: object): FleetResponse => ({ status: 200, body });

/** Returns the object without fields that are undefined or empty texts, as clients of the reference expect it. */
export const withoutEmpty = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
