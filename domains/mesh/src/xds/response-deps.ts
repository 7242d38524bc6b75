import type { ProxyView } from '../ports.ts';
import type { StreamMode } from './messages.ts';
import type { PushBatchCache } from './push-batch-cache.ts';
import type { ResponseContent, SharedResponse } from './response.ts';
import type { SnapshotCache } from './snapshot-cache.ts';

/** What an answer is made from. */
export interface ResponseDeps {
  readonly mode: StreamMode;
  readonly view: ProxyView;
  readonly snapshots: SnapshotCache;
  /** Goes up with each change of the type in the view. */
  readonly generation: number;
  /** Undefined outside a push. */
  readonly cache: PushBatchCache | undefined;
  /** Whether clusters that are gone may still be in use by the client. */
  readonly keepsClusters: boolean;
  /** Gives the response that was made under this key in the present state of the view, or makes it. */
  readonly share: (key: string, make: () => ResponseContent) => SharedResponse;
}

/** A response, and what is new in it. */
export interface NextResponse {
  readonly response: SharedResponse;
  /** Names of resources in it that the client does not have like this, as far as we know. */
  readonly updatedNames: Iterable<string>;
}
