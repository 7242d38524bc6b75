import { isKnown, namedResponse, nameList } from './named-response.ts';
import type { SharedResponse } from './response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import { trackedResponse } from './tracked-response.ts';
import type { TypeSubscription } from './type-subscription.ts';

/**
 * Computes the next response of a subscription from the current view, and records it as sent. Returns undefined when
 * nothing has to be sent. The caller sends the response.
 */
export function nextResponse(subscription: TypeSubscription, deps: ResponseDeps): NextResponse | undefined {
  const answer = subscription.isTracked ? trackedResponse(subscription, deps) : untrackedResponse(subscription, deps);
  if (answer === undefined && subscription.clientVersions !== undefined) subscription.wasCurrentOnConnect = true;
  subscription.clearPending();
  return answer;
}

/** The response of a subscription to names: changed and requested resources. */
function untrackedResponse(subscription: TypeSubscription, deps: ResponseDeps): NextResponse | undefined {
  const { mode, generation, cache } = deps;
  const cached = cache?.find(subscription, mode, generation);
  const response = cached ?? makeResponse(subscription, deps);
  if (response === undefined) return undefined;
  if (cached === undefined) cache?.add(subscription, { mode, generation, response });
  subscription.lastSent = response.content.resources;
  return { response, updatedNames: response.content.resources.keys() };
}

function makeResponse(subscription: TypeSubscription, deps: ResponseDeps): SharedResponse | undefined {
  const names = new Set<string>();
  for (const name of subscription.forced ?? []) if (isAnswered(subscription, name, deps)) names.add(name);
  for (const name of subscription.dirty ?? []) if (isChanged(subscription, name, deps)) names.add(name);
  if (names.size === 0) return undefined;
  const { view } = deps;
  const isAll = names.size === subscription.names?.names.size;
  const key = isAll ? `set ${subscription.names?.id}` : nameList(names);
  return namedResponse(subscription, deps, { key, names, find: name => view.get(subscription.type, name) }).response;
}

/** Always reads the view, because views track only names that were read. */
function isAnswered(subscription: TypeSubscription, name: string, { mode, view }: ResponseDeps): boolean {
  const resource = view.get(subscription.type, name);
  return mode === 'delta' ? !isKnown(subscription, resource) : resource !== undefined;
}

function isChanged({ type, lastSent }: TypeSubscription, name: string, { mode, view }: ResponseDeps): boolean {
  const resource = view.get(type, name);
  if (resource === undefined) return mode === 'delta';
  return lastSent?.get(name)?.version !== resource.version;
}
