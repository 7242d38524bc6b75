import { type Kubeconfig, parseKubeconfig } from '@chandlery/client';
import type { ClusterConnection } from './cluster-connection.ts';

/** Identifies a cluster by its address, whichever connection is used; without an address, by the connection. */
export function clusterIdOf({ kubeconfig, id }: Pick<ClusterConnection, 'kubeconfig' | 'id'>): string {
  const server = kubeconfig === '' ? undefined : serverOf(kubeconfig);
  return server === undefined ? id : `at ${server}`;
}

function serverOf(text: string): string | undefined {
  const kubeconfig = parse(text);
  const context = kubeconfig?.contexts.find(({ name }) => name === kubeconfig['current-context'])?.context;
  return kubeconfig?.clusters.find(({ name }) => name === context?.cluster)?.cluster.server;
}

/** Parse errors are ignored here; connecting reports them. */
function parse(text: string): Kubeconfig | undefined {
  try {
    return parseKubeconfig(text, 'of the connection');
  } catch {
    return undefined;
  }
}
