import type { RetainedRequest } from '../../kinds/index.ts';
import { type HeldRequest, standingOf, titleOfRequest } from '../../model/retained-services/held-requests.ts';
import type { RetainedDeps } from './retained-deps.ts';

export interface HeldRequests {
  readonly held: readonly HeldRequest[];
  /** Requests that the deleted service object has not handed over yet. */
  readonly pending: readonly string[];
  /** Requests that are deleted, or taken over. */
  readonly missing: readonly string[];
}

/** Reads the requests that a holder lists. */
export async function findHeld(
  requests: readonly RetainedRequest[],
  holder: string,
  { findRequest }: Pick<RetainedDeps, 'findRequest'>,
): Promise<HeldRequests> {
  const found = { held: [] as HeldRequest[], pending: [] as string[], missing: [] as string[] };
  for (const request of requests) {
    const live = await findRequest(request);
    const standing = live === undefined ? 'foreign' : standingOf(live.object, holder);
    if (live !== undefined && standing === 'held') found.held.push(live);
    else found[standing === 'pending' ? 'pending' : 'missing'].push(titleOfRequest(request));
  }
  return found;
}
