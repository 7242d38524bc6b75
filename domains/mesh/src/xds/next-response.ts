import { isKnown, namedResponse, nameList } from './named-response.ts';
import type { SharedResponse } from './response.ts';
import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { Substream } from './substream.ts';
import { trackedResponse } from './tracked-response.ts';

/**
 * Computes the next response of a substream from the current view, and records it as sent. Returns undefined when
 * nothing has to be sent. The caller sends the response.
 */
export function nextResponse(substream: Substream, deps: ResponseDeps): NextResponse | undefined {
  const answer = substream.isTracked ? trackedResponse(substream, deps) : untrackedResponse(substream, deps);
  if (answer === undefined && substream.clientVersions !== undefined) substream.wasCurrentOnConnect = true;
  substream.clearPending();
  return answer;
}

/** The response of a subscription to names: changed and requested resources. */
function untrackedResponse(substream: Substream, deps: ResponseDeps): NextResponse | undefined {
  const { mode, generation, cache } = deps;
  const cached = cache?.find(substream, mode, generation);
  const response = cached ?? makeResponse(substream, deps);
  if (response === undefined) return undefined;
  if (cached === undefined) cache?.add(substream, { mode, generation, response });
  substream.lastSent = response.content.resources;
  return { response, updatedNames: response.content.resources.keys() };
}

function makeResponse(substream: Substream, deps: ResponseDeps): SharedResponse | undefined {
  const names = new Set<string>();
  for (const name of substream.forced ?? []) if (isAnswered(substream, name, deps)) names.add(name);
  for (const name of substream.dirty ?? []) if (isChanged(substream, name, deps)) names.add(name);
  if (names.size === 0) return undefined;
  const { view } = deps;
  const isAll = names.size === substream.names?.names.size;
  const key = isAll ? `set ${substream.names?.id}` : nameList(names);
  return namedResponse(substream, deps, { key, names, find: name => view.get(substream.type, name) }).response;
}

/** Always reads the view, because views track only names that were read. */
function isAnswered(substream: Substream, name: string, { mode, view }: ResponseDeps): boolean {
  const resource = view.get(substream.type, name);
  return mode === 'delta' ? !isKnown(substream, resource) : resource !== undefined;
}

function isChanged({ type, lastSent }: Substream, name: string, { mode, view }: ResponseDeps): boolean {
  const resource = view.get(type, name);
  if (resource === undefined) return mode === 'delta';
  return lastSent?.get(name)?.version !== resource.version;
}
