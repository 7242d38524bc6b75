import { isWholeSet } from '../model/resource.ts';
import type { DeltaDiscoveryRequest } from './messages.ts';
import type { NameIndex } from './name-index.ts';
import type { Substream } from './substream.ts';

/** Dependencies of a subscription. */
export interface SubscribeDeps<Owner> {
  readonly index: NameIndex<Substream<Owner>>;
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
  substream: Substream<Owner>,
  requested: readonly string[],
  { index, meansAllByNothing, onlyAdd = false }: SubscribeDeps<Owner> & { readonly onlyAdd?: boolean },
): void {
  const names = new Set(requested);
  substream.hasNamedResources ||= names.size > 0;
  const isLegacyWildcard = !substream.hasNamedResources && meansAllByNothing && isWholeSet(substream.type);
  const isWildcard = names.delete('*') || isLegacyWildcard || (onlyAdd && substream.isWildcard);
  const present = substream.names?.names ?? noNames;
  const add = names.difference(present);
  const remove = onlyAdd ? noNames : present.difference(names);
  if (isWildcard && !substream.isWildcard) substream.isRequested = true;
  changeNames(substream, { index, isWildcard, add, remove });
  markRequested(substream, add);
  const isSettled = add.size === 0 && remove.size === 0 && !onlyAdd && requested.length <= maxRememberedNames;
  substream.lastNames = isSettled ? requested : undefined;
}

/**
 * Applies an incremental request to a subscription. Every subscribed name is sent, even if it was subscribed before,
 * because the client may have dropped it. A name that is unsubscribed while a wildcard covers it is sent too, because
 * the client cannot know whether it still has the resource.
 */
export function subscribeDelta<Owner>(
  substream: Substream<Owner>,
  request: DeltaDiscoveryRequest,
  { index, meansAllByNothing, isFirst }: SubscribeDeps<Owner> & { readonly isFirst: boolean },
): void {
  const isNothing = request.resourceNamesSubscribe.length === 0 && request.resourceNamesUnsubscribe.length === 0;
  if (isNothing && !isFirst) return share(substream, index);
  const add = new Set(request.resourceNamesSubscribe);
  const remove = new Set(request.resourceNamesUnsubscribe);
  const isLegacyWildcard = isFirst && isNothing && meansAllByNothing && isWholeSet(substream.type);
  if (isFirst && request.initialResourceVersions.size > 0) substream.clientVersions = request.initialResourceVersions;
  if (add.delete('*') || isLegacyWildcard) requestAll(substream);
  const isWildcard = !remove.delete('*') && substream.isWildcard;
  const requested = add.union(isWildcard ? remove.intersection(substream.names?.names ?? noNames) : noNames);
  changeNames(substream, { index, isWildcard, add: add.difference(substream.names?.names ?? noNames), remove });
  markRequested(substream, requested);
}

function requestAll(substream: Substream): void {
  substream.isWildcard = true;
  substream.isRequested = true;
  substream.snapshot = undefined;
}

function markRequested(substream: Substream, names: ReadonlySet<string>): void {
  const covered = new Set(names.values().filter(name => substream.covers(name)));
  if (covered.size === 0) return;
  substream.force(covered);
  substream.isRequested = true;
}

interface NameChange<Owner> {
  readonly index: NameIndex<Substream<Owner>>;
  readonly isWildcard: boolean;
  readonly add: ReadonlySet<string>;
  readonly remove: ReadonlySet<string>;
}

function changeNames<Owner>(substream: Substream<Owner>, { index, isWildcard, add, remove }: NameChange<Owner>): void {
  const wasTracked = substream.isTracked;
  substream.isWildcard = isWildcard;
  if (add.size > 0 || remove.size > 0) {
    substream.names = index.change(substream, substream.names, { add, remove });
    substream.dirty = onlyCovered(substream, substream.dirty);
    substream.forced = onlyCovered(substream, substream.forced);
  } else share(substream, index);
  if (wasTracked !== substream.isTracked) retrack(substream);
}

/** Shares the set of names when the subscription has settled. */
function share<Owner>(substream: Substream<Owner>, index: NameIndex<Substream<Owner>>): void {
  if (substream.names !== undefined) substream.names = index.share(substream, substream.names);
}

/** Pending names that are no longer subscribed are not sent. */
function onlyCovered(substream: Substream, names: ReadonlySet<string> | undefined): ReadonlySet<string> | undefined {
  const covered = names && new Set(names.values().filter(name => substream.covers(name)));
  return covered?.size === 0 ? undefined : covered;
}

/**
 * A tracked subscription knows what the client has, an untracked one does not: on a transition, all names are sent
 * again.
 */
function retrack(substream: Substream): void {
  substream.snapshot = undefined;
  substream.lastSent = undefined;
  if (substream.names !== undefined) substream.force(new Set(substream.names.names));
}
