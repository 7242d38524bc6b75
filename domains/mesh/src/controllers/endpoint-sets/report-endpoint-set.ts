import { findCondition, type StatedCondition, type Step, setCondition } from '@chandlery/runtime';
import type { EndpointSet } from '../../kinds/endpoint-set.ts';
import { endpointsOfSet, expiryMs, isExpired } from '../../model/endpoints/endpoint-set-state.ts';

/**
 * Reports whether the lease of a set holds and its endpoints are current, and reconciles again when it expires. A renewed
 * lease changes nothing in the status: otherwise each renewal would cost a second write.
 */
export const reportEndpointSet: Step<EndpointSet> = (set, _, { now }) => {
  const nowMs = now.getTime();
  const isLost = isExpired(set, nowMs);
  set.status = { ...set.status, endpoints: isLost ? 0 : endpointsOfSet(set, undefined).length };
  const stated = describe(set, isLost);
  const { status, reason, message } = findCondition(set, 'Ready') ?? {};
  const isKnown = status === stated.status && reason === stated.reason && message === stated.message;
  if (!isKnown) setCondition(set, stated, now);
  return set.spec.lease === undefined || isLost ? 'continue' : { retryAfterMs: expiryMs(set) - nowMs };
};

function describe({ spec: { stale, lease } }: EndpointSet, isLost: boolean): StatedCondition {
  if (isLost) {
    const message = `the inventory has not renewed the lease for ${lease?.durationSeconds} seconds; it has to write spec.lease.renewTime`;
    return { type: 'Ready', status: 'False', reason: 'Expired', message };
  }
  if (stale === undefined) return { type: 'Ready', status: 'True', reason: 'Serving', message: '' };
  const message = `the endpoints may be old, the inventory was read last at ${stale.since}: ${stale.reason}`;
  return { type: 'Ready', status: 'False', reason: 'Stale', message };
}
