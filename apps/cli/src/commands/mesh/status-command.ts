import type { ProxyList } from '@chandlery/mesh/kinds';
import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { connectMesh } from '../../mesh/mesh-client.ts';
import { meshFlag, meshGroup, meshOf } from '../../mesh/mesh-flags.ts';
import { meshHints } from '../../mesh/mesh-hints.ts';
import { renderStatus } from '../../mesh/render-status.ts';
import { formatValue } from '../../output/print-object.ts';

/** Shows the connected proxies, and the state of their configuration. */
export const statusCommand: Command = {
  name: 'mesh status',
  group: meshGroup,
  summary: 'Show what every proxy was sent, has accepted and refused, and why',
  usage: '[flags]',
  examples: ['chandlery mesh status', 'chandlery mesh status --mesh shops -o json'],
  options: meshFlag,
  notes: [
    'A line is a proxy, a column a type of configuration with its state and how many of the responses were accepted.',
    'SYNCED: no trouble. NOT_SENT: nothing to send yet. STALE: no answer for long. ERROR: the latest was refused.',
    'Proxies of all replicas are shown; a replica that does not answer is named.',
  ],
  goal: () => 'show the proxies of the mesh',
  async run(context) {
    const format = formatOf(context.flags);
    const name = meshOf(context.flags);
    await using mesh = connectMesh(context);
    const list = await mesh.ask<ProxyList>(['meshes', name, 'proxies'], { hints: meshHints });
    if (format !== 'table') context.stdout.write(formatValue(list, format));
    else if (list.items.length > 0) context.stdout.write(renderStatus(list.items, new Date()));
    else context.stderr.write(nobodyIn(list));
    for (const replica of list.silentReplicas ?? [])
      context.stderr.write(`Replica ${replica} does not answer: its proxies are not shown.\n`);
    return 0;
  },
};

const nobodyIn = ({ mesh }: ProxyList): string =>
  `No proxy is connected to the mesh "${mesh}".\n  Next:  npx chandlery help mesh bootstrap\n`;
