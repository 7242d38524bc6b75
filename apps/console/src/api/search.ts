import type { ObjectState } from '@chandlery/api';
import { connectionMark, isRefusal, pause } from './follow.ts';
import { clusterPath } from './kinds.ts';
import { untilVisible, whileVisible } from './page-visibility.ts';
import { requestJson } from './request.ts';

/** What a search asks for, as `spec` of an ObjectSearch. */
export interface SearchRequest {
  /** Part of a name, namespace or label. Default: anything. */
  readonly text?: string;
  /** Default: any. */
  readonly states?: readonly ObjectState[];
  /** Default: all. */
  readonly namespace?: string;
  /** Kinds that are left out, as `resource.group`. Default: none. */
  readonly except?: readonly string[];
  /** Default: by urgency; `changed`: what was changed last comes first; `name`: the names that fit the text best. */
  readonly orderBy?: 'urgency' | 'changed' | 'name';
  readonly limit?: number;
}

/** An object that a search has found. */
export interface FoundObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** The name that people gave it, where its own is an id. */
  readonly displayName?: string;
  readonly state: ObjectState;
  readonly reason?: string;
  readonly message?: string;
  readonly changedAt?: string;
}

export interface SearchResult {
  readonly items: readonly FoundObject[];
  /** How many objects the search has found, also beyond the limit. */
  readonly total: number;
  /** Whether not all objects were examined. */
  readonly isIncomplete?: boolean;
}

interface SearchStatus extends SearchResult {
  readonly results?: readonly SearchResult[];
  readonly token: string;
  readonly isUnchanged?: boolean;
}

interface SearchSpec extends SearchRequest {
  readonly searches?: readonly SearchRequest[];
  readonly after?: string | undefined;
}

async function send(cluster: string, spec: SearchSpec, signal?: AbortSignal): Promise<SearchStatus> {
  const { status } = await requestJson<{ readonly status: SearchStatus }>(
    `${clusterPath(cluster)}/apis/search.chandlery.io/v1alpha1/objectsearches`,
    {
      method: 'POST',
      body: { apiVersion: 'search.chandlery.io/v1alpha1', kind: 'ObjectSearch', spec },
      ...(signal && { signal }),
    },
  );
  return status;
}

/** Searches the objects of all kinds of a cluster that the user may list, in one request. */
export const searchObjects = (cluster: string, spec: SearchRequest, signal?: AbortSignal): Promise<SearchResult> =>
  send(cluster, spec, signal);

interface FollowedSearches {
  readonly signal: AbortSignal;
  readonly onResults: (results: readonly SearchResult[]) => void;
  readonly onFailure: (error: unknown) => void;
}

const retryMs = 2000;

/**
 * Searches, and again when the server finds something else: a request waits there for that. Nothing is asked while the tab
 * is hidden, and a lost connection is tried again. Runs until the signal aborts, or the search is refused.
 */
export async function followSearches(
  cluster: string,
  searches: readonly SearchRequest[],
  { signal, onResults, onFailure }: FollowedSearches,
): Promise<void> {
  const setLost = connectionMark();
  let after: string | undefined;
  while (!signal.aborted) {
    await untilVisible(signal);
    using visible = whileVisible(signal);
    try {
      const { results, token } = await send(cluster, { searches, after }, visible.signal);
      after = token;
      setLost(false);
      if (results !== undefined && !signal.aborted) onResults(results);
    } catch (error) {
      if (signal.aborted || visible.isHidden()) continue;
      if (isRefusal(error)) {
        setLost(false);
        return onFailure(error);
      }
      setLost(true);
      await pause(retryMs, signal);
    }
  }
  setLost(false);
}
