import type { HttpHost } from '@chandlery/http';
import { type AccountRouteOptions, accountPath, workloadOf } from './account-route.ts';

/**
 * `GET /mesh/v1/clusters/{c}/namespaces/{ns}/serviceaccounts/{sa}/trust`: whom the workload is to believe at present, and in which mesh it is. Agents
 * ask often, and have a new certificate signed when `trustVersion` is another than that of theirs.
 */
export function addTrustRoute(host: HttpHost, options: AccountRouteOptions): void {
  host.app.get(`${accountPath}/trust`, async request => {
    const { tenant } = await workloadOf(request, options);
    const { trustVersion, trustBundle, trustDomain } = options.authority;
    return { trustVersion, trustBundle, trustDomain, tenant };
  });
}
