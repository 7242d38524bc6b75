import type { ResourceType } from '../model/resource.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** The subscriptions of a stream by type. */
export type TypeSubscriptions<Owner = unknown> = { [Type in ResourceType]?: TypeSubscription<Owner> };

/**
 * Whether a response has to wait: because the previous one is in flight, or because it may refer to clusters that the
 * client does not have yet. Requested resources are sent in any case.
 */
export function mustWait({ type, delivery, isRequested }: TypeSubscription, { cluster }: TypeSubscriptions): boolean {
  if (delivery.isInFlight) return true;
  const refersToClusters = type === 'listener' || type === 'route';
  return refersToClusters && !isRequested && cluster?.delivery.isInFlight === true && cluster.hasPending;
}

/** Whether the client may have routes to removed clusters, because it has not acknowledged newer routes. */
export const isUsingClusters = ({ listener, route }: TypeSubscriptions): boolean =>
  [listener, route].some(
    each => each?.isSubscribed && (each.hasPending || each.delivery.isInFlight || each.delivery.nack !== undefined),
  );
