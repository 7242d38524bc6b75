import { useEffect } from 'react';
import { kindOfObject } from '../api/kinds.ts';
import { navigate, useViewLocation } from '../routing/location.ts';
import { objectHref } from '../routing/paths.ts';
import { useCluster } from '../shell/cluster-context.tsx';
import { EmptyState } from '../ui/notice.tsx';

/** Leads to an object that is known by apiVersion and kind, as others refer to it. */
export function FindPage() {
  const { cluster, kinds } = useCluster();
  const { query } = useViewLocation();
  const [apiVersion = '', kind = '', name = ''] = ['apiVersion', 'kind', 'name'].map(key => query.get(key) ?? '');
  const found = kindOfObject(kinds, { apiVersion, kind });
  const href = found && objectHref(cluster, found, { namespace: query.get('ns') ?? '', name });
  useEffect(() => {
    if (href !== undefined) navigate(href, { replace: true });
  }, [href]);
  if (href !== undefined) return null;
  return <EmptyState isPage title={`Cluster "${cluster}" serves no ${kind} of ${apiVersion}`} />;
}
