import { isSameJson } from '@chandlery/api';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { isRefusal } from '../api/follow.ts';
import { discoverKinds, type ServedKind } from '../api/kinds.ts';
import { Link } from '../routing/link.tsx';
import { pageHref } from '../routing/paths.ts';
import { signOut } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FailureNotice, Loading } from '../ui/notice.tsx';
import { useKept } from '../ui/use-kept.ts';
import { useRefreshed } from '../ui/use-refreshed.ts';
import { useLoaded } from '../ui/use-request.ts';
import { readClusters } from './clusters.ts';

/** The cluster that the address names, and what it serves. */
export interface OpenCluster {
  readonly cluster: string;
  readonly kinds: readonly ServedKind[];
  /** Reads the kinds again at once: a CRD may have been made since. */
  readonly reloadKinds: () => void;
}

const Context = createContext<OpenCluster | undefined>(undefined);

/** How soon a kind is noticed that was made or deleted meanwhile. */
const refreshMs = 10_000;

/** Reads the kinds of a cluster for all views below, now and again. */
export function ClusterProvider({ cluster, children }: { readonly cluster: string; readonly children: ReactNode }) {
  const [count, setCount] = useState(0);
  const { value, error } = useRefreshed(signal => discoverKinds(cluster, signal), [cluster, count], refreshMs);
  const kinds = useUnchanged(useKept(value));
  const open = useMemo(
    () => kinds && { cluster, kinds, reloadKinds: () => setCount(before => before + 1) },
    [cluster, kinds],
  );
  if (error !== undefined && (open === undefined || isRefusal(error)))
    return <ClosedCluster cluster={cluster} error={error} />;
  if (open === undefined)
    return (
      <main className="main">
        <Loading what={`the kinds of cluster "${cluster}"`} />
      </main>
    );
  return <Context value={open}>{children}</Context>;
}

/** The value that there was, as long as it has the same content. */
function useUnchanged<T>(value: T): T {
  const known = useRef(value);
  if (!isSameJson(known.current, value)) known.current = value;
  return known.current;
}

/** A cluster that cannot be opened; the way out is another one, or to be another user. */
function ClosedCluster({ cluster, error }: { readonly cluster: string; readonly error: unknown }) {
  const { value = [] } = useLoaded(readClusters, []);
  return (
    <main className="main">
      <h1>Cluster "{cluster}"</h1>
      <FailureNotice goal={`open cluster "${cluster}"`} error={error} />
      <div className="actions">
        {value
          .filter(name => name !== cluster)
          .map(name => (
            <Link key={name} className="button" href={pageHref(name, 'home')}>
              Open {name}
            </Link>
          ))}
        <Button onClick={() => signOut()}>Sign out</Button>
      </div>
    </main>
  );
}

export function useCluster(): OpenCluster {
  const found = useContext(Context);
  if (found === undefined) throw new Error('this view needs a ClusterProvider above it');
  return found;
}

/** A kind by group and plural; undefined when the cluster does not serve it. */
export function useKind(group: string, plural: string): ServedKind | undefined {
  return useCluster().kinds.find(kind => kind.group === group && kind.plural === plural);
}

/** Reads the kinds again when the view opens: what it is about may have been made a moment ago. */
export function useFreshKinds(): void {
  const { reloadKinds } = useCluster();
  useEffect(reloadKinds, []);
}
