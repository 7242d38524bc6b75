import type { ProxyView } from '../ports.ts';
import type { StreamMode } from './messages.ts';
import type { PushBatchCache } from './push-batch-cache.ts';
import type { ResponseContent, SharedResponse } from './response.ts';
import type { SnapshotCache } from './snapshot-cache.ts';

/** The inputs of a response. */
export interface ResponseDeps {
  readonly mode: StreamMode;
  readonly view: ProxyView;
  readonly snapshots: SnapshotCache;
  /** Increases with each change of the type in the view. */
  readonly generation: number;
  /** Undefined outside a push. */
  readonly cache: PushBatchCache | undefined;
  /** Whether the client may still use removed clusters. */
  readonly keepsClusters: boolean;
  /** Returns the cached response of a key for the current state of the view, or creates it. */
  readonly share: (key: string, make: () => ResponseContent) => SharedResponse;
}

/** A response, and the resources that it updates. */
export interface NextResponse {
  readonly response: SharedResponse;
  /** Names of resources in the response that the client may not have in this version. */
  readonly updatedNames: Iterable<string>;
}
