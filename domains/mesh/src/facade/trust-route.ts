import type { HttpHost } from '@chandlery/http';
import { type AccountRouteOptions, accountPath, workloadOf } from './account-route.ts';

export interface TrustRouteOptions extends AccountRouteOptions {
  /** Where this replica listens for proxies. */
  readonly xdsPort: number;
}

/**
 * `GET /mesh/v1/clusters/{c}/namespaces/{ns}/serviceaccounts/{sa}/trust`: whom the workload is to believe at present, in which mesh it is, and on
 * which port its proxies are served. Agents ask often, and have a new certificate signed when `trustVersion` is another than that of theirs.
 */
export function addTrustRoute(host: HttpHost, options: TrustRouteOptions): void {
  host.app.get(`${accountPath}/trust`, async request => {
    const { tenant } = await workloadOf(request, options);
    const { trustVersion, trustBundle, trustDomain } = options.authority;
    return { trustVersion, trustBundle, trustDomain, tenant, xdsPort: options.xdsPort };
  });
}
