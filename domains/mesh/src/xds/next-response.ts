import type { NextResponse, ResponseDeps } from './response-deps.ts';
import type { Substream } from './substream.ts';
import { trackedResponse } from './tracked-response.ts';
import { untrackedResponse } from './untracked-response.ts';

/**
 * Decides what a substream is to be told, from the present state of the view, and notes it as told. Undefined when
 * there is nothing. Whoever calls sends it.
 */
export function nextResponse(substream: Substream, deps: ResponseDeps): NextResponse | undefined {
  const answer = substream.isTracked ? trackedResponse(substream, deps) : untrackedResponse(substream, deps);
  if (answer === undefined && substream.clientVersions !== undefined) substream.wasCurrentOnConnect = true;
  substream.clearPending();
  return answer;
}
