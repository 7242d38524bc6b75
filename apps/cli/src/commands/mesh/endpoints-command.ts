import type { ServiceEndpoints } from '@chandlery/mesh/kinds';
import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { connectMesh } from '../../mesh/mesh-client.ts';
import { meshFlag, meshGroup, meshOf, namespacedName } from '../../mesh/mesh-flags.ts';
import { renderEndpoints } from '../../mesh/render-endpoints.ts';
import { formatValue } from '../../output/print-object.ts';

const hints = { NotFound: 'See what there is with "kubectl get services -A"; --mesh names another mesh.' };

/** Shows the endpoints of a service. */
export const endpointsCommand: Command = {
  name: 'mesh endpoints',
  group: meshGroup,
  summary: 'Show where a service runs, on all clusters of the mesh',
  usage: 'NS/SERVICE [flags]',
  examples: ['chandlery mesh endpoints shop/api', 'chandlery mesh endpoints shop/api --mesh shops -o json'],
  arguments: { required: ['NS/SERVICE'] },
  options: meshFlag,
  goal: ([service]) => `show the endpoints of ${service}`,
  async run(context) {
    const format = formatOf(context.flags);
    const { namespace, name } = namespacedName(context.args[0] ?? '', 'NS/SERVICE');
    await using mesh = connectMesh(context);
    const path = ['meshes', meshOf(context.flags), 'services', namespace, name, 'endpoints'];
    const service = await mesh.ask<ServiceEndpoints>(path, { hints });
    context.stdout.write(format === 'table' ? renderEndpoints(service) : formatValue(service, format));
    return 0;
  },
};
