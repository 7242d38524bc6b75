import type { Order } from '../kinds/index.ts';
import { parseUrn } from './urns.ts';

/** Returns the UUID of the queue that a standing order processes; undefined for other orders. */
export function standingQueue({
  execution,
}: {
  readonly execution?: Order['spec']['execution'] | undefined;
}): string | undefined {
  if (execution?.type !== 'standing') return undefined;
  const { queue } = (execution.selector ?? {}) as { readonly queue?: unknown };
  return typeof queue === 'string' ? parseUrn('queue', queue) : undefined;
}
