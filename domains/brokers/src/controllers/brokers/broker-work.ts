import type { BrokerRow } from '../../model/rows.ts';

/** What is due for a broker. */
export type BrokerWork =
  | { readonly type: 'none' }
  | { readonly type: 'remove' }
  | { readonly type: 'sync' }
  /** Nothing before then. */
  | { readonly type: 'later'; readonly delayMs: number };

/** What else decides. */
interface SyncInputs {
  /** Whether an operation waits for the broker to become ready. */
  readonly hasOpenCreate: boolean;
  /** Whether its catalog is known to have changed. */
  readonly isStale: boolean;
  /** Between two fetches of a catalog; 0: never. */
  readonly catalogIntervalMs: number;
  /** Of the registry. */
  readonly now: string;
}

/** Decides what is due for a broker, from its row alone. */
export function brokerWork(broker: BrokerRow, inputs: SyncInputs): BrokerWork {
  if (broker.isDeleting) return { type: 'remove' };
  // A failed creation stays for its owner to inspect; only an open operation continues it.
  if (broker.status.ready === false) return { type: inputs.hasOpenCreate ? 'sync' : 'none' };
  return isSettled(broker) && !inputs.isStale ? nextFetch(broker, inputs) : { type: 'sync' };
}

/** Whether platforms know a row as it is. What has no observed generation was never changed by hand. */
export function isSettled({ status, generation, isDeleting }: Settled): boolean {
  return !isDeleting && status.ready === true && (status.observedGeneration ?? generation) === generation;
}

interface Settled extends Pick<BrokerRow, 'generation' | 'isDeleting'> {
  readonly status: { readonly ready?: boolean; readonly observedGeneration?: number };
}

function nextFetch({ status }: BrokerRow, { catalogIntervalMs, now }: SyncInputs): BrokerWork {
  if (catalogIntervalMs <= 0) return { type: 'none' };
  const fetchedAt = Date.parse(status.catalogFetchedAt ?? '') || 0;
  const delayMs = fetchedAt + catalogIntervalMs - Date.parse(now);
  return delayMs <= 0 ? { type: 'sync' } : { type: 'later', delayMs };
}
