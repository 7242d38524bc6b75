import { apiError } from '@chandlery/api';
import type { HttpRequest } from '@chandlery/http';
import type { WorkloadIdentity } from '../model/identity.ts';
import type { MeshAuthority } from '../ports.ts';
import type { Guard } from './guard.ts';

/** What routes need that agents of workloads use. */
export interface AccountRouteOptions {
  readonly authority: MeshAuthority;
  readonly tenantOf: (cluster: string) => Promise<string | undefined>;
  readonly guard: Guard;
}

/** Where they are. */
export const accountPath = '/mesh/v1/clusters/:cluster/namespaces/:namespace/serviceaccounts/:account';

interface Params {
  readonly cluster: string;
  readonly namespace: string;
  readonly account: string;
}

/** Whom a request is about, for whoever may make tokens for that account. Rejects also with `NotFound`. */
export async function workloadOf(
  request: HttpRequest,
  { authority, tenantOf, guard }: AccountRouteOptions,
): Promise<WorkloadIdentity> {
  const { cluster, namespace, account: name } = request.params as Params;
  const wish = { verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token' };
  await guard(request, { ...wish, cluster, namespace, name });
  const tenant = await tenantOf(cluster);
  if (tenant === undefined) throw apiError('NotFound', `cluster "${cluster}" is in no mesh`);
  return { trustDomain: authority.trustDomain, tenant, cluster, namespace, serviceAccount: name };
}
