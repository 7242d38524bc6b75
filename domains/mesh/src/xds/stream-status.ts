import { type ResourceType, resourceTypes } from '../model/resource.ts';
import type { Proxy } from '../ports.ts';
import type { DiscoveryStream } from './discovery-stream.ts';
import type { ErrorDetail, StreamMode } from './messages.ts';
import type { TypeSubscription } from './type-subscription.ts';

/**
 * How a proxy stands with its configuration: `SYNCED` acknowledged, in flight, or current on connect; `NOT_SENT`
 * nothing to send; `STALE` no ACK for long; `ERROR` the latest response was rejected.
 */
export type SyncState = 'SYNCED' | 'NOT_SENT' | 'STALE' | 'ERROR';

/** The status of one type on a stream. */
export interface TypeStatus {
  readonly type: ResourceType;
  readonly state: SyncState;
  /** Whether the latest response has been neither acknowledged nor rejected. */
  readonly isInFlight: boolean;
  /** Whether there are pending changes. */
  readonly hasMore: boolean;
  readonly isWildcard: boolean;
  /** Number of subscribed names, besides a wildcard. */
  readonly subscribedCount: number;
  readonly sentVersion?: string;
  readonly sentAt?: Date;
  readonly ackedVersion?: string;
  readonly ackedAt?: Date;
  readonly error?: ErrorDetail & { readonly at: Date };
  readonly counts: { readonly sent: number; readonly acked: number; readonly refused: number };
}

/** A resource that was sent to a client. */
export interface SentResource {
  readonly name: string;
  /** Undefined when the resource has changed since and the change is pending. */
  readonly version: string | undefined;
}

/** The status of one stream. */
export interface StreamStatus {
  readonly proxy: Proxy;
  readonly mode: StreamMode;
  /** The type of the stream; undefined for an aggregated stream. */
  readonly only: ResourceType | undefined;
  readonly openedAt: Date;
  /** In the order of pushes; types without a subscription are left out. */
  readonly types: readonly TypeStatus[];
  /** The resources of a type that were last sent, sorted by name. The view has their content. */
  resources(type: ResourceType): readonly SentResource[];
}

/** Returns the current status of a stream. */
export function statusOf(stream: DiscoveryStream, nowMs: number, ackTimeoutMs: number): StreamStatus {
  const { proxy, mode, only, openedAtMs, subscriptions } = stream;
  const types = resourceTypes.flatMap(type => {
    const subscription = subscriptions[type];
    return subscription === undefined ? [] : [typeStatus(subscription, nowMs, ackTimeoutMs)];
  });
  const resources = (type: ResourceType): readonly SentResource[] => sentResources(stream, type);
  return { proxy, mode, only, openedAt: new Date(openedAtMs), types, resources };
}

function typeStatus(subscription: TypeSubscription, nowMs: number, ackTimeoutMs: number): TypeStatus {
  const { type, hasPending, isWildcard, names, delivery } = subscription;
  const { sentVersion, ackedVersion, nack } = delivery;
  return {
    type,
    state: syncState(subscription, nowMs, ackTimeoutMs),
    isInFlight: delivery.isInFlight,
    hasMore: hasPending,
    isWildcard,
    subscribedCount: names?.names.size ?? 0,
    ...(sentVersion === undefined ? {} : { sentVersion, sentAt: new Date(delivery.sentAtMs) }),
    ...(ackedVersion === undefined ? {} : { ackedVersion, ackedAt: new Date(delivery.ackedAtMs) }),
    ...(nack && { error: { code: nack.code, message: nack.message, at: new Date(nack.atMs) } }),
    counts: delivery.counts,
  };
}

function syncState({ delivery, isAnswered }: TypeSubscription, nowMs: number, ackTimeoutMs: number): SyncState {
  if (!isAnswered) return 'NOT_SENT';
  if (delivery.isInFlight && nowMs - delivery.sentAtMs > ackTimeoutMs) return 'STALE';
  return delivery.nack === undefined ? 'SYNCED' : 'ERROR';
}

function sentResources({ subscriptions, hub }: DiscoveryStream, type: ResourceType): readonly SentResource[] {
  const subscription = subscriptions[type];
  if (!subscription?.isAnswered) return [];
  if (subscription.isTracked) {
    const sent = [...(subscription.snapshot?.resources.values() ?? []), ...subscription.retained.values()];
    return sent.map(({ name, version }) => ({ name, version })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
  const names = [...(subscription.names?.names ?? [])].sort();
  return names.flatMap(name => {
    const resource = hub.view.get(type, name);
    const isOld = subscription.dirty?.has(name) || subscription.forced?.has(name);
    return resource === undefined ? [] : [{ name, version: isOld ? undefined : resource.version }];
  });
}
