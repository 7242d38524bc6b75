import { useEffect, useState } from 'react';
import { followSearches, type SearchResult } from '../../api/search.ts';

/** What the home page shows. */
export interface FollowedResults {
  /** What has failed, what is in progress, and what was changed last. Undefined until it is known. */
  readonly results?: readonly SearchResult[];
  readonly error?: unknown;
}

/** The searches of the home page, kept true by one request that waits for changes. */
export function useSearches(cluster: string, namespace: string, limit: number): FollowedResults {
  const [state, setState] = useState<FollowedResults>({});
  useEffect(() => {
    const stop = new AbortController();
    setState({});
    const searches = [
      { namespace, limit, states: ['failed'] as const },
      { namespace, limit, states: ['waiting', 'deleting'] as const },
      { namespace, limit, orderBy: 'changed' as const },
    ];
    void followSearches(cluster, searches, {
      signal: stop.signal,
      onResults: results => setState({ results }),
      onFailure: error => setState(before => ({ ...before, error })),
    });
    return () => stop.abort();
  }, [cluster, namespace, limit]);
  return state;
}
