import { readFileSync } from 'node:fs';
import { createClient, type Kubeconfig, loadKubeconfig, parseKubeconfig } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import { logicalClusters } from '../clusters/logical-cluster.ts';
import type { Command } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { connectionOf, kubeconfigPathOf, serverOfCluster } from './connect.ts';

export const kubeconfigCommand: Command = {
  name: 'kubeconfig',
  summary: 'Print a kubeconfig for one logical cluster, or for all',
  usage: '[CLUSTER] [flags]',
  examples: ['chandlery kubeconfig team-a > team-a.kubeconfig', 'chandlery kubeconfig -o json'],
  arguments: { optional: ['CLUSTER'] },
  options: {},
  notes: ["It holds the administrator's credentials: do not hand it to tenants."],
  goal: ([cluster]) => (cluster === undefined ? 'print the kubeconfig' : `print a kubeconfig for "${cluster}"`),
  async run(context) {
    const format = formatOf(context.flags, ['yaml', 'json']);
    const path = kubeconfigPathOf(context);
    const [cluster] = context.args;
    const contextName = context.flags.text('context');
    // Also reports a missing or invalid file.
    loadKubeconfig(path, contextName === undefined ? {} : { context: contextName });
    const file = parseKubeconfig(readFileSync(path, 'utf8'), path);
    if (cluster !== undefined && !file.contexts.some(({ name }) => name === cluster)) {
      await using client = createClient(connectionOf(context));
      await client.get({ ...logicalClusters, name: cluster });
    }
    const shown = cluster === undefined ? file : kubeconfigFor(file, cluster, contextName);
    context.stdout.write(formatValue(shown, format === 'json' ? 'json' : 'yaml'));
    return 0;
  },
};

/** The context of a logical cluster alone; a missing one is derived from the current one. */
export function kubeconfigFor(file: Kubeconfig, cluster: string, base = file['current-context']): Kubeconfig {
  const model = file.contexts.find(({ name }) => name === cluster) ?? file.contexts.find(({ name }) => name === base);
  const place = file.clusters.find(({ name }) => name === model?.context.cluster)?.cluster ?? {};
  const server = serverOfCluster(place.server ?? '', cluster);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [{ name: cluster, cluster: model?.name === cluster ? place : { ...place, server } }],
    contexts: [{ name: cluster, context: { ...model?.context, cluster } }],
    users: file.users.filter(({ name }) => name === model?.context.user),
  };
}
