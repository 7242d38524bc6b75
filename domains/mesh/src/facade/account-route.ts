import { apiError, ChandleryError } from '@chandlery/api';
import type { HttpRequest } from '@chandlery/http';
import type { HasAccount } from '../members/member-connections.ts';
import type { WorkloadIdentity } from '../model/identity.ts';
import type { ServiceAccountName } from '../model/topology.ts';
import type { MeshAuthority } from '../ports.ts';
import type { Authorizer } from './authorizer.ts';

/** Dependencies of the routes that the agents of workloads use. */
export interface AccountRouteOptions {
  readonly authority: MeshAuthority;
  readonly tenantOf: (cluster: string) => Promise<string | undefined>;
  readonly authorize: Authorizer;
  readonly hasAccount: HasAccount;
}

/** Path prefix of the routes of one service account. */
export const accountPath = '/mesh/v1/clusters/:cluster/namespaces/:namespace/serviceaccounts/:account';

interface Params {
  readonly cluster: string;
  readonly namespace: string;
  readonly account: string;
}

/**
 * Returns the workload of a request after authorization: the caller must be allowed to create tokens for the service
 * account. Rejects with `NotFound` for a missing account, as a TokenRequest does.
 */
export async function workloadOf(
  request: HttpRequest,
  { authority, tenantOf, authorize, hasAccount }: AccountRouteOptions,
): Promise<WorkloadIdentity> {
  const { cluster, namespace, account: name } = request.params as Params;
  const tokenRequest = { verb: 'create', group: '', resource: 'serviceaccounts', subresource: 'token' };
  await authorize(request, { ...tokenRequest, cluster, namespace, name });
  const tenant = await tenantOf(cluster);
  if (tenant === undefined) throw apiError('NotFound', `cluster "${cluster}" is in no mesh`);
  if ((await hasAccount(cluster, { namespace, name })) === false) throw missingAccount(cluster, { namespace, name });
  return { trustDomain: authority.trustDomain, tenant, cluster, namespace, serviceAccount: name };
}

const missingAccount = (cluster: string, { namespace, name }: ServiceAccountName): ChandleryError =>
  new ChandleryError('NotFound', `there is no service account "${namespace}/${name}" on cluster "${cluster}"`, {
    hint: `Create it (kubectl create serviceaccount ${name} --namespace ${namespace}), or correct the account and cluster.`,
  });
