import type { IncomingMessage } from 'node:http';
import type { RestAudit } from '@chandlery/http';
import type { BrokerCredentials } from './model/catalog/broker-secret.ts';
import type { BrokerResponse } from './model/outcomes/broker-response.ts';
import type { BrokerRow } from './model/rows.ts';

export type { BrokerCredentials } from './model/catalog/broker-secret.ts';
export { type BrokerResponse, brokerFailureCodes } from './model/outcomes/broker-response.ts';

/** A request to a broker, below its base URL. */
export interface BrokerRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
  /** `/v2/catalog`, percent-encoded, with the query if there is one. */
  readonly path: string;
  /** Without credentials and connection headers: the connection adds its own. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** The connection to one broker. Brokers are isolated from each other: a slow or failing one does not affect others. */
export interface BrokerConnection {
  /** Any status is an answer. Rejects with one of {@link brokerFailureCodes}, or with the signal's reason. */
  call(
    request: BrokerRequest,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<BrokerResponse>;
}

/** Where a broker is that is not registered yet, or not in this way. */
export interface BrokerTarget {
  readonly name: string;
  readonly spec: BrokerRow['spec'];
  readonly credentials: BrokerCredentials;
}

/** How an OSB call ended: the class of the response status, or why there is no response. */
export type CallOutcome =
  | 'success'
  | 'client_error'
  | 'server_error'
  | 'timeout'
  | 'unreachable'
  | 'connection_lost'
  /** Not sent: rate, queue or circuit breaker. */
  | 'busy'
  | 'address_not_allowed'
  /** The caller gave up. */
  | 'aborted';

/** Records one call to a broker. */
export type ObserveCall = (outcome: CallOutcome, elapsedSeconds: number) => void;

/** Measures calls by broker. */
export interface OsbCallMetrics {
  /** The recorder of a broker. Hold on to it: calls are frequent. */
  observerOf(brokerName: string): ObserveCall;
  /** Removes the series of a broker that is not registered any more. */
  forget(brokerName: string): void;
}

/** Records an OSB request of a platform: what it asked for, the status of the response, and how long it took. */
export type OsbRequestMetrics = (operation: string, status: number, elapsedSeconds: number) => void;

/** All connections to brokers of this process. */
export interface BrokerConnections extends AsyncDisposable {
  /** The connection of a registered broker, as its row says now. A changed row gets new credentials; calls under way finish. */
  of(broker: BrokerRow): Promise<BrokerConnection>;
  /** A connection for one try, disposed of by the caller. */
  tryOut(target: BrokerTarget): BrokerConnection & AsyncDisposable;
}

/** Who makes a request to the service manager. */
export type Caller = OperatorCaller | UserCaller | PlatformCaller;

/** Runs the landscape: sees and may do everything. */
export interface OperatorCaller {
  readonly type: 'operator';
  readonly username: string;
  /** For the audit log. Default: none. */
  readonly groups?: readonly string[];
}

/** A person or program with rights in some tenants. */
export interface UserCaller {
  readonly type: 'user';
  readonly username: string;
  /** For the audit log. Default: none. */
  readonly groups?: readonly string[];
  /** Whether the user may do it there: `verb` and plural as in Kubernetes roles (`create`, `servicebrokers`). */
  may(verb: string, plural: string, tenant: string): boolean;
  /** The tenants in which the user may list the kind. */
  tenants(plural: string): readonly string[];
}

/** A platform, by its own credentials. */
export interface PlatformCaller {
  readonly type: 'platform';
  readonly platformId: string;
  readonly username: string;
  /** Made with credentials that were replaced but still hold. */
  readonly usesOldCredentials: boolean;
}

/**
 * Authenticates a caller without platform credentials; undefined for an anonymous one. Rejects with `Unauthorized` for
 * wrong credentials.
 */
export type FindUser = (request: {
  readonly authorization?: string;
  readonly raw: IncomingMessage;
}) => Promise<OperatorCaller | UserCaller | undefined>;

/** A request that may have changed something, for the audit log. */
export type BrokerAudit = RestAudit;
