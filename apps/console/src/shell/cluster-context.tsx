import { createContext, type ReactNode, useContext } from 'react';
import { discoverKinds, type ServedKind } from '../api/kinds.ts';
import { FailureNotice, Loading } from '../ui/notice.tsx';
import { useLoaded } from '../ui/use-request.ts';

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
  if (error !== undefined) return <FailureNotice goal={`read the kinds of cluster "${cluster}"`} error={error} />;
  if (value === undefined) return <Loading what={`the kinds of cluster "${cluster}"`} />;
  return <Context value={{ cluster, kinds: value, reloadKinds: reload }}>{children}</Context>;
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
