import { isWholeSet } from '../model/resource.ts';
import type { DeltaDiscoveryRequest } from './messages.ts';
import type { NameIndex } from './name-index.ts';
import type { TypeSubscription } from './type-subscription.ts';

/** Dependencies of a subscription. */
export interface SubscribeDeps<Owner> {
  readonly index: NameIndex<TypeSubscription<Owner>>;
  /** Whether an initially empty list of names is a wildcard: for Envoy it is, for gRPC libraries it is not. */
  readonly meansAllByNothing: boolean;
}

/** Longer lists are not kept for comparison with the next request. */
const maxRememberedNames = 10_000;
const noNames: ReadonlySet<string> = new Set();

/**
 * Sets the subscription to the names of a state-of-the-world request: missing names are unsubscribed, new ones are
 * requested. With `onlyAdd`, no name is unsubscribed.
 */
export function subscribeWhole<Owner>(
  subscription: TypeSubscription<Owner>,
  requested: readonly string[],
  { index, meansAllByNothing, onlyAdd = false }: SubscribeDeps<Owner> & { readonly onlyAdd?: boolean },
): void {
  const names = new Set(requested);
  subscription.hasNamedResources ||= names.size > 0;
  const isLegacyWildcard = !subscription.hasNamedResources && meansAllByNothing && isWholeSet(subscription.type);
  const isWildcard = names.delete('*') || isLegacyWildcard || (onlyAdd && subscription.isWildcard);
  const present = subscription.names?.names ?? noNames;
  const add = names.difference(present);
  const remove = onlyAdd ? noNames : present.difference(names);
  if (isWildcard && !subscription.isWildcard) subscription.isRequested = true;
  changeNames(subscription, { index, isWildcard, add, remove });
  markRequested(subscription, add);
  const isSettled = add.size === 0 && remove.size === 0 && !onlyAdd && requested.length <= maxRememberedNames;
  subscription.lastNames = isSettled ? requested : undefined;
}

/**
 * Applies an incremental request to a subscription. Every subscribed name is sent, even if it was subscribed before,
 * because the client may have dropped it. A name that is unsubscribed while a wildcard covers it is sent too, because
 * the client cannot know whether it still has the resource.
 */
export function subscribeDelta<Owner>(
  subscription: TypeSubscription<Owner>,
  request: DeltaDiscoveryRequest,
  { index, meansAllByNothing, isFirst }: SubscribeDeps<Owner> & { readonly isFirst: boolean },
): void {
  const isNothing = request.resourceNamesSubscribe.length === 0 && request.resourceNamesUnsubscribe.length === 0;
  if (isNothing && !isFirst) return share(subscription, index);
  const add = new Set(request.resourceNamesSubscribe);
  const remove = new Set(request.resourceNamesUnsubscribe);
  const isLegacyWildcard = isFirst && isNothing && meansAllByNothing && isWholeSet(subscription.type);
  if (isFirst && request.initialResourceVersions.size > 0)
    subscription.clientVersions = request.initialResourceVersions;
  if (add.delete('*') || isLegacyWildcard) requestAll(subscription);
  const isWildcard = !remove.delete('*') && subscription.isWildcard;
  const requested = add.union(isWildcard ? remove.intersection(subscription.names?.names ?? noNames) : noNames);
  changeNames(subscription, { index, isWildcard, add: add.difference(subscription.names?.names ?? noNames), remove });
  markRequested(subscription, requested);
}

function requestAll(subscription: TypeSubscription): void {
  subscription.isWildcard = true;
  subscription.isRequested = true;
  subscription.snapshot = undefined;
}

function markRequested(subscription: TypeSubscription, names: ReadonlySet<string>): void {
  const covered = new Set(names.values().filter(name => subscription.covers(name)));
  if (covered.size === 0) return;
  subscription.force(covered);
  subscription.isRequested = true;
}

interface NameChange<Owner> {
  readonly index: NameIndex<TypeSubscription<Owner>>;
  readonly isWildcard: boolean;
  readonly add: ReadonlySet<string>;
  readonly remove: ReadonlySet<string>;
}

function changeNames<Owner>(
  subscription: TypeSubscription<Owner>,
  { index, isWildcard, add, remove }: NameChange<Owner>,
): void {
  const wasTracked = subscription.isTracked;
  subscription.isWildcard = isWildcard;
  if (add.size > 0 || remove.size > 0) {
    subscription.names = index.change(subscription, subscription.names, { add, remove });
    subscription.dirty = onlyCovered(subscription, subscription.dirty);
    subscription.forced = onlyCovered(subscription, subscription.forced);
  } else share(subscription, index);
  if (wasTracked !== subscription.isTracked) retrack(subscription);
}

/** Shares the set of names when the subscription has settled. */
function share<Owner>(subscription: TypeSubscription<Owner>, index: NameIndex<TypeSubscription<Owner>>): void {
  if (subscription.names !== undefined) subscription.names = index.share(subscription, subscription.names);
}

/** Pending names that are no longer subscribed are not sent. */
function onlyCovered(
  subscription: TypeSubscription,
  names: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const covered = names && new Set(names.values().filter(name => subscription.covers(name)));
  return covered?.size === 0 ? undefined : covered;
}

/**
 * A tracked subscription knows what the client has, an untracked one does not: on a transition, all names are sent
 * again.
 */
function retrack(subscription: TypeSubscription): void {
  subscription.snapshot = undefined;
  subscription.lastSent = undefined;
  if (subscription.names !== undefined) subscription.force(new Set(subscription.names.names));
}
