import type { Explanation } from '@chandlery/mesh/kinds';
import { formatOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { connectMesh } from '../../mesh/mesh-client.ts';
import { meshFlag, meshGroup, meshOf, namespacedName } from '../../mesh/mesh-flags.ts';
import { meshHints } from '../../mesh/mesh-hints.ts';
import { renderExplanation } from '../../mesh/render-explanation.ts';
import { formatValue } from '../../output/print-object.ts';

/** Shows whether a call is allowed, and by which policy. */
export const explainCommand: Command = {
  name: 'mesh explain',
  group: meshGroup,
  summary: 'Say whether an account may call a service, and which policy says so',
  usage: 'NS/ACCOUNT NS/SERVICE [METHOD PATH] [flags]',
  examples: [
    'chandlery mesh explain shop/web shop/api',
    'chandlery mesh explain shop/web shop/api GET /books/1',
    'chandlery mesh explain shop/web shop/api POST /shop.Books/List --port 9090',
  ],
  arguments: { required: ['NS/ACCOUNT', 'NS/SERVICE'], optional: ['METHOD', 'PATH'] },
  options: {
    ...meshFlag,
    port: { type: 'text', valueName: 'PORT', about: "The service's port. Default: its first." },
  },
  notes: [
    'Without METHOD and PATH a rule for some requests only is no permission. A call of gRPC is a POST.',
    'The exit code is 0 when the call is let through, also if only by some of the backends of a split, otherwise 1.',
  ],
  goal: ([from, to]) => `explain calls from ${from} to ${to}`,
  async run(context) {
    const format = formatOf(context.flags);
    const query = queryOf(context);
    await using mesh = connectMesh(context);
    const path = ['meshes', meshOf(context.flags), 'explain'];
    const explanation = await mesh.ask<Explanation>(path, { query, hints: meshHints });
    context.stdout.write(format === 'table' ? renderExplanation(explanation) : formatValue(explanation, format));
    return explanation.verdict === 'denied' ? 1 : 0;
  },
};

function queryOf({ args, flags }: CommandContext): Record<string, string> {
  const [from = '', to = '', method, path] = args;
  namespacedName(from, 'NS/ACCOUNT');
  namespacedName(to, 'NS/SERVICE');
  if (method !== undefined && path === undefined) throw usageError('MissingArgument', 'PATH is missing after METHOD');
  if (path !== undefined && !path.startsWith('/'))
    throw usageError('InvalidOption', `PATH must begin with a slash, not "${path}"`);
  const port = flags.text('port');
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw usageError('InvalidOption', '--port must be the number of a port');
  return {
    from,
    to,
    ...(method !== undefined && { method }),
    ...(path !== undefined && { path }),
    ...(port !== undefined && { port }),
  };
}
