import type { AccessRequest } from '@chandlery/clusters/kinds';
import { retainedNames } from '@chandlery/providers/kinds';
import { readKubeconfig } from '../connector.ts';
import { requestsOf } from '../tenants.ts';
import { until, type ValidationContext, type ValidationTenant } from '../validation-context.ts';

const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'openmcp-access' };

/** Invalidates all tokens of a retained service: they are bound to accounts, which are created again. */
export async function endCredentials(context: ValidationContext, tenant: ValidationTenant): Promise<void> {
  const { access } = await requestsOf(context, tenant);
  const held = access.filter(({ metadata }) => metadata.labels?.[retainedNames.handedOverLabel] === 'true');
  for (const request of held) await renewCredentials(context, request);
}

async function renewCredentials(context: ValidationContext, { metadata, spec, status }: AccessRequest): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  if (spec.clusterRef === undefined) return;
  const secret = { namespace, name: status?.secretRef?.name ?? '' };
  // Read before anything is deleted: the new kubeconfig may be there at once.
  const before = await readKubeconfig(context.platform, secret);
  const client = await context.connect(spec.clusterRef);
  const labelSelector = `clusters.openmcp.cloud/accessrequest-name=${name},clusters.openmcp.cloud/accessrequest-namespace=${namespace}`;
  const { items } = await client.list(accounts, { labelSelector });
  for (const account of items) await client.delete({ ...accounts, name: account.metadata.name ?? '' });
  await until(context, `new credentials for "${name}"`, async () => {
    const now = await readKubeconfig(context.platform, secret);
    return now !== before && (await isAuthenticated(context, now));
  });
}

/** A client that gets Forbidden is authenticated. */
const isAuthenticated = (context: ValidationContext, kubeconfig: string): Promise<boolean> =>
  context
    .open(kubeconfig)
    .list(accounts)
    .then(
      () => true,
      (error: { code?: string }) => error.code === 'Forbidden',
    );
