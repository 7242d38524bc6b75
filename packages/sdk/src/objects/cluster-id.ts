import { type Kubeconfig, parseKubeconfig } from '@chandlery/client';
import type { ClusterConnection } from './cluster-connection.ts';

/** Tells clusters apart whoever connects to them: by their address, or else by the connection. */
export function clusterIdOf({ kubeconfig, id }: Pick<ClusterConnection, 'kubeconfig' | 'id'>): string {
  const server = kubeconfig === '' ? undefined : serverOf(kubeconfig);
  return server === undefined ? id : `at ${server}`;
}

function serverOf(text: string): string | undefined {
  const kubeconfig = parse(text);
  const context = kubeconfig?.contexts.find(({ name }) => name === kubeconfig['current-context'])?.context;
  return kubeconfig?.clusters.find(({ name }) => name === context?.cluster)?.cluster.server;
}

/** Whether it can be used is the matter of whoever connects with it. */
function parse(text: string): Kubeconfig | undefined {
  try {
    return parseKubeconfig(text, 'of the connection');
  } catch {
    return undefined;
  }
}
