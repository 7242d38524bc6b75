import { type HttpClient, loadKubeconfig } from '@chandlery/client';
import { formatOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { CommandContext } from '../command.ts';
import { connect, connectionOf, kubeconfigPathOf, serverOfCluster } from '../landscape/connect.ts';
import { connectTo } from '../landscape/connect-to.ts';
import { formatValue } from '../output/print-object.ts';
import { assertGrant, grantAccess, homeOf, type Role, roles } from './grants.ts';
import { ensurePerson, issueToken, personName } from './person.ts';
import { ttlOf } from './request-token.ts';

const defaultTtl = '8h';

/** Prints a kubeconfig with a token of a person's own, after the person got the role. */
export async function printForPerson(context: CommandContext, cluster: string | undefined): Promise<number> {
  const { flags, stdout, stderr } = context;
  const format = formatOf(flags, ['yaml', 'json']);
  if (cluster === undefined) throw usageError('MissingArgument', 'CLUSTER is missing: which API shall the person use?');
  const user = personName(flags.text('user') ?? '');
  const ttlMs = ttlOf(flags.text('ttl') ?? defaultTtl);
  const role = roleOf(flags.text('role'));
  await using platform = connect(context);
  const { home, isProject } = await homeOf(platform, cluster);
  const namespace = flags.text('namespace');
  const grant = { user, cluster, role, namespace, isProject };
  assertGrant(grant);
  await using client = connectTo(context, home);
  // A person who got no rights is not left behind.
  const given = await grantAccess(client, grant);
  await ensurePerson(client, user);
  const { token, expires } = await issueToken(client, user, ttlMs);
  stdout.write(formatValue(await kubeconfigWith(context, platform, { cluster, user, token, namespace }), format));
  stderr.write(
    `user ${user} ${given}; the token is valid until ${expires}. Revoke it: npx chandlery user revoke ${user}` +
      `${home === 'onboarding' ? '' : ` --cluster ${cluster}`}\n`,
  );
  return 0;
}

function roleOf(text: string | undefined): Role | undefined {
  const found = roles.find(role => role === text);
  if (text === undefined || found !== undefined) return found;
  throw usageError('InvalidOption', `--role must be one of ${roles.join(', ')}, not "${text}"`);
}

/** What a kubeconfig with a token is for. */
export interface TokenAccess {
  readonly cluster: string;
  readonly user: string;
  readonly token: string;
  readonly namespace?: string | undefined;
}

/** A kubeconfig of one cluster of the landscape, with a token, for a client that may be on another machine. */
export async function kubeconfigWith(
  context: CommandContext,
  platform: HttpClient,
  { cluster, user, token, namespace }: TokenAccess,
): Promise<object> {
  const server = (await publicUrlOf(platform)) ?? connectionOf(context).server;
  const contextName = context.flags.text('context');
  const { caPem } = loadKubeconfig(
    kubeconfigPathOf(context),
    contextName === undefined ? {} : { context: contextName },
  );
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': cluster,
    clusters: [
      {
        name: cluster,
        cluster: {
          server: serverOfCluster(server, cluster),
          ...(caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') }),
        },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user, ...(namespace === undefined ? {} : { namespace }) } }],
    users: [{ name: user, user: { token } }],
  };
}

/** The URL by which others reach the landscape; undefined when its operator has named none. */
async function publicUrlOf(platform: HttpClient): Promise<string | undefined> {
  const response = await platform.raw('/', { isFromRoot: true });
  return ((await response.json()) as { readonly url?: string }).url;
}
