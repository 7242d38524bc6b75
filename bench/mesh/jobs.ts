import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';

/**
 * The measured servers: the control plane; a simple one that encodes each response again; one that sends the same bytes
 * to all streams; the gRPC library alone, which responds once.
 */
export type SubjectKind = 'chandlery' | 'naive' | 'shouting' | 'bare';

/** The number of endpoints of the subscribed services, and the rest of the mesh. */
export interface MeshShape {
  /** By name. */
  readonly services: Readonly<Record<string, number>>;
  /** Default: none. */
  readonly others?: { readonly services: number; readonly endpointsEach: number };
}

/** `endpoint`: one endpoint is replaced; `port`: the port of a service is replaced. */
export interface Change {
  readonly what: 'endpoint' | 'port';
  readonly service: string;
}

/** The jobs of the server process. */
export type ServerJob =
  | { readonly type: 'start'; readonly kind: SubjectKind; readonly mesh: MeshShape }
  /** Issues certificates for clients. */
  | { readonly type: 'issue'; readonly count: number; readonly withProxyIds: boolean }
  /** Waits for a number of requests, from now or from the change on. */
  | { readonly type: 'watch'; readonly requests: number; readonly change?: Change }
  | { readonly type: 'memory' };

export interface Started {
  readonly port: number;
  /** PEM. */
  readonly ca: string;
}

export interface IssuedToClient {
  readonly cert: string;
  readonly key: string;
  /** Required node id of the client. Undefined: any. */
  readonly proxyId?: string;
}

/** The cost until all requests had arrived. */
export interface Cost {
  readonly ms: number;
  /** CPU of the server only. */
  readonly cpuMs: number;
}

/** After garbage collection. */
export interface Memory {
  readonly residentBytes: number;
  /** Objects, and the buffers that they reference. */
  readonly heapBytes: number;
}

/** The jobs of the client process. */
export type CrowdJob =
  | {
      readonly type: 'open';
      readonly server: Started;
      readonly certificates: readonly IssuedToClient[];
      readonly subscription: Subscription;
    }
  | { readonly type: 'usage' };

/** The subscription of streams. */
export interface Subscription {
  readonly streamsPerConnection: number;
  readonly mode: StreamMode;
  readonly type: 'endpoints' | 'cluster';
  /** Names of the streams, used in rotation. Empty: all names. */
  readonly nameSets: readonly (readonly string[])[];
}

export interface CrowdUsage {
  readonly cpuMs: number;
  /** Size of all responses since the start. */
  readonly bytes: number;
}
