import { createClient, type HttpClient } from '@chandlery/client';
import { type Tenant, workspaces } from '@chandlery/providers/kinds';
import type { CommandContext, Right } from '../command.ts';
import { contextConnectionOf } from '../landscape/connect.ts';

/** No more workspaces are looked at. */
const maxWorkspaces = 20;

/** The rights that the caller lacks in all namespaces that are meant: that of the command line, or those of workspaces. */
export async function missingRights(
  context: CommandContext,
  rights: readonly Right[],
): Promise<{ readonly missing: readonly Right[]; readonly namespaces: readonly string[] }> {
  const connection = contextConnectionOf(context);
  await using client = createClient(connection);
  const named = context.flags.text('tenant') ?? context.flags.text('namespace') ?? connection.namespace;
  const namespaces = named === undefined ? await workspacesOf(client) : [named];
  const has = await Promise.all(rights.map(right => isAllowed(client, right, namespaces)));
  return { missing: rights.filter((_, index) => has[index] !== true), namespaces };
}

async function workspacesOf(client: HttpClient): Promise<readonly string[]> {
  const { items } = await client.list<Tenant>(workspaces.ref, { limit: maxWorkspaces });
  return items.flatMap(({ status }) => status?.namespace ?? []);
}

/** Rights on everything are asked for once, without a namespace. */
async function isAllowed(client: HttpClient, right: Right, namespaces: readonly string[]): Promise<boolean> {
  for (const namespace of ['', ...namespaces]) if (await isAllowedIn(client, right, namespace)) return true;
  return false;
}

async function isAllowedIn(client: HttpClient, { verb, group, resource }: Right, namespace: string): Promise<boolean> {
  const reviews = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews' };
  const { status } = (await client.create(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb, group, resource, ...(namespace === '' ? {} : { namespace }) } },
  } as never)) as { status?: { allowed?: boolean } };
  return status?.allowed === true;
}

/** `list serviceinstances.brokers.chandlery.io`. */
export const rightText = ({ verb, group, resource }: Right): string =>
  `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
