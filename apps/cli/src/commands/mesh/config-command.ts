import { formatOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { connectMesh } from '../../mesh/mesh-client.ts';
import { meshFlag, meshGroup, meshOf } from '../../mesh/mesh-flags.ts';
import { formatValue } from '../../output/print-object.ts';

const hints = { NotFound: 'See who is connected with "npx chandlery mesh status"; --mesh names another mesh.' };

/** Shows the configuration of a proxy. */
export const configCommand: Command = {
  name: 'mesh config',
  group: meshGroup,
  summary: 'Print the configuration that was sent to a proxy',
  usage: 'NODE [flags]',
  examples: ['chandlery mesh config web-1', 'chandlery mesh config web-1 -o yaml'],
  arguments: { required: ['NODE'] },
  options: {
    ...meshFlag,
    output: { type: 'text', short: 'o', valueName: 'json|yaml', about: 'How it is printed. Default: json.' },
  },
  notes: ['Of secrets there are names and versions only: private keys are never shown.'],
  goal: ([node]) => `print the configuration of the proxy "${node}"`,
  async run(context) {
    const format = formatOf(context.flags, ['json', 'yaml']) === 'yaml' ? 'yaml' : 'json';
    const [node = ''] = context.args;
    await using mesh = connectMesh(context);
    const config = await mesh.ask<object>(['meshes', meshOf(context.flags), 'proxies', node], { hints });
    context.stdout.write(formatValue(config, format));
    return 0;
  },
};
