import { createClient, type Kubeconfig, loadKubeconfig, readKubeconfig } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import { findLogicalCluster } from '../clusters/logical-cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { roles } from '../users/grants.ts';
import { printForPerson } from '../users/person-kubeconfig.ts';
import { connectionOf, kubeconfigPathOf, serverOfCluster } from './connect.ts';

export const kubeconfigCommand: Command = {
  name: 'kubeconfig',
  summary: 'Print a kubeconfig for one logical cluster, or for all',
  usage: '[CLUSTER] [flags]',
  examples: [
    'chandlery kubeconfig team-a > team-a.kubeconfig',
    'chandlery kubeconfig acme --user ann --ttl 8h --role view > ann.kubeconfig',
    'chandlery kubeconfig -o json',
  ],
  arguments: { optional: ['CLUSTER'] },
  formats: ['yaml', 'json'],
  options: {
    user: { type: 'text', valueName: 'NAME', about: 'For this person, who needs no account at an OpenID provider.' },
    ttl: { type: 'text', valueName: 'DURATION', about: 'How long it is valid, from 10m to 8760h. Default: 8h.' },
    role: { type: 'text', valueName: roles.join('|'), about: 'What the person may do. Default: admin.' },
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'Only in this namespace. Default: everywhere.' },
  },
  notes: [
    "Without --user it holds the credentials of the kubeconfig in use, the administrator's by default: do not hand",
    'it to tenants. "npx chandlery user list" shows who got one, "user revoke NAME" makes it useless.',
  ],
  goal: ([cluster]) => (cluster === undefined ? 'print the kubeconfig' : `print a kubeconfig for "${cluster}"`),
  async run(context) {
    const format = formatOf(context.flags, ['yaml', 'json']);
    const path = kubeconfigPathOf(context);
    const [cluster] = context.args;
    if (context.flags.text('user') !== undefined) return printForPerson(context, cluster);
    rejectFlagsOfPeople(context);
    const contextName = context.flags.text('context');
    // Also reports a missing or invalid file.
    loadKubeconfig(path, contextName === undefined ? {} : { context: contextName });
    const { file } = readKubeconfig(path);
    if (cluster !== undefined && !file.contexts.some(({ name }) => name === cluster)) {
      await using client = createClient(connectionOf(context));
      await findLogicalCluster(client, cluster);
    }
    const shown = cluster === undefined ? file : kubeconfigFor(file, cluster, contextName);
    context.stdout.write(formatValue(shown, format === 'json' ? 'json' : 'yaml'));
    return 0;
  },
};

/** What limits a person's access would be without effect on the credentials in use, which may do everything. */
function rejectFlagsOfPeople({ flags }: CommandContext): void {
  const given = ['role', 'ttl', 'namespace'].find(name => flags.text(name) !== undefined);
  if (given === undefined) return;
  throw usageError(
    'MissingArgument',
    `--${given} limits what a person gets, and --user is missing`,
    'Say with --user NAME for whom it is. Without it the kubeconfig has the credentials of the one in use.',
  );
}

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
