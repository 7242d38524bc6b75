import type { ResourceType } from '../model/resource.ts';
import type { Substream } from './substream.ts';

/** The types that a stream has asked for. */
export type Substreams<Owner = unknown> = { [Type in ResourceType]?: Substream<Owner> };

/**
 * Whether a substream may not be told anything now: because its last response has not been answered, or because it may
 * refer to clusters that the client has yet to be told of. What was asked for is answered in any case.
 */
export function hasToWait({ type, delivery, isRequested }: Substream, { cluster }: Substreams): boolean {
  if (delivery.isInFlight) return true;
  const refersToClusters = type === 'listener' || type === 'route';
  return refersToClusters && !isRequested && cluster?.delivery.isInFlight === true && cluster.hasPending;
}

/** Whether the client may have routes that lead to clusters which are gone: it has not been told, or not agreed. */
export const isUsingClusters = ({ listener, route }: Substreams): boolean =>
  [listener, route].some(
    each => each?.isSubscribed && (each.hasPending || each.delivery.isInFlight || each.delivery.nack !== undefined),
  );
