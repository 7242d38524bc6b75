import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';

/**
 * What serves the streams: the control plane itself; a simple one that encodes each response anew; one that sends the
 * same bytes to everybody and looks at nothing; the gRPC library alone, which answers once and then nothing.
 */
export type SubjectKind = 'chandlery' | 'naive' | 'shouting' | 'bare';

/** How many endpoints the services have that are asked for, and what else is in the mesh. */
export interface MeshShape {
  /** By name. */
  readonly services: Readonly<Record<string, number>>;
  /** Default: none. */
  readonly others?: { readonly services: number; readonly endpointsEach: number };
}

/** `endpoint`: one is exchanged for another; `port`: a service gets a second port in place of the one that it had. */
export interface Change {
  readonly what: 'endpoint' | 'port';
  readonly service: string;
}

/** What the process of the server is asked to do. */
export type ServerJob =
  | { readonly type: 'start'; readonly kind: SubjectKind; readonly mesh: MeshShape }
  /** Certificates for so many clients. */
  | { readonly type: 'issue'; readonly count: number; readonly withProxyIds: boolean }
  /** Waits until so many requests have come, from now or from the change on. */
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
  /** What the client has to call itself. Undefined: what it likes. */
  readonly proxyId?: string;
}

/** What happened until all requests had come. */
export interface Cost {
  readonly ms: number;
  /** Of the server alone. */
  readonly cpuMs: number;
}

/** After garbage collection. */
export interface Memory {
  readonly residentBytes: number;
  /** Objects, and buffers that they hold. */
  readonly heapBytes: number;
}

/** What the process of the clients is asked to do. */
export type CrowdJob =
  | {
      readonly type: 'open';
      readonly server: Started;
      readonly certificates: readonly IssuedToClient[];
      readonly subscription: Subscription;
    }
  | { readonly type: 'usage' };

/** What streams ask for. */
export interface Subscription {
  readonly streamsPerConnection: number;
  readonly mode: StreamMode;
  readonly type: 'endpoints' | 'cluster';
  /** Names that a stream asks for; streams take turns. No names: all. */
  readonly nameSets: readonly (readonly string[])[];
}

export interface CrowdUsage {
  readonly cpuMs: number;
  /** Of all responses since the start. */
  readonly bytes: number;
}
