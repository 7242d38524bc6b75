import { createContext, type ReactNode, useContext } from 'react';
import { discoverKinds, type ServedKind } from '../api/kinds.ts';
import { Link } from '../routing/link.tsx';
import { pageHref } from '../routing/paths.ts';
import { signOut } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FailureNotice, Loading } from '../ui/notice.tsx';
import { useLoaded } from '../ui/use-request.ts';
import { readClusters } from './clusters.ts';

/** The cluster that the address names, and what it serves. */
export interface OpenCluster {
  readonly cluster: string;
  readonly kinds: readonly ServedKind[];
  /** Reads the kinds again: a CRD may have been made since. */
  readonly reloadKinds: () => void;
}

const Context = createContext<OpenCluster | undefined>(undefined);

/** Reads the kinds of a cluster once for all views below. */
export function ClusterProvider({ cluster, children }: { readonly cluster: string; readonly children: ReactNode }) {
  const { value, error, reload } = useLoaded(signal => discoverKinds(cluster, signal), [cluster]);
  if (error !== undefined) return <ClosedCluster cluster={cluster} error={error} />;
  if (value === undefined)
    return (
      <main className="main">
        <Loading what={`the kinds of cluster "${cluster}"`} />
      </main>
    );
  return <Context value={{ cluster, kinds: value, reloadKinds: reload }}>{children}</Context>;
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
