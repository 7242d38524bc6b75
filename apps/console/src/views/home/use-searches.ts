import { useEffect, useState } from 'react';
import { followSearches, type SearchResult } from '../../api/search.ts';

/** What the home page shows. */
export interface FollowedResults {
  /** What has failed, what is in progress, and what was changed last. Undefined until it is known. */
  readonly results?: readonly SearchResult[];
  readonly error?: unknown;
}

/**
 * What comes with other changes and is not what people look for among them: credentials, and the records of operations,
 * whose result is with what they change.
 */
const byproducts = [
  'secrets',
  'serviceaccounts',
  'replicasets.apps',
  'controllerrevisions.apps',
  ...['brokerplatformcredentials', 'notifications', 'operations', 'removedplatforms', 'visibilities'].map(
    name => `${name}.brokers.chandlery.io`,
  ),
  ...['historyentries', 'jobevents', 'queuemessages', 'servicesecrets'].map(name => `${name}.orders.chandlery.io`),
];

/** The searches of the home page, kept true by one request that waits for changes. */
export function useSearches(cluster: string, namespace: string, limit: number): FollowedResults {
  const [state, setState] = useState<FollowedResults>({});
  useEffect(() => {
    const stop = new AbortController();
    setState({});
    const searches = [
      { namespace, limit, states: ['failed'] as const },
      { namespace, limit, states: ['waiting', 'deleting'] as const },
      { namespace, limit, orderBy: 'changed' as const, except: byproducts },
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
