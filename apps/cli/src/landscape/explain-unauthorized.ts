import { ChandleryError, isError } from '@chandlery/api';
import { createClient, respondingApi } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from './connect.ts';

/**
 * Credentials of a tenant are valid on the tenant's own cluster only. When another cluster rejected them, the error says
 * so, instead of calling them invalid.
 */
export async function explainUnauthorized(context: CommandContext, thrown: unknown): Promise<unknown> {
  // A command that knows better what to do says so in its hint.
  if (!isError(thrown, 'Unauthorized') || thrown.hint !== undefined) return thrown;
  const own = await ownCluster(context).catch(() => undefined);
  if (own === undefined) return thrown;
  const responding = clusterOfServer(respondingApi(thrown) ?? '');
  const other = responding === undefined ? 'other clusters' : `cluster "${responding}"`;
  return new ChandleryError(
    'Forbidden',
    `these credentials are valid on cluster "${own}" only, and this command reads ${other} too`,
    {
      hint: 'Ask the operator of the landscape to run it, or use the commands for objects of your own cluster (get, trace).',
      cause: thrown,
    },
  );
}

/** The name of the context's cluster when it accepts the credentials. */
async function ownCluster(context: CommandContext): Promise<string | undefined> {
  const connection = contextConnectionOf(context);
  await using client = createClient(connection);
  await client.raw('/api');
  return clusterOfServer(connection.server);
}
